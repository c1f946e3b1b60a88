"""The sizing of a deployment: a stage that is too small, and a bill that leaves something out."""

from tests.mutants.mutant import Mutant

_SIZING = "tests/infra/test_sizing.py"
_COUNTS = "tests/infra/test_sizing_counts.py"
_CHOICES = "tests/infra/test_sizing_choices.py"
_MEMORY = "tests/infra/test_executor_memory.py"
_PROVISIONED = "tests/infra/test_provisioned.py"
_ALARMS = "tests/infra/test_alarms.py"

SIZING = (
    Mutant(
        name="stage that is sized for items of one kilobyte",
        file="infra/sizing/plan.py",
        old="    shard_units = size.write_units * max(",
        new="    shard_units = max(",
        killer=_SIZING,
    ),
    Mutant(
        name="lane with more messages in flight than a queue has",
        file="infra/sizing/plan.py",
        old="MOST_POLLERS = floor(figures.IN_FLIGHT.value * HEAD_ROOM / EXECUTOR_BATCH / BATCHES_PER_POLLER)\n",
        new="MOST_POLLERS = 2_000\n",
        killer=_SIZING,
    ),
    Mutant(
        name="heartbeat that another stage of the account keeps alive",
        file="infra/components/metrics.py",
        old="dimensions_map={Dimension.STAGE: self.stage.name, **dimensions}",
        new="dimensions_map=dict(dimensions)",
        killer=_ALARMS,
    ),
    Mutant(
        name="handler of dead messages that fails without an alarm",
        file="infra/components/resource_alarms.py",
        old="        minutes=1 if spec.reads_dead_letters else 3,\n",
        new="        minutes=3,\n",
        killer=_ALARMS,
    ),
    Mutant(
        name="bill for a dashboard that the stage has not",
        file="infra/sizing/idle.py",
        old="        dashboards=int(stage.dashboard),\n",
        new="        dashboards=1,\n",
        killer=_ALARMS,
    ),
    Mutant(
        name="rate that is not a number",
        file="infra/sizing/traffic.py",
        old="    if not math.isfinite(value) or not least <= value <= most:\n",
        new="    if value < least or value > most:\n",
        killer=_SIZING,
    ),
    Mutant(
        name="provisioned units that are used up to the last",
        file="infra/sizing/usage.py",
        old="        seconds = 3_600 * HEAD_ROOM\n",
        new="        seconds = 3_600\n",
        killer=_CHOICES,
    ),
    Mutant(
        name="reserve of provisioned units without head room",
        file="infra/capacity.py",
        old="    return ceil(round(units / HEAD_ROOM, 6))\n",
        new="    return ceil(round(units, 6))\n",
        killer=_PROVISIONED,
    ),
    Mutant(
        name="minimum units below the busiest minute",
        file="infra/config.py",
        old="        needed = reserves(self.jobs_per_second, self.due_in_one_minute)\n",
        new="        needed = reserves(self.jobs_per_second, 0)\n",
        killer=_PROVISIONED,
    ),
    Mutant(
        name="index without units of its own",
        file="infra/components/tables.py",
        old="settings: dict[str, Any] = {**capacity.provisioned, **capacity.bounds}",
        new="settings: dict[str, Any] = {**capacity.bounds}",
        killer=_PROVISIONED,
    ),
    Mutant(
        name="provisioned table that throttles at each full hour without an alarm",
        file="infra/components/resource_alarms.py",
        old="        of_minutes=TWO_FULL_HOURS if is_provisioned else 5,\n",
        new="        of_minutes=5,\n",
        killer=_PROVISIONED,
    ),
    Mutant(
        name="executor whose memory a full batch could exhaust",
        file="infra/executor_memory.py",
        old="LEAST_EXECUTOR_MB = 512\n",
        new="LEAST_EXECUTOR_MB = 256\n",
        killer=_MEMORY,
    ),
    Mutant(
        name="budget of memory for one key of each message",
        file="infra/executor_memory.py",
        old="CALLS_AT_ONCE = EXECUTOR_BATCH * KEYS_PER_MESSAGE\n",
        new="CALLS_AT_ONCE = EXECUTOR_BATCH\n",
        killer=_MEMORY,
    ),
    Mutant(
        name="memory of a lane that its executors do not get",
        file="infra/config.py",
        old="        return self.lanes.of(queue) or self.executor\n",
        new="        return self.executor\n",
        killer=_MEMORY,
    ),
    Mutant(
        name="memory of a lane that is not checked",
        file="infra/executor_memory.py",
        old='    if function.startswith(("executor", "lanes.")) and memory_mb',
        new='    if function.startswith("executor") and memory_mb',
        killer=_MEMORY,
    ),
    Mutant(
        name="preset whose cold executors are late",
        file="infra/stages.py",
        old="    memory=FunctionMemory(executor=1_024),\n",
        new="    memory=FunctionMemory(executor=512),\n",
        killer=_MEMORY,
    ),
    Mutant(
        name="bill of provisioned units without the burst",
        file="infra/sizing/cost.py",
        old="            self.traffic.due_in_one_minute,\n",
        new="            0,\n",
        killer=_CHOICES,
    ),
    Mutant(
        name="least memory for executors that a burst starts cold",
        file="infra/sizing/choices.py",
        old="    if traffic.burst:\n        return 1.0\n",
        new="",
        killer=_CHOICES,
    ),
    Mutant(
        name="provisioned units of smaller items than those that synth assumes",
        file="infra/sizing/cost.py",
        old="            replace(job, read_units=max(READS_PER_JOB, job.read_units)),\n",
        new="            job,\n",
        killer=_CHOICES,
    ),
    Mutant(
        name="idle minute without the refused takes of watchers",
        file="infra/sizing/figures.py",
        old="WATCH_WRITES = counted(\n    4,",
        new="WATCH_WRITES = counted(\n    2,",
        killer=_COUNTS,
    ),
    Mutant(
        name="run whose executor sends nothing",
        file="infra/sizing/usage.py",
        old="        return 1 / in_send + 2 / self.jobs_per_batch\n",
        new="        return 2 / self.jobs_per_batch\n",
        killer=_COUNTS,
    ),
)
