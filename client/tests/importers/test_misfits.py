"""Parts of sources that Punctual cannot do, or does in another way: each is told, and none is lost in silence."""

import json
from typing import Any

import pytest

from client.tests.importers.engine import SPAN, EngineInstants
from punctual.importers import (
    CrontabReader,
    EventBridgeReader,
    KubernetesReader,
    QStashReader,
    UrlMap,
    Verdict,
    judge,
    read_live,
)
from punctual.importers.report import Judgement

URLS = UrlMap({"job": "https://example.com/"})
SCHEDULE: dict[str, Any] = {
    "Name": "job",
    "ScheduleExpression": "cron(0 9 * * ? *)",
    "Target": {"Arn": "arn:aws:sqs:eu-west-1:111122223333:q"},
}
FLEXIBLE: dict[str, Any] = {"Mode": "FLEXIBLE"}
BERLIN: dict[str, Any] = {"ScheduleExpressionTimezone": "Europe/Berlin"}
QSTASH: dict[str, Any] = {
    "scheduleId": "a",
    "cron": "0 9 * * *",
    "destination": "https://example.com/",
    "retries": 2,
}
CRONJOB: dict[str, Any] = {"schedule": "0 9 * * *", "timeZone": "UTC", "jobTemplate": {}}


def eventbridge(**changes: Any) -> Judgement:
    value = {**SCHEDULE, **changes}
    return judge(
        EventBridgeReader(URLS, SPAN).read([("f", json.dumps(value).encode())]), EngineInstants(), SPAN
    )[0]


QUEUE = "arn:aws:sqs:eu-west-1:111122223333:q"
FUNCTION = "arn:aws:lambda:eu-west-1:111122223333:function:f"
MACHINE = "arn:aws:states:eu-west-1:111122223333:stateMachine:m"
BUS = "arn:aws:events:eu-west-1:111122223333:event-bus/default"
ECS = "arn:aws:ecs:eu-west-1:111122223333:cluster/x"
SDK = "arn:aws:scheduler:::aws-sdk:sqs:deleteQueue"


def sends(target: dict[str, Any]) -> Judgement:
    """A schedule without a URL."""
    return eventbridge(Name="other", Target=target)


@pytest.mark.parametrize(
    ("target", "members"),
    [
        ({"Arn": QUEUE, "Input": "a b"}, {"sqs": QUEUE, "body": "a b"}),
        (
            {"Arn": f"{QUEUE}.fifo", "Input": "{}", "SqsParameters": {"MessageGroupId": "g"}},
            {"sqs": f"{QUEUE}.fifo", "json": {}, "message_group_id": "g"},
        ),
        ({"Arn": FUNCTION, "Input": '{"a": 1}'}, {"lambda": FUNCTION, "json": {"a": 1}}),
        ({"Arn": f"{FUNCTION}:live"}, {"lambda": f"{FUNCTION}:live", "json": {}}),
        (
            {"Arn": "arn:aws:sns:eu-west-1:111122223333:t", "Input": '"x"'},
            {"sns": "arn:aws:sns:eu-west-1:111122223333:t", "json": "x"},
        ),
        (
            {"Arn": BUS, "Input": "{}", "EventBridgeParameters": {"Source": "s", "DetailType": "d"}},
            {"eventbridge": BUS, "json": {}, "source": "s", "detail_type": "d"},
        ),
        ({"Arn": MACHINE, "Input": "[1]"}, {"step_functions": MACHINE, "json": [1]}),
    ],
)
def test_target_of_a_service_that_punctual_sends_to_becomes_a_target(
    target: dict[str, Any], members: dict[str, Any]
) -> None:
    judged = sends({"RoleArn": "r", **target})
    assert (judged.verdict, judged.why) == (Verdict.SAME, "")
    assert judged.job.members is not None
    shown = {name: judged.job.members[name] for name in members}
    assert shown == members
    assert "url" not in judged.job.members
    assert "an operator registers a role of the account 111122223333; RoleArn is not used" in judged.job.notes


def qstash(**changes: Any) -> Judgement:
    value = {**QSTASH, **changes}
    return judge(QStashReader(URLS, SPAN).read([("f", json.dumps(value).encode())]), EngineInstants(), SPAN)[
        0
    ]


def kubernetes(zone: str | None = None, **changes: Any) -> Judgement:
    job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "job"},
        "spec": {**CRONJOB, **changes},
    }
    return judge(
        KubernetesReader(URLS, SPAN, zone).read([("f", json.dumps(job).encode())]), EngineInstants(), SPAN
    )[0]


def crontab(text: str, zone: str | None = "Europe/Berlin", *, is_system: bool = False) -> Judgement:
    source = CrontabReader(URLS, SPAN, zone, is_system).read([("f", text.encode())])
    return judge(source, EngineInstants(), SPAN)[0]


@pytest.mark.parametrize(
    ("judged", "why"),
    [
        (lambda: eventbridge(State="DISABLED"), "disabled"),
        (lambda: eventbridge(EndDate="2026-01-01T00:00:00Z"), "EndDate has passed"),
        (lambda: eventbridge(StartDate="2026-01-01T00:00:00"), "StartDate: no instant with an offset"),
        (lambda: eventbridge(ScheduleExpression="at(2026-03-29T02:30:00)", **BERLIN), "runs once"),
        (lambda: eventbridge(ScheduleExpression="rate(5 minutes)"), "neither"),
        (lambda: eventbridge(ScheduleExpressionTimezone="Europe/Nowhere"), "unknown time zone"),
        (lambda: eventbridge(Invented=True), "Invented is not known"),
        (lambda: sends({"Arn": ECS}), f"no URL: give --map for default/other, or for the target {ECS}"),
        (lambda: sends({"Arn": SDK}), "or for a universal target arn:aws:scheduler:::aws-sdk:sqs:deleteQueue"),
        (lambda: sends({"Arn": FUNCTION, "Input": "text"}), "its Input is no JSON object"),
        (lambda: sends({"Arn": FUNCTION, "Input": '{"punctual": 1}'}), "has the member punctual"),
        (lambda: sends({"Arn": FUNCTION, "Input": '{"at": "<aws.scheduler.scheduled-time>"}'}), "attributes"),
        (lambda: sends({"Arn": f"{QUEUE}.fifo", "Input": "a"}), "needs a message group"),
        (lambda: sends({"Arn": MACHINE, "Input": "text"}), "its Input is not JSON"),
        (lambda: sends({"Arn": BUS, "Input": "{}"}), "EventBridgeParameters has no Source"),
        (lambda: sends({"Arn": QUEUE, "Input": "a", "SqsParameters": {"Colour": "red"}}), "Colour"),
        (lambda: eventbridge(Target={"Arn": "a", "Input": "<aws.scheduler.execution-id>"}), "attributes"),
        (lambda: eventbridge(Target={}), "Target.Arn: is missing"),
        (lambda: eventbridge(FlexibleTimeWindow=FLEXIBLE), "MaximumWindowInMinutes: is missing"),
        (lambda: eventbridge(FlexibleTimeWindow={**FLEXIBLE, "MaximumWindowInMinutes": 9_999}), "jitter_seconds"),
        (lambda: eventbridge(ScheduleExpression="cron(0 9 30 2 ? *)"), "Punctual refuses the schedule"),
        (lambda: qstash(isPaused=True), "paused"),
        (lambda: qstash(queueName="q"), "queue"),
        (lambda: qstash(delay=5), "delay"),
        (lambda: qstash(destination="group"), "no URL"),
        (lambda: qstash(method="TRACE"), "method"),
        (lambda: qstash(bodyBase64="/w=="), "no text"),
        (lambda: qstash(header={"A": [1]}), "not a list of text"),
        (lambda: qstash(header={"A": ["a\nb"]}), "Punctual refuses headers"),
        (lambda: qstash(invented=1), "invented is not known"),
        (lambda: kubernetes(concurrencyPolicy="Replace"), "Replace"),
        (lambda: kubernetes(suspend=True), "suspended"),
        (lambda: kubernetes(timeZone=None), "give --timezone"),
        (lambda: kubernetes(invented=1), "invented is not known"),
        (lambda: crontab("0 9 * * * job", None), "give --timezone"),
        (lambda: crontab("CRON_TZ=Europe/Berlin\n0 9 * * * job", None), "give --timezone"),
        (lambda: crontab("RANDOM_DELAY=5\n0 9 * * * job"), "RANDOM_DELAY"),
        (lambda: crontab("0 9 * * * job % input"), "standard input"),
        (lambda: crontab("0 9 * * * unknown"), "give --map for the command of this line (unknown)"),
        (lambda: crontab("0 9 * * *"), "no five time fields and a command"),
        (lambda: crontab("-0 9 * * * job"), "minute"),
        (lambda: crontab("0 9 */2 * 1 job"), "both days"),
    ],
)  # fmt: skip
def test_part_that_cannot_be_expressed_is_a_misfit_that_says_why(judged: Any, why: str) -> None:
    found = judged()
    assert found.verdict is Verdict.NOT_EXPRESSIBLE
    assert why in found.why


@pytest.mark.parametrize(
    ("judged", "members"),
    [
        (
            lambda: eventbridge(StartDate="2026-02-01T10:00:00.5+01:00", EndDate=1_800_000_000.25),
            {"start_at": "2026-02-01T09:00:00Z", "end_at": "2027-01-15T08:00:00Z"},
        ),
        (
            lambda: eventbridge(FlexibleTimeWindow={"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 5}),
            {"jitter_seconds": 300, "timezone": "UTC", "expression": "cron(0 9 * * ? *)"},
        ),
        (
            lambda: eventbridge(
                ScheduleExpression="cron(* */2 * * ? *)", ScheduleExpressionTimezone="Europe/Berlin"
            ),
            {"expression": "cron(0-59 0-23/2 * * ? *)", "timezone": "Europe/Berlin"},
        ),
        (
            lambda: qstash(delay=0, isPaused=False, method="PUT"),
            {"method": "PUT", "retry": {"max_attempts": 3}},
        ),
        (lambda: qstash(bodyBase64="aGk=", label=["A b", "c"]), {"body": "hi", "tags": ["a-b", "c"]}),
        (
            lambda: qstash(header={"Upstash-Forward-X-Api-Key": ["s"], "Host": ["x"], "A": ["1", "2"]}),
            {"headers": {"X-Api-Key": {"env": "A_X_API_KEY"}, "A": "1, 2"}},
        ),
        (
            lambda: kubernetes(startingDeadlineSeconds=30),
            {"catch_up_window_seconds": 30, "cron": "0 9 * * *"},
        ),
        (lambda: kubernetes("Asia/Tokyo", timeZone=None), {"timezone": "Asia/Tokyo"}),
        (lambda: kubernetes(schedule="5/70,9-9 ? * ? 1-5"), {"cron": "5,9 * * * 1-5"}),
        (lambda: crontab("0 9 */2 * 0-6 job"), {"cron": "0 9 */2 * *"}),
        (lambda: crontab("0 9 1,* * 1-5 job"), {"cron": "0 9 1,1-31 * 1-5"}),
        (
            lambda: crontab("0 9 5-5 * * root job", is_system=True),
            {"cron": "0 9 5 * *", "tags": ["user:root"]},
        ),
        (
            lambda: crontab("CRON_TZ='Asia/Tokyo'\n0 9 * * * job"),
            {"timezone": "Asia/Tokyo", "dst_gap": "skip", "dst_overlap": "both"},
        ),
        (
            lambda: crontab("CRON_TZ=Europe/Berlin\n30 2 * * * job"),
            {"timezone": "Europe/Berlin", "dst_gap": "skip", "dst_overlap": "first"},
        ),
        (lambda: crontab("0 9 * * * job 50\\% done"), {"name": "job"}),
    ],
)
def test_part_that_has_a_counterpart_becomes_its_member(judged: Any, members: dict[str, Any]) -> None:
    found = judged()
    assert found.verdict is Verdict.SAME, found.why
    assert members.items() <= dict(found.job.members).items()


def test_differences_are_shown_in_local_time() -> None:
    found = crontab("0,30 2 * * * job")
    assert found.verdict is Verdict.DIFFERS
    assert [(each.shown, each.in_source, each.in_punctual) for each in found.comparison.differences] == [  # type: ignore[union-attr]
        ("2026-03-29 03:00:00 +02:00", 2, 1)
    ]
    found = crontab("CRON_TZ=Europe/Paris\n30 2 * * * job")
    assert found.comparison is not None
    assert [each.shown[:16] for each in found.comparison.differences] == ["2026-10-25 02:30"]


def test_live_schedules_are_read_page_by_page() -> None:
    class Client:
        def get_paginator(self, operation_name: str) -> Any:
            assert operation_name == "list_schedules"
            return self

        def paginate(self, **only: str) -> list[dict[str, Any]]:
            self.only = only
            return [{"Schedules": [{"GroupName": "g", "Name": name}]} for name in ("job", "b")]

        def get_schedule(self, **arguments: str) -> dict[str, Any]:
            return {
                **SCHEDULE,
                "GroupName": arguments["GroupName"],
                "Name": arguments["Name"],
                "ResponseMetadata": {},
            }

    client = Client()
    source = EventBridgeReader(URLS, SPAN).translate(("the API", each) for each in read_live(client, "g"))
    assert [(job.key, job.misfit is None) for job in source.jobs] == [("g:job", True), ("g:b", True)]
    assert client.only == {"GroupName": "g"}


def test_secrets_of_different_schedules_have_different_variables() -> None:
    def names(*order: str) -> dict[str, str]:
        schedules = [
            {
                "scheduleId": key,
                "cron": "0 9 * * *",
                "destination": "https://example.com/x",
                "header": {"Upstash-Forward-X-Token": [f"secret of {key}"]},
            }
            for key in order
        ]
        found = QStashReader(UrlMap({}), SPAN).read([("f", json.dumps(schedules).encode())])
        assert "secret of" not in repr(found)
        notes = {job.key: job.notes for job in found.jobs}
        variables = {}
        for job in found.jobs:
            assert job.members is not None
            variables[job.key] = job.members["headers"]["X-Token"]["env"]
            assert f"set {variables[job.key]} to the value of the header X-Token" in notes[job.key]
        return variables

    found = names("a.b", "a-b", "c")
    assert len(set(found.values())) == 3
    assert found["c"] == "C_X_TOKEN"
    assert names("c", "a-b", "a.b") == found
