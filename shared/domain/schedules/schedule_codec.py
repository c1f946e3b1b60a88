"""Encodes schedules for storage with short keys, omitting default values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, assert_never

from shared.domain.errors import ScheduleError, UnknownVersionError, UnreadableItemError
from shared.domain.schedules.cron import Gap, Overlap
from shared.domain.schedules.schedule_kinds import Backfill, Cron, Once, Rate, Schedule, Series

if TYPE_CHECKING:
    from shared.domain.schedules.calendar_rule import CalendarRule

_GAP, _OVERLAP, _START, _END = "g", "p", "f", "u"
_BACKFILL = {"from_at": _START, "to_at": _END, "count": "n", "interval_ms": "i", "anchor": "a"}
_FIRST = "h"
_RULES = "r"
_CALENDAR, _WHEN_EXCLUDED, _BUSINESS_DAY, _DAYS = "c", "w", "b", "d"
_KINDS = ("o", "r", "c", "b")


def encode_schedule(schedule: Schedule) -> dict[str, str | int]:
    """Encode a schedule for storage; `decode_schedule` returns an equal schedule."""
    match schedule:
        case Once():
            return {"k": "o", "t": schedule.at}
        case Rate():
            rate: dict[str, str | int] = {"k": "r", "i": schedule.interval_ms, "a": schedule.anchor}
            return rate | _present({_END: schedule.end_at})
        case Cron():
            cron: dict[str, str | int] = {"k": "c", "l": schedule.line, "z": schedule.timezone}
            policies = {
                _GAP: None if schedule.gap is Gap.SHIFT else schedule.gap.value,
                _OVERLAP: None if schedule.overlap is Overlap.FIRST else schedule.overlap.value,
            }
            bounds = {_START: schedule.start_at, _END: schedule.end_at}
            rules = {_RULES: schedule.rules, **_encode_calendar(schedule.calendar)}
            return cron | _present(policies) | _present(bounds) | _present(rules)
        case _:
            assert_never(schedule)


def decode_schedule(stored: Mapping[str, str | int]) -> Schedule:
    """Decode the output of `encode_schedule`. Raises UnknownVersionError for an unknown kind or policy, and
    UnreadableItemError for anything else."""
    try:
        match stored:
            case {"k": "o", "t": int(at)}:
                return Once(at=at)
            case {"k": "r", "i": int(interval_ms), "a": int(anchor)}:
                return Rate(interval_ms=interval_ms, anchor=anchor, end_at=_number(stored, _END))
            case {"k": "c", "l": str(line), "z": str(zone)}:
                return Cron(
                    line=line,
                    timezone=zone,
                    gap=Gap(str(stored.get(_GAP, Gap.SHIFT))),
                    overlap=Overlap(str(stored.get(_OVERLAP, Overlap.FIRST))),
                    start_at=_number(stored, _START),
                    end_at=_number(stored, _END),
                    rules=_text(stored, _RULES),
                    calendar=_decode_calendar(stored),
                )
            case {"k": str(kind)} if kind not in _KINDS:
                raise UnknownVersionError("a stored schedule of a kind that only a newer version knows")
    except ScheduleError as error:
        raise UnreadableItemError("a stored schedule that is no longer valid") from error
    except ValueError as error:
        raise UnknownVersionError(
            "a stored schedule with a policy that only a newer version knows"
        ) from error
    raise UnreadableItemError("a stored schedule of an unknown form")


def encode_series(series: Series) -> dict[str, Any]:
    """Encode a recurring schedule or a backfill; `decode_series` returns an equal value."""
    if not isinstance(series, Backfill):
        return dict(encode_schedule(series))
    numbers = {key: getattr(series, name) for name, key in _BACKFILL.items()}
    return {"k": "b", "o": encode_schedule(series.of), **numbers, **_present({_FIRST: series.first or None})}


def decode_series(stored: Mapping[str, Any]) -> Series:
    """Decode the output of `encode_series`. Raises UnreadableItemError for anything else."""
    match stored:
        case {"k": "b", "o": of}:
            return _decode_backfill(stored, _decode_recurring(of))
    return _decode_recurring(stored)


def _decode_recurring(stored: Mapping[str, Any]) -> Rate | Cron:
    schedule = decode_schedule(stored)
    if isinstance(schedule, Once):
        raise UnreadableItemError("a stored schedule that does not recur")
    return schedule


def _decode_backfill(stored: Mapping[str, Any], of: Rate | Cron) -> Backfill:
    try:
        numbers = {name: _whole(stored[key]) for name, key in _BACKFILL.items()}
        return Backfill(of=of, **numbers, first=_whole(stored.get(_FIRST, 0)))
    except (KeyError, TypeError) as error:
        raise UnreadableItemError("a stored backfill of an unknown form") from error
    except ScheduleError as error:
        raise UnreadableItemError("a stored backfill that is no longer valid") from error


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("not a whole number")
    return value


def _present(optional: Mapping[str, str | int | None]) -> dict[str, str | int]:
    return {key: value for key, value in optional.items() if value is not None}


def _number(stored: Mapping[str, str | int], key: str) -> int | None:
    value = stored.get(key)
    if value is not None and not isinstance(value, int):
        raise UnreadableItemError("a stored schedule whose bound is not a number")
    return value


def _text(stored: Mapping[str, str | int], key: str) -> str | None:
    value = stored.get(key)
    if value is not None and not isinstance(value, str):
        raise UnreadableItemError("a stored schedule whose rules are not text")
    return value


def _encode_calendar(calendar: "CalendarRule | None") -> dict[str, str | int | None]:
    if calendar is None:
        return {}
    return {
        _CALENDAR: calendar.name,
        _WHEN_EXCLUDED: None if calendar.when_excluded == "skip" else calendar.when_excluded.value,
        _BUSINESS_DAY: calendar.business_day,
        _DAYS: calendar.days,
    }


def _decode_calendar(stored: Mapping[str, str | int]) -> "CalendarRule | None":
    name = _text(stored, _CALENDAR)
    if name is None:
        return None
    # Imported late: most schedules have no calendar.
    from shared.domain.schedules.calendar_rule import CalendarRule, WhenExcluded

    return CalendarRule(
        name=name,
        when_excluded=WhenExcluded(str(stored.get(_WHEN_EXCLUDED, WhenExcluded.SKIP))),
        business_day=_number(stored, _BUSINESS_DAY),
        days=_text(stored, _DAYS),
    )
