"""The service stack: everything that runs.

It is replaceable, because all durable data is in the data stack.
"""

from aws_cdk import CfnOutput, Environment, Stack
from constructs import Construct

from infra.components.alarms import Alarms
from infra.components.construct_ids import construct_id
from infra.components.dashboard import add_dashboard
from infra.components.environment import SharedResources
from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from infra.components.lanes import Lanes
from infra.components.nag import acknowledge
from infra.components.resource_alarms import MonitoredResources
from infra.components.sources import Ticks, connect_queues
from infra.config import StageConfig
from infra.stacks.data import DataStack


class ServiceStack(Stack):
    """Queues, functions, API, scheduled ticks and alarms of a stage."""

    def __init__(self, scope: Construct, stage: StageConfig, data: DataStack) -> None:
        super().__init__(
            scope,
            f"{stage.prefix}-service",
            env=Environment(account=stage.account, region=stage.region),
            description="Punctual: functions, queues and API of a deployment. Replaceable.",
        )
        self.lanes = Lanes(self, stage)
        shared = SharedResources(tables=data.tables, key=data.key, lanes=self.lanes)
        self.functions = Functions(self, stage, shared)
        connect_queues(self.functions, self.lanes, stage)
        self.entry = HttpEntry(self, self.functions.by_service["api"], stage)
        self.functions.set_api_hosts(self.entry.api.api_endpoint, *stage.api_domains)
        Ticks(self, self.functions, stage)
        resources = MonitoredResources(
            functions=self.functions, lanes=self.lanes, tables=data.tables, entry=self.entry
        )
        self.alarms = Alarms(self, stage, resources)
        if stage.dashboard:
            add_dashboard(self, stage, resources, self.alarms)
        acknowledge(self)
        self._outputs(stage)

    def _outputs(self, stage: StageConfig) -> None:
        """Declare the outputs for clients, operators and the local stack."""
        CfnOutput(self, "Region", value=stage.region)
        CfnOutput(self, "ApiUrl", value=self.entry.api.api_endpoint)
        CfnOutput(self, "AlarmTopicArn", value=self.alarms.topic.topic_arn)
        for lane, pair in self.lanes.queues.items():
            CfnOutput(self, f"{construct_id(lane)}QueueUrl", value=pair.main.queue_url)
            CfnOutput(self, f"{construct_id(lane)}DeadLetterQueueUrl", value=pair.dead.queue_url)
        for service, function in self.functions.by_service.items():
            name = self.functions.specs[service].construct_id
            CfnOutput(self, f"{name}FunctionName", value=function.function_name)
