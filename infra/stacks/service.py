"""The service stack: everything that runs.

All jobs are in the data stack. What clients know of this stack is the URL of its API.
"""

from collections.abc import Iterator

from aws_cdk import CfnOutput, Environment, Stack
from constructs import Construct

from infra.components.alarms import Alarms
from infra.components.budget import add_budget
from infra.components.canary import Canary
from infra.components.construct_ids import construct_id
from infra.components.environment import SharedResources
from infra.components.event_bus import EventBus
from infra.components.function_specs import EVENT_RECEIVER
from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from infra.components.lanes import Lanes
from infra.components.nag import NO_AUTHORIZER, RUNTIME, acknowledge
from infra.components.operator_policies import OperatorPolicies
from infra.components.resource_alarms import MonitoredResources
from infra.components.rollout import roll_out_gradually
from infra.components.saved_queries import count_created_jobs, save_queries
from infra.components.sources import Ticks, connect_queues
from infra.config import StageConfig
from infra.dashboard.contributors import Contributors
from infra.dashboard.dashboard import add_dashboard
from infra.stacks.data import DataStack


def _other_hosts(stage: StageConfig) -> Iterator[str]:
    """What leads to the API beside its endpoint, as host names or URLs. No job may call it."""
    if stage.domain is not None:
        yield stage.domain.name
    yield from stage.api_domains
    # Not the loopback address: it is for the emulator, whose jobs call receivers on the same host.
    if stage.console_origin is not None and stage.console_origin.startswith("https:"):
        yield stage.console_origin


class ServiceStack(Stack):
    """Queues, functions, API, scheduled ticks and alarms of a stage."""

    def __init__(self, scope: Construct, stage: StageConfig, data: DataStack) -> None:
        super().__init__(
            scope,
            f"{stage.prefix}-service",
            env=Environment(account=stage.account, region=stage.region),
            description="Punctual: functions, queues and API of a deployment.",
            # Its deletion changes the URL of the API.
            termination_protection=stage.protect_data,
            tags=stage.all_tags,
        )
        self.lanes = Lanes(self, stage)
        self.events = EventBus(self, stage, stage.event_bus) if stage.event_bus is not None else None
        shared = SharedResources(
            tables=data.tables,
            key=data.key,
            lanes=self.lanes,
            generation=data.generation,
            archive=data.archive,
            audit_trail=data.audit_trail,
            events=self.events,
        )
        self.functions = Functions(self, stage, shared)
        connect_queues(self.functions, self.lanes, stage)
        if self.events is not None:
            self.events.connect(self.functions.live[EVENT_RECEIVER])
        self.entry = HttpEntry(self, self.functions.live["api"], stage)
        self.functions.set_api_hosts(self.entry.api.api_endpoint, *_other_hosts(stage))
        if self.entry.console_origin is not None:
            self.functions.set_console_origin(self.entry.console_origin)
        if stage.canary:
            Canary(self, self.functions, self.entry)
        ticks = Ticks(self, self.functions, stage)
        resources = MonitoredResources(
            functions=self.functions,
            lanes=self.lanes,
            entry=self.entry,
            tables=data.tables,
            rules=ticks.rules,
            events=self.events,
        )
        self.alarms = Alarms(self, stage, resources)
        if stage.api_rollout == "canary":
            roll_out_gradually(self, self.functions.live["api"], self.alarms)
        if not stage.emulated:
            save_queries(self, stage, self.functions, self.entry)
            count_created_jobs(self, stage, self.functions)
        contributors = Contributors(self, stage, self.functions.logs) if stage.contributor_insights else None
        if stage.dashboard:
            add_dashboard(self, stage, resources, self.alarms, contributors)
        if stage.monthly_dollars is not None:
            add_budget(self, stage, stage.monthly_dollars)
        api = self.functions.by_service["api"].function_arn
        self.operators = OperatorPolicies(self, stage, self.functions.arns, api)
        acknowledge(self, RUNTIME, NO_AUTHORIZER)
        self._outputs(stage)

    def _outputs(self, stage: StageConfig) -> None:
        """Declare the outputs for clients, operators and the local stack."""
        self._output("Region", stage.region, "The region of the stage.")
        self._output("ApiUrl", self.entry.api.api_endpoint, "The URL of the API, beside its custom domain.")
        self._output("AlarmTopicArn", self.alarms.topic.topic_arn, "The SNS topic that every alarm notifies.")
        self._output(
            "CommandsPolicyArn",
            self.operators.commands.managed_policy_arn,
            "The managed policy that the operators' command line needs.",
        )
        self._output(
            "OnCallPolicyArn",
            self.operators.on_call.managed_policy_arn,
            "The managed policy that the commands of the runbooks need.",
        )
        if self.events is not None:
            self._output(
                "EventBusArn", self.events.bus.event_bus_arn, "The event bus whose events start jobs."
            )
            self._output("EventsQueueUrl", self.events.queue.queue_url, "The SQS queue of the event bus.")
            self._output(
                "EventsDeadLetterQueueUrl",
                self.events.dead.queue_url,
                "The dead-letter queue of the event bus.",
            )
        for lane, pair in self.lanes.queues.items():
            name = construct_id(lane)
            self._output(f"{name}QueueUrl", pair.main.queue_url, f"The SQS queue {lane} of wake-ups.")
            self._output(
                f"{name}DeadLetterQueueUrl",
                pair.dead.queue_url,
                f"The dead-letter queue of the queue {lane}.",
            )
        for service, function in self.functions.by_service.items():
            name = self.functions.specs[service].construct_id
            self._output(f"{name}FunctionName", function.function_name, f"The Lambda function {service}.")

    def _output(self, name: str, value: str, description: str) -> None:
        CfnOutput(self, name, value=value, description=description)
