"""Maps of workflows: each step of a map, and each of its conditions."""

from tests.mutants.mutant import Mutant

_MAPS = "tests/unit/usecases/workflows/test_maps.py"
_RULES = "tests/unit/domain/workflows/test_map_items.py"
_STORED = "tests/conformance/test_map_store.py"
_ITEMS = "shared/domain/workflows/map_items.py"
_RUN_MAPS = "shared/usecases/workflows/run_maps.py"
_STORE = "shared/adapters/dynamodb/workflows/map_store.py"

MAPS = (
    Mutant(
        name="items of a map that are one execution",
        file="shared/domain/workflows/identities.py",
        old='    position = "" if item is None else f"|{item}"\n',
        new='    position = ""\n',
        killer=_MAPS,
    ),
    Mutant(
        name="redrive that repeats items that have succeeded",
        file=_ITEMS,
        old="if each.state is TaskState.SUCCEEDED}",
        new="if False}",
        killer=_MAPS,
    ),
    Mutant(
        name="map that ends while an item is open",
        file=_ITEMS,
        old="    if TaskState.CHOSEN in states:\n",
        new="    if states == {TaskState.CHOSEN}:\n",
        killer=_RULES,
    ),
    Mutant(
        name="map that succeeds with a failed item",
        file=_ITEMS,
        old="    worst = (TaskState.FAILED, TaskState.CANCELLED",
        new="    worst = (TaskState.CANCELLED",
        killer=_RULES,
    ),
    Mutant(
        name="failed item that lets its run go on under fail_fast",
        file="shared/domain/workflows/run_rules.py",
        old="    return replace(run, state=RunState.FAILING) if is_failing else run\n",
        new="    return run\n",
        killer=_RULES,
    ),
    Mutant(
        name="map whose task of another epoch counts",
        file="shared/domain/workflows/run_rules.py",
        old="    if task is None or not task.is_open or task.epoch != end.epoch:\n",
        new="    if task is None or not task.is_open:\n",
        killer=_RULES,
    ),
    Mutant(
        name="array of any length",
        file=_ITEMS,
        old="    return parts if len(parts) <= MAX_ITEMS else TaskReason.MAP_TOO_LONG\n",
        new="    return parts\n",
        killer=_RULES,
    ),
    Mutant(
        name="stopped map that a slow process begins",
        file=_RUN_MAPS,
        old="            items = self._put(lambda before: stopped_items(run, index, key, before), task.epoch)\n",
        new="            return MapEnd(epoch=task.epoch, state=TaskState.CANCELLED, reason=TaskReason.RUN_CANCELLED)\n",
        killer=_MAPS,
    ),
    Mutant(
        name="cancelled run whose items go on",
        file=_RUN_MAPS,
        old="        ends |= self.stop_tasks.stop(drafts, is_final=is_final)\n",
        new="",
        killer=_MAPS,
    ),
    Mutant(
        name="chosen items that no process files",
        file=_RUN_MAPS,
        old="            self._file(workflow, run, index, items, missing)\n",
        new="            pass\n",
        killer=_MAPS,
    ),
    Mutant(
        name="message of an item that comes again and files nothing",
        file=_RUN_MAPS,
        old="            if items is None or not is_written:\n",
        new="            if items is None:\n",
        killer=_MAPS,
    ),
    Mutant(
        name="refused record of items that drops the ends of all",
        file=_RUN_MAPS,
        old="            if is_written:\n                return stored\n            items = stored\n",
        new="            return stored\n",
        killer=_MAPS,
    ),
    Mutant(
        name="record of items that gives up without a fault",
        file=_RUN_MAPS,
        old='        raise UnavailableError("other processes record the ends of items")\n',
        new="        return items\n",
        killer=_MAPS,
    ),
    Mutant(
        name="failed item whose report is refused as a result",
        file="shared/usecases/attempts/report_outcome.py",
        old="        if reason is Reason.OK and most is not None",
        new="        if most is not None",
        killer=_MAPS,
    ),
    Mutant(
        name="sweep that leaves the end of an item unrecorded",
        file=_RUN_MAPS,
        old="            if items is None or (items.epoch <= each.epoch and each.item in items.open_items()):\n",
        new="            if items is None:\n",
        killer=_MAPS,
    ),
    Mutant(
        name="sweeper that leaves a map alone",
        file=_RUN_MAPS,
        old="        if self.queue.send(pack([wakeup]), now_ms):\n",
        new="        if pack([wakeup]) == []:\n",
        killer=_MAPS,
    ),
    Mutant(
        name="sweeper that sends the message of an execution that has expired",
        file=_RUN_MAPS,
        old="if each in known and known[each].state.is_terminal), None\n",
        new="if known[each].state.is_terminal), None\n",
        killer=_MAPS,
    ),
    Mutant(
        name="record of a map that never expires",
        file=_RUN_MAPS,
        old="        if not self.maps.conclude(items, result, expires_at_s):\n",
        new="        if False:\n",
        killer=_MAPS,
    ),
    Mutant(
        name="redrive of a map that lost a result",
        file="shared/usecases/workflows/redrive_run.py",
        old="        if task is not None and task.reason is TaskReason.RESULT_LOST:\n",
        new="        if False:\n",
        killer=_MAPS,
    ),
    Mutant(
        name="running item that each repetition of a cancellation stops again",
        file="shared/usecases/workflows/stop_tasks.py",
        old="    return execution.state is State.RUNNING and execution.progress.stop_retries\n",
        new="    return False\n",
        killer=_MAPS,
    ),
    Mutant(
        name="redrive of a map whose items are gone",
        file="shared/usecases/workflows/redrive_run.py",
        old="        if not is_kept and task is not None and task.has_execution:\n",
        new="        if False:\n",
        killer=_MAPS,
    ),
    Mutant(
        name="item whose result leaves no room for the others",
        file="shared/domain/executions/execution.py",
        old="        return (MAX_RESULT_BYTES - punctuation) // self.items\n",
        new="        return MAX_RESULT_BYTES\n",
        killer=_MAPS,
    ),
    Mutant(
        name="end of an item that is recorded over another",
        file=_STORE,
        old='" AND ".join(("#v <= :v", *still_open))',
        new='" AND ".join(("#v <= :v", *list(still_open)[:0])) + " AND :o0 = :o0"',
        killer=_STORED,
    ),
    Mutant(
        name="record of the next epoch that a slow process replaces",
        file=_STORE,
        old='        return self._put(after, f"#v <= :v AND {EPOCH} = :epoch", condition)\n',
        new='        return self._put(after, f"#v <= :v AND {EPOCH} <> :v", condition)\n',
        killer=_STORED,
    ),
    Mutant(
        name="end of a map that is recorded in the next epoch",
        file=_STORE,
        old='                    ConditionExpression=f"#v <= :v AND {EPOCH} = :epoch",\n',
        new='                    ConditionExpression=f"#v <= :v AND {EPOCH} >= :epoch",\n',
        killer=_STORED,
    ),
    Mutant(
        name="expiry of a map that a redrive shortens",
        file=_STORE,
        old='"attribute_exists(pk) AND #ttl < :ttl"',
        new='"attribute_exists(pk)"',
        killer=_STORED,
    ),
    Mutant(
        name="item of a map that an older release calls without its element",
        file="shared/adapters/dynamodb/codec/versions.py",
        old="    if execution.task is not None and execution.task.item is not None:\n"
        "        return max(MAPS, call_version(execution.call))\n",
        new="",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="run that could have any number of executions",
        file="shared/domain/workflows/graph.py",
        old="    if most > MAX_EXECUTIONS:\n",
        new="    if False:\n",
        killer=_RULES,
    ),
)
