"""The gradual rollout of a release to the API's clients.

Only the API has one. A bad release of an executor would use up attempts of the jobs that it receives, whatever its
share of the batches; and ticks are too few to be divided. Both switch at once, and two releases may run side by side:
messages and items carry versions.
"""

from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.alarms import Alarms
from infra.components.nag import CODEDEPLOY_POLICY, acknowledge

ROLLBACK_ALARMS = frozenset({"RolloutErrors", "ApiBurnFast"})
"""Alarms that end a rollout: the first within minutes, and the second where few requests give few errors. CodeDeploy
also refuses to begin one while such an alarm is active, which is up to an hour after the last errors: a repair goes to
all requests at once."""


def roll_out_gradually(scope: Construct, alias: lambda_.Alias, alarms: Alarms) -> None:
    """Let CodeDeploy move the alias: a tenth of the requests for ten minutes, then all, or back on an alarm."""
    group = codedeploy.LambdaDeploymentGroup(
        scope,
        "ApiRollout",
        alias=alias,
        deployment_config=codedeploy.LambdaDeploymentConfig.CANARY_10_PERCENT_10_MINUTES,
        alarms=[alarm for alarm in alarms.alarms if alarm.node.id in ROLLBACK_ALARMS],
        auto_rollback=codedeploy.AutoRollbackConfig(
            failed_deployment=True, stopped_deployment=True, deployment_in_alarm=True
        ),
    )
    acknowledge(group, CODEDEPLOY_POLICY)
