"""`/v1/admin/lanes`: what operators see of lanes, hot scopes and their states."""

from typing import Any

import pytest

from shared.domain.dispatch.sweep import BACKED_UP_MS, LaneProgress
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState, destination_scope, tenant_scope
from shared.domain.limits.slots import SlotLease
from shared.domain.schedules.schedule import format_instant
from shared.names import Lane, QueueName
from shared.usecases.listings.list_lanes import SNAPSHOT_TTL_MS
from tests.support.api.api_world import ApiWorld
from tests.support.api.request_factory import ask

LANES = "/v1/admin/lanes"
MINUTE = 60_000


class Operator:
    """An operator of a deployment whose limits are set by hand."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.world = self.api.world
        self.now_ms = self.world.clock.time_ms
        self._key = self.world.create_tenant.operator().api_key

    def heat(
        self, scope: str, circuit: Circuit | None = None, *leases: SlotLease, for_ms: int = MINUTE
    ) -> None:
        self.world.limits.hot[scope] = self.now_ms + for_ms
        if circuit is not None:
            self.world.limits.states[scope] = ScopeState(version=1, circuit=circuit, leases=leases)

    def ask(self, **query: str) -> Any:
        return ask(self.api, self._key, "GET", LANES, **query)

    def scopes(self) -> list[Any]:
        return list(self.ask().json["hot_scopes"])


def test_quiet_deployment_has_three_lanes_and_no_hot_scope() -> None:
    quiet = {"visible_messages": 0, "behind_since": None}
    assert Operator().ask().json == {
        "lanes": dict.fromkeys(("critical", "standard", "bulk"), quiet),
        "hot_scopes": [],
        "next_cursor": None,
    }


def test_lane_that_is_behind_shows_since_when_and_how_much_waits() -> None:
    operator = Operator()
    since = operator.now_ms - 90_000
    for lane, age_ms in ((Lane.STANDARD, BACKED_UP_MS - 1), (Lane.CRITICAL, BACKED_UP_MS)):
        progress = LaneProgress(visible_at=since, reported_at=operator.now_ms - age_ms)
        operator.world.lane_progress.reports[lane] = progress
    operator.world.queue.backlog[QueueName.STANDARD] = 5_210
    lanes = operator.ask().json["lanes"]
    standard = lanes["standard"]
    assert lanes["critical"]["behind_since"] is None
    assert (standard["visible_messages"], standard["behind_since"]) == (5_210, format_instant(since))


@pytest.mark.parametrize(
    ("circuit", "after_ms", "expected"),
    [
        (Circuit(open_until=1, failures=10, trips=2), 0, ("breaker_open", "half_open", None)),
        (Circuit(open_until=30_000), -30_000, ("breaker_open", "open", None)),
        (Circuit(limit=8, slow=True), 0, ("destination_concurrency", "closed", 8)),
        (Circuit(slow=True), 0, ("slow", "closed", None)),
        (Circuit(), 0, ("quota", "closed", None)),
    ],
)
def test_state_of_a_destination_is_the_reason_that_workers_check_first(
    circuit: Circuit, after_ms: int, expected: tuple[str, str, int | None]
) -> None:
    operator = Operator()
    if after_ms:
        circuit = Circuit(open_until=operator.now_ms - after_ms)
    operator.heat(destination_scope("d1"), circuit)
    (shown,) = operator.scopes()
    assert (shown["kind"], shown["id"]) == ("destination", "d1")
    assert (shown["reason"], shown["breaker"], shown["concurrency_limit"]) == expected
    assert (shown["open_until"] is not None) is (expected[1] == "open")


def test_tenant_shows_the_slots_that_workers_hold_now() -> None:
    operator = Operator()
    leases = [
        SlotLease(owner="a", slots=3, until=operator.now_ms + 1),
        SlotLease(owner="b", slots=4, until=operator.now_ms + 1),
        SlotLease(owner="c", slots=9, until=operator.now_ms),
    ]
    operator.heat(tenant_scope("acme"), Circuit(), *leases)
    (shown,) = operator.scopes()
    assert (shown["kind"], shown["id"], shown["reason"], shown["running"]) == ("tenant", "acme", "quota", 7)


def test_entry_that_has_expired_is_not_shown() -> None:
    operator = Operator()
    operator.heat(tenant_scope("acme"), for_ms=0)
    operator.heat(tenant_scope("globex"), for_ms=1)
    assert [shown["id"] for shown in operator.scopes()] == ["globex"]


def test_hot_scopes_come_page_by_page_each_once() -> None:
    operator = Operator()
    names = [f"d{number}" for number in range(7)]
    for name in names:
        operator.heat(destination_scope(name))
    found, cursor = [], None
    while True:
        page = operator.ask(limit="3", **({"cursor": cursor} if cursor else {})).json
        found += [shown["id"] for shown in page["hot_scopes"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == names


def test_snapshot_is_read_once_in_some_seconds() -> None:
    operator = Operator()
    assert operator.scopes() == []
    operator.heat(tenant_scope("acme"))
    asked = operator.world.steps.count("backlog.visible")
    assert operator.scopes() == []
    assert operator.world.steps.count("backlog.visible") == asked == len(Lane)
    operator.world.clock.time_ms += SNAPSHOT_TTL_MS
    assert [shown["id"] for shown in operator.scopes()] == ["acme"]


@pytest.mark.parametrize("step", ["backlog.visible", "progress.read"])
def test_store_without_an_answer_is_no_quiet_deployment(step: str) -> None:
    operator = Operator()
    operator.world.steps.fail(step)
    assert operator.ask().problem == "service-unavailable"
    assert operator.ask().status == 200


def test_tenant_sees_no_lanes() -> None:
    operator = Operator()
    assert operator.api.get(LANES).problem == "forbidden"
