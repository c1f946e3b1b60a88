"""Suspended tenants: no call begins, no attempt is used up, and nothing is lost when the tenant is resumed."""

from tests.mutants.mutant import Mutant

_DOMAIN = "tests/unit/domain/tenancy/test_suspension.py"
_HOLD = "tests/unit/usecases/attempts/test_hold_suspended.py"
_STORE = "tests/conformance/test_tenant_store.py"
_ACCOUNTS = "tests/unit/api/test_accounts.py"
_SUSPENSION = "shared/domain/tenancy/suspension.py"
_EXECUTION = "shared/domain/executions/execution.py"
_GATE = "shared/usecases/attempts/hold_suspended.py"

SUSPENSIONS = (
    Mutant(
        name="claims of a suspended tenant",
        file="shared/usecases/attempts/run_attempts.py",
        old="{**self.hold_suspended.execute(messages)}",
        new="{}",
        killer=_HOLD,
    ),
    Mutant(
        name="call by a worker that learns of the suspension after its claim",
        file="shared/usecases/attempts/call_receiver.py",
        old="        if call.not_from is not None and self.due_clock.now_ms() >= call.not_from:\n",
        new="        if call.not_from is not None and False:\n",
        killer=_HOLD,
    ),
    Mutant(
        name="worker that makes calls by a copy of the tenant of a minute ago",
        file=_SUSPENSION,
        old="KNOWN_FOR_MS = 40_000\n",
        new="KNOWN_FOR_MS = 60_000\n",
        killer=_DOMAIN,
    ),
    Mutant(
        name="slow suspension that is acknowledged for its own instant",
        file=_SUSPENSION,
        old=" if is_recent and not is_prompt else latest.from_at",
        new=" if is_recent and False else latest.from_at",
        killer=_DOMAIN,
    ),
    Mutant(
        name="resumption before the last look at what waits",
        file=_SUSPENSION,
        old="known_at + latest.wait_ms(known_at) + MAX_WRITE_MS",
        new="now_ms + EFFECTIVE_AFTER_MS",
        killer=_DOMAIN,
    ),
    Mutant(
        name="second suspension while the end of the first is ahead",
        file=_SUSPENSION,
        old="        if now_ms < until_at:\n",
        new="        if False:\n",
        killer=_DOMAIN,
    ),
    Mutant(
        name="record for each instant of a suspension",
        file=_EXECUTION,
        old="            return suspension.is_over(now_ms) and not self.recurrence.is_backfill\n",
        new="            return not self.recurrence.is_backfill\n",
        killer=_HOLD,
    ),
    Mutant(
        name="backfill that loses the instants of a suspension",
        file=_EXECUTION,
        old="            return suspension.is_over(now_ms) and not self.recurrence.is_backfill\n",
        new="            return suspension.is_over(now_ms)\n",
        killer=_HOLD,
    ),
    Mutant(
        name="one-off job that is skipped although it asks to run",
        file=_EXECUTION,
        old="        waits = self.runs_when_suspended or self.redrive_of",
        new="        waits = self.redrive_of",
        killer=_HOLD,
    ),
    Mutant(
        name="instants of a suspension that are caught up",
        file="shared/usecases/filing/file_successor.py",
        old="        if suspension is None:\n            return following\n",
        new="        if suspension is None or True:\n            return following\n",
        killer=_HOLD,
    ),
    Mutant(
        name="chain that goes on before the end of the suspension",
        file="shared/domain/jobs/misfire.py",
        old="chain.jump(first_after(schedule, until_at - 1), EndReason.SUSPENDED)",
        new="chain.jump(first_after(schedule, until_at), EndReason.SUSPENDED)",
        killer=_HOLD,
    ),
    Mutant(
        name="lost attempt that is repeated for a suspended tenant",
        file=_GATE,
        old="        return execution.lease_expired(now_ms) and execution.has_attempts_left\n",
        new="        return False\n",
        killer=_HOLD,
    ),
    Mutant(
        name="waiting execution whose message is lost",
        file=_GATE,
        old="        unsent = self.defer_keys.execute(messages, waiting)\n",
        new="        unsent: set[ExecutionId] = set()\n",
        killer=_HOLD,
    ),
    Mutant(
        name="waiting executions that count as late",
        file=_GATE,
        old="        self.hot_scopes.note(until)\n",
        new="",
        killer=_HOLD,
    ),
    Mutant(
        name="claimed run of a suspended tenant that counts as cancelled",
        file="shared/usecases/attempts/settle_attempt.py",
        old="frozenset({EndReason.LATE, EndReason.SUSPENDED})",
        new="frozenset({EndReason.LATE})",
        killer=_HOLD,
    ),
    Mutant(
        name="run that events have postponed, ended for a suspension that is over by then",
        file=_EXECUTION,
        old="        suspension = suspension_at(suspensions, self.due_at)\n",
        new="        suspension = suspension_at(suspensions, self.id.dispatch_at)\n",
        killer="tests/unit/usecases/triggers/test_debounce_crashes.py",
    ),
    Mutant(
        name="API that is open before the calls are",
        file="shared/domain/tenancy/tenant.py",
        old=" or self.suspension_at(now_ms) is not None\n",
        new="\n",
        killer=_ACCOUNTS,
    ),
    Mutant(
        name="end of a suspension that is not stored",
        file="shared/adapters/dynamodb/codec/tenant_items.py",
        old="{suspension.until_at or ''}",
        new="",
        killer=_STORE,
    ),
)
