"""STAGES: how long the stages of attempts took, and why calls were late."""

from tests.mutants.mutant import Mutant

_ATTEMPTS = "tests/unit/usecases/attempts/test_stages_of_attempts.py"
_STORES = "tests/conformance/test_stages.py"
_ARRIVAL = "tests/unit/domain/dispatch/test_arrival.py"
_DEFER = "tests/unit/usecases/limits/test_defer_keys.py"
_BACKLOG = "tests/simulation/test_stages.py"
_CODES = "tests/property/test_stages.py"
_LATENESS = "tests/unit/domain/executions/test_lateness.py"
_EXPLAIN = "tests/unit/api/test_explain.py"
_ROWS = "tests/property/test_row_lateness.py"

STAGES = (
    Mutant(
        name="duration code that is too coarse",
        file="shared/domain/executions/stages.py",
        old="round(CODES_PER_DOUBLING * log2(1 + max(0, duration_ms)))",
        new="int(CODES_PER_DOUBLING * log2(1 + max(0, duration_ms)))",
        killer=_CODES,
    ),
    Mutant(
        name="stage before the due time",
        file="shared/domain/executions/stages.py",
        old="before_at = min(max(due_at, instants[0]), last_at)",
        new="before_at = min(instants[0], last_at)",
        killer=_ARRIVAL,
    ),
    Mutant(
        name="stage that ends after the call began",
        file="shared/domain/executions/stages.py",
        old="at = min(max(before_at, instant), last_at)",
        new="at = max(before_at, instant)",
        killer=_CODES,
    ),
    Mutant(
        name="deferred message that begins its wait anew",
        file="shared/usecases/limits/defer_keys.py",
        old="        wait=message.wait.deferred(WaitCause[deferral.reason.name], deferral.wait_ms),\n",
        new="        wait=None,\n",
        killer=_BACKLOG,
    ),
    Mutant(
        name="wait without its cause",
        file="shared/usecases/limits/defer_keys.py",
        old="        wait=message.wait.deferred(WaitCause[deferral.reason.name], deferral.wait_ms),\n",
        new="        wait=message.wait,\n",
        killer=_DEFER,
    ),
    Mutant(
        name="wait that no message attribute carries",
        file="shared/adapters/sqs/wakeup_queue.py",
        old="trace_attribute(wakeup.traces) | wait_attribute(wakeup.wait)",
        new="trace_attribute(wakeup.traces) | wait_attribute(None)",
        killer=_BACKLOG,
    ),
    Mutant(
        name="start that is taken before the request is prepared",
        file="shared/usecases/attempts/call_receiver.py",
        old="        return now_ms, await self.sender.send(",
        new="        return started_at, await self.sender.send(",
    ),
    Mutant(
        name="wait for the overlap that begins before the run was filed",
        file="shared/usecases/attempts/guard_start.py",
        old="max(execution.not_before, execution.created_at)",
        new="execution.not_before",
        killer=_ATTEMPTS,
    ),
    Mutant(
        name="retry that drops the stages of the first attempt",
        file="shared/domain/executions/stages.py",
        old="first = UNKNOWN_STAGES if stages is None else stages.first",
        new="first = UNKNOWN_STAGES",
        killer=_ATTEMPTS,
    ),
    Mutant(
        name="outcome that stores no stages",
        file="shared/adapters/dynamodb/executions/execution_store.py",
        old=" | {STAGES: pack_stages(finish.stages)}",
        new="",
        killer=_STORES,
    ),
    Mutant(
        name="accepted call that stores no stages",
        file="shared/adapters/dynamodb/executions/execution_store.py",
        old="        packed = pack_stages(stages)\n",
        new="        packed = None\n",
        killer=_STORES,
    ),
    Mutant(
        name="wait for the overlap without its cause",
        file="shared/usecases/attempts/guard_start.py",
        old="not_before=now_ms, waited=1, wait=wait)",
        new="not_before=now_ms, waited=1)",
        killer=_ATTEMPTS,
    ),
    Mutant(
        name="rounding shown as a late message",
        file="shared/domain/executions/lateness.py",
        old="    if capped is None and left_ms > tolerance_ms(known):\n",
        new="    if capped is None and left_ms > 0:\n",
        killer=_LATENESS,
    ),
    Mutant(
        name="late message that no stage shows",
        file="shared/domain/executions/lateness.py",
        old="    if capped is None and left_ms > tolerance_ms(known):\n",
        new="    if capped is None and left_ms > 3_600_000:\n",
        killer=_LATENESS,
    ),
    Mutant(
        name="explanation that says the wait without its cause",
        file="functions/api/resources/executions/explain_presenter.py",
        old="return sentences.CAUSES[cause] if cause else sentences.STAGES[stage]",
        new="return sentences.STAGES[stage]",
        killer=_EXPLAIN,
    ),
    Mutant(
        name="archived row that forgets the claims without a call",
        file="shared/domain/archive/row.py",
        old="        refunded_since=progress.refunded_since,\n",
        new="        refunded_since=None,\n",
        killer=_ROWS,
    ),
    Mutant(
        name="archived stages in the wrong order",
        file="shared/domain/archive/row_lateness.py",
        old="(row.queue_ms, row.wait_ms, row.claim_ms, row.ready_ms, ",
        new="(row.queue_ms, row.wait_ms, row.ready_ms, row.claim_ms, ",
        killer=_ROWS,
    ),
    Mutant(
        name="first byte taken for the end of the response",
        file="shared/adapters/http/response.py",
        old="        if self._head_ms is None:\n",
        new="        if True:\n",
        killer="tests/delivery/test_stages.py",
    ),
    Mutant(
        name="kept-alive connection that is timed as a new one",
        file="shared/adapters/http/pool.py",
        old="connection, response.connect_ms = self._take_idle(owner), 0\n",
        new="connection, response.connect_ms = self._take_idle(owner), response.elapsed_ms() + 1\n",
        killer="tests/delivery/test_stages.py",
    ),
)
