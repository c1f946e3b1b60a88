"""The scale model itself: its sources, its arithmetic, its alarms."""

import pytest

from infra.sizing import figures
from shared.names import QueueName
from tests.scale.growth import growing, grows
from tests.scale.meters import Key, Meters
from tests.scale.queues import Lane, Message, Pollers
from tests.scale.stage import LARGE, START_MS, Slice
from tests.scale.steady import Run, steady
from tests.scale.table import BOUND, Row, failures

RATE = 1_000
TOLERANCE = 0.15
"""Both slices draw their jobs at random: some 1,000 jobs a minute and shard vary by 3 %, and the share of them
that fails or is due soon by 10 %. The longest runs of a tick differ by what their offsets in the minute differ.
Left out: what depends on the ages of a few sandboxes (KMS), or on how full batches are at a low rate (lanes)."""
COMPARED = (
    "table writes executions",
    "table reads tenants",
    "sweeper, the longest run",
)


@pytest.fixture(scope="module")
def slices() -> tuple[Run, Run]:
    return steady(1, 1.2, rate=RATE), steady(2, 1.2, rate=RATE)


def shares(run: Run) -> dict[str, float]:
    return {row.component: row.share for row in run.rows}


@pytest.mark.parametrize("component", COMPARED)
def test_two_sizes_of_a_slice_give_the_same_utilisation(component: str, slices: tuple[Run, Run]) -> None:
    small, large = (shares(run)[component] for run in slices)
    assert large == pytest.approx(small, rel=TOLERANCE)


def test_watcher_of_a_larger_slice_is_no_busier(slices: tuple[Run, Run]) -> None:
    """It reads shards side by side, so a slice of one shard gives an upper bound of the stage."""
    small, large = (shares(run)["watcher, the longest run"] for run in slices)
    assert 0 < large <= small * (1 + TOLERANCE)


def test_steady_slice_calls_every_receiver_in_time(slices: tuple[Run, Run]) -> None:
    for run in slices:
        assert run.world.receivers.early == 0
        assert run.world.sqs.violations == []
        assert run.load.refused == 0


def test_steady_slice_sends_every_call_exactly_once(slices: tuple[Run, Run]) -> None:
    for run in slices:
        executors = run.world.executors
        assert executors.undecided == 0
        assert sum(executors.ends.values()) == executors.keys


def test_figure_of_the_model_names_its_source() -> None:
    named = figures.all_figures()
    assert len(named) > 40
    assert [name for name, figure in named.items() if len(figure.note) < 10 or figure.value <= 0] == []


def test_full_key_throttles_until_the_next_second() -> None:
    meters, key = Meters(), Key("executions", "1#0")
    assert all(meters.write("executions", key, 100, START_MS) for _ in range(10))
    assert not meters.write("executions", key, 1, START_MS + 999)
    assert meters.write("executions", key, 1, START_MS + 1_000)
    assert meters.throttled == {"executions": 1}


def test_shared_key_is_charged_for_the_whole_stage() -> None:
    meters, key = Meters(Slice(stage=LARGE, shards=1).key_scales), Key("hot_scopes")
    meters.read("leases", key, 1, START_MS)
    assert meters.hottest("reads", "hot_scopes") == LARGE.shards


def test_slice_of_the_stage_keeps_the_shards_of_a_tick() -> None:
    whole = Slice(stage=LARGE, shards=LARGE.shards)
    assert (whole.factor, whole.watcher_factor, whole.sweeper_factor) == (1, 1, 1)
    one = Slice(stage=LARGE, shards=1)
    assert one.watcher_factor == LARGE.shards / LARGE.watchers


def test_pollers_grow_by_300_a_minute_while_messages_wait() -> None:
    pollers = Pollers(most=1_000)
    for _ in range(60):
        pollers.judge(figures.POLLERS_WAIT_MS.value, 1, 1_000)
    assert pollers.now == pytest.approx(figures.POLLERS_FIRST.value + figures.POLLERS_PER_MINUTE.value)


def test_noisy_group_waits_for_quiet_groups() -> None:
    lane = Lane(QueueName.STANDARD, Pollers(most=10), factor=1)
    for number in range(40):
        lane.flight_of["noisy"] += 1
        lane.add(Message(f"n{number}", "", "noisy", START_MS, START_MS))
    lane.add(Message("q", "", "quiet", START_MS, START_MS))
    lane.judge()
    assert lane.take()[0].id == "q"


def test_growth_is_found_in_a_backlog_that_grows_by_a_fifth() -> None:
    assert grows([1_000, 1_000, 1_050, 1_100, 1_200, 1_200])
    assert growing({"flat": [1_000, 1_020, 990, 1_010, 1_000, 1_020]}) == []


def test_component_above_the_bound_fails_the_report() -> None:
    row = Row(component="lane", limit="executors", used=BOUND, most=1, how="emulated")
    assert failures([row]) == ["lane: 70% of executors"]
