"""Keeps values that come from outside the file out of the plan and of errors.

The API never shows headers and bodies, but it shows URLs, and the URL of a chat's webhook is a secret. A URL that the
file takes from outside is hidden in differences, before and after. Of any other URL that a job had before, only the
scheme and the host are shown, because an older file may have taken it from outside.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

from punctual.applyfile.schema import URL_POINTERS
from punctual.applyfile.workflow_schema import URL_POINTERS as WORKFLOW_POINTERS
from punctual.applying.wanted import WantedJob
from punctual.errors import PunctualError
from punctual.models import FieldChange

HIDDEN: Final = "(hidden)"
"""Stands in an error in place of a value."""
_SHORTEST: Final = 4
"""Shorter values, such as `1`, are no secrets, and occur in many texts by chance."""
_SHORTEST_PART: Final = 8
_URL: Final = re.compile(r"(https?://)(?:[^/?#]*@)?([^/?#]*)(.*)", re.DOTALL)
_TASK: Final = re.compile(r"^/tasks/[^/]*")
"""The beginning of the pointers into a task of a workflow."""
_WITH_URLS: Final = frozenset({*URL_POINTERS.values(), *WORKFLOW_POINTERS.values()})
Error = TypeVar("Error", bound=PunctualError)


def shown_fields(fields: Iterable[FieldChange], job: WantedJob) -> tuple[FieldChange, ...]:
    """The differences of a job as they may be shown, in the order of their pointers."""
    found = (shown for each in fields for shown in _shown(each, job.hidden))
    return tuple(sorted(found, key=lambda each: each.pointer))


def without_secrets(error: Error, job: WantedJob) -> Error:
    """The same error, with `(hidden)` in place of values from outside the file, and of the parts of such URLs."""
    parts = {part for value in job.secrets for part in _parts(value)}
    if not parts:
        return error
    # The longest first: a part never leaves the rest of the value that it belongs to.
    pattern = re.compile("|".join(map(re.escape, sorted(parts, key=len, reverse=True))), re.IGNORECASE)

    def hide(value: Any) -> Any:
        if isinstance(value, str):
            return pattern.sub(HIDDEN, value)
        # The errors of the body are named tuples of a pointer and a text.
        if isinstance(value, tuple):
            return type(value)(*map(hide, value)) if hasattr(value, "_fields") else tuple(map(hide, value))
        return value

    hidden = type(error).__new__(type(error))
    hidden.args = hide(error.args)
    hidden.__dict__.update({name: hide(value) for name, value in vars(error).items()})
    return hidden


def _shown(change: FieldChange, hidden: frozenset[str]) -> Iterator[FieldChange]:
    pointer = change.pointer
    if pointer in hidden:
        yield FieldChange(pointer=pointer, before=None, after=None, hidden=True)
    elif _TASK.fullmatch(pointer):
        # A task that is added or removed as a whole.
        url = f"{pointer}/request/url"
        before, after = _without_paths(pointer, change.before), change.after
        if url in hidden and isinstance(after, dict):
            after = {**after, "request": {**after["request"], "url": HIDDEN}}
        yield FieldChange(pointer=pointer, before=before, after=after, hidden=change.hidden)
    elif _has_members(change) and any(each.startswith(f"{pointer}/") for each in hidden):
        # An object that is added as a whole is shown by its members, so that only the URL is hidden.
        before, after = (
            value if isinstance(value, Mapping) else {} for value in (change.before, change.after)
        )
        for name in dict.fromkeys((*before, *after)):
            old, new = before.get(name), after.get(name)
            if old != new:
                part = FieldChange(pointer=f"{pointer}/{name}", before=old, after=new, hidden=False)
                yield from _shown(part, hidden)
    else:
        old = _without_paths(pointer, change.before)
        yield FieldChange(pointer=pointer, before=old, after=change.after, hidden=change.hidden)


def _has_members(change: FieldChange) -> bool:
    """The order of tasks is a list of keys."""
    return isinstance(change.before, Mapping) or isinstance(change.after, Mapping)


def _without_paths(pointer: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_paths(f"{pointer}/{name}", each) for name, each in value.items()}
    if _TASK.sub("", pointer) not in _WITH_URLS or not isinstance(value, str):
        return value
    found = _URL.fullmatch(value)
    return value if found is None or found[3] in ("", "/") else f"{found[1]}{found[2]}/…"


def _parts(value: str) -> Iterator[str]:
    """The value, without white space around it, and the parts of a URL that an error might name by themselves."""
    whole = value.strip()
    if len(whole) >= _SHORTEST:
        yield whole
    if not _URL.fullmatch(whole):
        return
    try:
        parts = urlsplit(whole)
    except ValueError:
        return
    found = [parts.netloc, parts.netloc.rpartition("@")[2].partition(":")[0], parts.path, parts.query]
    found += [*parts.path.split("/"), *re.split("[&=]", parts.query)]
    for part in {*found, *map(unquote, found)}:
        if len(part) >= _SHORTEST_PART:
            yield part
