"""Bulk redrives and their undoing: nothing twice, nothing left behind, and others' redrives let be."""

from tests.mutants.mutant import Mutant

_RUNS = "tests/unit/usecases/dead_letters/test_bulk_redrive_runs.py"
_JUDGE = "shared/usecases/dead_letters/judge_run_letters.py"
_VERDICT = "shared/domain/dead_letters/run_letters.py"
_UNDO_RUNS = "shared/usecases/dead_letters/undo_runs.py"
_BULK = "tests/unit/usecases/dead_letters/test_bulk_redrive.py"
_STORE = "tests/conformance/test_redrives.py"
_TASKS = "tests/conformance/test_redrive_tasks.py"
_WORKER = "tests/unit/usecases/dead_letters/test_redrive_worker.py"
_UNFINISHED = "tests/unit/usecases/dead_letters/test_redrive_unfinished.py"

BULK_REDRIVES = (
    Mutant(
        name="bulk redrive that moves its cursor before filing",
        file="shared/usecases/dead_letters/process_bulk_redrives.py",
        old="        counts, next_due_at = task.counts, task.next_due_at\n",
        new="        counts, next_due_at = task.counts, task.next_due_at\n"
        "        position = found.last.position if found.last else None\n"
        "        moved = task.advanced_to(position, counts, next_due_at)\n"
        "        if not self.tasks.replace(task, replace(moved, version=task.version)):\n"
        "            raise RuntimeError\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that goes on though another has ticked the page off",
        file="shared/adapters/dynamodb/bulk/bulk_tasks.py",
        old='            "ConditionExpression": "vn = :before",\n',
        new='            "ConditionExpression": "vn = :before OR vn <> :before",\n',
        killer=_TASKS,
    ),
    Mutant(
        name="bulk redrive whose redrives are all due at once",
        file="shared/domain/dead_letters/redrive_task.py",
        old="        return base_at + number * 1000 // self.rate\n",
        new="        return base_at\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that makes up for a standstill all at once",
        file="shared/usecases/dead_letters/redrive_page.py",
        old="        base_at = max(task.next_due_at, now_ms)\n",
        new="        base_at = task.next_due_at\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that redrives its own redrives",
        file="shared/usecases/dead_letters/start_redrive.py",
        old="before=min(criteria.span.before, IndexPosition(at=now_ms))\n",
        new="before=criteria.span.before\n",
        killer=_BULK,
    ),
    Mutant(
        name="bulk redrive that redrives what is redriven",
        file="shared/usecases/dead_letters/redrive_page.py",
        old="            if link.existing.state is not State.CANCELLED:\n",
        new="            if link.existing.state not in (State.CANCELLED, State.FAILED):\n",
        killer=_BULK,
    ),
    Mutant(
        name="undo that ignores a started one",
        file="shared/domain/executions/states.py",
        old='    UNDO = ("undo", NOT_STARTED, State.CANCELLED)\n',
        new='    UNDO = ("undo", NOT_STARTED | {State.WAITING}, State.CANCELLED)\n',
        killer=_STORE,
    ),
    Mutant(
        name="undo that counts what was too late as undone",
        file="shared/usecases/bulk/cancel_unstarted.py",
        old="        return existing.state is State.CANCELLED and existing.attempt == 0\n",
        new="        return True\n",
        killer=_BULK,
    ),
    Mutant(
        name="undo that takes redrives of others back",
        file="shared/usecases/dead_letters/undo_page.py",
        old="            if link.mark.task != task.id:\n",
        new="            if link.mark.task is None and link.existing is None:\n",
        killer=_BULK,
    ),
    Mutant(
        name="undo that walks but once",
        file="shared/usecases/dead_letters/process_bulk_redrives.py",
        old="(task.pass_began_at or 0) < task.settles_at:\n",
        new="(task.pass_began_at or 0) < 0:\n",
        killer=_BULK,
    ),
    Mutant(
        name="undo that goes by the tags that jobs have now",
        file="shared/domain/dead_letters/redrive_task.py",
        old="        tag = self.criteria.tag if self.undo_asked_at is None else None\n",
        new="        tag = self.criteria.tag\n",
        killer="tests/unit/usecases/dead_letters/test_undo_filtered.py",
    ),
    Mutant(
        name="undo that counts what it meets from two dead letters twice",
        file="shared/usecases/dead_letters/undo_page.py",
        old="                if link.last is not dead and task.undoes_from(link.last):\n",
        new="                if link.last is None:\n",
        killer="tests/unit/usecases/dead_letters/test_undo_filtered.py",
    ),
    Mutant(
        name="undo that leaves what stands behind a dead letter that it does not walk over",
        file="shared/usecases/dead_letters/undo_page.py",
        old="                if link.last is not dead and task.undoes_from(link.last):\n",
        new="                if link.last is not dead and link.last.state is State.FAILED:\n",
        killer="tests/unit/usecases/dead_letters/test_undo_filtered.py",
    ),
    Mutant(
        name="undo that leaves what was chosen and not filed to others",
        file="shared/usecases/dead_letters/undo_page.py",
        old="            if link.mark.task != task.id:\n",
        new="            if link.mark.task != task.id or link.existing is None:\n",
        killer=_UNFINISHED,
    ),
    Mutant(
        name="undo that overlooks who was faster",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="        return self.store.put_if_absent(ended, expires_at_s=expires_at_s) or ended\n",
        new="        self.store.put_if_absent(ended, expires_at_s=expires_at_s)\n        return ended\n",
        killer=_UNFINISHED,
    ),
    Mutant(
        name="bulk redrive that takes what was pressed for its own",
        file="shared/usecases/dead_letters/redrive_page.py",
        old="                return Outcome.REDRIVEN if is_own else Outcome.SKIPPED\n",
        new="                return Outcome.REDRIVEN\n",
        killer=_UNFINISHED,
    ),
    Mutant(
        name="two bulk redrives of a tenant at once",
        file="shared/adapters/dynamodb/bulk/bulk_tasks.py",
        old='self._list_as_open(task, "attribute_not_exists(#id)")',
        new='self._list_as_open(task, "attribute_not_exists(#id) OR #id <> :id")',
        killer=_TASKS,
    ),
    Mutant(
        name="bulk redrive that is processed under the lease of another",
        file="shared/usecases/bulk/lease_page.py",
        old="        if task.lease_until > now_ms or not self.tasks.replace(task, leased):\n",
        new="        if not self.tasks.replace(task, leased):\n",
        killer=_WORKER,
    ),
    Mutant(
        name="bulk redrive whose lease has no fencing token",
        file="shared/domain/bulk/task.py",
        old="        return replace(self, lease_until=until, version=self.version + 1)\n",
        new="        return replace(self, lease_until=until)\n",
        killer=_WORKER,
    ),
    Mutant(
        name="failed page that keeps its lease",
        file="shared/usecases/bulk/lease_page.py",
        old="            self._release(leased)\n",
        new="            pass\n",
        killer=_WORKER,
    ),
    Mutant(
        name="large bulk redrive that goes before the others",
        file="shared/usecases/bulk/process_bulk_tasks.py",
        old="            elif self._has_more(turn, report):\n                waiting.append(turn)\n",
        new="            elif self._has_more(turn, report):\n                waiting.appendleft(turn)\n",
        killer=_WORKER,
    ),
    Mutant(
        name="page that is done though a mark is unknown",
        file="shared/usecases/dead_letters/redrive_page.py",
        old="                errors.append(_error(result))\n",
        new="                outcomes[choice.number] = Outcome.SKIPPED\n",
        killer=_WORKER,
    ),
    Mutant(
        name="batch of marks that chooses over another",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old=" AND rd IS MISSING",
        new="",
        killer="tests/conformance/test_redrive_batches.py",
    ),
    Mutant(
        name="records of redrives that DynamoDB has not processed",
        file="shared/adapters/dynamodb/executions/redrive_batches.py",
        old='            left = answer.get("UnprocessedItems", {}).get(self._jobs, [])\n',
        new="            left = [] if answer else left\n",
        killer="tests/conformance/test_redrive_batches_faults.py",
    ),
    Mutant(
        name="run that a bulk redrive redrives at each of its dead letters",
        file=_JUDGE,
        old="each.run.id in left or each.run.id in chosen:",
        new="each.run.id in left:",
        killer=_RUNS,
    ),
    Mutant(
        name="bulk redrive that redrives a run and the execution that started it",
        file=_JUDGE,
        old="each.run.id in left or each.run.id in chosen:",
        new="each.run.id in chosen:",
        killer=_RUNS,
    ),
    Mutant(
        name="bulk redrive that does not know the epochs that it has begun",
        file=_VERDICT,
        old="    if begun is not None and begun.task == bulk_id:\n",
        new="    if begun is None and bulk_id is None:\n",
        killer=_RUNS,
    ),
    Mutant(
        name="cancelled run that a bulk redrive begins anew",
        file=_VERDICT,
        old="RunVerdict.REFUSE if run.state is RunState.CANCELLED else RunVerdict.REDRIVE",
        new="RunVerdict.REDRIVE",
        killer=_RUNS,
    ),
    Mutant(
        name="bulk redrive of runs that takes nothing of the quota of a minute",
        file="shared/usecases/dead_letters/redrive_runs.py",
        old="        while due_at <= until and not self.spend.in_minute(\n",
        new="        while False and not self.spend.in_minute(\n",
        killer=_RUNS,
    ),
    Mutant(
        name="rate of a bulk redrive that counts a run as one execution",
        file="shared/usecases/dead_letters/redrive_page.py",
        old="                number += max(1, width)\n",
        new="                number += 1\n",
        killer=_RUNS,
    ),
    Mutant(
        name="undo that cancels a run whose tasks have started",
        file=_UNDO_RUNS,
        old="        if workflow is None or self._has_started(workflow, run):\n",
        new="        if workflow is None:\n",
        killer=_RUNS,
    ),
    Mutant(
        name="undo that cancels the redrive of a run that others made",
        file=_UNDO_RUNS,
        old="(begun.task, begun.dead_letter) != (task.id, dead[index].id):\n",
        new="not begun.task:\n",
        killer=_RUNS,
    ),
    Mutant(
        name="bulk redrive of a run that counts in later epochs",
        file="shared/adapters/dynamodb/codec/run_items.py",
        old="    if int(begun) != epoch:\n",
        new="    if not int(begun):\n",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="bulk redrive that passes failed runs by",
        file=_VERDICT,
        old="RunVerdict.REFUSE if run.state is RunState.CANCELLED else RunVerdict.REDRIVE",
        new="RunVerdict.SKIP",
        killer="tests/simulation/test_workflows.py",
    ),
    Mutant(
        name="run that is left to an execution whose redrive was cancelled",
        file="shared/usecases/dead_letters/follow_redrives.py",
        old="            link.existing is None or link.existing.state is not State.CANCELLED\n",
        new="            link.mark is not None\n",
        killer=_RUNS,
    ),
    Mutant(
        name="run that is left to an execution which may not be redriven",
        file=_JUDGE,
        old="        return is_chosen and self.may_redrive(parent)\n",
        new="        return is_chosen\n",
        killer=_RUNS,
    ),
    Mutant(
        name="run without room that holds up all dead letters behind it",
        file="shared/usecases/dead_letters/redrive_page.py",
        old="                    if free_at > until and has_waited:\n",
        new="                    if False:\n",
        killer=_RUNS,
    ),
    Mutant(
        name="run that a standstill of the redriver lets wait for no minute",
        file="shared/usecases/dead_letters/redrive_page.py",
        old="task.waits_since is not None and now_ms - task.waits_since > PATIENCE_MS",
        new="now_ms - (task.waits_since or task.next_due_at) > PATIENCE_MS",
        killer=_RUNS,
    ),
    Mutant(
        name="page that takes the executions of its runs at each try",
        file="shared/usecases/dead_letters/redrive_runs.py",
        old="        if paid >= due_at // MINUTE_MS:\n",
        new="        if False:\n",
        killer=_RUNS,
    ),
)
