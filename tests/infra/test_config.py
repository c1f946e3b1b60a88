"""Stages that could not keep the promises are refused before anything is deployed."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from infra.components.shard_plan import MAX_EPOCHS, MAX_SHARDS, ShardEpoch, plan_json
from infra.concurrency import LaneConcurrency, Pollers, ReservedConcurrency
from infra.retention_days import IDEMPOTENCY_DAYS, SEALED_DAYS
from infra.stages import cloud_stage, local_stage
from infra.warm_throughput import Units
from shared.domain import bucket
from shared.domain.executions import retention
from shared.names import QueueName

STAGE = cloud_stage("prod", "eu-west-1")
EPOCH = STAGE.shard_plan[0]


@pytest.mark.parametrize(
    "change",
    [
        {"retention_days": IDEMPOTENCY_DAYS},
        {"retention_days": 10},
        {"queue_retention_days": 10},
        {"dead_letter_retention_days": 4},
        {"dead_letter_retention_days": 15, "retention_days": 20},
        {"audit_retention_days": 13},
        {"archive_days": 14},
        {"retention_days": SEALED_DAYS + 1},
        {"watchers": 0},
        {"watchers": 5},
        {"sweepers": 0},
        {"sweepers": 17},
        {"sweepers": 3},
        {"watchers": 3},
        {"due_in_one_minute": 500_000},
        {"jobs_per_second": 8_000},
        {"account_concurrency": 995},
        {"account_concurrency": 10},
        {"account_concurrency_quota": 999},
        {"reserved": ReservedConcurrency(watcher=3)},
        {"reserved": ReservedConcurrency(sweeper=3)},
        {"reserved": ReservedConcurrency(dead_letter=11)},
        {"reserved": ReservedConcurrency(archiver=0)},
        {"reserved": ReservedConcurrency(reconciler=0)},
        {"reserved": ReservedConcurrency(redriver=1)},
        {"reserved": ReservedConcurrency(api=0)},
        {"reserved": ReservedConcurrency(api=159)},
        {"name": "Prod"},
        {"name": ""},
        {"cell": ""},
        {"cell": "00"},
        {"cell": "l"},
        {"log_retention_days": 8},
        {"shard_plan": ()},
        {"shard_plan": (EPOCH, EPOCH)},
        {"shard_plan": (replace(EPOCH, since="2026-06-01T00:00Z"), EPOCH)},
        {"shard_plan": (EPOCH, replace(EPOCH, since="2026-06-01T00:00Z", quarter=7))},
    ],
)
def test_a_stage_that_breaks_a_rule_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        replace(STAGE, **change)


def test_default_stage_fits_the_default_account_and_its_functions_cannot_starve_one_another() -> None:
    assert STAGE.reserved is not None
    assert STAGE.reserved.total + STAGE.lane_concurrency.total == 996 <= STAGE.account_concurrency == 1_000
    larger = replace(STAGE, sweepers=16, reserved=ReservedConcurrency(sweeper=32), account_concurrency=1_024)
    assert larger.reserved is not None


def test_small_lanes_leave_what_lambda_wants_unreserved() -> None:
    lanes = LaneConcurrency(critical=2, standard=2, bulk=2, slow_critical=2, slow_standard=2, slow_bulk=2)
    assert replace(STAGE, lane_concurrency=lanes, account_concurrency=276)
    with pytest.raises(ValueError, match="need 276"):
        replace(STAGE, lane_concurrency=lanes, account_concurrency=275)


def test_archive_has_an_archiver_for_each_32_shards_and_none_where_it_is_off() -> None:
    assert STAGE.archivers == 1
    assert cloud_stage("prod", "eu-west-1", preset="large").archivers == 5
    off = replace(STAGE, archive_days=0, retention_days=SEALED_DAYS + 1)
    assert off.archivers == 0


def test_new_account_reserves_nothing() -> None:
    assert replace(STAGE, reserved=None, account_concurrency=10).reserved is None


def test_a_plan_may_grow() -> None:
    grown = replace(EPOCH, since="2026-06-01T00:00Z", normal=8)
    assert replace(STAGE, shard_plan=(EPOCH, grown)).shard_plan[-1].normal == 8


def test_plan_of_as_many_epochs_as_the_variables_of_a_function_bear() -> None:
    """Some 2 KB of the 4 KB that Lambda gives are used by others."""
    counts = {"normal": MAX_SHARDS, "quarter": MAX_SHARDS, "midnight": MAX_SHARDS}
    plan = tuple(ShardEpoch(since=f"2026-01-{day:02}T00:00Z", **counts) for day in range(1, MAX_EPOCHS + 2))
    assert replace(STAGE, shard_plan=plan[1:])
    assert len(plan_json(plan[1:])) < 1_800
    with pytest.raises(
        ValueError, match=f"shards has 1 to {MAX_EPOCHS} epochs, not {MAX_EPOCHS + 1}: remove"
    ):
        replace(STAGE, shard_plan=plan)


def test_the_plan_is_passed_on_as_it_is() -> None:
    assert plan_json((EPOCH,)) == '[{"from":"2026-01-01T00:00Z","normal":4,"quarter":8,"midnight":16}]'


@pytest.mark.parametrize("change", [{"since": "2026-01-01"}, {"normal": 0}, {"midnight": 32_769}])
def test_an_epoch_that_no_id_could_carry_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        replace(EPOCH, **change)


@pytest.mark.parametrize("limit", [1, 1001])
@pytest.mark.parametrize("queue", [queue.name.lower() for queue in QueueName])
def test_a_queue_needs_a_concurrency_that_sqs_accepts(queue: str, limit: int) -> None:
    with pytest.raises(ValueError):
        LaneConcurrency(**({other.name.lower(): 2 for other in QueueName} | {queue: limit}))


@pytest.mark.parametrize(("minimum", "maximum"), [(1, 10), (201, 300), (10, 9), (2, 2_001)])
def test_pollers_outside_the_ranges_of_sqs_are_refused(minimum: int, maximum: int) -> None:
    with pytest.raises(ValueError):
        Pollers(minimum=minimum, maximum=maximum)


def test_ten_executors_count_for_each_provisioned_poller_of_a_lane() -> None:
    lanes = replace(STAGE.lane_concurrency, standard=Pollers(minimum=2, maximum=30))
    assert replace(STAGE, lane_concurrency=lanes).lane_concurrency.total == 820
    with pytest.raises(ValueError, match="need 1006"):
        replace(STAGE, lane_concurrency=replace(lanes, standard=Pollers(minimum=2, maximum=31)))


@pytest.mark.parametrize("units", [{"reads": 11_999}, {"writes": 3_999}])
def test_warm_throughput_below_that_of_every_table_is_refused(units: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        Units(**units)


def test_a_stage_never_changes() -> None:
    with pytest.raises(FrozenInstanceError):
        STAGE.retention_days = 1  # type: ignore[misc]


def test_only_the_laptop_may_call_private_addresses() -> None:
    assert STAGE.dial_exceptions == ()
    assert local_stage().dial_exceptions
    assert isinstance(EPOCH, ShardEpoch)


def test_the_limits_are_those_of_the_domain() -> None:
    """Spelt twice, since infrastructure imports no run-time code."""
    assert IDEMPOTENCY_DAYS == retention.IDEMPOTENCY_DAYS
    assert MAX_SHARDS == bucket.MAX_SHARDS


@pytest.mark.parametrize("origin", ["example.com", "https://example.com/", "https://EXAMPLE.com", "null", ""])
def test_origin_of_web_pages_is_a_scheme_and_a_host(origin: str) -> None:
    assert replace(STAGE, cors_origins=("*", "http://localhost:3000")).cors_origins
    with pytest.raises(ValueError, match="a scheme and a host"):
        replace(STAGE, cors_origins=(origin,))


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "console.example.com",
        "http://console.example.com",
        "https://console.example.com/",
        "https://console.example.com/console",
        "https://Console.example.com",
        "https://user:pass@console.example.com",
        "https://console.example.com?a=1",
        "https://console.example.com#/",
        "https://console.example.com:0",
        "http://127.0.0.1.example.com",
        "javascript:alert(1)",
        "https://a|b",
        "https://console.example.com\n",
    ],
)
def test_origin_of_the_console_is_a_scheme_and_a_host(origin: str) -> None:
    for good in ("https://console.example.com", "https://c.example:8443", "http://127.0.0.1:14568"):
        assert replace(STAGE, console_origin=good).console_origin == good
    with pytest.raises(ValueError, match=r"console_origin is .* as in https://console\.example\.com"):
        replace(STAGE, console_origin=origin)
