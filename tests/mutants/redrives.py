"""Redrives: one at a time, beside the chain, paced, and undone as far as they have not begun."""

from tests.mutants.mutant import Mutant

_SINGLE = "tests/unit/usecases/test_redrive.py"
_BULK = "tests/unit/usecases/test_bulk_redrive.py"
_STORE = "tests/conformance/test_redrives.py"
_TASKS = "tests/conformance/test_redrive_tasks.py"

REDRIVES = (
    Mutant(
        name="redrive whose number does not go on",
        file="shared/domain/new_redrive.py",
        old="number=before.number + 1)",
        new="number=1)",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that is chosen over another",
        file="shared/adapters/dynamodb/conditions.py",
        old=' AND attribute_not_exists(rd)"\n',
        new='"\n',
        killer=_STORE,
    ),
    Mutant(
        name="redrive that goes by its own choice where a rival was faster",
        file="shared/usecases/redrive_execution.py",
        old="        return standing.redriven_by.execution, False\n",
        new="        return chosen, True\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive after a success",
        file="shared/usecases/redrive_execution.py",
        old="            if standing.state not in REDRIVABLE:\n",
        new="            if not standing.state.is_terminal:\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that files a successor",
        file="shared/domain/new_redrive.py",
        old="        recurrence=None,\n",
        new="",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that resets the original",
        file="shared/adapters/dynamodb/execution_store.py",
        old='"SET rd = :rd", redrivable(), values)',
        new='"SET rd = :rd, a = :zero", redrivable(), values | {":zero": encode(0)})',
        killer=_STORE,
    ),
    Mutant(
        name="redrive of a redrive that forgets the original",
        file="shared/domain/new_redrive.py",
        old="    before = last.redrive_of or RedriveOf(original=last.id, number=0)\n",
        new="    before = RedriveOf(original=last.id, number=0)\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that begins with the attempts of the original",
        file="shared/domain/execution.py",
        old='    "attempt": 0,\n',
        new="",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive that is no part of its job's history",
        file="shared/usecases/redrive_execution.py",
        old="        self.jobs.note_beside(draft, self._outlives_s(chosen.dispatch_at))\n",
        new="",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive whose large request goes with the original",
        file="shared/adapters/dynamodb/payloads.py",
        old='"#ttl < :ttl")\n\n    def _expire',
        new='"#ttl > :ttl")\n\n    def _expire',
        killer=_STORE,
    ),
    Mutant(
        name="end of an execution that takes a redrive's request away",
        file="shared/adapters/dynamodb/payloads.py",
        old='"(attribute_not_exists(#ttl) OR #ttl < :ttl)"',
        new='"attribute_exists(pk)"',
        killer=_STORE,
    ),
    Mutant(
        name="redrive of what has expired and may have run",
        file="shared/usecases/redrive_execution.py",
        old="        if chosen.dispatch_at + self.retention.days * DAY_SECONDS * 1000 <= now_ms:\n",
        new="        if chosen.dispatch_at < 0:\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="redrive against a deletion",
        file="shared/usecases/redrive_execution.py",
        old="            if job is None or job.state in GONE:\n",
        new="            if job is None:\n",
        killer=_SINGLE,
    ),
    Mutant(
        name="bulk redrive that moves its cursor before filing",
        file="shared/usecases/work_off_redrives.py",
        old="        work = self._redrive_all if task.state is TaskState.RUNNING else self._undo_all\n",
        new="        work = self._redrive_all if task.state is TaskState.RUNNING else self._undo_all\n"
        "        place = found.last.place if found.last else None\n"
        "        moved = task.walked_to(place, task.counts, task.next_due_at)\n"
        "        if not self.tasks.replace(task, moved):\n"
        "            return None\n"
        "        task = moved\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that goes on though another has ticked the page off",
        file="shared/adapters/dynamodb/redrive_tasks.py",
        old='            "ConditionExpression": "vn = :before",\n',
        new='            "ConditionExpression": "vn = :before OR vn <> :before",\n',
        killer=_TASKS,
    ),
    Mutant(
        name="bulk redrive whose redrives are all due at once",
        file="shared/domain/redrive_task.py",
        old="        return base_at + number * 1000 // self.rate\n",
        new="        return base_at\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that makes up for a standstill all at once",
        file="shared/usecases/work_off_redrives.py",
        old="        base_at = max(task.next_due_at, now_ms)\n",
        new="        base_at = task.next_due_at\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that redrives its own redrives",
        file="shared/usecases/start_redrive.py",
        old="before=min(wanted.span.before, Place(at=now_ms)))\n",
        new="before=wanted.span.before)\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that redrives what is redriven",
        file="shared/usecases/work_off_redrives.py",
        old="            if link.standing.state is not State.CANCELLED:\n",
        new="            if link.standing.state not in (State.CANCELLED, State.FAILED):\n",
        killer=_BULK,
    ),
    Mutant(
        name="undo that ignores a started one",
        file="shared/domain/execution.py",
        old='    UNDO = ("undo", NOT_STARTED, State.CANCELLED)\n',
        new='    UNDO = ("undo", NOT_STARTED | {State.WAITING}, State.CANCELLED)\n',
        killer=_STORE,
    ),
    Mutant(
        name="undo that counts what was too late as undone",
        file="shared/usecases/work_off_redrives.py",
        old="        return standing.state is State.CANCELLED and standing.attempt == 0\n",
        new="        return True\n",
        killer=_BULK,
    ),
    Mutant(
        name="undo that takes redrives of others back",
        file="shared/usecases/work_off_redrives.py",
        old="                if link.chosen.task != task.id or link.standing is None:\n",
        new="                if link.standing is None:\n",
        killer=_BULK,
    ),
    Mutant(
        name="undo that walks but once",
        file="shared/usecases/work_off_redrives.py",
        old="(task.pass_began_at or 0) < task.settles_at:\n",
        new="(task.pass_began_at or 0) < 0:\n",
        killer=_BULK,
    ),
    Mutant(
        name="two bulk redrives of a tenant at once",
        file="shared/adapters/dynamodb/redrive_tasks.py",
        old='self._enlist(task, "attribute_not_exists(#id)")',
        new='self._enlist(task, "attribute_not_exists(#id) OR #id <> :id")',
        killer=_TASKS,
    ),
    Mutant(
        name="secret that is shown to whoever may read",
        file="functions/api/dead_letter_views.py",
        old="value if reveal else REDACTED",
        new="value",
        killer="tests/unit/api/test_dead_letters.py",
    ),
    Mutant(
        name="secret that is revealed without a record",
        file="functions/api/routes/dead_letters.py",
        old='        service.audit.record(admitted, "revealRequest", execution_id, None, inspected)\n',
        new="        pass\n",
        killer="tests/unit/api/test_dead_letters.py",
    ),
)
