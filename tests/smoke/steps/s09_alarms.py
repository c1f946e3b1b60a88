"""S9: an alarm reaches a subscriber of the topic; a real throttle and a silent watcher fire their alarms, and both
recover."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from tests.smoke.findings import Findings
from tests.smoke.judge.alarms import left_firing, went_and_came_back
from tests.smoke.world import Tenant, World, until

WARM_UP_MINUTES = 30
"""As in infra/components/alarms.py, which imports the CDK."""
SET = "DoubleCompleted"
"""An alarm that no other step can fire."""
MESSAGE_SECONDS = 60
FIRES_WITHIN = 720
RECOVERS_WITHIN = 900
WRITERS = 8
UNLIMITED, ONE = -1, 1


def run(world: World, findings: Findings) -> None:
    _message(world, findings)
    if findings.can_show("throttling", "TableThrottles fires on a throttle, and recovers"):
        _throttle(world, findings)
    if findings.can_show("aws_metrics", "WatcherHeartbeat fires without ticks, and recovers"):
        _heartbeat(world, findings)
    if findings.can_show("emulated", "burn rates and their expressions have data"):
        _expressions(world, findings)


def _message(world: World, findings: Findings) -> None:
    cloudwatch, sqs = world.target.client("cloudwatch"), world.target.client("sqs")
    name = f"{world.target.stage.prefix}-{SET}"
    queue = world.probe["AlarmInboxUrl"]
    # The alarm has to change its state, or CloudWatch tells nobody.
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="smoke")
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="smoke")
    seen = until(lambda: _told(sqs, queue), lambda told: (name, "ALARM") in told, MESSAGE_SECONDS)
    findings.check("a message tells of the alarm", (name, "ALARM") in seen, seen)
    cloudwatch.set_alarm_state(AlarmName=name, StateValue="OK", StateReason="smoke")
    seen = until(lambda: _told(sqs, queue), lambda told: (name, "OK") in told, MESSAGE_SECONDS)
    findings.check("a message tells of the recovery", (name, "OK") in seen, seen)


def _told(sqs: Any, queue: str) -> list[tuple[str, str]]:
    """The alarms and their new states in the messages of one receive."""
    found = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=2)
    told = []
    for message in found.get("Messages", []):
        body = json.loads(message["Body"])
        body = json.loads(body["Message"]) if "Message" in body else body
        told.append((str(body.get("AlarmName")), str(body.get("NewStateValue"))))
        sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    return told


def _throttle(world: World, findings: Findings) -> None:
    """The audit table takes one unit a second, while requests that are audited come faster than that."""
    tenant = world.tenant("throttled")
    job = tenant.create({"rate_seconds": 86_400}, world.path("throttled"))
    began = datetime.now(UTC)
    with _write_units(world, world.outputs["AuditTableName"], ONE), _audited_requests(tenant, job["id"]):
        fired = _await_state(world, "TableThrottles", began, "ALARM", FIRES_WITHIN)
    findings.check("a throttle fires TableThrottles", "ALARM" in fired, fired)
    states = _await_state(world, "TableThrottles", began, "OK", RECOVERS_WITHIN)
    findings.check("TableThrottles recovers", went_and_came_back(states), states)


@contextmanager
def _write_units(world: World, table: str, units: int) -> Iterator[None]:
    dynamodb = world.target.client("dynamodb")

    def limit(writes: int) -> None:
        dynamodb.update_table(TableName=table, OnDemandThroughput={"MaxWriteRequestUnits": writes})
        dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 5})

    limit(units)
    try:
        yield
    finally:
        limit(UNLIMITED)


@contextmanager
def _audited_requests(tenant: Tenant, job_id: str) -> Iterator[None]:
    """Pauses and resumes of one job by several clients; some are answered with 503, as they are to be."""
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            for act in ("pause", "resume"):
                tenant.site.request("POST", f"/v1/jobs/{job_id}/{act}")

    writers = [threading.Thread(target=work, daemon=True) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        yield
    finally:
        over.set()
        for writer in writers:
            writer.join(60)


def _heartbeat(world: World, findings: Findings) -> None:
    """The alarm is deaf to silence for its first half hour, so that a deployment pages nobody."""
    alarm = f"{world.target.stage.prefix}-WatcherHeartbeat"
    (found,) = world.target.client("cloudwatch").describe_alarms(AlarmNames=[alarm])["MetricAlarms"]
    age = datetime.now(UTC) - found["AlarmConfigurationUpdatedTimestamp"]
    time.sleep(max(0.0, WARM_UP_MINUTES * 60 + 60 - age.total_seconds()))
    events, rules = world.target.client("events"), _rules(world)
    findings.check("the watcher has a rule", bool(rules))
    began = datetime.now(UTC)
    for rule in rules:
        events.disable_rule(Name=rule)
    try:
        fired = _await_state(world, "WatcherHeartbeat", began, "ALARM", FIRES_WITHIN)
    finally:
        for rule in rules:
            events.enable_rule(Name=rule)
    findings.check("silence fires WatcherHeartbeat", "ALARM" in fired, fired)
    states = _await_state(world, "WatcherHeartbeat", began, "OK", RECOVERS_WITHIN)
    findings.check("WatcherHeartbeat recovers", went_and_came_back(states), states)


def _rules(world: World) -> list[str]:
    """The rules whose target is the live watcher."""
    name = world.outputs["WatcherFunctionName"]
    arn = world.target.client("lambda").get_alias(FunctionName=name, Name="live")["AliasArn"]
    found: list[str] = world.target.client("events").list_rule_names_by_target(TargetArn=arn)["RuleNames"]
    return found


def _expressions(world: World, findings: Findings) -> None:
    """An alarm on an expression that cannot be evaluated stays without data for ever."""
    pages = world.target.client("cloudwatch").get_paginator("describe_alarms")
    found = [
        alarm
        for page in pages.paginate(AlarmNamePrefix=f"{world.target.stage.prefix}-")
        for alarm in page["MetricAlarms"]
    ]
    expressions = [alarm for alarm in found if "Metrics" in alarm]
    broken = [
        alarm["AlarmName"] for alarm in expressions if alarm.get("EvaluationState") == "EVALUATION_ERROR"
    ]
    findings.check("every alarm on an expression can be evaluated", bool(expressions) and not broken, broken)
    firing = left_firing(found, world.target.stage.prefix)
    findings.check("no alarm but those of burn rates is left firing", not firing, firing)


def _await_state(world: World, alarm: str, began: datetime, wanted: str, seconds: float) -> list[str]:
    """The states since then, in order of time, once the last of them is the wanted one."""
    return until(
        lambda: _states(world, f"{world.target.stage.prefix}-{alarm}", began),
        lambda states: states[-1:] == [wanted],
        seconds,
        poll=10,
    )


def _states(world: World, alarm: str, began: datetime) -> list[str]:
    pages = (
        world.target.client("cloudwatch")
        .get_paginator("describe_alarm_history")
        .paginate(
            AlarmName=alarm,
            HistoryItemType="StateUpdate",
            StartDate=began,
            EndDate=datetime.now(UTC),
            ScanBy="TimestampAscending",
        )
    )
    return [
        json.loads(item["HistoryData"])["newState"]["stateValue"]
        for page in pages
        for item in page["AlarmHistoryItems"]
    ]
