"""Managed policies for people. No role of a stage has them: attach them to the roles of your operators."""

from collections.abc import Mapping
from itertools import chain

from aws_cdk import Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.components.grant_table import API, function_name, grants_of_commands
from infra.components.grants import statement
from infra.components.nag import acknowledge_patterns
from infra.components.on_call_grants import ON_CALL, On
from infra.config import StageConfig


class OperatorPolicies(Construct):
    """`commands` allows the operators' command line, and `on_call` the commands of the runbooks."""

    def __init__(self, scope: Construct, stage: StageConfig, arns: Mapping[str, str], api: str) -> None:
        """`arns` has the resources of the table of grants, and `api` is the ARN of the API function."""
        super().__init__(scope, "Operators")
        own = {**arns, function_name(API): api}
        self.commands = self._policy(
            "Commands",
            f"{stage.prefix}: python -m functions.admin",
            [
                statement(grant, own)
                for grant in grants_of_commands(
                    audit_trail=stage.audit_lock_days > 0, archive=stage.archive_days > 0
                )
            ],
        )
        patterns = stage_arns(Stack.of(self), stage, arns)
        self.on_call = self._policy(
            "OnCall",
            f"{stage.prefix}: the commands of the runbooks",
            [_on_call(on, actions, patterns) for on, actions in ON_CALL.items()],
        )
        named = chain.from_iterable(patterns.values())
        acknowledge_patterns(self.on_call, (each for each in named if "*" in each))

    def _policy(
        self, name: str, description: str, statements: list[iam.PolicyStatement]
    ) -> iam.ManagedPolicy:
        return iam.ManagedPolicy(self, name, description=description, statements=statements)


_TABLES = ("executions", "jobs", "tenants", "leases", "audit", "history")


def _on_call(on: On, actions: tuple[str, ...], patterns: Mapping[On, tuple[str, ...]]) -> iam.PolicyStatement:
    made = iam.PolicyStatement(actions=[*actions], resources=[*patterns[on]])
    if on is On.SOURCES:
        # Event sources have random ids: their function tells the stage.
        made.add_condition("ArnLike", {"lambda:FunctionArn": [*patterns[On.FUNCTIONS]]})
    return made


def stage_arns(stack: Stack, stage: StageConfig, arns: Mapping[str, str]) -> dict[On, tuple[str, ...]]:
    """Patterns for the resources of a stage. CloudFormation begins generated names with the name of the stack.

    Tables have their own ARNs of `arns`, because one that was restored has whatever name the restore gave it.
    """
    service = f"{stage.prefix}-service-*"

    def arn(owner: str, resource: str) -> str:
        return f"arn:{stack.partition}:{owner}:{stack.region}:{stack.account}:{resource}"

    return {
        On.FUNCTIONS: (arn("lambda", f"function:{service}"),),
        On.SOURCES: (arn("lambda", "event-source-mapping:*"),),
        On.RULES: (arn("events", f"rule/{service}"),),
        On.ROLLOUT: (arn("codedeploy", f"deploymentgroup:{service}"),),
        On.QUEUES: (arn("sqs", service),),
        On.TABLES: tuple(arns[name] for name in _TABLES),
        On.RECORDS: tuple(arns[name] for name in ("executions", "jobs")),
        On.LOGS: (
            arn("logs", f"log-group:{service}"),
            arn("logs", f"log-group:/aws/vendedlogs/{stage.prefix}-api-*"),
        ),
        On.ALARMS: (arn("cloudwatch", f"alarm:{stage.prefix}-*"),),
        # Dashboards belong to no region.
        On.DASHBOARD: (
            f"arn:{stack.partition}:cloudwatch::{stack.account}:dashboard/{stage.prefix}-{stage.region}",
        ),
        On.RANKINGS: (arn("cloudwatch", f"insight-rule/{stage.prefix}-*"),),
        On.STACKS: (
            arn("cloudformation", f"stack/{stage.prefix}-data/*"),
            arn("cloudformation", f"stack/{stage.prefix}-service/*"),
        ),
        On.ANY: ("*",),
    }
