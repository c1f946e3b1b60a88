"""The event bus of a stage: its rule, its queues, who may put events on it, and what may read them."""

import json
from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import App, Stack

from infra.components.event_bus import EventBus
from infra.event_bus import MAX_ACCOUNTS, EventBusConfig
from infra.stage_files.read import parse_stage
from infra.stage_files.values import StageFileError
from infra.stages import cloud_stage
from tests.infra.conftest import Synthesised, synthesise
from tests.support.template import Resource, resolve

FILE = 'region = "eu-west-1"\nprotected = false\n'


def _rule(stacks: Synthesised) -> Resource:
    (rule,) = [
        rule for rule in stacks.service.properties("AWS::Events::Rule") if "ScheduleExpression" not in rule
    ]
    return rule


def _kinds(stacks: Synthesised) -> set[str]:
    return {made["Type"] for made in stacks.service.body["Resources"].values()}


def _queues(stacks: Synthesised) -> tuple[Resource, Resource]:
    """The queue of the bus, and its dead-letter queue."""
    made = stacks.service.of_type("AWS::SQS::Queue")
    found = {name: queue["Properties"] for name, queue in made.items() if name.startswith("Events")}
    (dead,) = [name for name in found if "RedrivePolicy" not in found[name]]
    (main,) = found.keys() - {dead}
    assert dead in resolve(found[main]["RedrivePolicy"]["deadLetterTargetArn"])
    return found[main], found[dead]


def test_rule_puts_every_event_of_the_bus_into_the_queue(cloud: Synthesised) -> None:
    rule = _rule(cloud)
    assert rule["EventPattern"] == {"source": [{"prefix": ""}]}
    (bus,) = cloud.service.of_type("AWS::Events::EventBus")
    assert rule["EventBusName"] == {"Ref": bus}
    (target,) = rule["Targets"]
    assert "EventsQueue" in resolve(target["Arn"])
    assert "EventsDead" in resolve(target["DeadLetterConfig"]["Arn"])
    assert target["RetryPolicy"]["MaximumEventAgeInSeconds"] == 86_400
    assert "Input" not in target


def test_event_has_half_an_hour_before_it_is_dead(cloud: Synthesised) -> None:
    main, dead = _queues(cloud)
    seconds = main["VisibilityTimeout"] * main["RedrivePolicy"]["maxReceiveCount"]
    assert seconds == 1_800
    assert seconds < main["MessageRetentionPeriod"] < dead["MessageRetentionPeriod"]
    receiver = cloud.service.functions()["event-receiver"]
    assert main["VisibilityTimeout"] >= 6 * receiver["Timeout"]


def test_receiver_reports_each_event_for_itself(cloud: Synthesised) -> None:
    (mapping,) = [
        mapping
        for mapping in cloud.service.properties("AWS::Lambda::EventSourceMapping")
        if "EventsQueue" in resolve(mapping["EventSourceArn"])
    ]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert cloud.service.invoked(mapping["FunctionName"]) == cloud.service.functions()["event-receiver"]


def test_only_this_rule_of_eventbridge_may_send_to_the_queues(cloud: Synthesised) -> None:
    (rule,) = [
        name
        for name, each in cloud.service.of_type("AWS::Events::Rule").items()
        if "ScheduleExpression" not in each["Properties"]
    ]
    sends: list[Any] = [
        statement
        for policy in cloud.service.properties("AWS::SQS::QueuePolicy")
        if any("Events" in resolve(queue) for queue in policy["Queues"])
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    ]
    assert len(sends) == 2
    for statement in sends:
        assert statement["Principal"] == {"Service": "events.amazonaws.com"}
        assert "sqs:SendMessage" in statement["Action"]
        assert rule in str(statement["Condition"]["ArnEquals"]["aws:SourceArn"])


def test_accounts_of_the_stage_file_alone_may_put_events(cloud: Synthesised, large: Synthesised) -> None:
    (policy,) = cloud.service.properties("AWS::Events::EventBusPolicy")
    statement = policy["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", "events:PutEvents")
    assert "222222222222" in str(statement["Principal"])
    assert "AWS::Events::EventBusPolicy" not in _kinds(large)


def test_policy_of_the_bus_has_room_for_all_accounts(cloud: Synthesised) -> None:
    """EventBridge takes at most 10,240 characters."""
    accounts = tuple(f"{number:012}" for number in range(MAX_ACCOUNTS))
    app = App()
    EventBus(Stack(app, "stack"), cloud.stage, EventBusConfig(accounts=accounts))
    resources = app.synth().get_stack_by_name("stack").template["Resources"].values()
    found = [each["Properties"] for each in resources if each["Type"] == "AWS::Events::EventBusPolicy"]
    assert len(json.dumps([each["Statement"] for each in found])) < 10_240 * 0.9
    assert all(account in json.dumps(found) for account in accounts)


def test_stage_without_a_bus_has_nothing_of_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    plain = replace(cloud_stage("none", "eu-west-1", "111111111111"), bundle="host")
    stacks = synthesise(plain, tmp_path_factory.mktemp("none"))
    assert "AWS::Events::EventBus" not in _kinds(stacks)
    assert "event-receiver" not in stacks.service.functions()
    assert not [name for name in stacks.service.body["Resources"] if name.startswith("Events")]


@pytest.mark.parametrize(
    ("line", "accounts"),
    [
        ("event_bus = {}", ()),
        ('event_bus.accounts = ["222222222222", "333333333333"]', ("222222222222", "333333333333")),
    ],
)
def test_stage_file_says_whose_events_the_bus_takes(line: str, accounts: tuple[str, ...]) -> None:
    stage = parse_stage("dev", f"{FILE}{line}\n".encode(), "stages/dev.toml")
    assert stage.event_bus == EventBusConfig(accounts=accounts)
    assert parse_stage("dev", FILE.encode(), "stages/dev.toml").event_bus is None


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('event_bus.accounts = ["1"]', "an account of AWS"),
        ('event_bus.accounts = ["222222222222", "222222222222"]', "each once"),
        ("event_bus = true", "table"),
        ('event_bus.account = "222222222222"', "accounts"),
    ],
)
def test_bus_that_cannot_be_is_refused(line: str, fault: str) -> None:
    with pytest.raises(StageFileError, match=fault):
        parse_stage("dev", f"{FILE}{line}\n".encode(), "stages/dev.toml")
