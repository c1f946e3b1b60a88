"""Redrives: one at a time, beside the chain, paced, and undone as far as they have not begun."""

from tests.mutants.mutant import Mutant

_SINGLE = "tests/unit/usecases/dead_letters/test_redrive.py"
_STORE = "tests/conformance/test_redrives.py"
_UNFINISHED = "tests/unit/usecases/dead_letters/test_redrive_unfinished.py"
_NOTIFICATIONS = "tests/unit/usecases/dead_letters/test_redrive_notifications.py"
_DELETED = "tests/unit/usecases/dead_letters/test_delete_redrives.py"

REDRIVES = (
    Mutant(
        name="redrive whose number does not go on",
        file="shared/domain/dead_letters/new_redrive.py",
        old="number=before.number + 1)",
        new="number=1)",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that is chosen over another",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old=' AND attribute_not_exists(rd)"\n',
        new='"\n',
        killer=_STORE,
    ),
    Mutant(
        name="redrive that goes by its own choice where a rival was faster",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="        return existing.progress.redriven_by.execution, False\n",
        new="        return chosen, True\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive after a success",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="            if existing.state not in REDRIVABLE:\n",
        new="            if not existing.state.is_terminal:\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that files a successor",
        file="shared/domain/dead_letters/new_redrive.py",
        old="        recurrence=None,\n",
        new="",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that resets the original",
        file="shared/adapters/dynamodb/executions/execution_store.py",
        old='"SET rd = :rd", redrivable(), values)',
        new='"SET rd = :rd, a = :zero", redrivable(), values | {":zero": encode(0)})',
        killer=_STORE,
    ),
    Mutant(
        name="redrive of a redrive that forgets the original",
        file="shared/domain/dead_letters/new_redrive.py",
        old="    before = last.redrive_of or RedriveOf(original=last.id, number=0)\n",
        new="    before = RedriveOf(original=last.id, number=0)\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that begins with the attempts of the original",
        file="shared/domain/dead_letters/new_redrive.py",
        old="        progress=Progress(),\n",
        new="        progress=Progress(attempt=last.attempt),\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that is no part of its job's history",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="            if draft.notification_of is None\n",
        new="            if draft.notification_of is not None\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive whose large request goes with the original",
        file="shared/adapters/dynamodb/jobs/payloads.py",
        old='"#ttl < :ttl")\n\n    def _expire',
        new='"#ttl > :ttl")\n\n    def _expire',
        killer=_STORE,
    ),
    Mutant(
        name="end of an execution that takes a redrive's request away",
        file="shared/adapters/dynamodb/jobs/payloads.py",
        old='"(attribute_not_exists(#ttl) OR #ttl < :ttl)"',
        new='"attribute_exists(pk)"',
        killer=_STORE,
    ),
    Mutant(
        name="redrive of what has expired and may have run",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="        if chosen.dispatch_at + self.retention.days * DAY_SECONDS * 1000 <= self.clock.now_ms():\n",
        new="        if chosen.dispatch_at < 0:\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive against a deletion",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="job is None or job.state in GONE\n",
        new="job is None\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that is as old as its choice",
        file="shared/domain/executions/execution.py",
        old="        return max(self.due_at, self.created_at) if self.redrive_of is not None else self.due_at\n",
        new="        return self.due_at\n",
        killer=_UNFINISHED,
    ),
    Mutant(
        name="redrive whose retries are as old as its choice",
        file="shared/usecases/attempts/settle_attempt.py",
        old="latest_retry_at(execution.aged_from, ",
        new="latest_retry_at(execution.id.dispatch_at, ",
        killer=_UNFINISHED,
    ),
    Mutant(
        name="redrive ahead of its time that is as old as its record",
        file="shared/domain/executions/execution.py",
        old="        return max(self.due_at, self.created_at) if self.redrive_of is not None else self.due_at\n",
        new="        return self.created_at if self.redrive_of is not None else self.due_at\n",
        killer=_UNFINISHED,
    ),
    Mutant(
        name="deletion that ends the first page of redrives alone",
        file="shared/usecases/chains/stop_running_executions.py",
        old="            if len(places) < PAGE or",
        new="            if len(places) <= PAGE or",
        killer=_DELETED,
    ),
    Mutant(
        name="deletion that goes over redrives for as long as it takes",
        file="shared/usecases/chains/stop_running_executions.py",
        old=" or self.clock.now_ms() >= stops_at:\n",
        new=":\n",
        killer=_DELETED,
    ),
    Mutant(
        name="redrive that a deletion leaves open and that is called",
        file="shared/usecases/attempts/call_receiver.py",
        old="execution.recurrence is not None and execution.progress.claims == 1 and not is_renewed\n",
        new="execution.progress.claims == 1 and not is_renewed\n",
        killer=_DELETED,
    ),
    Mutant(
        name="redrive of a notification in the history of its job",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="            if draft.notification_of is None\n",
        new="            if draft\n",
        killer=_NOTIFICATIONS,
    ),
    Mutant(
        name="deletion that holds against telling of what had ended",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="is_recurring_job_id(failed.job_id) or failed.notification_of is not None:\n",
        new="is_recurring_job_id(failed.job_id):\n",
        killer=_NOTIFICATIONS,
    ),
    Mutant(
        name="redrive of a notification that has nothing to tell",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="            return self.store.get(execution_id) is not None\n",
        new="            return self.store.get(execution_id) is not execution_id\n",
        killer=_NOTIFICATIONS,
    ),
    Mutant(
        name="secret that is shown to whoever may read",
        file="functions/api/resources/dead_letters/presenter.py",
        old="value if reveal else REDACTED",
        new="value",
        killer="tests/unit/api/test_dead_letters.py",
    ),
    Mutant(
        name="secret that is revealed without a record",
        file="functions/api/resources/dead_letters/routes.py",
        old='        context.audit.record(request, "revealRequest", execution_id, None, inspected)\n',
        new="        pass\n",
        killer="tests/unit/api/test_dead_letters.py",
    ),
)
