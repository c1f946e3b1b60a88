"""The steps of `make attach`. A refusal changes nothing, and after any other failure the command can be repeated."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from infra.config import StageConfig
from infra.deploy.cdk import AT_ONCE, Cdk
from infra.lifecycle.commands import (
    Report,
    attach,
    attach_line,
    data_stack,
    plan_attachment,
    reopen_buckets,
    resume,
    service_stack,
)
from infra.lifecycle.stacks import LifecycleError, Stacks


def attach_stage(
    stage: StageConfig,
    stacks: Stacks,
    cdk: Cdk,
    given: Mapping[str, str],
    sweep_from: datetime | None,
    *,
    assembly: Path,
    report: Report,
) -> None:
    """Deploy a stage with existing tables. LifecycleError with what to do next."""
    # A gradual rollout would need functions that answer, and they stand still until the end.
    if cdk(("synth", "--quiet", "--output", str(assembly), "-c", f"stage={stage.name}", *AT_ONCE)):
        raise LifecycleError("nothing was changed, because CDK could not write the templates")
    template = json.loads((assembly / f"{data_stack(stage)}.template.json").read_text())
    plan = plan_attachment(stacks, template, stage, given)
    if plan.reopens and sweep_from is None:
        raise LifecycleError(
            "the sweepers skip buckets that they have closed: name the instant from which on the attached executions "
            "are unfinished, as in SWEEP_FROM=2026-11-20T03:00Z"
        )
    if plan.restored_to is not None and sweep_from is not None and sweep_from > plan.restored_to:
        raise LifecycleError(
            f"SWEEP_FROM={sweep_from:%Y-%m-%dT%H:%MZ} is later than the restored executions, which are of "
            f"{plan.restored_to.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}: those that were unfinished then would never run. "
            "Name an earlier instant"
        )
    try:
        attach(stacks, template, stage, plan, report)
        if cdk(("deploy", "--all", "--require-approval", "never", "--app", str(assembly))):
            raise LifecycleError("CDK could not deploy the stacks")
        # No sweeper that still runs would then set the mark to where it was: a run ends within two minutes.
        if sweep_from is not None:
            reopen_buckets(stacks.client("dynamodb"), plan.names["leases"], stage.region, sweep_from)
        resume(stacks, service_stack(stage))
    except (LifecycleError, ClientError, BotoCoreError) as error:
        raise LifecycleError(
            f"{error}.\nThe functions may stand still. Mend the cause, and repeat: "
            f"{attach_line(stage, plan.names, sweep_from)}"
        ) from None
