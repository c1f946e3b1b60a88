"""Retries: how long they wait, and when there is none."""

from tests.mutants.mutant import Mutant

_RETRY = "shared/domain/delivery/retry.py"
_BOUNDS = "tests/property/test_retry_bounds.py"
_EXECUTE = "tests/unit/usecases/attempts/test_execute_retries.py"

RETRIES = (
    Mutant(
        name="wait for a retry that begins when its outcome is recorded",
        file="shared/usecases/attempts/settle_attempt.py",
        old="max(now_ms, ended_at + self._delay_ms(execution, answer))",
        new="now_ms + self._delay_ms(execution, answer)",
        killer=_EXECUTE,
    ),
    Mutant(
        name="wait for a retry that begins with the preparation of its call",
        file="shared/usecases/attempts/call_receiver.py",
        old="            ended_at=self.clock.now_ms(),\n",
        new="            ended_at=started_at + getattr(answer, 'duration_ms', 0),\n",
        killer=_EXECUTE,
    ),
    Mutant(
        name="retry that is due in the past",
        file="shared/usecases/attempts/settle_attempt.py",
        old="max(now_ms, ended_at + self._delay_ms(execution, answer))",
        new="ended_at + self._delay_ms(execution, answer)",
        killer=_EXECUTE,
    ),
    Mutant(
        name="Retry-After that nobody heeds",
        file=_RETRY,
        old="asked_seconds = min(retry_after_seconds or 0, most_seconds)",
        new="asked_seconds = min(0, most_seconds)",
        killer=_BOUNDS,
    ),
    Mutant(
        name="Retry-After beyond the cap",
        file=_RETRY,
        old="asked_seconds = min(retry_after_seconds or 0, most_seconds)",
        new="asked_seconds = retry_after_seconds or 0",
        killer=_BOUNDS,
    ),
    Mutant(
        name="table of delays read one entry off",
        file=_RETRY,
        old="return self.delays_seconds[attempt - 1]",
        new="return self.delays_seconds[attempt % len(self.delays_seconds)]",
    ),
    Mutant(
        name="table of delays with full jitter",
        file=_RETRY,
        old="part = 1 - TABLE_JITTER * draw if self.delays_seconds else draw",
        new="part = draw",
    ),
    Mutant(
        name="call of what is too old",
        file="shared/usecases/attempts/call_receiver.py",
        old="if execution.gives_up_at is not None and self.due_clock.now_ms() > execution.gives_up_at:",
        new="if execution.gives_up_at is not None and self.due_clock.now_ms() > execution.gives_up_at + 3_600_000:",
    ),
    Mutant(
        name="age that is measured before the request is read",
        file="shared/usecases/attempts/call_receiver.py",
        old="if execution.gives_up_at is not None and self.due_clock.now_ms() > execution.gives_up_at:",
        new="if execution.gives_up_at is not None and started_at > execution.gives_up_at:",
        killer=_EXECUTE,
    ),
    Mutant(
        name="retry that will be too old",
        file="shared/usecases/attempts/settle_attempt.py",
        old="        if next_attempt_at > _latest_at(execution, outcome.started_at):\n"
        "            return self._failure(execution, outcomes, answer.body",
        new="        if next_attempt_at > 2 * _latest_at(execution, outcome.started_at):\n"
        "            return self._failure(execution, outcomes, answer.body",
        killer=_EXECUTE,
    ),
    Mutant(
        name="Retry-After that outlives the records",
        file=_RETRY,
        old="return span_ends_at if gives_up_at is None else min(span_ends_at, gives_up_at)",
        new="return 2 * span_ends_at if gives_up_at is None else min(span_ends_at, gives_up_at)",
        killer=_EXECUTE,
    ),
    Mutant(
        name="Retry-After that is settled without",
        file="shared/usecases/attempts/settle_attempt.py",
        old="self.entropy.draw(), answer.retry_after_seconds)",
        new="self.entropy.draw(), None)",
    ),
    Mutant(
        name="retry of what its receiver gave up",
        file=_RETRY,
        old="frozenset({Reason.STOPPED, Reason.RECEIVER_GAVE_UP, ",
        new="frozenset({Reason.STOPPED, ",
    ),
    Mutant(
        name="retry though the receiver is gone",
        file=_RETRY,
        old="return not response.succeeded and not is_gone and ",
        new="return not response.succeeded and ",
    ),
    Mutant(
        name="job that goes on though its receiver is gone",
        file="shared/usecases/outcomes/finalize_execution.py",
        old="if job.state is JobState.ACTIVE and job.chain_revision == ended.revision:",
        new="if job.state is JobState.PAUSED and job.chain_revision == ended.revision:",
    ),
    Mutant(
        name="first attempt of what is too old",
        file="shared/usecases/attempts/call_receiver.py",
        old="if execution.gives_up_at is not None and self.due_clock.now_ms() > execution.gives_up_at:",
        new="if execution.attempt > 1 and execution.gives_up_at is not None "
        "and self.due_clock.now_ms() > execution.gives_up_at:",
    ),
    Mutant(
        name="receiver that asks for no retry, and gets one",
        file="shared/adapters/http/response.py",
        old="        if self._gave_up:\n",
        new="        if self._gave_up and self.status is None:\n",
        killer="tests/delivery/test_no_retry.py",
    ),
)
