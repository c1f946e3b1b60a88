"""The judge of calendars convicts each broken promise: honest evidence of a job passes, and no forgery of it does."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.simulation.calendar_clients import CalendarJob
from tests.simulation.calendar_days import DAY_MINUTES, MINUTE_MS, Content, Line
from tests.simulation.calendar_evidence import CalendarEvidence
from tests.simulation.calendar_judge import judge
from tests.simulation.calendar_log import ReconcilerRun, Report, Written
from tests.simulation.evidence import Arrival, Record
from tests.simulation.verdicts import Verdict

NIGHT = 20_000 * DAY_MINUTES * MINUTE_MS
"""Midnight of 4 October 2024, a Friday."""
START, END = NIGHT - 60 * MINUTE_MS, NIGHT + 60 * MINUTE_MS
LINE = Line(minutes="*/10", fires_at=frozenset(range(0, 60, 10)))
EVERY_DAY = Content()
NO_FRIDAY = Content(dates_out=frozenset({20_000}))
JOB = CalendarJob(
    tenant="acme",
    calendar="plant",
    line=LINE,
    asked_at=START,
    job_id="job_1",
    created_at=START,
    acked_at=START,
)


class Case:
    """The calendar takes Friday out 40 minutes before it begins, and brings it back after 20 minutes of it."""

    def __init__(self) -> None:
        self.job = replace(JOB)
        self.written = [
            Written(at=START - MINUTE_MS, version=1, content=EVERY_DAY),
            Written(at=NIGHT - 40 * MINUTE_MS, version=2, content=NO_FRIDAY),
            Written(at=NIGHT + 20 * MINUTE_MS, version=3, content=EVERY_DAY),
        ]
        self.runs = [
            ReconcilerRun(began_at=at, ended_at=at + 500) for at in range(START + 1, END, 15 * MINUTE_MS)
        ]
        self.reports = [Report(at=NIGHT - 30 * MINUTE_MS + 1, job_id="job_1")]
        self.reports += [Report(at=NIGHT + 30 * MINUTE_MS + 1, job_id="job_1")]
        self.records: list[Record] = []
        self.calls: list[Arrival] = []
        self.waiting = [END]
        self.is_calm = True
        for at in (
            *range(START + 10 * MINUTE_MS, NIGHT, 10 * MINUTE_MS),
            NIGHT + 40 * MINUTE_MS,
            NIGHT + 50 * MINUTE_MS,
        ):
            self.run(at)

    def run(self, at: int, name: str = "", *, late_ms: int = 100) -> None:
        """One run that was called, and has succeeded."""
        name = name or f"exe_{at}"
        self.records.append(
            Record(execution_id=name, job_id="job_1", nominal_at=at, state="succeeded", attempt=1)
        )
        self.calls.append(
            Arrival(
                execution_id=name,
                job_id="job_1",
                attempt=1,
                scheduled_at=at,
                url="https://days.example.com/days1",
                began_at=at + late_ms,
                caller_began_at=at + late_ms,
                ended_at=at + late_ms + 10,
                status=200,
            )
        )

    def end(self, at: int, reason: str) -> None:
        """A run that has not begun, in the place of one that has."""
        name = f"exe_{at}"
        self.records = [
            replace(each, state="cancelled", reason=reason, attempt=0) if each.execution_id == name else each
            for each in self.records
        ]
        self.calls = [each for each in self.calls if each.execution_id != name]

    def drop(self, at: int) -> None:
        """Nothing tells of a run."""
        self.records = [each for each in self.records if each.nominal_at != at]
        self.calls = [each for each in self.calls if each.scheduled_at != at]

    def shift(self, at: int, *, late_ms: int) -> None:
        """A run begins at another time."""
        self.drop(at)
        self.run(at, late_ms=late_ms)

    def verdicts(self) -> set[Verdict]:
        evidence = CalendarEvidence(
            jobs=[self.job],
            written={("acme", "plant"): self.written},
            runs=self.runs,
            reports=self.reports,
            records={"job_1": self.records},
            waiting={"job_1": self.waiting},
            revisions={"job_1": 3},
            calls=self.calls,
            is_calm=self.is_calm,
            healed_at=END - 20 * MINUTE_MS,
            ended_at=END - MINUTE_MS,
        )
        return {fault.verdict for fault in judge(evidence)}


def test_honest_evidence_of_calendars_passes() -> None:
    assert Case().verdicts() == set()


FORGERIES: dict[str, tuple[Callable[[Case], object], Verdict]] = {
    "an instant without a record": (lambda case: case.drop(NIGHT - 20 * MINUTE_MS), Verdict.LOST),
    "an instant of a day that came back": (lambda case: case.drop(NIGHT + 40 * MINUTE_MS), Verdict.LOST),
    "a run on a day that is out": (lambda case: case.run(NIGHT), Verdict.INSTANTS),
    "a run on a day before its calendar has it": (
        lambda case: case.run(NIGHT + 10 * MINUTE_MS),
        Verdict.INSTANTS,
    ),
    "a run between the instants": (lambda case: case.run(NIGHT - 25 * MINUTE_MS), Verdict.INSTANTS),
    "an instant that begins twice": (lambda case: case.run(NIGHT - 20 * MINUTE_MS, "again"), Verdict.DOUBLED),
    "an instant that a move ended long before": (
        lambda case: case.end(NIGHT - 20 * MINUTE_MS, "zone_rules_changed"),
        Verdict.LOST,
    ),
    "an instant of the changed days that waited while its job moved": (
        lambda case: case.end(NIGHT - 30 * MINUTE_MS, "zone_rules_changed"),
        Verdict.LOST,
    ),
    "an instant that was caught up in calm": (
        lambda case: case.end(NIGHT - 20 * MINUTE_MS, "coalesced"),
        Verdict.LOST,
    ),
    "a run that failed in calm": (
        lambda case: case.records.__setitem__(0, replace(case.records[0], state="failed")),
        Verdict.LOST,
    ),
    "a run that is late in calm": (
        lambda case: case.shift(NIGHT - 20 * MINUTE_MS, late_ms=9_000),
        Verdict.LATE,
    ),
    "a call before its instant": (
        lambda case: case.shift(NIGHT - 20 * MINUTE_MS, late_ms=-1),
        Verdict.EARLY,
    ),
    "a success without a call": (lambda case: case.calls.clear(), Verdict.HISTORY),
    "a call without a record": (lambda case: case.records.pop(), Verdict.HISTORY),
    "a job without a next run": (lambda case: case.waiting.clear(), Verdict.LOST),
    "a next run of former days": (
        lambda case: case.waiting.__setitem__(0, END + DAY_MINUTES * MINUTE_MS),
        Verdict.INSTANTS,
    ),
    "a move of which no report tells": (lambda case: case.reports.pop(), Verdict.RECONCILER),
}


@pytest.mark.parametrize("name", sorted(FORGERIES))
def test_judge_of_calendars_convicts(name: str) -> None:
    forge, verdict = FORGERIES[name]
    case = Case()
    forge(case)
    assert verdict in case.verdicts()


def test_run_of_former_days_is_no_fault_before_a_run_of_the_reconciler_has_changed_them() -> None:
    """All runs that could have are broken off."""
    case = Case()
    case.runs = [replace(run, is_disturbed=True) for run in case.runs]
    case.run(NIGHT)
    assert case.verdicts() == set()


def test_run_of_the_reconciler_that_finds_a_job_left_a_moment_ago_need_not_move_it() -> None:
    case = Case()
    case.runs.append(
        ReconcilerRun(began_at=NIGHT - 31 * MINUTE_MS, ended_at=NIGHT - 31 * MINUTE_MS + 9, is_disturbed=True)
    )
    case.runs.append(
        ReconcilerRun(began_at=NIGHT - 16 * MINUTE_MS, ended_at=NIGHT - 16 * MINUTE_MS + 9, is_disturbed=True)
    )
    case.runs.append(
        ReconcilerRun(began_at=NIGHT - MINUTE_MS, ended_at=NIGHT - MINUTE_MS + 9, is_disturbed=True)
    )
    case.run(NIGHT)
    assert case.verdicts() == set()


def test_instant_that_waits_while_its_job_moves_to_days_without_it_is_ended_with_it() -> None:
    case = Case()
    case.written[1] = replace(case.written[1], content=Content(dates_out=frozenset({19_999, 20_000})))
    case.end(NIGHT - 30 * MINUTE_MS, "zone_rules_changed")
    case.drop(NIGHT - 20 * MINUTE_MS)
    case.drop(NIGHT - 10 * MINUTE_MS)
    assert case.verdicts() == set()


def test_instant_that_faults_held_up_may_be_caught_up() -> None:
    case = Case()
    case.is_calm = False
    case.end(NIGHT - 20 * MINUTE_MS, "coalesced")
    assert case.verdicts() == set()


def test_job_keeps_its_days_while_its_calendar_is_gone() -> None:
    case = Case()
    case.written.insert(2, Written(at=NIGHT - 35 * MINUTE_MS, version=2, content=None))
    case.run(NIGHT)
    assert case.verdicts() == set()


def test_run_in_a_window_of_its_calendar_is_a_fault_and_no_run_in_it_is_none() -> None:
    case = Case()
    closed = range(START + 10 * MINUTE_MS, START + 30 * MINUTE_MS, 10 * MINUTE_MS)
    window = (closed.start, closed.stop)
    case.written = [
        replace(each, content=replace(each.content or EVERY_DAY, windows=(window,))) for each in case.written
    ]
    assert case.verdicts() == {Verdict.INSTANTS}
    for at in closed:
        case.drop(at)
    assert case.verdicts() == set()


@pytest.mark.parametrize(
    ("way", "led"), [("next", 30), ("previous", 9), ("modified_following", 30), ("skip", None)]
)
def test_instants_in_a_window_are_led_out_of_it(way: str, led: int | None) -> None:
    """Two windows meet at minute 20; the instants at minutes 10 and 20 leave them."""
    content = Content(
        windows=(
            (NIGHT + 10 * MINUTE_MS, NIGHT + 20 * MINUTE_MS),
            (NIGHT + 20 * MINUTE_MS, NIGHT + 30 * MINUTE_MS),
        )
    )
    found = replace(LINE, when_excluded=way).instants(content, NIGHT - 1, NIGHT + 40 * MINUTE_MS)
    assert {(at - NIGHT) // MINUTE_MS for at in found} == {0, 30, 40} | ({led} if led is not None else set())
