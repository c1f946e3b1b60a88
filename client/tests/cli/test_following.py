"""Following executions: no run is shown twice, and none is lost, whatever fails meanwhile."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from punctual.cli.following import (
    ENDED,
    FIRST_TROUBLE_SECONDS,
    LONGEST_TROUBLE_SECONDS,
    LONGEST_WAIT_SECONDS,
    LOOKBACK,
    READS_OF_A_ROUND,
    Failed,
    Following,
    ReadPage,
    ReadRun,
    Run,
    Show,
    Wait,
)
from punctual.models import Attempt, Execution, ExecutionPage

START = datetime(2030, 3, 1, 8, tzinfo=timezone.utc)
SETTLED = timedelta(hours=1)
"""So long after the last end, everything has been shown."""


@dataclass(frozen=True)
class Planned:
    """A run of the model. All times are seconds: the due time after START, and the others after the due time."""

    id: str
    due: float
    visible: float = 0
    """When lists have it."""
    failures: tuple[float, ...] = ()
    """When its attempts fail that are followed by others."""
    end: float = 1
    final: str = "succeeded"

    @property
    def due_at(self) -> datetime:
        return START + timedelta(seconds=self.due)

    def at(self, now: datetime) -> Execution:
        """The run as the API shows it at an instant."""
        age = (now - self.due_at).total_seconds()
        failed = [each for each in self.failures if each <= age]
        has_ended = age >= self.end
        state = self.final if has_ended else "waiting" if failed else "queued"
        return Execution(
            id=self.id,
            job_id="job_1",
            state=state,
            archived=False,
            attempts=tuple(self._attempt(place, each) for place, each in enumerate(failed)),
            attempts_begun=len(failed) + has_ended,
            due_at=self.due_at,
            scheduled_at=self.due_at,
            next_attempt_at=self._next(age) if state == "waiting" else None,
        )

    def _attempt(self, place: int, failed: float) -> Attempt:
        started_at = self.due_at + timedelta(seconds=failed)
        return Attempt(duration_ms=0, number=place + 1, reason="timeout", started_at=started_at)

    def _next(self, age: float) -> datetime:
        return self.due_at + timedelta(seconds=min(each for each in (*self.failures, self.end) if each > age))


@dataclass
class World:
    """A deployment, the clock, and what is done with the steps."""

    plan: list[Planned]
    fails: Callable[[], bool] = lambda: False
    page_size: int = 3
    with_attempts: bool = False
    time: datetime = START
    shown: list[Run] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    pages: list[ReadPage] = field(default_factory=list)
    looks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        following = Following(START, lambda: self.time, with_attempts=self.with_attempts)
        self._steps, self._answer = following.steps(), None

    def follow(self, until: datetime) -> None:
        """Do the next steps of the following until an instant."""
        while self.time < until:
            self._answer = self._do(self._steps.send(self._answer))

    def _do(self, step: Any) -> Any:
        if isinstance(step, Wait):
            self.waits.append(step.seconds)
            self.time += timedelta(seconds=step.seconds)
            return None
        self.time += timedelta(milliseconds=20)
        if self.fails():
            return Failed()
        if isinstance(step, Show):
            self.shown.extend(step.runs)
            return None
        return self._read(step) if isinstance(step, ReadRun) else self._page(step)

    def _read(self, step: ReadRun) -> Execution | None:
        self.looks.append(step.id)
        return next((each.at(self.time) for each in self.plan if each.id == step.id), None)

    def _page(self, step: ReadPage) -> ExecutionPage:
        assert step.since < step.until <= self.time
        self.pages.append(step)
        listed = sorted(
            (
                (each.due_at, each.id, each)
                for each in self.plan
                if step.since <= each.due_at < step.until
                and each.due_at + timedelta(seconds=each.visible) <= self.time
            ),
            reverse=True,
        )
        rest = [each for at, name, each in listed if _place(at, name) < (step.cursor or "9")]
        page = tuple(each.at(self.time) for each in rest[: self.page_size])
        more = len(rest) > self.page_size
        cursor = _place(page[-1].due_at, page[-1].id) if more else None
        return ExecutionPage(executions=page, next_cursor=cursor)

    @property
    def last_end(self) -> datetime:
        """When the last run has ended."""
        return max((each.due_at + timedelta(seconds=each.end) for each in self.plan), default=START)

    def ids(self) -> Counter[str]:
        return Counter(run.id for run in self.shown)


def _place(at: datetime, run_id: str) -> str:
    """Where a list goes on; it grows with time. ("9" is after all of them.)"""
    return f"{at.isoformat()} {run_id}"


@st.composite
def plans(draw: st.DrawFn) -> list[Planned]:
    offsets = st.integers(0, 900)
    made = []
    for number in range(draw(st.integers(0, 12))):
        failures = sorted(set(draw(st.lists(st.integers(1, 3000), max_size=3))))
        last = failures[-1] if failures else 0
        made.append(
            Planned(
                id=f"exe_{number:03}",
                due=draw(offsets),
                visible=draw(st.integers(0, int(LOOKBACK.total_seconds()) - 1)),
                failures=tuple(failures),
                end=last + draw(st.integers(1, 2000)),
                final=draw(st.sampled_from(sorted(ENDED))),
            )
        )
    return made


@st.composite
def worlds(draw: st.DrawFn, *, with_attempts: bool) -> World:
    """A deployment in which every step may fail until its last run has ended, and for a while afterwards."""
    world = World(draw(plans()), page_size=draw(st.integers(1, 4)), with_attempts=with_attempts)
    chance, choice = draw(st.sampled_from([0.0, 0.2, 0.6])), Random(draw(st.integers(0, 2**32)))
    trouble_until = world.last_end + SETTLED / 4
    world.fails = lambda: world.time < trouble_until and choice.random() < chance
    return world


@given(worlds(with_attempts=False))
def test_every_run_is_shown_once_when_it_has_ended(world: World) -> None:
    world.follow(world.last_end + SETTLED)
    assert world.ids() == {each.id: 1 for each in world.plan}
    assert all(run.state in ENDED for run in world.shown)


@given(worlds(with_attempts=True))
def test_every_end_is_shown_once_beside_failed_attempts(world: World) -> None:
    world.follow(world.last_end + SETTLED)
    ends = [run for run in world.shown if run.state in ENDED]
    waits = [(run.id, run.attempts_begun) for run in world.shown if run.state not in ENDED]
    assert Counter(run.id for run in ends) == {each.id: 1 for each in world.plan}
    assert len(waits) == len(set(waits))


def test_runs_that_were_due_before_the_start_are_not_shown() -> None:
    world = World([Planned("exe_1", due=-0.001), Planned("exe_2", due=0)])
    world.follow(START + timedelta(minutes=5))
    assert world.ids() == {"exe_2": 1}


def test_a_failed_attempt_is_shown_where_attempts_are_wanted() -> None:
    run = Planned("exe_1", due=1, failures=(2, 30), end=60)
    for with_attempts, states in ((False, ["succeeded"]), (True, ["waiting", "waiting", "succeeded"])):
        world = World([run], with_attempts=with_attempts)
        world.follow(START + timedelta(minutes=5))
        assert [each.state for each in world.shown] == states


def test_an_outage_is_followed_by_all_that_was_missed() -> None:
    plan = [Planned(f"exe_{each:03}", due=each * 10) for each in range(60)]
    world = World(
        plan, fails=lambda: START + timedelta(seconds=20) < world.time < START + timedelta(minutes=9)
    )
    world.follow(START + timedelta(minutes=15))
    assert [run.id for run in world.shown] == [each.id for each in plan]


def test_waits_grow_while_nothing_is_shown_and_after_failures() -> None:
    quiet = World([])
    quiet.follow(START + timedelta(minutes=2))
    assert quiet.waits[:3] == sorted(quiet.waits[:3]) and set(quiet.waits[6:]) == {LONGEST_WAIT_SECONDS}
    broken = World([], fails=lambda: True)
    broken.follow(START + timedelta(minutes=10))
    # The first round reads nothing: no time has passed.
    assert broken.waits[1:4] == [FIRST_TROUBLE_SECONDS, FIRST_TROUBLE_SECONDS * 2, FIRST_TROUBLE_SECONDS * 4]
    assert broken.waits[-1] == LONGEST_TROUBLE_SECONDS


def test_a_failure_that_names_a_time_is_followed_by_that_wait() -> None:
    steps = Following(START, lambda: START + timedelta(seconds=1)).steps()
    assert isinstance(steps.send(None), ReadPage)
    assert steps.send(Failed(retry_after=90)) == Wait(90)


def test_only_the_newest_part_of_the_list_is_read_again() -> None:
    world = World([])
    world.follow(START + timedelta(hours=1))
    assert all(each.until - each.since <= LOOKBACK + timedelta(seconds=15) for each in world.pages)


def test_long_runs_are_read_one_by_one_at_a_gentle_pace() -> None:
    plan = [Planned(f"exe_{each:03}", due=0, end=7200) for each in range(100)]
    world = World(plan, page_size=100)
    world.follow(START + timedelta(minutes=30))
    rounds = len(world.waits)
    assert len(world.looks) <= READS_OF_A_ROUND * rounds
    assert set(world.looks) == {each.id for each in plan}
    assert max(Counter(world.looks).values()) <= 36


def test_a_run_that_waits_for_its_next_attempt_is_left_alone_until_then() -> None:
    world = World([Planned("exe_1", due=0, failures=(1,), end=540)])
    world.follow(START + timedelta(minutes=8))
    assert world.looks == []
    world.follow(START + timedelta(minutes=20))
    assert world.ids() == {"exe_1": 1}


def test_a_run_that_moved_has_another_id_and_is_shown_under_it() -> None:
    moved = Planned("exe_2", due=600, end=1)
    world = World([Planned("exe_1", due=1, end=10_000)])
    world.follow(START + timedelta(minutes=3))
    world.plan[:] = [moved]
    original = world._read
    world._read = lambda step: original(ReadRun("exe_2"))  # type: ignore[method-assign]
    world.follow(START + timedelta(minutes=15))
    assert world.ids() == {"exe_2": 1}
