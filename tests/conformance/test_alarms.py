"""Alarms: each alarm of the stage with its present state, and no alarm of another stage."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.adapters.aws.errors import NoAnswerError
from shared.domain.errors import UnavailableError
from shared.ports.alarms import Alarm, AlarmState
from tests.support.conformance.alarms import AlarmLab, CloudWatchAlarmLab
from tests.support.conformance.interference import answering, failure

RUNBOOK = "docs/runbooks/dead-messages.md"


def by_name(lab: AlarmLab) -> dict[str, Alarm]:
    return {alarm.name: alarm for alarm in lab.alarms.read()}


def test_alarm_shows_its_meaning_and_its_page(alarm_lab: AlarmLab) -> None:
    alarm_lab.declare("Parked", "A message is parked.", RUNBOOK)
    alarm_lab.declare("Other", "No page. None.", None, notifies=False)
    found = by_name(alarm_lab)
    parked, other = found["Parked"], found["Other"]
    assert (parked.meaning, parked.runbook, parked.notifies) == ("A message is parked.", RUNBOOK, True)
    assert (other.meaning, other.runbook, other.notifies) == ("No page. None.", None, False)


@pytest.mark.parametrize("state", AlarmState)
def test_state_and_its_reason_are_those_that_were_set_last(alarm_lab: AlarmLab, state: AlarmState) -> None:
    alarm_lab.declare("Parked", "A message is parked.", RUNBOOK)
    for number, each in enumerate((AlarmState.OK, AlarmState.ALARM, state)):
        alarm_lab.set_state("Parked", each, f"reason {number}")
    shown = by_name(alarm_lab)["Parked"]
    assert (shown.state, shown.reason) == (state, "reason 2")


def test_no_alarm_is_no_error(alarm_lab: AlarmLab) -> None:
    assert list(alarm_lab.alarms.read()) == []


def test_state_has_begun_when_it_was_set(cloudwatch_alarms: CloudWatchAlarmLab) -> None:
    before_ms = time.time_ns() // 1_000_000 - 1_000
    cloudwatch_alarms.declare("Parked", "A message is parked.", RUNBOOK)
    cloudwatch_alarms.set_state("Parked", AlarmState.ALARM, "a test")
    shown = by_name(cloudwatch_alarms)["Parked"]
    assert before_ms <= shown.since <= time.time_ns() // 1_000_000 + 1_000


def test_alarms_of_other_stages_are_not_shown(cloudwatch_alarms: CloudWatchAlarmLab) -> None:
    other = CloudWatchAlarmLab(cloudwatch_alarms.client)
    other.declare("Foreign", "Another stage.", None)
    cloudwatch_alarms.declare("Own", "This stage.", None)
    assert list(by_name(cloudwatch_alarms)) == ["Own"]


def test_every_page_is_read(cloudwatch_alarms: CloudWatchAlarmLab) -> None:
    asked: list[Any] = []
    pages: list[dict[str, Any]] = [
        {"MetricAlarms": [_described("A"), _described("B")], "NextToken": "more"},
        {"MetricAlarms": [], "NextToken": "last"},
        {"MetricAlarms": [_described("C")]},
    ]

    def describe_alarms(**params: Any) -> dict[str, Any]:
        asked.append(params.get("NextToken"))
        return pages[len(asked) - 1]

    client: Any = type("Client", (), {"describe_alarms": staticmethod(describe_alarms)})
    read = type(cloudwatch_alarms.alarms)(client, "").read()
    assert [alarm.name for alarm in read] == ["A", "B", "C"]
    assert asked == [None, "more", "last"]


@pytest.mark.parametrize(
    "fault", [failure("ThrottlingException"), failure("InternalServiceFault"), NoAnswerError("no")]
)
def test_a_fault_is_unavailability_and_never_silence(
    cloudwatch_alarms: CloudWatchAlarmLab, fault: Exception
) -> None:
    with answering(cloudwatch_alarms.client, "DescribeAlarms", fault), pytest.raises(UnavailableError):
        cloudwatch_alarms.alarms.read()


def _described(name: str) -> dict[str, Any]:
    return {
        "AlarmName": name,
        "StateValue": "OK",
        "StateUpdatedTimestamp": datetime.now(UTC),
    }
