"""Warnings about behaviour of a schedule that its owner may not expect. A warning is not an error."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from shared.dataclass import dataclass
from shared.domain.schedules.business_days import date_of, month_of
from shared.domain.schedules.cron import CronLine
from shared.domain.schedules.cron_walk import DAY_MS
from shared.domain.schedules.describe import MONTHS, names, nth_business_day
from shared.domain.schedules.dst import DstChange, DstEffect, dst_changes
from shared.domain.schedules.eventbridge_line import is_eventbridge
from shared.domain.schedules.schedule import Cron, Once, Rate, Schedule, count_between, first_after

DENSE_RUNS: Final = 1_000
FAR_MS: Final = 366 * DAY_MS
_CHECKED_MONTHS = 24
_LISTED_DAYS = 10
_LISTED_TIMES = 3
_MONTH_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class WarningCode(StrEnum):
    """The subject of a warning."""

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
class ScheduleWarning:
    code: WarningCode
    text: str


def warnings(schedule: Schedule, now_ms: int, max_runs: int | None = None) -> tuple[ScheduleWarning, ...]:
    """Return the warnings for at most `max_runs` runs from now and two years of clock changes."""
    result = [*_of_frequency(schedule, now_ms, max_runs)]
    if isinstance(schedule, Rate) and schedule.interval_ms % DAY_MS == 0:
        result.append(
            ScheduleWarning(
                code=WarningCode.RATE_IS_ELAPSED_TIME,
                text="a rate counts elapsed time: its local hour moves when clocks change; cron keeps the hour",
            )
        )
    if isinstance(schedule, Cron):
        line = schedule.parsed_line
        result += [*_of_fields(line), *_of_steps(line), *_of_business_day(line, now_ms)]
        if not line.is_interval:
            result += _of_clock_changes(affecting_changes(schedule, now_ms, max_runs))
    return tuple(result)


def affecting_changes(schedule: Cron, now_ms: int, max_runs: int | None = None) -> tuple[DstChange, ...]:
    """Return the clock changes of the next two years that affect the first `max_runs` runs."""
    changes = dst_changes(schedule, now_ms)
    if max_runs is None:
        return changes
    return tuple(
        change for change in changes if count_between(schedule, now_ms, change.at - 1, max_runs) < max_runs
    )


def _of_frequency(schedule: Schedule, now_ms: int, max_runs: int | None) -> Iterator[ScheduleWarning]:
    first_at = first_after(schedule, now_ms)
    if first_at is None:
        yield ScheduleWarning(code=WarningCode.NEVER_RUNS, text="no run is due from now on")
        return
    if first_at - now_ms > FAR_MS:
        yield ScheduleWarning(code=WarningCode.FAR_FIRST_RUN, text="the first run is more than a year ahead")
    runs = (
        0
        if isinstance(schedule, Once)
        else count_between(schedule, first_at - 1, first_at + DAY_MS - 1, max_runs or 10**6)
    )
    if runs > DENSE_RUNS:
        yield ScheduleWarning(code=WarningCode.DENSE, text=f"{runs:,} runs within 24 hours")


def _of_fields(line: CronLine) -> Iterator[ScheduleWarning]:
    _, _, day, month, weekday = line.steps.split(" ")
    if "*" not in (day, weekday):
        yield ScheduleWarning(
            code=WarningCode.EITHER_DAY_FIELD,
            text="both day fields are restricted: a day needs to match only one of them",
        )
    days = [int(part) for part in day.split(",") if part.isdecimal()]
    if line.required_day is not None:
        days = [line.required_day]
    months = range(1, 13) if month == "*" else [int(part) for part in month.split(",")]
    rare = [
        each
        for each in days
        if any(_MONTH_LENGTHS[number - 1] < each or (each, number) == (29, 2) for number in months)
    ]
    if rare and len(days) <= _LISTED_DAYS:
        lacking = [
            MONTHS[number - 1] for number in months if _MONTH_LENGTHS[number - 1] < rare[-1] or number == 2
        ]
        yield ScheduleWarning(
            code=WarningCode.MISSING_DAYS,
            text=f"{names(lacking)} may lack day {names([str(each) for each in rare])}, and then has no such run",
        )


def _of_business_day(line: CronLine, now_ms: int) -> Iterator[ScheduleWarning]:
    """Yield a warning if one of the next months of the line lacks the business day."""
    calendar = line.calendar
    if calendar is None or calendar.business_day is None:
        return
    _, _, _, months, _ = line.steps.split(" ")
    first = month_of(now_ms // DAY_MS)
    for _ in range(_CHECKED_MONTHS):
        month = date_of(first[0])
        is_matching = months == "*" or str(month.month) in months.split(",")
        if is_matching and calendar.business_days.nth_of_month(first[0], calendar.business_day) is None:
            yield ScheduleWarning(
                code=WarningCode.MISSING_DAYS,
                text=f"{MONTHS[month.month - 1]} {month.year} has no {nth_business_day(calendar.business_day)} "
                "business day, and then no such run; other months may lack it as well",
            )
            return
        first = month_of(first[-1] + 1)


def _of_steps(line: CronLine) -> Iterator[ScheduleWarning]:
    bare = (
        line.text.strip(" \t").removeprefix("cron(").removesuffix(")")
        if is_eventbridge(line.text)
        else line.text
    )
    for word, size, unit in zip(bare.split(), (60, 24), ("minutes", "hours"), strict=False):
        step = re.fullmatch(r"(?:\*|0+)/([0-9]+)", word)
        if step and size % int(step[1]):
            yield ScheduleWarning(
                code=WarningCode.UNEVEN_STEPS,
                text=f"{word} restarts every {size} {unit}: its last step is shorter than {int(step[1])} {unit}",
            )


def _of_clock_changes(changes: tuple[DstChange, ...]) -> Iterator[ScheduleWarning]:
    """Yield at most one warning of each kind: the first."""
    seen: set[WarningCode] = set()
    for change in changes:
        if change.effect is DstEffect.FIRST_TIME_ONLY:
            continue
        code, happens, outcome = _CLOCK_CHANGES[change.effect]
        if code not in seen:
            seen.add(code)
            yield ScheduleWarning(code=code, text=f"the clocks {happens} {_local_times(change)}: {outcome}")


def _local_times(change: DstChange) -> str:
    shown = list(change.local_times[:_LISTED_TIMES])
    more = change.count - len(shown)
    return names([*shown, f"{more} more"] if more else shown)


_CLOCK_CHANGES: Final = {
    DstEffect.SHIFTED: (WarningCode.DST_GAP, "skip", "it runs right after the change"),
    DstEffect.COLLAPSED: (WarningCode.DST_GAP, "skip", "a single run right after the change"),
    DstEffect.SKIPPED: (WarningCode.DST_GAP, "skip", "no run"),
    DstEffect.SECOND_TIME_ONLY: (WarningCode.DST_SECOND_TIME, "repeat", "only the second time runs"),
    DstEffect.DOUBLED: (WarningCode.DST_DOUBLED, "repeat", "both times run"),
}
