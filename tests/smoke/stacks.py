"""The stacks of a stage that the suite deploys, and which of them exist."""

from typing import Any

from infra.config import StageConfig
from infra.lifecycle.commands import data_stack, service_stack
from tests.smoke.probe import stack


def probe_stack(stage: StageConfig) -> str:
    return f"{stage.prefix}-smoke-probe"


def present(cloudformation: Any, stage: StageConfig) -> list[str]:
    """The names of the stacks that exist, also of those that are being created or deleted."""
    names = (data_stack(stage), service_stack(stage), probe_stack(stage))
    return [name for name in names if stack.status(cloudformation, name) != stack.GONE]
