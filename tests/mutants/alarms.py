"""Alarms that reach nobody, that stay silent in their fault, or that page for what a tenant asks for."""

from tests.mutants.mutant import Mutant

_HELD = "tests/unit/usecases/ticks/test_held_runs.py"
_REPORT = "tests/unit/functions/test_executor_report.py"
_SCENARIOS = "tests/infra/test_alarm_scenarios.py"
_ALARMS = "tests/infra/test_alarms.py"
_THROTTLES = "tests/unit/adapters/test_throttles.py"
_OVERDUE = "tests/unit/usecases/ticks/test_overdue.py"

ALARMS = (
    Mutant(
        name="run that waits for an earlier run pages as unclaimed",
        file="shared/usecases/ticks/held_runs.py",
        old="if lock.waiting == run.id and lock.holder is not None:",
        new="if lock.waiting == run.id and lock.holder is None:",
        killer=_HELD,
    ),
    Mutant(
        name="run that no worker has seen excused by another run",
        file="shared/usecases/ticks/held_runs.py",
        old="if lock.waiting == run.id and lock.holder is not None:",
        new="if lock.holder is not None:",
        killer=_HELD,
    ),
    Mutant(
        name="run excused by an earlier run that has ended",
        file="shared/usecases/ticks/held_runs.py",
        old="    return execution is not None and not execution.state.is_terminal\n",
        new="    return execution is not None\n",
        killer=_HELD,
    ),
    Mutant(
        name="execution with ended heartbeats that pages before its message is sent",
        file="shared/usecases/ticks/measure_overdue.py",
        old="if row.state is State.RUNNING and (last_resend_at or 0) < due_at:",
        new="if row.state is State.RUNNING and (last_resend_at or due_at) < due_at:",
        killer=_OVERDUE,
    ),
    Mutant(
        name="lost execution that no worker of a dead lane takes stays silent",
        file="shared/usecases/ticks/measure_overdue.py",
        old="        late = (*self._waiting_ms.items(), *self._lost_ms.items())\n",
        new="        late = (*self._waiting_ms.items(),)\n",
        killer=_OVERDUE,
    ),
    Mutant(
        name="dead slow path without an alarm",
        file="infra/components/resource_alarms.py",
        old="        if queue.is_slow:\n",
        new="        if not queue:\n",
        killer=_ALARMS,
    ),
    Mutant(
        name="topic of the operator that gets no alarm",
        file="infra/components/alarm_topic.py",
        old="    if targets.topic_arn is not None:\n",
        new="    if targets.topic_arn is not None and targets.emails:\n",
        killer=_ALARMS,
    ),
    Mutant(
        name="run that is caught up after a pause counted as late",
        file="functions/executor/report.py",
        old="max(attempt.execution.due_at, attempt.execution.created_at)",
        new="attempt.execution.id.dispatch_at",
        killer=_REPORT,
    ),
    Mutant(
        name="start that a tenant's limit delays counted as late",
        file="functions/executor/report.py",
        old="        and attempt.execution.id not in report.waited\n",
        new="",
        killer=_REPORT,
    ),
    Mutant(
        name="start on a slow path counted as late",
        file="functions/executor/report.py",
        old="    if not queue.is_slow:\n",
        new="    if queue:\n",
        killer=_REPORT,
    ),
    Mutant(
        name="topic that lets no alarm publish",
        file="infra/components/alarm_topic.py",
        old="        topic.add_to_resource_policy(_cloudwatch_may_publish(topic))\n",
        new="        _cloudwatch_may_publish(topic)\n",
        killer=_ALARMS,
    ),
    Mutant(
        name="alarm whose end is told to nobody",
        file="infra/components/alarms.py",
        old="        alarm.add_ok_action(self._action)\n",
        new="",
        killer=_ALARMS,
    ),
    Mutant(
        name="first deployment that pages for missing heartbeats",
        file="infra/components/alarms.py",
        old="        if spec.missing is MISSING_IS_BREACHING and not stage.emulated:\n",
        new="        if spec.missing is MISSING_IS_BREACHING and stage.emulated:\n",
        killer=_SCENARIOS,
    ),
    Mutant(
        name="one failure on a quiet stage that pages",
        file="infra/components/burn_alarms.py",
        old="MIN_ERRORS = 5\n",
        new="MIN_ERRORS = 1\n",
        killer=_SCENARIOS,
    ),
    Mutant(
        name="throttled statement that nobody counts",
        file="shared/adapters/aws/throttles.py",
        old='if operation == "BatchExecuteStatement" else []',
        new='if operation == "BatchGetItem" else []',
        killer=_THROTTLES,
    ),
)
