"""When the CronJob controller of Kubernetes creates a Job.

Source: the controller computes each time with `Next` of github.com/robfig/cron/v3 (`spec.go`, `parser.go`), which
Kubernetes keeps under `vendor/`. The search below takes the same steps, with Go's rules for local times that the
clocks skip or repeat (`time.Date`). The effect: times in a gap are skipped, and times that the clocks repeat run
twice (https://github.com/kubernetes/kubernetes/issues/121594).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from punctual.importers.models.clock import DAY, ZoneClock, day_of, midnight
from punctual.importers.models.crontab import ALIASES
from punctual.importers.models.fields import UNIX_RULES, Field, LineError, read_field, weekday_of

_HOUR, _MINUTE = 3_600, 60
_RULES = tuple(
    replace(
        rule,
        wildcards="*?",
        opens_steps=True,
        high=min(rule.high, 6) if rule.name == "day of week" else rule.high,
    )
    for rule in UNIX_RULES
)


@dataclass(frozen=True, slots=True)
class KubernetesLine:
    """The five fields of `spec.schedule`."""

    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field

    def is_day(self, day: date) -> bool:
        """Whether the day fields match; a `*` or `?` without a step in one of them leaves it to the other."""
        in_month, in_week = day.day in self.day.values, weekday_of(day) in self.weekday.values
        is_either_open = _has_star(self.day) or _has_star(self.weekday)
        return in_month and in_week if is_either_open else in_month or in_week


def _has_star(field: Field) -> bool:
    return any(item.is_wildcard and item.step == 1 for item in field.items)


def read_kubernetes_line(text: str) -> KubernetesLine:
    """Read `spec.schedule`: five fields, or an alias such as `@daily`. Raises LineError."""
    if "TZ=" in text:
        raise LineError("TZ= and CRON_TZ= in a schedule are not supported by Kubernetes: it has timeZone")
    words = ALIASES.get(text.strip(), text).split()
    if words and words[0].startswith("@"):
        raise LineError(f"{words[0][:40]!r} is not read; {', '.join(ALIASES)} are")
    if len(words) != len(_RULES):
        raise LineError(f"{len(words)} fields; five are needed: minute hour day-of-month month day-of-week")
    return KubernetesLine(*(read_field(rule, word) for rule, word in zip(_RULES, words, strict=True)))


@dataclass(frozen=True, slots=True)
class KubernetesInstants:
    """The instants of a schedule in a zone."""

    line: KubernetesLine
    clock: ZoneClock

    @property
    def clocks(self) -> tuple[ZoneClock, ...]:
        return (self.clock,)

    def after(self, after: int, until: int) -> Iterator[int]:
        """Yield the instants in (after, until], ascending."""
        found = self._next(after, until)
        while found is not None:
            yield found
            found = self._next(found, until)

    def _next(self, after: int, until: int) -> int | None:
        """Return the first instant after the given one, or None beyond `until`."""
        search = _Search(self.line, self.clock, after + 1)
        while not search.step():
            if search.now > until:
                return None
        return search.now if search.now <= until else None


@dataclass(slots=True)
class _Search:
    """One run of `Next`: `now` moves forward until all fields match. A step that wraps around starts over."""

    line: KubernetesLine
    clock: ZoneClock
    now: int
    was_moved: bool = False

    def step(self) -> bool:
        """Move each field forward in turn. Returns whether all of them match; False where one has wrapped."""
        return self._month() and self._day() and self._hour() and self._minute() and self._second()

    def _wall(self) -> int:
        return self.now + self.clock.offset_at(self.now)

    def _month(self) -> bool:
        while (day := day_of(self._wall())).month not in self.line.month.values:
            if not self.was_moved:
                self.was_moved = True
                day = day.replace(day=1)
                self.now = _go_date(self.clock, midnight(day))
            clock_time = self._wall() % DAY
            following = _month_after(day_of(self._wall()))
            self.now = _go_date(self.clock, midnight(following) + clock_time)
            if day_of(self._wall()).month == 1:
                return False
        return True

    def _day(self) -> bool:
        while not self.line.is_day(day_of(self._wall())):
            if not self.was_moved:
                self.was_moved = True
                self.now = _go_date(self.clock, self._wall() // DAY * DAY)
            self.now = _go_date(self.clock, self._wall() + DAY)
            hour = self._wall() % DAY // _HOUR
            if hour != 0:
                self.now += (24 - hour if hour > 12 else -hour) * _HOUR
            if day_of(self._wall()).day == 1:
                return False
        return True

    def _hour(self) -> bool:
        while self._wall() % DAY // _HOUR not in self.line.hour.values:
            if not self.was_moved:
                self.was_moved = True
                self.now = _go_date(self.clock, self._wall() // _HOUR * _HOUR)
            self.now += _HOUR
            if self._wall() % DAY // _HOUR == 0:
                return False
        return True

    def _minute(self) -> bool:
        while self._wall() % _HOUR // _MINUTE not in self.line.minute.values:
            if not self.was_moved:
                self.was_moved = True
                self.now -= self.now % _MINUTE
            self.now += _MINUTE
            if self._wall() % _HOUR // _MINUTE == 0:
                return False
        return True

    def _second(self) -> bool:
        if self._wall() % _MINUTE == 0:
            return True
        if not self.was_moved:
            self.was_moved = True
        self.now += _MINUTE - self._wall() % _MINUTE
        return False


def _month_after(day: date) -> date:
    """Return the same day of the next month; days that it lacks run over into the month after, as in Go."""
    year, month = day.year + day.month // 12, day.month % 12 + 1
    return date.fromordinal(date(year, month, 1).toordinal() + day.day - 1)


def _go_date(clock: ZoneClock, wall: int) -> int:
    """Return what Go's `time.Date` makes of a local time, in a gap or an overlap, too."""
    segment = clock.segment_at(wall)
    instant = wall - segment.offset
    if not segment.start <= instant < segment.end:
        instant = wall - clock.offset_at(instant)
    return instant
