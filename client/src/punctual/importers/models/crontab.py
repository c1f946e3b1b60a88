"""When cron runs a line of a crontab.

Sources: crontab(5) and cron(8) of Vixie's cron, ISC cron and cronie, and the main loop in `src/cron.c` and the
parser in `src/entry.c` of cronie, which Debian's cron shares but for CRON_TZ. The loop below follows that of cronie
minute by minute around the clock changes of the machine:

* The clock jumps forward by up to three hours: lines whose minute or hour begins with `*` run for the new minute
  only. Other lines run at once, for each skipped minute that they match.
* The clock jumps back by up to three hours: only lines whose minute or hour begins with `*` run until the clock
  has caught up. Other lines do not run again.
* The clock jumps further: nothing is made up for, and nothing is held back.
* A line under CRON_TZ follows the clock of that zone. The rules above still follow the machine's own zone, but
  such a line is not made up for in a gap.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from punctual.importers.models.clock import ZoneClock
from punctual.importers.models.fields import (
    UNIX_RULES,
    Field,
    LineError,
    Pattern,
    pattern,
    read_field,
    weekday_of,
)

ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_MINUTE = 60
_JUMP_MINUTES = 3 * 60
_LATE_MINUTES = 5
_BEFORE, _AFTER = 10 * _MINUTE, 4 * 3_600
"""Around a change of the clock, from when to when the loop is followed minute by minute."""


@dataclass(frozen=True, slots=True)
class CrontabLine:
    """The five fields, and whether cron counts the line among those that follow the clock (`*` in minute or hour)."""

    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field

    @property
    def follows_clock(self) -> bool:
        return self.minute.begins_with_wildcard or self.hour.begins_with_wildcard

    @property
    def needs_both_days(self) -> bool:
        """Whether a day must match both day fields: cron asks so if either begins with `*`, as `*/2` does, too."""
        return self.day.begins_with_wildcard or self.weekday.begins_with_wildcard

    def is_day(self, day: date) -> bool:
        in_month = day.day in self.day.values
        in_week = weekday_of(day) in {value % 7 for value in self.weekday.values}
        matches = in_month and in_week if self.needs_both_days else in_month or in_week
        return day.month in self.month.values and matches

    def pattern(self) -> Pattern:
        return pattern(self.minute, self.hour, self.is_day)


def read_crontab_line(text: str) -> CrontabLine:
    """Read five fields or an alias such as `@daily`. Raises LineError."""
    bare = text.strip(" \t")
    if bare.startswith("@"):
        if bare not in ALIASES:
            raise LineError(f"{bare[:40]!r}: no time; {', '.join(ALIASES)} are read")
        bare = ALIASES[bare]
    words = bare.split()
    if len(words) != len(UNIX_RULES):
        raise LineError(f"{len(words)} fields; five are needed: minute hour day-of-month month day-of-week")
    return CrontabLine(*(read_field(rule, word) for rule, word in zip(UNIX_RULES, words, strict=True)))


@dataclass(frozen=True, slots=True)
class CrontabInstants:
    """The instants of a line on a machine whose clock is `machine`; `job` is the clock of CRON_TZ, if there is one.

    A line that cron runs twice in one minute has that instant twice.
    """

    line: CrontabLine
    machine: ZoneClock
    job: ZoneClock | None = None

    @property
    def clocks(self) -> tuple[ZoneClock, ...]:
        return (self.machine,) if self.job is None else (self.job, self.machine)

    def after(self, after: int, until: int) -> Iterator[int]:
        """Yield the instants in (after, until], ascending."""
        start, end = (after // _MINUTE + 1) * _MINUTE, until + 1
        for change in self.machine.changes(start - _AFTER, end + _BEFORE):
            yield from self._plain(start, min(end, change - _BEFORE))
            begin, finish = change - _BEFORE, change + _AFTER
            yield from (each for each in self._loop(begin, finish) if start <= each < end)
            start = max(start, finish)
        yield from self._plain(start, end)

    def _plain(self, start: int, end: int) -> Iterator[int]:
        """Yield the instants in [start, end), in which the machine's clock does not change."""
        clock = self.machine if self.job is None else self.job
        matching = self.line.pattern()
        while start < end:
            segment = clock.segment_at(start)
            finish = min(end, segment.end)
            walls = matching.walls(start + segment.offset, finish - 1 + segment.offset)
            yield from (wall - segment.offset for wall in walls)
            start = finish

    def _loop(self, start: int, end: int) -> Iterator[int]:
        """Follow the loop of the daemon over [start, end), where it is in step with the clock at the start."""
        old = self.machine.offset_at(start - _MINUTE)
        virtual = (start - _MINUTE + old) // _MINUTE
        for now in range(start, end, _MINUTE):
            new = self.machine.offset_at(now)
            running = (now + new) // _MINUTE
            ahead = running - virtual
            if ahead == 1 or abs(ahead) > _JUMP_MINUTES:
                virtual, old = running, new
                runs = int(self._matches(running, new, new))
            elif ahead > 0:
                runs, virtual, old = self._catch_up(virtual, running, old, new)
            else:
                runs = int(self.line.follows_clock and self._matches(running, new, new))
            yield from [now] * runs

    def _catch_up(self, virtual: int, running: int, old: int, new: int) -> tuple[int, int, int]:
        """Return how often the line runs now, for the skipped minutes, and where the daemon then stands."""
        runs = 0
        is_jump = running - virtual > _LATE_MINUTES
        if is_jump and self.line.follows_clock:
            runs += self._matches(running, new, new)
        while virtual < running:
            virtual += 1
            if virtual >= running:
                old = new
            if not (is_jump and self.line.follows_clock):
                runs += self._matches(virtual, old, new)
        return runs, virtual, old

    def _matches(self, virtual: int, virtual_offset: int, offset: int) -> bool:
        """Whether the line matches a minute of the machine's clock, counted since 1970."""
        wall = virtual * _MINUTE
        if self.job is None:
            return self.line.pattern().matches(wall)
        instant = wall - virtual_offset
        is_switch = virtual_offset != offset
        return not is_switch and self.line.pattern().matches(instant + self.job.offset_at(instant))
