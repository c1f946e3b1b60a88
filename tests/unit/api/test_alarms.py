"""`/v1/admin/alarms`: what operators see of the alarms, and how seldom CloudWatch is asked."""

from typing import Any

import pytest

from shared.domain.schedules.schedule import format_instant
from shared.ports.alarms import Alarm, AlarmState
from shared.usecases.listings.list_alarms import ALARMS_TTL_MS, COOLDOWN_MS
from tests.support.api.api_world import ApiWorld
from tests.support.api.request_factory import ask

ALARMS = "/v1/admin/alarms"
READ = "alarms.read"


def alarm(name: str, state: AlarmState = AlarmState.OK, since: int = 1_000) -> Alarm:
    return Alarm(
        name=name,
        state=state,
        since=since,
        meaning=f"{name} is wrong.",
        reason="Threshold Crossed",
        runbook=f"docs/runbooks/{name}.md",
        notifies=True,
    )


class Operator:
    """An operator of a deployment whose alarms are set by hand."""

    def __init__(self, *alarms: Alarm) -> None:
        self.api = ApiWorld()
        self.world = self.api.world
        self.world.alarms.alarms = [*alarms]
        self._key = self.world.create_tenant.operator().api_key

    @property
    def reads(self) -> int:
        """How often CloudWatch was asked."""
        return self.world.steps.count(READ)

    def wait(self, duration_ms: int) -> None:
        self.world.clock.time_ms += duration_ms

    def ask(self, **query: str) -> Any:
        return ask(self.api, self._key, "GET", ALARMS, **query)

    def names(self) -> list[str]:
        return [shown["name"] for shown in self.ask().json["alarms"]]


def test_alarm_shows_state_begin_meaning_and_runbook() -> None:
    operator = Operator(alarm("Parked", AlarmState.ALARM, since=1_740_000_000_000))
    assert operator.ask().json == {
        "alarms": [
            {
                "name": "Parked",
                "state": "alarm",
                "since": format_instant(1_740_000_000_000),
                "meaning": "Parked is wrong.",
                "reason": "Threshold Crossed",
                "runbook": "docs/runbooks/Parked.md",
                "notifies": True,
            }
        ],
        "next_cursor": None,
    }


def test_alarms_in_alarm_come_first_and_each_state_by_name() -> None:
    states = (AlarmState.OK, AlarmState.ALARM, AlarmState.INSUFFICIENT_DATA)
    operator = Operator(*(alarm(f"{name}{state.value}", state) for name in "ba" for state in states))
    assert operator.names() == [
        f"{name}{state}" for state in ("alarm", "insufficient_data", "ok") for name in "ab"
    ]


def test_alarms_come_page_by_page_each_once() -> None:
    operator = Operator(*(alarm(f"a{n}", [*AlarmState][n % 3]) for n in range(10)))
    found, cursor = [], None
    while True:
        page = operator.ask(limit="3", **({"cursor": cursor} if cursor else {})).json
        assert len(page["alarms"]) <= 3
        found += [shown["name"] for shown in page["alarms"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == operator.names()
    assert len(set(found)) == 10
    assert operator.reads == 1


def test_deployment_without_alarms_has_one_empty_page() -> None:
    assert Operator().ask(limit="1").json == {"alarms": [], "next_cursor": None}


def test_cloudwatch_is_asked_once_in_half_a_minute_however_often_operators_ask() -> None:
    operator = Operator(alarm("Old"))
    for _ in range(50):
        assert operator.names() == ["Old"]
    operator.world.alarms.alarms = [alarm("New")]
    operator.wait(ALARMS_TTL_MS - 1)
    assert operator.names() == ["Old"]
    assert operator.reads == 1
    operator.wait(1)
    assert operator.names() == ["New"]
    assert operator.reads == 2


def test_failure_is_no_quiet_deployment_and_no_reason_to_ask_at_once() -> None:
    operator = Operator(alarm("Parked"))
    operator.world.steps.fail(READ)
    for _ in range(20):
        assert operator.ask().problem == "service-unavailable"
    assert operator.reads == 1
    operator.wait(COOLDOWN_MS)
    assert operator.names() == ["Parked"]
    assert operator.reads == 2


def test_states_that_are_too_old_are_not_shown_as_the_present_ones() -> None:
    operator = Operator(alarm("Parked"))
    assert operator.names() == ["Parked"]
    operator.wait(ALARMS_TTL_MS)
    operator.world.steps.fail(READ)
    assert operator.ask().problem == "service-unavailable"


@pytest.mark.parametrize("cursor", ["", "x", "Zm9v", "a" * 3_000])
def test_forged_cursor_is_refused(cursor: str) -> None:
    assert Operator(alarm("Parked")).ask(cursor=cursor).problem in ("invalid-cursor", "malformed-request")


def test_cursor_of_another_list_is_refused() -> None:
    operator = Operator(*(alarm(f"a{n}") for n in range(2)))
    cursor = operator.ask(limit="1").json["next_cursor"]
    refused = ask(operator.api, operator._key, "GET", "/v1/admin/parked", cursor=cursor)
    assert refused.problem == "invalid-cursor"


def test_tenant_sees_no_alarms() -> None:
    assert Operator(alarm("Parked")).api.get(ALARMS).problem == "forbidden"
