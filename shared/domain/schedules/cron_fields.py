"""The grammar of one field of a cron line. Items are expanded here, so croniter sees plain numbers only.

croniter accepts more than any cron does and reinterprets some input: a range from a value to itself becomes
the whole field, a stepped range that wraps restarts at the wrong value, and `R` is random. None of these
reach it.
"""

import re
from types import MappingProxyType
from typing import Final

from shared.dataclass import dataclass
from shared.domain.schedules.cron_rules import DAY_OF_MONTH, DAY_OF_WEEK, FieldRule

MAX_ITEMS: Final = 60
"""Maximum number of items in one field; no field has more values."""

_ITEM = re.compile(r"(\*|[0-9a-z]+)(?:-([0-9a-z]+))?(?:/([0-9]+))?")
EVERY = re.compile(r"\*(/0*1)?")
_NEAREST_WEEKDAY = re.compile(r"([0-9]+)w")
_NTH_WEEKDAY = re.compile(r"([0-9a-z]+)#([0-9]+)")
_LAST_WEEKDAY = re.compile(r"(?:l([0-7])|([0-7]|[a-z]{3})l)")
_BEFORE_LAST = re.compile(r"l-[0-9]+")
_EVENTBRIDGE_ITEMS = MappingProxyType({DAY_OF_MONTH.name: ("?", "lw"), DAY_OF_WEEK.name: ("?", "l")})


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The expansion of one field.

    `every` is true if an item is `*` or `*/1`. `values` holds the plain numbers. `special` holds the items
    with L, W or `#`, in croniter's spelling.
    """

    every: bool
    values: frozenset[int]
    special: tuple[str, ...] = ()

    def croniter_text(self) -> str:
        """Return the field as croniter reads it: `*`, or a list of all numbers."""
        if self.every:
            return "*"
        return ",".join([*map(str, sorted(self.values)), *self.special])


def read_field(rule: FieldRule, text: str) -> Field:
    """Expand the text of one field. Raises ScheduleError that names the field."""
    items = split_items(rule, text)
    values: set[int] = set()
    special: list[str] = []
    for item in items:
        marked = _special_item(rule, item)
        if marked is not None:
            special.append(marked)
        else:
            values |= plain_item(rule, item)
    _check_mixture(rule, items, values, special)
    every = any(EVERY.fullmatch(item) for item in items)
    return Field(every=every, values=frozenset(values), special=tuple(dict.fromkeys(special)))


def split_items(rule: FieldRule, text: str) -> list[str]:
    """Split a list into items in lower case. Raises ScheduleError for more than MAX_ITEMS items."""
    items = text.lower().split(",")
    if len(items) > MAX_ITEMS:
        rule.refuse(f"a list of {len(items)} items; {MAX_ITEMS} is the most")
    return items


def _check_mixture(rule: FieldRule, items: list[str], values: set[int], special: list[str]) -> None:
    if any(mark.endswith("w") for mark in special) and len(items) > 1:
        rule.refuse("W stands alone, not in a list")
    if rule is DAY_OF_WEEK and special and values:
        rule.refuse("# and L do not mix with plain weekdays in one list; make two jobs, one for each")
    if special and any(item.startswith("*") for item in items):
        rule.refuse("L and # do not mix with * in one list")


def _special_item(rule: FieldRule, item: str) -> str | None:
    """Return an item with L, W or `#` in croniter's spelling; None for any other item.

    Raises ScheduleError for an item that only another dialect has.
    """
    if item in _EVENTBRIDGE_ITEMS.get(rule.name, ()):
        rule.refuse(
            f"{item.upper()} is EventBridge's: put the line into `expression`, as "
            "cron(minute hour day_of_month month day_of_week year)"
        )
    if rule is DAY_OF_MONTH:
        if _BEFORE_LAST.fullmatch(item):
            rule.refuse(
                "days before the last, such as L-3, are Quartz's, and are not supported; L is the last day"
            )
        if item == "l":
            return "l"
        nearest = _NEAREST_WEEKDAY.fullmatch(item)
        return f"{number(rule, nearest[1])}w" if nearest else None
    if rule is DAY_OF_WEEK:
        nth = _NTH_WEEKDAY.fullmatch(item)
        if nth:
            if nth[2] not in ("1", "2", "3", "4", "5"):
                rule.refuse(f"{item[:40]!a}: only the first to the fifth weekday of a month exists, #1 to #5")
            return f"{number(rule, nth[1]) % rule.size}#{nth[2]}"
        last = _LAST_WEEKDAY.fullmatch(item)
        return f"l{number(rule, last[1] or last[2]) % rule.size}" if last else None
    return None


def plain_item(rule: FieldRule, item: str) -> set[int]:
    """Return the values of `*`, `n` or `n-m`, each optionally with `/step`.

    Raises ScheduleError for other text.
    """
    match = _ITEM.fullmatch(item)
    if match is None or (match[1] == "*" and match[2]):
        rule.refuse(f"cannot read {item[:40]!a}")
    step = _step(rule, match[3])
    if match[1] == "*":
        return set(range(rule.low, rule.high + 1, step))
    start = number(rule, match[1])
    if match[2]:
        return _range(rule, start, number(rule, match[2]), step)
    start = _within(rule, start)
    return set(range(start, rule.high + 1, step)) if match[3] else {start}


def _range(rule: FieldRule, start: int, end: int, step: int) -> set[int]:
    """Return the values of `start-end/step`.

    A range that wraps keeps counting steps across the end of the field.
    """
    if start >= end and (start - end) % rule.size == 0:
        rule.refuse("a range from a value to itself; write the value alone, or * for all")
    if start > end:
        if not rule.wraps:
            rule.refuse(
                "a range that ends before it begins; only hours, months and weekdays wrap. For both ends of this "
                "field, write two ranges"
            )
        end += rule.size
    return {_within(rule, value) for value in range(start, end + 1, step)}


def _within(rule: FieldRule, value: int) -> int:
    return rule.low + (value - rule.low) % rule.size


def _step(rule: FieldRule, text: str | None) -> int:
    step = 1 if text is None else int(text)
    longest = min(rule.high, rule.size)
    if not 1 <= step <= longest:
        rule.refuse(f"a step of {str(step)[:40]}; it must be from 1 to {longest}")
    return step


def number(rule: FieldRule, word: str) -> int:
    """Return the value of a number or a name. Raises ScheduleError for a value outside the field's range."""
    if word in rule.words:
        return rule.words[word]
    if not word.isdecimal():
        rule.refuse(f"cannot read {word[:40]!a}")
    if not rule.low <= int(word) <= rule.top:
        rule.refuse(f"{word[:40]} is not from {rule.low} to {rule.top}")
    return int(word)
