"""The alarms of a stage; each description states the fault and its effect."""

from typing import cast

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from constructs import Construct

from infra.components.alarm_spec import MISSING_IS_BREACHING, AlarmSpec
from infra.components.alarm_topic import alarm_topic
from infra.components.burn_alarms import burn_alarms, rollout_alarm
from infra.components.canary_alarms import canary_alarms
from infra.components.resource_alarms import MonitoredResources, resource_alarms
from infra.components.runbooks import runbook_of
from infra.components.slo_alarms import slo_alarms
from infra.config import StageConfig
from shared.names import RUNBOOK_MARK, alarm_prefix

WARM_UP_MINUTES = 30
"""A new alarm on missing data waits this long for the first ticks; the reconciler's ticks are 15 minutes apart."""


class Alarms(Construct):
    """All alarms of a stage; each that notifies does so through one SNS topic."""

    def __init__(self, scope: Construct, stage: StageConfig, resources: MonitoredResources) -> None:
        super().__init__(scope, "Alarms")
        self.topic = alarm_topic(self, stage)
        self._action = actions.SnsAction(self.topic)
        usual = [*slo_alarms(stage), *resource_alarms(stage, resources)]
        if stage.canary:
            usual += canary_alarms(stage)
        usual += burn_alarms(stage, resources.entry)
        if stage.api_rollout == "canary":
            usual.append(rollout_alarm(resources.entry))
        self.specs = {spec.name: spec for spec in usual}
        """By name; the dashboard draws their thresholds."""
        # The emulator refuses alarms on expressions.
        self.alarms = [
            self._alarm(stage, spec) for spec in usual if not (stage.emulated and spec.is_expression)
        ]

    def _alarm(self, stage: StageConfig, spec: AlarmSpec) -> cloudwatch.Alarm:
        """Declare an alarm whose name is that of its specification.

        CloudFormation replaces an alarm only if its name changes. The logical id changes with it, so that the
        new alarm and the old one never have the same name.
        """
        alarm = cloudwatch.Alarm(
            self,
            spec.name,
            alarm_name=f"{alarm_prefix(stage.name)}{spec.name}",
            metric=spec.metric,
            threshold=spec.threshold,
            comparison_operator=spec.comparison,
            evaluation_periods=spec.of_minutes,
            datapoints_to_alarm=spec.minutes,
            treat_missing_data=spec.missing,
            alarm_description=f"{spec.description}{RUNBOOK_MARK}{runbook_of(spec.name)}",
        )
        if spec.notifies:
            alarm.add_alarm_action(self._action)
            alarm.add_ok_action(self._action)
        if spec.missing is MISSING_IS_BREACHING and not stage.emulated:
            cast(
                cloudwatch.CfnAlarm, alarm.node.default_child
            ).warm_up_configuration = cloudwatch.CfnAlarm.WarmUpConfigurationProperty(
                warm_up_period_duration_in_minutes=WARM_UP_MINUTES
            )
        return alarm
