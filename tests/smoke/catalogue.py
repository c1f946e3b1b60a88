"""The steps of the smoke suite, in the order in which they run.

docs/operations/smoke.md describes the same steps; a test compares them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.smoke.findings import Findings
from tests.smoke.steps import (
    s00_preflight,
    s01_deploy,
    s02_conformance,
    s03_queues,
    s04_gateway,
    s05_permissions,
    s06_punctuality,
    s07_guarded,
    s08_killed_workers,
    s09_alarms,
    s10_releases,
    s11_recursion,
    s12_restore,
    s13_teardown,
    s14_targets,
)
from tests.smoke.world import DeploymentTarget, SmokeError, World

PREFLIGHT, DEPLOY, TEARDOWN = "S0", "S1", "S13"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    name: str
    title: str
    passes_if: str
    minutes: float
    """On AWS, estimated."""
    dollars: float
    """On AWS in us-east-1, computed from list prices and rounded up."""
    on_target: Callable[[DeploymentTarget, Findings], None] | None = None
    """For the steps that need no deployed stage, or that make and delete it."""
    on_world: Callable[[World, Findings], None] | None = None
    by_default: bool = True
    """Steps that take long run only if they are named."""


STEPS: tuple[Step, ...] = (
    Step(
        name="S0",
        title="pre-flight",
        passes_if="no stack of the stage exists; account, quotas, bootstrap stack and certificate fit it",
        minutes=0.2,
        dollars=0.0,
        on_target=s00_preflight.run,
    ),
    Step(
        name="S1",
        title="deployment",
        passes_if="both stacks deploy, a second deployment changes nothing, and nothing has drifted",
        minutes=12,
        dollars=0.1,
        on_target=s01_deploy.run,
    ),
    Step(
        name="S2",
        title="conformance",
        passes_if="the suites pass on throw-away tables as they do on DynamoDB Local, first of all Error.Item",
        minutes=15,
        dollars=0.3,
        on_world=s02_conformance.run,
    ),
    Step(
        name="S3",
        title="queues",
        passes_if="delays, groups, visibilities, partial failures and dead letters are as the protocol needs",
        minutes=4,
        dollars=0.01,
        on_world=s03_queues.run,
    ),
    Step(
        name="S4",
        title="gateway",
        passes_if="paths, queries, headers, bodies and limits are those of the golden file",
        minutes=1,
        dollars=0.01,
        on_world=s04_gateway.run,
    ),
    Step(
        name="S5",
        title="permissions",
        passes_if="every operation and tick succeeds, nothing is denied, log lines are kept, every module imports",
        minutes=5,
        dollars=0.02,
        on_world=s05_permissions.run,
    ),
    Step(
        name="S6",
        title="punctuality",
        passes_if="no call is early, lost or doubled; how late calls are is recorded",
        minutes=10,
        dollars=0.05,
        on_world=s06_punctuality.run,
    ),
    Step(
        name="S7",
        title="guarded runs",
        passes_if="overlap policies, start deadlines, pauses and deletions do as documented",
        minutes=4,
        dollars=0.01,
        on_world=s07_guarded.run,
    ),
    Step(
        name="S8",
        title="killed workers",
        passes_if="a killed worker's job fails or is called again, and a lost answer makes no second job",
        minutes=9,
        dollars=0.01,
        on_world=s08_killed_workers.run,
    ),
    Step(
        name="S11",
        title="recursion",
        passes_if="20 retries and a chain of 20 runs go on, and Lambda drops none",
        minutes=5,
        dollars=0.01,
        on_world=s11_recursion.run,
    ),
    Step(
        name="S14",
        title="targets",
        passes_if="a message and a signed request reach a queue by the tenant's role, and by no wider right",
        minutes=6,
        dollars=0.01,
        on_world=s14_targets.run,
    ),
    # Before S9, whose throttle keeps ApiBurnFast firing for an hour: CodeDeploy begins no rollout meanwhile.
    Step(
        name="S10",
        title="releases",
        passes_if="no job is lost or called twice from the release before to this one and back, under load",
        minutes=30,
        dollars=0.2,
        on_world=s10_releases.run,
        by_default=False,
    ),
    Step(
        name="S9",
        title="alarms",
        passes_if="a message arrives; a throttle and a silent watcher fire their alarms, and both recover",
        minutes=45,
        dollars=0.1,
        on_world=s09_alarms.run,
    ),
    Step(
        name="S12",
        title="restore",
        passes_if="a restored table takes the place of the damaged one, and no job is lost",
        minutes=75,
        dollars=0.3,
        on_world=s12_restore.run,
        by_default=False,
    ),
    Step(
        name="S13",
        title="teardown",
        passes_if="nothing with the tag of the stage is left",
        minutes=8,
        dollars=0.0,
        on_target=s13_teardown.run,
    ),
)
BY_NAME = {step.name: step for step in STEPS}


def chosen(names: Sequence[str]) -> tuple[Step, ...]:
    """The named steps, or those that run by default, with the deployment and the teardown that they need.

    SmokeError for an unknown name.
    """
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        known = ", ".join(sorted(BY_NAME, key=lambda name: int(name[1:])))
        raise SmokeError(f"there is no step {', '.join(unknown)}: choose some of {known}")
    wanted = set(names) or {step.name for step in STEPS if step.by_default}
    if wanted - {PREFLIGHT}:
        wanted |= {PREFLIGHT, DEPLOY, TEARDOWN}
    return tuple(step for step in STEPS if step.name in wanted)
