"""Schedules as they are stored: in short keys, and nothing that is as it is by default."""

from collections.abc import Mapping
from typing import assert_never

from shared.domain.cron import Gap, Overlap
from shared.domain.errors import ScheduleError, UnreadableItemError
from shared.domain.schedule_kinds import Cron, Once, Rate, Schedule

_GAP, _OVERLAP, _START, _END = "g", "p", "f", "u"


def encode_schedule(schedule: Schedule) -> dict[str, str | int]:
    """The schedule in short keys, for storage; `decode_schedule` gives back an equal one."""
    match schedule:
        case Once():
            return {"k": "o", "t": schedule.at}
        case Rate():
            rate: dict[str, str | int] = {"k": "r", "i": schedule.interval_ms, "a": schedule.anchor}
            return rate | _present({_END: schedule.end_at})
        case Cron():
            cron: dict[str, str | int] = {"k": "c", "l": schedule.line, "z": schedule.timezone}
            chosen = {
                _GAP: None if schedule.gap is Gap.SHIFT else schedule.gap.value,
                _OVERLAP: None if schedule.overlap is Overlap.FIRST else schedule.overlap.value,
            }
            return cron | _present(chosen) | _present({_START: schedule.start_at, _END: schedule.end_at})
        case _:
            assert_never(schedule)


def decode_schedule(stored: Mapping[str, str | int]) -> Schedule:
    """Read what `encode_schedule` wrote. Raises UnreadableItemError for anything else."""
    try:
        match stored:
            case {"k": "o", "t": int(at)}:
                return Once(at=at)
            case {"k": "r", "i": int(interval_ms), "a": int(anchor)}:
                return Rate(interval_ms=interval_ms, anchor=anchor, end_at=_instant(stored, _END))
            case {"k": "c", "l": str(line), "z": str(zone)}:
                return Cron(
                    line=line,
                    timezone=zone,
                    gap=Gap(str(stored.get(_GAP, Gap.SHIFT))),
                    overlap=Overlap(str(stored.get(_OVERLAP, Overlap.FIRST))),
                    start_at=_instant(stored, _START),
                    end_at=_instant(stored, _END),
                )
    except ScheduleError as error:
        raise UnreadableItemError("a stored schedule that is not accepted any more") from error
    except ValueError as error:
        raise UnreadableItemError("a stored schedule with a policy that is not known") from error
    raise UnreadableItemError("a stored schedule of an unknown form")


def _present(parts: Mapping[str, str | int | None]) -> dict[str, str | int]:
    return {key: value for key, value in parts.items() if value is not None}


def _instant(stored: Mapping[str, str | int], key: str) -> int | None:
    value = stored.get(key)
    if value is not None and not isinstance(value, int):
        raise UnreadableItemError("a stored schedule with a bound that is no instant")
    return value
