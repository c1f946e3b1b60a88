"""The presets: at its rates, no component of a stage needs more than 70 % of its limit."""

from dataclasses import replace

import pytest

from infra.capacity import HEAD_ROOM, KEY_WRITES, WATCHER_JOBS, shares, watchers_needed
from infra.concurrency import executors_of
from infra.config import StageConfig
from infra.executor_memory import LaneMemory
from infra.stages import PRESETS, cloud_stage, local_stage
from shared.names import QueueName

every_preset = pytest.mark.parametrize("stage", PRESETS.values(), ids=PRESETS)


@every_preset
def test_no_component_of_a_preset_needs_more_than_70_percent_of_its_limit(stage: StageConfig) -> None:
    assert {name: share for name, share in shares(stage).items() if share > HEAD_ROOM} == {}


@every_preset
def test_lanes_and_reservations_of_a_preset_fit_into_its_account(stage: StageConfig) -> None:
    assert stage.reserved is not None
    assert stage.reserved.total + stage.lane_concurrency.total <= stage.account_concurrency


def test_rates_of_the_presets_are_the_documented_ones() -> None:
    rates = {name: (stage.jobs_per_second, stage.due_in_one_minute) for name, stage in PRESETS.items()}
    assert rates == {"small": (100, 60_000), "medium": (2_000, 200_000), "large": (10_000, 1_000_000)}


@pytest.mark.parametrize(
    ("component", "change"),
    [
        ("watchers", {"jobs_per_second": 20_000, "watchers": 5, "due_in_one_minute": 0}),
        ("sweepers", {"sweepers": 8}),
        ("shard", {"shard_plan": PRESETS["medium"].shard_plan}),
        ("executions, writes", {"warm_throughput": None}),
        ("executions, reads", {"warm_throughput": None}),
        ("index by tenant, writes", {"warm_throughput": None}),
        ("standard lane", {"lane_concurrency": PRESETS["medium"].lane_concurrency}),
        ("pollers", {"due_in_one_minute": 1_100_000}),
        ("gateway", {"jobs_per_request": 1}),
        ("api", {"jobs_per_request": 1}),
    ],
)
def test_share_of_a_component_that_is_too_small_is_above_the_head_room(
    component: str, change: dict[str, object]
) -> None:
    large = replace(PRESETS["large"], reserved=None) if "watchers" in change else PRESETS["large"]
    changed = _unchecked(large, **change)
    assert shares(changed)[component] > HEAD_ROOM


def test_less_memory_of_the_standard_lane_takes_a_larger_share_of_its_executors() -> None:
    large = PRESETS["large"]
    less, other = (
        replace(large, memory=replace(large.memory, lanes=lanes))
        for lanes in (LaneMemory(standard=512), LaneMemory(critical=512))
    )
    assert shares(less)["standard lane"] > shares(large)["standard lane"]
    assert shares(other) == shares(large)


def _unchecked(stage: StageConfig, **change: object) -> StageConfig:
    """A stage that need not pass the checks of a deployment."""
    made: StageConfig = object.__new__(StageConfig)
    for name in StageConfig.__dataclass_fields__:
        object.__setattr__(made, name, change.get(name, getattr(stage, name)))
    return made


def test_watchers_follow_from_the_busiest_minute() -> None:
    assert watchers_needed(100, 60_000) == 1
    assert watchers_needed(10_000, 0) == 4
    assert watchers_needed(10_000, 1_000_000) == 7
    assert WATCHER_JOBS * HEAD_ROOM * 7 >= 1_000_000 / 60


def test_key_of_a_shard_bears_350_due_jobs_a_second_with_head_room() -> None:
    assert KEY_WRITES * HEAD_ROOM / 2 == 350


def test_unknown_preset_is_refused() -> None:
    with pytest.raises(ValueError, match="small, medium, large"):
        cloud_stage("prod", "eu-west-1", preset="huge")


def test_preset_keeps_name_region_and_account_of_the_deployment() -> None:
    stage = cloud_stage("prod", "eu-west-1", "111111111111", preset="medium")
    assert (stage.name, stage.region, stage.account) == ("prod", "eu-west-1", "111111111111")
    assert executors_of(stage.lane_concurrency.of(QueueName.STANDARD)) == 500


def test_laptop_needs_no_preset() -> None:
    assert local_stage().name not in PRESETS
