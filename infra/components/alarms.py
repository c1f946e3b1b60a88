"""The alarms of a stage; each description states the fault and its effect."""

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct

from infra.components.alarm_spec import AlarmSpec
from infra.components.resource_alarms import MonitoredResources, resource_alarms
from infra.components.slo_alarms import slo_alarms
from infra.config import StageConfig

RUNBOOK = "Runbook: docs/operations/alarms.md"


class Alarms(Construct):
    """All alarms of a stage; each notifies one SNS topic."""

    def __init__(self, scope: Construct, stage: StageConfig, resources: MonitoredResources) -> None:
        super().__init__(scope, "Alarms")
        self.topic = self._topic(stage)
        self._action = actions.SnsAction(self.topic)
        self.alarms = [self._alarm(spec) for spec in (*slo_alarms(stage), *resource_alarms(stage, resources))]

    def _topic(self, stage: StageConfig) -> sns.ITopic:
        if stage.alarm_targets.topic_arn:
            return sns.Topic.from_topic_arn(self, "Topic", stage.alarm_targets.topic_arn)
        return sns.Topic(self, "Topic", display_name=f"{stage.prefix} alarms", enforce_ssl=not stage.emulated)

    def _alarm(self, spec: AlarmSpec) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            spec.name,
            metric=spec.metric,
            threshold=spec.threshold,
            comparison_operator=spec.comparison,
            evaluation_periods=spec.of_minutes,
            datapoints_to_alarm=spec.minutes,
            treat_missing_data=spec.missing,
            alarm_description=f"{spec.description} {RUNBOOK}",
        )
        alarm.add_alarm_action(self._action)
        return alarm
