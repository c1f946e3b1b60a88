"""What the owner of a schedule may not expect of it. None of it is an error."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.domain.schedules.cron import CronLine, parse_line
from shared.domain.schedules.cron_walk import DAY_MS
from shared.domain.schedules.describe import MONTHS, names
from shared.domain.schedules.dst import DstChange, DstEffect, dst_changes
from shared.domain.schedules.eventbridge_line import is_eventbridge
from shared.domain.schedules.schedule import Cron, Once, Rate, Schedule, count_between, first_after

DENSE_RUNS: Final = 1_000
FAR_MS: Final = 366 * DAY_MS
_LISTED_DAYS = 10
_TIMES_TOLD = 3
_MONTH_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class CautionCode(StrEnum):
    """What a caution is about. The values are the API's words."""

    NEVER_RUNS = "never_runs"
    FAR_FIRST_RUN = "far_first_run"
    DENSE = "dense"
    RATE_IS_ELAPSED_TIME = "rate_is_elapsed_time"
    EITHER_DAY_FIELD = "either_day_field"
    MISSING_DAYS = "missing_days"
    UNEVEN_STEPS = "uneven_steps"
    DST_GAP = "dst_gap"
    DST_SECOND_TIME = "dst_second_time"
    DST_DOUBLED = "dst_doubled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """One of them, with a sentence for people."""

    code: CautionCode
    text: str


def warnings(schedule: Schedule, now_ms: int, max_runs: int | None = None) -> tuple[Caution, ...]:
    """All that apply to the schedule as seen from now, and to so many runs of it at most.

    Clock changes are looked at two years ahead.
    """
    found = [*_of_frequency(schedule, now_ms, max_runs)]
    if isinstance(schedule, Rate) and schedule.interval_ms % DAY_MS == 0:
        found.append(
            Caution(
                code=CautionCode.RATE_IS_ELAPSED_TIME,
                text="a rate counts elapsed time: its local hour moves when clocks change; cron keeps the hour",
            )
        )
    if isinstance(schedule, Cron):
        line = parse_line(schedule.line)
        found += [*_of_fields(line), *_of_steps(line)]
        if not line.is_interval:
            found += _of_clock_changes(changes_met(schedule, now_ms, max_runs))
    return tuple(found)


def changes_met(schedule: Cron, now_ms: int, max_runs: int | None = None) -> tuple[DstChange, ...]:
    """The clock changes of two years that touch runs, as far as there are runs."""
    changes = dst_changes(schedule, now_ms)
    if max_runs is None:
        return changes
    return tuple(
        change for change in changes if count_between(schedule, now_ms, change.at - 1, max_runs) < max_runs
    )


def _of_frequency(schedule: Schedule, now_ms: int, max_runs: int | None) -> Iterator[Caution]:
    first_at = first_after(schedule, now_ms)
    if first_at is None:
        yield Caution(code=CautionCode.NEVER_RUNS, text="no run is due from now on")
        return
    if first_at - now_ms > FAR_MS:
        yield Caution(code=CautionCode.FAR_FIRST_RUN, text="the first run is more than a year ahead")
    runs = (
        0
        if isinstance(schedule, Once)
        else count_between(schedule, first_at - 1, first_at + DAY_MS - 1, max_runs or 10**6)
    )
    if runs > DENSE_RUNS:
        yield Caution(code=CautionCode.DENSE, text=f"{runs:,} runs within 24 hours")


def _of_fields(line: CronLine) -> Iterator[Caution]:
    _, _, day, month, weekday = line.steps.split(" ")
    if "*" not in (day, weekday):
        yield Caution(
            code=CautionCode.EITHER_DAY_FIELD,
            text="both day fields are restricted: a day needs to match only one of them",
        )
    days = [int(part) for part in day.split(",") if part.isdecimal()]
    months = range(1, 13) if month == "*" else [int(part) for part in month.split(",")]
    rare = [
        one
        for one in days
        if any(_MONTH_LENGTHS[number - 1] < one or (one, number) == (29, 2) for number in months)
    ]
    if rare and len(days) <= _LISTED_DAYS:
        lacking = [
            MONTHS[number - 1] for number in months if _MONTH_LENGTHS[number - 1] < rare[-1] or number == 2
        ]
        yield Caution(
            code=CautionCode.MISSING_DAYS,
            text=f"{names(lacking)} may lack day {names([str(one) for one in rare])}, and then has no such run",
        )


def _of_steps(line: CronLine) -> Iterator[Caution]:
    bare = (
        line.text.strip(" \t").removeprefix("cron(").removesuffix(")")
        if is_eventbridge(line.text)
        else line.text
    )
    for word, size, unit in zip(bare.split(), (60, 24), ("minutes", "hours"), strict=False):
        step = re.fullmatch(r"(?:\*|0+)/([0-9]+)", word)
        if step and size % int(step[1]):
            yield Caution(
                code=CautionCode.UNEVEN_STEPS,
                text=f"{word} starts anew every {size} {unit}: its last step is shorter than {int(step[1])} {unit}",
            )


def _of_clock_changes(changes: tuple[DstChange, ...]) -> Iterator[Caution]:
    """At most one of a kind: the first."""
    told: set[CautionCode] = set()
    for change in changes:
        if change.effect is DstEffect.FIRST_TIME_ONLY:
            continue
        code, happens, outcome = _CLOCK_CHANGES[change.effect]
        if code not in told:
            told.add(code)
            yield Caution(code=code, text=f"the clocks {happens} {_local_times(change)}: {outcome}")


def _local_times(change: DstChange) -> str:
    shown = list(change.local_times[:_TIMES_TOLD])
    more = change.count - len(shown)
    return names([*shown, f"{more} more"] if more else shown)


_CLOCK_CHANGES: Final = {
    DstEffect.SHIFTED: (CautionCode.DST_GAP, "skip", "it runs right after the change"),
    DstEffect.COLLAPSED: (CautionCode.DST_GAP, "skip", "a single run right after the change"),
    DstEffect.SKIPPED: (CautionCode.DST_GAP, "skip", "no run"),
    DstEffect.SECOND_TIME_ONLY: (CautionCode.DST_SECOND_TIME, "repeat", "only the second time runs"),
    DstEffect.DOUBLED: (CautionCode.DST_DOUBLED, "repeat", "both times run"),
}
