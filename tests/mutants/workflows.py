"""Workflows: each step of a run, and each of its conditions."""

from tests.mutants.mutant import Mutant

_GRAPH = "tests/unit/domain/workflows/test_graph.py"
_RULES = "tests/unit/domain/workflows/test_run_rules.py"
_STORE = "tests/conformance/test_run_store.py"
_RUNS = "tests/unit/usecases/workflows/test_runs.py"
_CRASHES = "tests/unit/usecases/workflows/test_run_crashes.py"
_REPAIRS = "tests/unit/usecases/workflows/test_repair_runs.py"
_SIMULATION = "tests/simulation/test_workflows.py"
_RUN_RULES = "shared/domain/workflows/run_rules.py"
_ADVANCE = "shared/usecases/workflows/advance_run.py"
_STOP = "shared/usecases/workflows/stop_tasks.py"
_REPAIR = "shared/usecases/workflows/repair_runs.py"
_ITEM = "shared/adapters/dynamodb/workflows/run_store.py"

WORKFLOWS = (
    Mutant(
        name="workflow with a cycle",
        file="shared/domain/workflows/graph.py",
        old="    if cycle:\n",
        new="    if False:\n",
        killer=_GRAPH,
    ),
    Mutant(
        name="task that is chosen before all its predecessors have ended",
        file=_RUN_RULES,
        old="    if not all(task is not None and not task.is_open for task in after):\n        return None\n",
        new="",
        killer=_RULES,
    ),
    Mutant(
        name="run that fails although its failure was handled",
        file=_RUN_RULES,
        old="key not in handled for key",
        new="True for key",
        killer=_RULES,
    ),
    Mutant(
        name="fail_fast that lets started tasks' successors run",
        file=_RUN_RULES,
        old="    if is_failing and node.run_if is not RunIf.ANY_FAILED:\n",
        new="    if False:\n",
        killer=_RULES,
    ),
    Mutant(
        name="fail_fast that stops the handler of the failed task",
        file=_RUN_RULES,
        old="[index for index in run.open_tasks() if graph.nodes[index].run_if is not RunIf.ANY_FAILED]",
        new="run.open_tasks()",
        killer=_RULES,
    ),
    Mutant(
        name="fail_fast that lets chosen tasks start",
        file=_RUN_RULES,
        old="    if run.state is RunState.FAILING:\n",
        new="    if False:\n",
        killer=_RULES,
    ),
    Mutant(
        name="run without a deadline",
        file=_RUN_RULES,
        old="        run = replace(run, state=RunState.TIMING_OUT)\n",
        new="        pass\n",
        killer=_RULES,
    ),
    Mutant(
        name="redrive that repeats what has succeeded",
        file=_RUN_RULES,
        old="task if task and task.state is TaskState.SUCCEEDED else None for task",
        new="None for task",
        killer=_RULES,
    ),
    Mutant(
        name="redrive that finds the executions of the former epoch",
        file="shared/domain/workflows/identities.py",
        old='f"task|{run_id}|{epoch}|{key}"',
        new='f"task|{run_id}|{key}"',
        killer="tests/unit/domain/workflows/test_identities.py",
    ),
    Mutant(
        name="end of an execution that the run does not name any more",
        file=_RUN_RULES,
        old="        if task is not None and execution_of(run, graph, index) == execution_id:\n",
        new="        if task is not None:\n",
        killer=_RULES,
    ),
    Mutant(
        name="task whose attempts begin behind the deadline of the run",
        file="shared/domain/workflows/workflow.py",
        old="call=replace(call, retry=retry, ",
        new="call=replace(call, ",
        killer=_RULES,
    ),
    Mutant(
        name="task that a suspension of its tenant ends",
        file="shared/domain/workflows/workflow.py",
        old="        runs_when_suspended=True,\n",
        new="",
        killer=_RUNS,
    ),
    Mutant(
        name="task that notifies its tenant's callback",
        file="shared/domain/workflows/workflow.py",
        old=", callbacks=_SILENT",
        new="",
        killer=_RUNS,
    ),
    Mutant(
        name="task that is chosen twice",
        file=_ITEM,
        old='            conditions.append(f"attribute_not_exists(#{name})")\n',
        new="            pass\n",
        killer=_STORE,
    ),
    Mutant(
        name="end of a task that replaces another end",
        file=_ITEM,
        old='            conditions.append(f"#{name} = :o_{name}")\n            values[f":o_{name}"] = '
        "encode(pack_task(task))\n",
        new="            pass\n",
        killer=_STORE,
    ),
    Mutant(
        name="choice of a former epoch",
        file=_ITEM,
        old="    if not only_records_ends(before, after):\n",
        new="    if False:\n",
        killer=_STORE,
    ),
    Mutant(
        name="end of a task that a cancellation refuses",
        file=_ITEM,
        old="    if not only_records_ends(before, after):\n",
        new="    if True:\n",
        killer=_STORE,
    ),
    Mutant(
        name="update whose choices no process files after a lost response",
        file=_ITEM,
        old="is_written=is_stored(before, after, existing)",
        new="is_written=False",
        killer=_STORE,
    ),
    Mutant(
        name="task of a workflow that an older release ends",
        file="shared/adapters/dynamodb/codec/versions.py",
        old="    if execution.task is not None:\n",
        new="    if False:\n",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="success of a task that tells no run",
        file="shared/usecases/attempts/settle_attempt.py",
        old=" or execution.task is not None\n",
        new="\n",
        killer=_RUNS,
    ),
    Mutant(
        name="end of a task that tells no run",
        file="shared/usecases/outcomes/finalize_execution.py",
        old="            self.advance_run(ended)\n",
        new="            pass\n",
        killer=_RUNS,
    ),
    Mutant(
        name="process that overlooks the ends that its own write shows",
        file=_ADVANCE,
        old="            run = update.run\n",
        new="            run = after if update.is_written else update.run\n",
        killer=_CRASHES,
    ),
    Mutant(
        name="message that is done before what it chose is filed",
        file=_ADVANCE,
        old="        self._file(workflow, run, (*missing, *chosen))\n",
        new="        self._file(workflow, run, missing)\n",
        killer=_RUNS,
    ),
    Mutant(
        name="message that comes again and files nothing",
        file=_ADVANCE,
        old="                self.heal(workflow, run)\n",
        new="                pass\n",
        killer=_CRASHES,
    ),
    Mutant(
        name="chosen task that no process files",
        file=_ADVANCE,
        old="ends, missing=missing, is_repeated=True)",
        new="ends, is_repeated=True)",
        killer=_CRASHES,
    ),
    Mutant(
        name="repair that overlooks ends",
        file=_ADVANCE,
        old="self.go_on(workflow, run, ends, missing=missing",
        new="self.go_on(workflow, run, {}, missing=missing",
        killer=_CRASHES,
    ),
    Mutant(
        name="repair that does not stop tasks again",
        file=_ADVANCE,
        old="        if not is_repeated and run.state is before.state:\n",
        new="        if run.state is before.state:\n",
        killer=_REPAIRS,
    ),
    Mutant(
        name="cancellation that stops nothing",
        file="shared/usecases/workflows/cancel_run.py",
        old="                return self.advance.stop(workflow, run), workflow\n",
        new="                return run, workflow\n",
        killer=_RUNS,
    ),
    Mutant(
        name="cancellation that leaves chosen tasks to be filed",
        file=_STOP,
        old="            return self.store.put_if_absent(tombstone, expires_at_s=expires_at_s)\n",
        new="            return None\n",
        killer=_CRASHES,
    ),
    Mutant(
        name="cancellation that leaves waiting retries",
        file=_STOP,
        old="Transition.CANCEL if is_final else Transition.UNDO",
        new="Transition.UNDO",
        killer=_RUNS,
    ),
    Mutant(
        name="cancellation that lets running attempts be retried",
        file=_STOP,
        old="            may_go_on = existing.state in (State.RUNNING, State.WAITING) and not is_final\n",
        new="            may_go_on = existing.state in (State.RUNNING, State.WAITING)\n",
        killer=_RUNS,
    ),
    Mutant(
        name="run that its sweeper forgets while it is open",
        file="shared/usecases/ticks/sweep_pass.py",
        old="            self.keep(run.sort_key)\n",
        new="            pass\n",
        killer=_REPAIRS,
    ),
    Mutant(
        name="deadline that waits for a regular sweep",
        file="shared/usecases/ticks/sweep_pass.py",
        old="                self.look_again_at(run.deadline_at)\n",
        new="                pass\n",
        killer=_RUNS,
    ),
    Mutant(
        name="ended task that the sweeper ignores",
        file=_REPAIR,
        old="            if row.task is not None and row.state.is_terminal:\n",
        new="            if False:\n",
        killer=_REPAIRS,
    ),
    Mutant(
        name="shard that is closed although a run could not be read",
        file=_REPAIR,
        old="        return None, False\n",
        new="        return None, True\n",
        killer=_REPAIRS,
    ),
    Mutant(
        name="run in a closed bucket that no sweeper finds",
        file="shared/usecases/workflows/start_run.py",
        old="        self.file.ensure_scanned(draft.id)\n        existing = ",
        new="        existing = ",
        killer=_CRASHES,
    ),
    Mutant(
        name="redrive in a closed bucket that no sweeper finds",
        file="shared/usecases/workflows/redrive_run.py",
        old="        self.file.ensure_scanned(run.id)\n        update = ",
        new="        update = ",
        killer=_CRASHES,
    ),
    Mutant(
        name="task that is redriven without its run",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="        if failed.task is not None:\n",
        new="        if False:\n",
        killer=_RUNS,
    ),
    Mutant(
        name="large request of a workflow that expires",
        file="shared/usecases/ticks/collect_payloads.py",
        old="        if owner.startswith(WORKFLOW_PREFIX):\n",
        new="        if False:\n",
        killer="tests/unit/usecases/ticks/test_collect_workflow_payloads.py",
    ),
    Mutant(
        name="run of a deleted tenant",
        file="shared/adapters/dynamodb/tenancy/tenant_records.py",
        old="        for partition in range(RUN_PARTITIONS):\n",
        new="        for partition in range(0):\n",
        killer="tests/conformance/test_tenant_deletions.py",
    ),
    Mutant(
        name="step of a run by an outdated state",
        file="shared/domain/workflows/run_rules.py",
        old="    return (after.state, after.epoch) == (before.state, before.epoch) and all(\n",
        new="    return True or all(\n",
        killer=_SIMULATION,
    ),
)
