"""Log groups that end: everything that is logged expires after the retention of the stage."""

from typing import cast

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import StageConfig


def log_group(scope: Construct, name: str, stage: StageConfig, path: str | None = None) -> logs.LogGroup:
    """A log group with the retention of the stage; `path` where AWS wants a certain prefix."""
    group = logs.LogGroup(scope, name, log_group_name=path, removal_policy=RemovalPolicy.DESTROY)
    # Days as a number exist in the resource's own properties only; the construct takes an enumeration.
    cast(logs.CfnLogGroup, group.node.default_child).retention_in_days = stage.log_retention_days
    return group
