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
            [statement(grant, own) for grant in grants_of_commands()],
        )
        patterns = stage_arns(Stack.of(self), stage)
        self.on_call = self._policy(
            "OnCall",
            f"{stage.prefix}: the commands of the runbooks",
            [_on_call(on, actions, patterns) for on, actions in ON_CALL.items()],
        )
        acknowledge_patterns(self.on_call, chain.from_iterable(patterns.values()))

    def _policy(
        self, name: str, description: str, statements: list[iam.PolicyStatement]
    ) -> iam.ManagedPolicy:
        return iam.ManagedPolicy(self, name, description=description, statements=statements)


def _on_call(on: On, actions: tuple[str, ...], patterns: Mapping[On, tuple[str, ...]]) -> iam.PolicyStatement:
    made = iam.PolicyStatement(actions=[*actions], resources=[*patterns[on]])
    if on is On.SOURCES:
        # Event sources have random ids: their function tells the stage.
        made.add_condition("ArnLike", {"lambda:FunctionArn": [*patterns[On.FUNCTIONS]]})
    return made


def stage_arns(stack: Stack, stage: StageConfig) -> dict[On, tuple[str, ...]]:
    """Patterns for the resources of a stage. CloudFormation begins generated names with the name of the stack."""
    data, service = f"{stage.prefix}-data-*", f"{stage.prefix}-service-*"

    def arn(owner: str, resource: str) -> str:
        return f"arn:{stack.partition}:{owner}:{stack.region}:{stack.account}:{resource}"

    return {
        On.FUNCTIONS: (arn("lambda", f"function:{service}"),),
        On.SOURCES: (arn("lambda", "event-source-mapping:*"),),
        On.RULES: (arn("events", f"rule/{service}"),),
        On.ROLLOUT: (arn("codedeploy", f"deploymentgroup:{service}"),),
        On.QUEUES: (arn("sqs", service),),
        On.TABLES: (arn("dynamodb", f"table/{data}"),),
        On.RECORDS: tuple(
            arn("dynamodb", f"table/{stage.prefix}-data-Tables{name}*") for name in ("Executions", "Jobs")
        ),
        On.LOGS: (
            arn("logs", f"log-group:{service}"),
            arn("logs", f"log-group:/aws/vendedlogs/{stage.prefix}-api-*"),
        ),
        On.ALARMS: (arn("cloudwatch", f"alarm:{stage.prefix}-*"),),
        On.STACKS: (
            arn("cloudformation", f"stack/{stage.prefix}-data/*"),
            arn("cloudformation", f"stack/{stage.prefix}-service/*"),
        ),
        On.ANY: ("*",),
    }
