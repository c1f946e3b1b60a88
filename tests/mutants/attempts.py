"""EXECUTE: claims, leases, calls, outcomes, retries and dead letters."""

from tests.mutants.mutant import Mutant

ATTEMPTS = (
    Mutant(
        name="no claim",
        file="shared/usecases/attempts/run_attempts.py",
        old="            if isinstance(answer, ClaimRejected):\n",
        new="            if isinstance(answer, ClaimRejected) and answer.existing and answer.existing.progress.owner:\n"
        "                return await self.make_attempt.execute(answer.existing)\n"
        "            if isinstance(answer, ClaimRejected):\n",
    ),
    Mutant(
        name="no fence at completion",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old=" AND a = :attempt AND ow = :owner",
        new=" AND (a = :attempt OR a <> :attempt) AND (ow = :owner OR ow <> :owner)",
        killer="tests/conformance/test_execution_attempts.py",
    ),
    Mutant(
        name="attempt counted after the call",
        file="shared/adapters/dynamodb/executions/claimer.py",
        old="a = a + :one",
        new="a = a + :one - :one",
        killer="tests/conformance/test_claimer.py",
    ),
    Mutant(
        name="claim without the attempt limit",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old="a < mx AND {retries_go_on}",
        new="{retries_go_on}",
        killer="tests/conformance/test_claimer.py",
    ),
    Mutant(
        name="own lost claim read as another's",
        file="shared/adapters/dynamodb/executions/claimer.py",
        old="existing.progress.owner == owner\n",
        new='existing.progress.owner == ""\n',
        killer="tests/conformance/test_claimer.py",
    ),
    Mutant(
        name="refused retry of a claim taken for a refusal",
        file="tests/support/fakes/claimer.py",
        old="return standing if standing.progress.owner == claim.owner else ClaimRejected(standing)",
        new="return ClaimRejected(standing)",
    ),
    Mutant(
        name="drop the message while another's lease lives",
        file="shared/usecases/attempts/settle_refusal.py",
        old="kind=Refusal.HELD, is_done=False",
        new="kind=Refusal.HELD, is_done=True",
        killer="tests/unit/usecases/attempts/test_execute_refused.py",
    ),
    Mutant(
        name="retry message refused as not due and dropped",
        file="shared/usecases/attempts/settle_refusal.py",
        old="            self.file.wake_for_retry(existing, existing.not_before)\n",
        new="",
        killer="tests/unit/usecases/attempts/test_execute_refused.py",
    ),
    Mutant(
        name="dead-letter handler that fails what has attempts left",
        file="shared/usecases/dead_letters/handle_dead_messages.py",
        old="        if execution.has_attempts_left:\n",
        new="        if not execution.call.retry.max_attempts:\n",
        killer="tests/unit/usecases/dead_letters/test_handle_dead_messages.py",
    ),
    Mutant(
        name="early put-back not listed as failed",
        file="shared/usecases/attempts/run_attempts.py",
        old="                report.settled.append(_return(delivery, -(-early_ms // 1000)))\n",
        new="                report.settled.append(SettledMessage(delivery=delivery, verdict=Verdict.DONE))\n",
    ),
    Mutant(
        name="delete the message before completion",
        file="shared/usecases/attempts/make_attempt.py",
        old="is_done=successor.result() and settlement.is_done,",
        new="is_done=True,",
        killer="tests/unit/usecases/attempts/test_execute_lost_answers.py",
    ),
    Mutant(
        name="call before the time",
        file="shared/usecases/attempts/call_receiver.py",
        old="(early_ms := claimed.not_before - self.clock.now_ms()) > 0:",
        new="(early_ms := claimed.not_before - self.clock.now_ms() - 1_000) > 0:",
        killer="tests/unit/usecases/attempts/test_execute_time.py",
    ),
    Mutant(
        name="call though the lease does not cover the timeout",
        file="shared/usecases/attempts/call_receiver.py",
        old="return lease_left_ms >= execution.call.timeout_ms",
        new="return lease_left_ms >= -3_600_000",
        killer="tests/unit/usecases/attempts/test_execute_lease.py",
    ),
    Mutant(
        name="progress report that sinks its batch",
        file="shared/usecases/attempts/run_attempts.py",
        old="        with suppress(ServiceError):\n",
        new="        with suppress(KeyError):\n",
        killer="tests/unit/usecases/attempts/test_execute_lost_answers.py",
    ),
)
