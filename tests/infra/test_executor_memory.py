"""The memory of executors: what is refused, and whether a full batch fits into every preset."""

from dataclasses import fields, replace
from typing import Any

import pytest

from infra import executor_memory
from infra.capacity import HEAD_ROOM
from infra.components.function_specs import function_specs
from infra.config import FunctionMemory
from infra.executor_memory import CALLS_AT_ONCE, LEAST_EXECUTOR_MB, LaneMemory, most_used_mb
from infra.sizing import figures
from infra.sizing.batches import cold_start_seconds, core_share
from infra.sizing.bill import total
from infra.sizing.choices import MEMORIES
from infra.sizing.cost import MILLION
from infra.sizing.prices import PRICES
from infra.sizing.tables import EXECUTIONS
from infra.stages import PRESETS
from shared.adapters.http.response import MAX_RESPONSE_BYTES
from shared.adapters.http.sockets import MAX_OVERHEAD_BYTES, MAX_SOCKETS
from shared.adapters.targets.sender import AT_ONCE, KEPT_BYTES
from shared.domain.delivery.target import MAX_HEADERS_BYTES
from shared.domain.dispatch.wakeup import MAX_KEYS
from shared.names import EXECUTOR_BATCH, QueueName
from tests.support.sources import ROOT

WITHIN_SECONDS = 1.0
"""Calls begin within a second of their time, also those of a cold executor."""


@pytest.mark.parametrize("function", [each.name for each in fields(FunctionMemory) if each.name != "lanes"])
@pytest.mark.parametrize("memory", [127, 10_241, 0, -512, 512.0, float("nan"), True, None, "512"])
def test_memory_that_lambda_refuses_is_refused_with_its_range(function: str, memory: Any) -> None:
    with pytest.raises(
        ValueError, match=rf"memory of {function} is a whole number of MB from 128 to 10,240, not"
    ):
        FunctionMemory(**{function: memory})


@pytest.mark.parametrize("queue", [each.name for each in fields(LaneMemory)])
@pytest.mark.parametrize("memory", [127, 10_241, 0, -512, 512.0, float("nan"), True, "512"])
def test_memory_of_a_lane_that_lambda_refuses_is_refused_with_its_range(queue: str, memory: Any) -> None:
    with pytest.raises(
        ValueError, match=rf"memory of lanes.{queue} is a whole number of MB from 128 to 10,240, not"
    ):
        LaneMemory(**{queue: memory})


def test_memory_at_the_ends_of_the_ranges_is_accepted() -> None:
    assert FunctionMemory(api=128, executor=512).executor == 512
    assert FunctionMemory(executor=10_240).executor == 10_240


@pytest.mark.parametrize("memory", [128, 256, 511])
def test_executor_that_a_full_batch_could_exhaust_is_refused_with_the_reason(memory: int) -> None:
    with pytest.raises(
        ValueError, match=rf"at least 512 MB, not {memory}: 100 calls .* up to {most_used_mb()} MB"
    ):
        FunctionMemory(executor=memory)
    with pytest.raises(ValueError, match=rf"memory of lanes.slow_bulk is at least 512 MB, not {memory}:"):
        LaneMemory(slow_bulk=memory)


@pytest.mark.parametrize("memory", [LEAST_EXECUTOR_MB, *(each.memory.executor for each in PRESETS.values())])
def test_full_batch_and_full_caches_fit_into_the_memory_with_head_room(memory: int) -> None:
    assert most_used_mb() <= HEAD_ROOM * memory


def test_budget_of_memory_is_that_of_the_run_time_code() -> None:
    """Spelt twice, since infrastructure imports no run-time code."""
    assert CALLS_AT_ONCE == EXECUTOR_BATCH * MAX_KEYS <= MAX_SOCKETS
    assert CALLS_AT_ONCE == AT_ONCE
    assert KEPT_BYTES <= MAX_RESPONSE_BYTES
    assert executor_memory.HEADERS_BYTES == MAX_HEADERS_BYTES
    assert executor_memory.RESPONSE_BYTES == MAX_RESPONSE_BYTES + MAX_OVERHEAD_BYTES
    page = (ROOT / "docs" / "design" / "capacity.md").read_text(encoding="utf-8")
    assert f"All caches together stay below {executor_memory.CACHES_MB} MB." in page


def test_longer_bodies_need_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_memory, "MAX_PAYLOAD_BYTES", 400 * 1024)
    assert executor_memory.most_used_mb() > HEAD_ROOM * LEAST_EXECUTOR_MB


@pytest.mark.parametrize("preset", PRESETS)
def test_cold_executor_of_a_preset_does_its_first_job_within_a_second(preset: str) -> None:
    assert cold_start_seconds(PRESETS[preset].memory.executor) < WITHIN_SECONDS


def test_cold_start_stretches_with_less_than_a_core_and_gains_nothing_by_more() -> None:
    assert cold_start_seconds(512) > WITHIN_SECONDS
    sandbox = (figures.latency("cold_start") - figures.EXECUTOR_START_CPU_MS.value) / 1_000
    stretched, full = (cold_start_seconds(memory) - sandbox for memory in (885, 1_770))
    assert stretched == pytest.approx(2 * full, rel=0.01)
    assert cold_start_seconds(10_240) == cold_start_seconds(1_769)


def test_memory_of_executors_is_that_of_all_lanes_and_of_no_other_function() -> None:
    usual, small = (function_specs(FunctionMemory(executor=memory)) for memory in (1_769, 512))
    assert {spec.memory_mb for spec in small if spec.lane} == {512}
    assert [spec for spec in small if not spec.lane] == [spec for spec in usual if not spec.lane]


@pytest.mark.parametrize("queue", QueueName)
def test_memory_of_a_lane_is_that_of_its_executors_alone(queue: QueueName) -> None:
    usual = FunctionMemory(executor=512)
    of_lane = replace(usual, lanes=LaneMemory(**{queue.name.lower(): 2_048}))
    specs = [{spec.service: spec.memory_mb for spec in function_specs(each)} for each in (usual, of_lane)]
    assert specs[1] == {**specs[0], f"executor-{queue}": 2_048}


def test_documented_trade_is_that_of_the_model() -> None:
    page = (ROOT / "docs" / "operations" / "configure.md").read_text(encoding="utf-8")
    run = replace(EXECUTIONS["run of an hourly job"], jobs_per_batch=1)
    cold, stretched, dollars = [], [], []
    for memory in MEMORIES:
        cold.append(f"{cold_start_seconds(memory):.2f} s")
        stretched.append(figures.EXECUTOR_CPU_MS.value / core_share(memory))
        usage = replace(run, memory=FunctionMemory(executor=memory)).usage
        dollars.append(f"{total(usage * MILLION, PRICES['us-east-1']):,.2f}")
    assert f"| {' | '.join(cold)} |" in page
    assert f"| {' | '.join(dollars)} |" in page
    assert "| 5.0 ms | 2.5 ms | 1.45 ms |" in page
    assert stretched == [pytest.approx(5.0, abs=0.05), pytest.approx(2.5, abs=0.05), 1.45]
