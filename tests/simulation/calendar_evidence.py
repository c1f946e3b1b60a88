"""What the judge of calendars is shown: jobs as their clients know them, versions, runs of the reconciler, records.

Instants are virtual time in ms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.simulation.calendar_clients import CalendarJob
from tests.simulation.calendar_days import DAY_MINUTES, MINUTE_MS, Content, differ
from tests.simulation.calendar_log import CalendarPlace, ReconcilerRun, Report, Written, place_named
from tests.simulation.evidence import Arrival, Record

REMEMBERED_MS = 65_000
"""So old may a calendar be that a sandbox remembers; with the error of clocks."""
SLACK_MS = 5_000
"""Clocks differ, and a run may begin a little before its instant."""
STUCK_MS = 305_000
"""A move that a run has left is completed by a run that begins so long after it."""
COMPARED_DAYS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEvidence:
    """Everything of one run."""

    jobs: Sequence[CalendarJob]
    """Those that were acknowledged."""
    written: Mapping[CalendarPlace, Sequence[Written]]
    runs: Sequence[ReconcilerRun]
    reports: Sequence[Report]
    records: Mapping[str, Sequence[Record]]
    """The history of each job."""
    waiting: Mapping[str, Sequence[int]]
    """The instants of what waits of each job at the end."""
    revisions: Mapping[str, int]
    calls: Sequence[Arrival]
    is_calm: bool
    healed_at: int
    ended_at: int

    def in_force(self, job: CalendarJob) -> "Force":
        """Which days a job may have had, from its creation on."""
        acked_at = job.acked_at or 0
        written = self.written[place_named(job.tenant, job.calendar)]
        steps = [(acked_at, frozenset(_days(_visible(written, job.asked_at, acked_at))))]
        changes = [each for each in written if each.at > acked_at]
        good = [run for run in self.runs if run.began_at > acked_at and self._is_good(run)]
        events: list[Written | ReconcilerRun] = [*changes, *good]
        for event in sorted(events, key=lambda each: each.at):
            before = steps[-1][1]
            if isinstance(event, Written):
                possible = before | frozenset(_days([event]))
            else:
                possible = _followed(before, event, _visible(written, event.began_at, event.ended_at))
            steps.append((event.at, possible))
        return Force(steps)

    def _is_good(self, run: ReconcilerRun) -> bool:
        """Whether it moves each job for sure: nothing happens to it, and no other run has a job in its hands, or left
        one a short time ago."""
        others = (other for other in self.runs if other is not run and other.began_at <= run.ended_at)
        return not run.is_disturbed and not any(
            other.ended_at + (STUCK_MS if other.is_disturbed else 0) >= run.began_at for other in others
        )


class Force:
    """The days that a job may have, over time."""

    def __init__(self, steps: Sequence[tuple[int, frozenset[Content]]]) -> None:
        self._steps = steps

    def possible(self, from_ms: int, until_ms: int) -> frozenset[Content]:
        """All that it may have had at any time in between."""
        ends = [*(at for at, _ in self._steps[1:]), 1 << 62]
        own = zip(self._steps, ends, strict=True)
        found = (contents for (at, contents), end in own if at <= until_ms and end >= from_ms)
        return frozenset[Content]().union(*found) or self._steps[0][1]

    @property
    def last(self) -> frozenset[Content]:
        """At the end."""
        return self._steps[-1][1]


def _followed(
    before: frozenset[Content], run: ReconcilerRun, visible: Sequence[Written]
) -> frozenset[Content]:
    """What a job may have after a run that moves it: former days only where none near differs, or where the calendar is
    gone."""
    if any(each.content is None for each in visible):
        return before.union(_days(visible))
    days = range(_day(run.ended_at) - 1, _day(run.began_at) + COMPARED_DAYS)
    present = _days(visible)
    later_ms = run.ended_at + SLACK_MS
    kept = (old for old in before if not all(differ(old, new, days, later_ms) for new in present))
    return frozenset([*present, *kept])


def _visible(written: Sequence[Written], from_ms: int, until_ms: int) -> list[Written]:
    """What a process may be shown, or remembers, that works in this time."""
    known = [each for each in written if each.at <= from_ms - REMEMBERED_MS]
    return [*known[-1:], *(each for each in written if from_ms - REMEMBERED_MS < each.at <= until_ms)]


def _days(written: Sequence[Written]) -> list[Content]:
    return [each.content for each in written if each.content is not None]


def _day(at_ms: int) -> int:
    return at_ms // (DAY_MINUTES * MINUTE_MS)
