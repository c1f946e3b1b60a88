"""The calendars and the triggers of a file. The file has them by their names in the API.

Their members are those of `CalendarIn` and `TriggerIn`, which are made from `docs/openapi.json`: a new member of the
API is one of the file. A trigger names its job as `job` in place of `job_id`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Literal, NoReturn

import msgspec

from punctual.applyfile.checking import Path, type_error
from punctual.applyfile.model import KEY
from punctual.models import CalendarIn, TriggerIn

NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
JOB_PREFIX: Final = "job_"
"""The beginning of the ids of jobs: no other text with it names a job."""
JOB_ID: Final = re.compile(r"job_r[0123456789abcdefghjkmnpqrstvwxyz]{27}")
"""Of a recurring job."""
MODELS: Final[Mapping[str, type[msgspec.Struct]]] = {"calendar": CalendarIn, "trigger": TriggerIn}
_JOB, _JOB_ID = "job", "job_id"
_ELSEWHERE: Final = {
    "name": "the name above the members is the name",
    "set": "stands at the head of the file, for all of it",
    _JOB_ID: "is written as `job`: the name of a job of the file, or a job by its key or its id",
    "workflow": "a trigger starts a job: name a job that starts the workflow",
}
NamedKind = Literal["calendar", "trigger"]


@dataclass(frozen=True, slots=True)
class Named:
    """A calendar or a trigger of the file. `line` is the line of its name, from 1, and `job_line` that of its `job`."""

    kind: NamedKind
    name: str
    members: Mapping[str, Any]
    line: int = 0
    job_line: int = 0

    def body(self) -> dict[str, Any]:
        """The members of the PUT by its name, without the set and the job."""
        return {name: value for name, value in self.members.items() if name != _JOB}


def members_of(kind: NamedKind) -> tuple[str, ...]:
    """The names of all members that the file may have."""
    own = (name for name in MODELS[kind].__struct_encode_fields__ if name not in ("set", _JOB_ID))
    return (_JOB, *own) if kind == "trigger" else (*own,)


@dataclass(frozen=True, slots=True)
class NamedReader:
    """`refuse` raises an error with the place of a path in the file, and `line_at` gives its line."""

    refuse: Callable[[Path, str], NoReturn]
    line_at: Callable[[Path], int]

    def read(self, kind: NamedKind, name: str, value: Any) -> Named:
        path: Path = (f"{kind}s", name)
        if not NAME.fullmatch(name):
            self.refuse(
                path,
                "a name has 1 to 63 lower-case letters, digits and hyphens, and no hyphen at its beginning and end",
            )
        if not isinstance(value, dict):
            self.refuse(path, "must be a mapping of names to values" if value is not None else "is required")
        self._check(kind, path, value)
        return Named(kind, name, value, self.line_at(path), self.line_at((*path, _JOB)))

    def _check(self, kind: NamedKind, path: Path, members: dict[str, Any]) -> None:
        known = members_of(kind)
        for member in members:
            if member not in known:
                near = get_close_matches(member, known, n=1)
                guess = f"unknown member; did you mean {near[0]}?" if near else "unknown member"
                self.refuse((*path, member), _ELSEWHERE.get(member, guess))
        as_sent = dict(members)
        if kind == "trigger":
            for member in (_JOB, "pattern"):
                if member not in members:
                    self.refuse((*path, member), "is required")
            as_sent[_JOB_ID] = as_sent.pop(_JOB)
        if error := type_error(as_sent, MODELS[kind]):
            place = tuple(_JOB if step == _JOB_ID else step for step in error[0])
            self.refuse((*path, *place), error[1])
        if kind == "trigger" and (why := _job_error(members[_JOB])):
            self.refuse((*path, _JOB), why)


def _job_error(named: str) -> str | None:
    if JOB_ID.fullmatch(named):
        return None
    if named.startswith(JOB_PREFIX):
        return "begins as an id, and the id of a recurring job has job_r and 27 more characters"
    if not KEY.fullmatch(named):
        return "names a job of the file, or one by its key, such as shop.nightly, or by its id"
    return None
