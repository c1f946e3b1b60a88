"""Releases and the life of a stage: functions past their aliases, and tables that nobody finds again."""

from tests.mutants.mutant import Mutant

_ROLLOUT = "tests/infra/test_rollout.py"
_LIFECYCLE = "tests/infra/test_lifecycle.py"
_STEPS = "tests/infra/test_lifecycle_steps.py"

RELEASES = (
    Mutant(
        name="dead letters that go to a function past its alias",
        file="infra/components/sources.py",
        old='functions.live["dead-letter"], lane',
        new='functions.by_service["dead-letter"], lane',
        killer=_ROLLOUT,
    ),
    Mutant(
        name="rollout of the API that no alarm ends",
        file="infra/components/rollout.py",
        old="alarm.node.id in ROLLBACK_ALARMS",
        new="alarm.node.id == 'Api'",
        killer=_ROLLOUT,
    ),
    Mutant(
        name="log of requests that goes with its stack",
        file="infra/components/log_groups.py",
        old="    survives = is_record and stage.protect_data\n",
        new="    survives = False\n",
        killer=_ROLLOUT,
    ),
    Mutant(
        name="other tables behind the same references that publish no version",
        file="infra/components/functions.py",
        old="description=self._shared.generation, removal_policy",
        new="removal_policy",
        killer=_LIFECYCLE,
    ),
    Mutant(
        name="version of a rolled-back update that stays and is in the way of the next one",
        file="infra/components/functions.py",
        old="RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE",
        new="RemovalPolicy.RETAIN",
        killer=_ROLLOUT,
    ),
    Mutant(
        name="table that cannot change its billing",
        file="infra/components/tables.py",
        old="        seed_capacity=units.minimum,\n",
        new="",
        killer="tests/infra/test_provisioned.py",
    ),
    Mutant(
        name="restored table that is attached as if it had its settings",
        file="infra/lifecycle/attachment.py",
        old="            properties.pop(lost, None)\n",
        new="            properties.get(lost)\n",
        killer=_LIFECYCLE,
    ),
    Mutant(
        name="tables that are deleted with the stack in whose place they go",
        file="infra/lifecycle/attachment.py",
        old='.get("DeletionPolicy") != "Retain"',
        new='.get("DeletionPolicy") is None',
        killer=_LIFECYCLE,
    ),
    Mutant(
        name="rollout that ends before its alarm can fire",
        file="infra/components/rollout.py",
        old="CANARY_10_PERCENT_10_MINUTES",
        new="CANARY_10_PERCENT_5_MINUTES",
        killer=_ROLLOUT,
    ),
    Mutant(
        name="refused import that stands in the way of the next one",
        file="infra/lifecycle/stacks.py",
        old="not in (None, UNDER_REVIEW)",
        new="is not None",
        killer=_LIFECYCLE,
    ),
    Mutant(
        name="restored executions in buckets that stay closed",
        file="infra/lifecycle/steps.py",
        old="    if plan.reopens and sweep_from is None:\n",
        new="    if False:\n",
        killer=_STEPS,
    ),
    Mutant(
        name="teardown that loses the tables of a protected stage",
        file="infra/lifecycle/commands.py",
        old="    if stage.protect_data and lost:\n",
        new="    if False:\n",
        killer=_STEPS,
    ),
    Mutant(
        name="table of another form that is attached",
        file="infra/lifecycle/existing.py",
        old="    if expected != actual:\n",
        new="    if False:\n",
        killer=_STEPS,
    ),
    Mutant(
        name="functions that start before the sweeps begin again",
        file="infra/lifecycle/steps.py",
        old="        # No sweeper that still runs",
        new="        resume(stacks, service_stack(stage))\n        # No sweeper that still runs",
        killer=_STEPS,
    ),
)
