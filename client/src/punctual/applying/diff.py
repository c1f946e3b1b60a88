"""A plan as text and as data, without hidden values.

The API never shows headers and bodies, and `hiding` takes out the other values that are not in the file.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from punctual._texts import counted
from punctual.applying.execution import Done
from punctual.applying.plan import (
    CALENDAR,
    CREATED,
    DELETED,
    JOB,
    TRIGGER,
    UNCHANGED,
    UPDATED,
    WORKFLOW,
    Change,
    NextRun,
    Plan,
    named,
)
from punctual.applying.shown_members import HEADERS, unescaped
from punctual.models import FieldChange

_SIGNS = {CREATED: "+", UPDATED: "~"}
_LONGEST_VALUE = 100
_WIDEST_KEY = 40
_KINDS = ("cron", "expression", "rate_seconds")
_TASK = re.compile(r"/tasks/([^/]+)")
"""A task of a workflow that only the file, or only the API, has."""
_SHORT = ("/schedule/", "/request/")


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each change, in the order of the file, then the deletions, and then the counts."""
    rows = [(f"{_SIGNS[each.change]} {named(each.kind, each.key)}", _what(each)) for each in plan.changes]
    rows += [
        (f"- {named(each.kind, each.key)}", f"in set {plan.set}, not in the file") for each in plan.deletions
    ]
    width = min(_WIDEST_KEY, max((len(name) for name, _ in rows), default=0))
    for name, what in rows:
        yield f"{name:<{width}}  {what}".rstrip()
    yield _sentence(_planned(plan))


def counts_of(done: Iterable[Done], plan: Plan) -> str:
    """Return what became of the jobs, in numbers."""
    counts = Counter(each.change for each in done)
    counts[UNCHANGED] += plan.unchanged
    return _sentence([(count, change) for change, count in counts.items()])


def plan_document(plan: Plan) -> dict[str, Any]:
    """Return the plan as it is written in JSON."""
    return {
        "set": plan.set,
        "changes": [_document(each) for each in plan.changes],
        "deletions": [{"key": each.key, "id": each.id, "kind": each.kind} for each in plan.deletions],
        "unchanged": plan.unchanged,
    }


def _document(change: Change) -> dict[str, Any]:
    fields = [
        {"pointer": each.pointer, "before": each.before, "after": each.after, "hidden": each.hidden}
        for each in change.fields
    ]
    run = change.next_run
    next_run = None if run is None else {"before": run.before, "after": run.after}
    return {
        "key": change.key,
        "kind": change.kind,
        "change": change.change,
        "fields": fields,
        "next_run": next_run,
    }


def _planned(plan: Plan) -> list[tuple[int, str]]:
    kinds = Counter(each.change for each in plan.changes)
    return [
        (kinds[CREATED], "to create"),
        (kinds[UPDATED], "to change"),
        (len(plan.deletions), "to delete"),
        (plan.unchanged, UNCHANGED),
    ]


_ORDER = (CREATED, UPDATED, DELETED, "to create", "to change", "to delete", UNCHANGED)


def _sentence(counts: Iterable[tuple[int, str]]) -> str:
    found = sorted(
        ((count, what) for count, what in counts if count),
        key=lambda each: _ORDER.index(each[1]) if each[1] in _ORDER else len(_ORDER),
    )
    return ", ".join(f"{count} {what}" for count, what in found) or "no jobs"


def _what(change: Change) -> str:
    is_new = change.change == CREATED
    parts = [*_new(change)] if is_new else [_field(each) for each in change.fields]
    if change.is_paused:
        parts.append("stays paused")
    if change.next_run is not None:
        parts.append(_next_run(change.next_run, is_new=is_new))
    return " · ".join(parts)


def _new(change: Change) -> Iterator[str]:
    if change.kind in (CALENDAR, TRIGGER):
        yield from (f"{name} {_value(value)}" for name, value in change.members.items())
    else:
        yield counted(change.tasks, "tasks") if change.kind == WORKFLOW else _schedule(change.schedule)
    if change.starts:
        yield f"{JOB} {change.starts}" if change.kind == TRIGGER else named(WORKFLOW, change.starts)


def _schedule(schedule: Mapping[str, Any]) -> str:
    kind = next(each for each in _KINDS if each in schedule)
    zone = f" {schedule['timezone']}" if "timezone" in schedule else ""
    return f"{kind} {_value(schedule[kind])}{zone}"


def _field(field: FieldChange) -> str:
    if task := _TASK.fullmatch(field.pointer):
        return f"task {unescaped(task[1])} {'added' if field.before is None else 'removed'}"
    before, found, header = field.pointer.partition(HEADERS)
    if found:
        place = f" of {_dotted(before)}" if before else ""
        return f"header {unescaped(header)}{place} changed (hidden)"
    name = field.pointer
    for prefix in _SHORT:
        name = name.removeprefix(prefix)
    name = _dotted(name)
    return (
        f"{name} changed (hidden)"
        if field.hidden
        else f"{name} {_value(field.before)} → {_value(field.after)}"
    )


def _dotted(pointer: str) -> str:
    return unescaped(pointer.removeprefix("/").replace("/", "."))


def _value(value: Any) -> str:
    text = "none" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _next_run(run: NextRun, *, is_new: bool) -> str:
    if is_new:
        return f"next run {_minute(run.after)}"
    before, after = _minute(run.before), _minute(run.after)
    day, _, time = after.partition(" ")
    return f"next run {before} → {time if time and before.startswith(f'{day} ') else after}"


def _minute(local: str | None) -> str:
    """A local time such as `2026-02-21T02:30:00`, without what it does not need."""
    return "none" if local is None else local.replace("T", " ").removesuffix(".000").removesuffix(":00")
