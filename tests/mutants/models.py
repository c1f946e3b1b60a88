"""Rules of the domain that the models visit in every state."""

from tests.mutants.mutant import Mutant

_ATTEMPT_MODEL = "tests/models/test_attempts.py"
_FILING_MODEL = "tests/models/test_filing.py"
_CHAIN_MODEL = "tests/models/test_chain.py"

MODELS = (
    Mutant(
        name="cancel while an attempt runs",
        file="shared/domain/executions/states.py",
        old='CANCEL = ("cancel", NOT_STARTED | {State.WAITING}, State.CANCELLED)',
        new='CANCEL = ("cancel", NOT_STARTED | {State.WAITING, State.RUNNING}, State.CANCELLED)',
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="no claim of what a dead worker left behind",
        file="shared/domain/executions/states.py",
        old='CLAIM = ("claim", NOT_STARTED | {State.WAITING, State.RUNNING}, State.RUNNING)',
        new='CLAIM = ("claim", NOT_STARTED | {State.WAITING}, State.RUNNING)',
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="one attempt more than the policy has",
        file="shared/domain/executions/execution.py",
        old="return self.attempt < self.call.retry.max_attempts and not self.progress.stop_retries",
        new="return self.attempt <= self.call.retry.max_attempts and not self.progress.stop_retries",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="attempts left though retries were stopped",
        file="shared/domain/executions/execution.py",
        old="return self.attempt < self.call.retry.max_attempts and not self.progress.stop_retries",
        new="return self.attempt < self.call.retry.max_attempts",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="claim under a live lease",
        file="shared/domain/executions/execution.py",
        old="return lease_until + 1 if lease_until is not None else None",
        new="return 0 if lease_until is not None else None",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="live leases taken for dead ones",
        file="shared/domain/executions/execution.py",
        old="return lease_until is not None and lease_until < now_ms",
        new="return lease_until is not None and lease_until > now_ms",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="sweep that leaves retries whose message was lost",
        file="shared/domain/dispatch/sweep.py",
        old="row.next_attempt_at + RETRY_GRACE_MS <= context.now_ms",
        new="row.next_attempt_at + RETRY_GRACE_MS > context.now_ms",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="sweep that leaves what a dead worker left behind",
        file="shared/domain/dispatch/sweep.py",
        old="if row.claimable_from is not None and row.claimable_from <= context.now_ms:",
        new="if row.claimable_from is not None and row.claimable_from > context.now_ms:",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="writers without a guard against the clocks of watchers",
        file="shared/domain/bucket.py",
        old="return now_ms >= bucket_start_ms(bucket) - LOOK_AHEAD_MS - GUARD_MS",
        new="return now_ms >= bucket_start_ms(bucket) - LOOK_AHEAD_MS",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="writers without a guard against the clocks of sweepers",
        file="shared/domain/bucket.py",
        old="return now_ms >= bucket_end_ms(bucket) + FIRST_SWEEP_MS - GUARD_MS",
        new="return now_ms >= bucket_end_ms(bucket) + FIRST_SWEEP_MS",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="watch of a bucket before the look-ahead",
        file="shared/domain/bucket.py",
        old="return range(bucket_of(now_ms), bucket_of(now_ms + LOOK_AHEAD_MS) + 1)",
        new="return range(bucket_of(now_ms), bucket_of(now_ms + LOOK_AHEAD_MS) + 2)",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="later passes that leave what a first pass leaves",
        file="shared/domain/dispatch/sweep.py",
        old="if not context.is_first_pass or row.state is State.QUEUED or context.scan_began_at is None:",
        new="if row.state is State.QUEUED or context.scan_began_at is None:",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="tombstone that what was sent for does not take",
        file="shared/domain/executions/states.py",
        old='END_CHAIN = ("end_chain", NOT_STARTED, State.CANCELLED)',
        new='END_CHAIN = ("end_chain", frozenset({State.PENDING}), State.CANCELLED)',
        killer=_CHAIN_MODEL,
    ),
    Mutant(
        name="record of a jump that leaves out what was missed",
        file="shared/domain/jobs/misfire.py",
        old="last_at = latest_at_or_before(self.schedule, until_ms, self.immediate_at) or self.immediate_at",
        new="last_at = self.immediate_at",
        killer=_CHAIN_MODEL,
    ),
    Mutant(
        name="jump that goes on at an instant that it passed over",
        file="shared/domain/jobs/misfire.py",
        old="            nominal_at=goes_on_at,\n",
        new="            nominal_at=last_at,\n",
        killer=_CHAIN_MODEL,
    ),
)
