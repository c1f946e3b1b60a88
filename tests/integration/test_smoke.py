"""The steps of the smoke suite that take little time, over the deployed laptop stack."""

from collections.abc import Iterator

import pytest

from infra.local.stack import LocalStack
from tests.smoke.catalogue import BY_NAME
from tests.smoke.findings import Findings, Verdict
from tests.smoke.on_emulator import EmulatorTarget
from tests.smoke.probe import stack as probe
from tests.smoke.receivers import LoopbackCalls
from tests.smoke.world import SMALL, World

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def world(stack: LocalStack) -> Iterator[World]:
    target, calls = EmulatorTarget(stack), LoopbackCalls()
    name = f"{target.stage.prefix}-smoke-probe"
    made = probe.create(target.client, name, "local", stack.outputs["AlarmTopicArn"], poll_seconds=0.1)
    with calls.receiver:
        yield World(target=target, receiver=calls, probe=made, size=SMALL)
    probe.delete(target.client, name, poll_seconds=0.1)


@pytest.mark.parametrize("name", ["S3", "S4", "S5", "S9", "S14"])
def test_step_passes_on_the_emulator_as_far_as_it_can_be_shown(world: World, name: str) -> None:
    findings = Findings(name, emulated=True)
    step = BY_NAME[name]
    assert step.on_world is not None
    step.on_world(world, findings)
    assert findings.failed == []
    assert findings.verdict is Verdict.PASSED
