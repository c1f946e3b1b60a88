"""Triggers that start one run for several events, and triggers that start so many in a window."""

from typing import Any

import pytest

from shared.domain.tenancy.quota import Quota
from tests.support.api.event_shop import DAILY, Shop
from tests.support.api.job_requests import send

SECOND_MS = 1_000


class Burst(Shop):
    """The trigger `large` waits until no event has come for a minute."""

    def __init__(self, **changes: Any) -> None:
        super().__init__()
        assert self.put("large", **{"debounce_seconds": 60} | changes).status == 200

    def amounts(self) -> list[int]:
        return [body["event"]["data"]["amount"] for body in self.bodies()]

    def event(self, number: int) -> dict[str, Any]:
        return self.started(id=f"order-{number}", data={"amount": 100 + number})


def test_run_of_several_events_gets_the_latest_one_after_a_minute_without_any() -> None:
    shop = Burst()
    first = shop.event(1)
    assert first["outcome"] == "filed"
    shop.pass_seconds(50)
    second = shop.event(2)
    shop.pass_seconds(50)
    third = shop.event(3)
    last_ms = shop.api.world.clock.time_ms
    assert [each["outcome"] for each in (second, third)] == ["debounced", "debounced"]
    assert {each["execution_id"] for each in (first, second, third)} == {first["execution_id"]}
    assert first["due_at"] < second["due_at"] < third["due_at"]
    shop.pass_seconds(59)
    assert shop.bodies() == []
    shop.pass_seconds(2)
    assert shop.amounts() == [103]
    (call,) = shop.api.world.sender.calls
    assert call.at - last_ms >= 60 * SECOND_MS
    assert dict(call.callback.headers)["X-Attempt"] == "1"
    shop.pass_seconds(3_600)
    assert shop.amounts() == [103]


def test_event_after_the_run_starts_another_one() -> None:
    shop = Burst()
    first = shop.event(1)
    shop.pass_seconds(61)
    second = shop.event(2)
    assert (second["outcome"], second["execution_id"] == first["execution_id"]) == ("filed", False)
    shop.pass_seconds(61)
    assert shop.amounts() == [101, 102]


@pytest.mark.parametrize(("changes", "longest"), [({}, 600), ({"debounce_max_seconds": 90}, 90)])
def test_stream_without_a_pause_starts_a_run_in_the_longest_time(
    changes: dict[str, int], longest: int
) -> None:
    shop = Burst(**changes)
    began_ms = shop.api.world.clock.time_ms
    number = 0
    while not shop.bodies():
        number += 1
        last = shop.event(number)
        shop.pass_seconds(15)
        assert number < 100
    (call,) = shop.api.world.sender.calls
    assert 0 <= call.at - began_ms - longest * SECOND_MS < 2 * SECOND_MS
    assert shop.amounts() == [100 + number]
    assert last["outcome"] == "debounced"


def test_repeated_event_postpones_nothing() -> None:
    shop = Burst()
    shop.event(1)
    shop.pass_seconds(30)
    second = shop.event(2)
    shop.pass_seconds(30)
    assert shop.event(1) == second | {"outcome": "repeated"}
    assert shop.event(2) == second | {"outcome": "repeated"}
    shop.pass_seconds(31)
    assert shop.amounts() == [102]
    assert shop.event(1)["outcome"] == "repeated"
    shop.pass_seconds(600)
    assert shop.amounts() == [102]


def test_lost_message_of_a_postponed_run_is_replaced_by_the_sweep() -> None:
    shop = Burst()
    shop.event(1)
    shop.pass_seconds(10)
    shop.event(2)
    shop.api.world.queue.messages.clear()
    shop.lanes = type(shop.lanes)(shop.api.world)
    for _ in range(5):
        shop.pass_seconds(60)
        shop.api.world.sweep.execute()
    assert shop.amounts() == [102]


def test_run_is_due_where_its_events_have_put_it() -> None:
    """It is neither late nor too old before its time."""
    shop = Burst()
    shop.job = shop.api.create(**DAILY, retry={"give_up_after_seconds": 30})
    shop.put("large", debounce_seconds=60)
    for number in range(1, 8):
        match = shop.event(number)
        shop.pass_seconds(50)
    shop.pass_seconds(20)
    shown = shop.api.get(f"/v1/executions/{match['execution_id']}").json
    assert (shown["state"], shop.amounts()) == ("succeeded", [107])
    explained = shop.api.get(f"/v1/executions/{match['execution_id']}/explain").json
    assert (explained["due_at"], explained["lag_ms"] < SECOND_MS) == (match["due_at"], True)


def test_waiting_run_is_listed_where_it_is_due() -> None:
    shop = Burst()
    shop.event(1)
    shop.pass_seconds(30)
    match = shop.event(2)
    shown = shop.api.get(f"/v1/executions/{match['execution_id']}").json
    assert (shown["state"], shown["next_attempt_at"]) == ("waiting", match["due_at"])
    runs = shop.api.get("/v1/upcoming", within="300").json["runs"]
    (run,) = [each for each in runs if each["execution_id"] == match["execution_id"]]
    assert (run["at"], run["basis"]) == (match["due_at"], "filed")


def test_waiting_run_ends_with_its_job() -> None:
    shop = Burst()
    match = shop.event(1)
    send(shop.api, "DELETE", f"/v1/jobs/{shop.job['id']}")
    shop.pass_seconds(120)
    assert shop.bodies() == []
    assert shop.api.get(f"/v1/executions/{match['execution_id']}").json["state"] == "cancelled"
    assert shop.event(2)["outcome"] == "refused"


def test_changed_trigger_begins_anew_and_leaves_the_waiting_run() -> None:
    shop = Burst()
    first = shop.event(1)
    shop.put("large", debounce_seconds=30)
    second = shop.event(2)
    assert (second["outcome"], second["execution_id"] == first["execution_id"]) == ("filed", False)
    shop.pass_seconds(90)
    assert sorted(shop.amounts()) == [101, 102]


def test_postponed_run_counts_once_in_the_quota() -> None:
    shop = Burst()
    shop.api.allow(Quota.DUE_PER_MINUTE, 1)
    shop.event(1)
    for number in range(2, 6):
        assert shop.event(number)["outcome"] == "debounced"


def test_event_of_the_future_is_refused_where_events_debounce() -> None:
    shop = Burst()
    match = shop.started(deliver_at="2025-02-19T23:00:00+01:00")
    assert (match["outcome"], "deliver_at" in match["reason"]) == ("refused", True)


def test_large_event_reaches_the_postponed_run_whole() -> None:
    shop = Burst()
    for number in (1, 2):
        shop.started(id=f"order-{number}", data={"amount": 100 + number, "note": "n" * 30_000})
    shop.pass_seconds(61)
    (body,) = shop.bodies()
    assert (body["event"]["data"]["amount"], len(body["event"]["data"]["note"])) == (102, 30_000)


class Throttled(Shop):
    def __init__(self, count: int = 2, per_seconds: int = 60, **changes: Any) -> None:
        super().__init__()
        throttle = {"count": count, "per_seconds": per_seconds}
        assert self.put("large", throttle=throttle, **changes).status == 200


def test_trigger_starts_so_many_runs_in_a_window() -> None:
    shop = Throttled()
    began_ms = shop.api.world.clock.time_ms
    outcomes = [shop.started(id=f"order-{number}") for number in range(4)]
    assert [each["outcome"] for each in outcomes] == ["filed", "filed", "throttled", "throttled"]
    refused = outcomes[-1]
    assert refused.keys() == {"trigger", "job_id", "outcome", "throttled_until"}
    shop.pass_seconds(59)
    assert shop.started(id="order-2") == refused
    shop.pass_seconds(2)
    # Nothing of a throttled event was kept.
    assert shop.started(id="order-2")["outcome"] == "filed"
    assert shop.started(id="order-0")["outcome"] == "repeated"
    shop.pass_seconds(5)
    assert len(shop.bodies()) == 3
    assert shop.api.world.clock.time_ms - began_ms < 70 * SECOND_MS


def test_change_of_a_trigger_begins_its_window_anew() -> None:
    shop = Throttled(count=1)
    shop.started(id="order-0")
    throttle = {"count": 1, "per_seconds": 60}
    assert shop.put("large", throttle=throttle).json["version"] == 2
    assert shop.started(id="order-1")["outcome"] == "throttled"
    assert shop.put("large", throttle=throttle | {"count": 2}).json["version"] == 3
    assert shop.started(id="order-1")["outcome"] == "filed"


def test_throttled_event_needs_no_place_in_its_minute() -> None:
    shop = Throttled(count=1, per_seconds=3_600)
    shop.started(id="order-0")
    shop.api.allow(Quota.DUE_PER_MINUTE, 0)
    assert shop.started(id="order-1")["outcome"] == "throttled"


def test_throttle_counts_the_runs_of_debounced_events() -> None:
    shop = Throttled(count=1, per_seconds=600, debounce_seconds=60)
    assert shop.started(id="order-0")["outcome"] == "filed"
    assert shop.started(id="order-1")["outcome"] == "debounced"
    shop.pass_seconds(61)
    assert shop.started(id="order-2")["outcome"] == "throttled"
    shop.pass_seconds(600)
    assert shop.started(id="order-2")["outcome"] == "filed"


WIDE: dict[str, Any] = {"request": {"url": "https://receiver.example/hook", "body": "a" * 199_000}}
TOO_MUCH: dict[str, Any] = {"amount": 100, "note": "b" * 30_000}


def test_refused_event_is_no_start_that_the_throttle_counts() -> None:
    shop = Shop(**WIDE)
    assert shop.put("large", throttle={"count": 1, "per_seconds": 3_600}).status == 200
    refused = shop.started(id="order-1", data=TOO_MUCH)
    assert refused["outcome"] == "refused"
    assert shop.started(id="order-2")["outcome"] == "filed"
    assert shop.started(id="order-3", data=TOO_MUCH)["outcome"] == "throttled"


def test_refused_event_is_never_told_to_have_a_run() -> None:
    shop = Shop(**WIDE)
    assert shop.put("large", debounce_seconds=60).status == 200
    refused = shop.started(id="order-1", data=TOO_MUCH)
    assert refused["outcome"] == "refused"
    assert shop.started(id="order-2")["outcome"] == "filed"
    assert shop.started(id="order-1", data=TOO_MUCH) == refused
    shop.pass_seconds(120)
    assert [body["event"]["id"] for body in shop.bodies()] == ["order-2"]


def test_limits_of_a_trigger_are_shown() -> None:
    shop = Throttled(debounce_seconds=60)
    shown = shop.api.get("/v1/triggers/large").json
    assert shown["throttle"] == {"count": 2, "per_seconds": 60}
    assert (shown["debounce_seconds"], shown["debounce_max_seconds"]) == (60, 600)
    assert shown.keys().isdisjoint({"latest_run", "throttled_until"})
    shop.put("large", debounce_seconds=60, throttle={"count": 1, "per_seconds": 60})
    match = shop.started()
    shown = shop.api.get("/v1/triggers").json["triggers"][0]
    assert (shown["latest_run"], "throttled_until" in shown) == (match["execution_id"], True)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"debounce_seconds": -1}, "/debounce_seconds"),
        ({"debounce_seconds": 3_601}, "/debounce_seconds"),
        ({"debounce_seconds": 1.5}, "/debounce_seconds"),
        ({"debounce_seconds": 60, "delay_seconds": 60}, "/debounce_seconds"),
        ({"debounce_max_seconds": 60}, "/debounce_max_seconds"),
        ({"debounce_seconds": 60, "debounce_max_seconds": 59}, "/debounce_max_seconds"),
        ({"debounce_seconds": 60, "debounce_max_seconds": 86_401}, "/debounce_max_seconds"),
        ({"throttle": {"count": 0, "per_seconds": 60}}, "/throttle/count"),
        ({"throttle": {"count": 10_001, "per_seconds": 60}}, "/throttle/count"),
        ({"throttle": {"count": True, "per_seconds": 60}}, "/throttle/count"),
        ({"throttle": {"count": 1, "per_seconds": 86_401}}, "/throttle/per_seconds"),
        ({"throttle": {"count": 1}}, "/throttle/per_seconds"),
        ({"throttle": 5}, "/throttle"),
        ({"throttle": {"count": 1, "per_seconds": 1, "burst": 1}}, "/throttle/burst"),
    ],
)
def test_limit_that_cannot_be_is_refused_with_a_pointer(changes: dict[str, Any], pointer: str) -> None:
    refused = Shop().put("large", **changes)
    assert refused.problem == "validation-failed"
    assert refused.json["errors"][0]["pointer"] == pointer
