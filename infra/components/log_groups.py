from typing import cast

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import StageConfig


def log_group(
    scope: Construct, name: str, stage: StageConfig, *, path: str | None = None, is_record: bool = False
) -> logs.LogGroup:
    """Create a log group with the stage's retention.

    `path` sets a name with a prefix that AWS requires. A record says who asked for what: in a protected stage, it
    survives the deletion of the stack and then expires by its retention.
    """
    survives = is_record and stage.protect_data
    group = logs.LogGroup(
        scope,
        name,
        log_group_name=path,
        removal_policy=RemovalPolicy.RETAIN if survives else RemovalPolicy.DESTROY,
    )
    # Only the L1 resource accepts a number of days; the construct takes an enumeration.
    cast(logs.CfnLogGroup, group.node.default_child).retention_in_days = stage.log_retention_days
    return group
