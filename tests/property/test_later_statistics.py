"""Statistics around the mark of the archive: each execution that is due counts once, and the sums are exact."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.archive.row import row_of
from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.archive.statistics import Sums, UnitSums, sample_of
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.history import PassedMark
from tests.support.builders import TENANT, in_state, one_off
from tests.support.usecases.archive import HOUR, HOUR_MS, UNIT, ArchiveWorld

START, HOURS, MINUTE_MS = UNIT.start_ms, 4, 60_000
STATES = (
    *(State.SUCCEEDED, State.FAILED, State.SKIPPED, State.CANCELLED, State.MOVED),
    *(State.PENDING, State.QUEUED, State.RUNNING, State.WAITING),
)
RUNS = st.lists(
    st.tuples(
        st.integers(0, HOURS * HOUR_MS - 1)
        | st.sampled_from([hour * HOUR_MS - early for hour in range(1, HOURS) for early in (0, 1)]),
        st.sampled_from(STATES),
    ),
    max_size=12,
)


def world_with(
    runs: list[tuple[int, State]], passed: int, now_ms: int
) -> tuple[ArchiveWorld, list[Execution]]:
    """A world in which the archive has passed some hours, and has their sums."""
    world, made = ArchiveWorld(now_ms), list[Execution]()
    for number, (after, state) in enumerate(runs, start=1):
        made.append(world.put(in_state(one_off(number, due_at=START + after), state)))
    for hour in range(passed):
        sums = Sums()
        for execution in made:
            if (execution.id.dispatch_at - START) // HOUR_MS == hour:
                if execution.state.is_terminal:
                    sums.add(sample_of(row_of(execution)))
                else:
                    sums.unended += 1
        unit = ArchiveUnit(hour=HOUR + hour, group=0)
        stored = UnitSums(unit=unit, tenant_id=TENANT, sums=sums)
        world.history.put(stored, version=1, etag=None, expires_at_s=2**40)
    world.history.note_passed(PassedMark(since=HOUR, before=HOUR + passed), now_ms)
    return world, made


@settings(max_examples=60)
@given(
    runs=RUNS,
    passed=st.integers(0, HOURS),
    late_ms=st.integers(1, HOUR_MS),
    step=st.sampled_from([Step.MINUTE, Step.HOUR, Step.DAY]),
)
def test_sums_are_those_of_the_executions_however_far_the_archive_has_come(
    runs: list[tuple[int, State]], passed: int, late_ms: int, step: Step
) -> None:
    now_ms = min(START + HOURS * HOUR_MS, START + passed * HOUR_MS + late_ms)
    world, made = world_with(runs, passed, now_ms)
    day = START - START % Step.DAY.ms
    window = StatWindow(
        from_at=day if step is Step.DAY else START,
        until_at=day + Step.DAY.ms if step is Step.DAY else START + HOURS * HOUR_MS,
        step=step,
    )
    read = world.cases.archive.read_statistics
    first, again = read.execute(world.tenant, window), read.execute(world.tenant, window)
    assert first == again
    for bucket in first.buckets:
        due = [
            each
            for each in made
            if bucket.from_at <= each.id.dispatch_at < bucket.until_at and each.id.dispatch_at <= now_ms
        ]
        ended = [each for each in due if each.state.is_terminal and each.state is not State.MOVED]
        minutes = bucket.sums.minutes.values()
        assert sum(minute.ended for minute in minutes) == len(ended)
        assert sum(minute.failed for minute in minutes) == sum(each.state is State.FAILED for each in ended)
        left = sum(not each.state.is_terminal for each in due)
        if step is not Step.MINUTE:
            states = Counter(each.state.value for each in ended)
            assert bucket.sums.states - Counter(moved=bucket.sums.states["moved"]) == states
            assert bucket.sums.unended + (bucket.uncounted.due or 0) == left
        elif bucket.from_at >= START + passed * HOUR_MS:
            assert bucket.uncounted.due == left
        assert bucket.uncounted.failed == 0
