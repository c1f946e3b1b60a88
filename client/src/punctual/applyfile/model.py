"""The jobs of a file, and the bodies that they become in the API."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from punctual.applyfile.schema import REQUEST_MEMBERS, SCHEDULE_MEMBERS

KEY: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:=/-]{0,126}[A-Za-z0-9])?", re.ASCII)
"""The key of a job in its set: 1 to 128 letters, digits and `. _ : = / -`; both ends are letters or digits."""
SET: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?", re.ASCII)


class ApplyFileError(ValueError):
    """A file that cannot be applied; `str()` names the file, the line and the member, and says what to write.

    The text never holds the value of a header or of a body.
    """


class MissingVariablesError(ApplyFileError):
    """Environment variables that the file names and that are not set; `names` has all of them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(f"environment variables that are not set: {', '.join(names)}")
        self.names = names


@dataclass(frozen=True, slots=True)
class Job:
    """One job of the file. `members` are complete: the defaults of the file are in them.

    A header's value is text, or `{"env": NAME}` for the value of an environment variable. `line` is the line of
    the job's key, from 1, and 0 for a job that was not read from a file.
    """

    key: str
    members: Mapping[str, Any] = field(repr=False)
    line: int = 0

    def variables(self) -> tuple[str, ...]:
        """Return the names of the environment variables that the job needs, in the order of the headers."""
        return tuple(value["env"] for value in self._headers().values() if isinstance(value, Mapping))

    def body(self, environ: Mapping[str, str]) -> dict[str, Any]:
        """Return the body for `POST /v1/jobs`; the name is the key where the file has none.

        Raises MissingVariablesError.
        """
        missing = tuple(name for name in self.variables() if name not in environ)
        if missing:
            raise MissingVariablesError(missing)
        request = {name: self.members[name] for name in REQUEST_MEMBERS if name in self.members}
        if headers := self._headers():
            request["headers"] = {
                name: environ[value["env"]] if isinstance(value, Mapping) else value
                for name, value in headers.items()
            }
        apart = {*SCHEDULE_MEMBERS, *REQUEST_MEMBERS}
        rest = {name: value for name, value in self.members.items() if name not in apart}
        return {"name": self.key, **rest, "schedule": self.schedule(), "request": request}

    def schedule(self) -> dict[str, Any]:
        """Return the `schedule` of the body, which `POST /v1/schedules/preview` takes by itself."""
        return {name: self.members[name] for name in SCHEDULE_MEMBERS if name in self.members}

    def _headers(self) -> Mapping[str, Any]:
        headers: Mapping[str, Any] = self.members.get("headers", {})
        return headers


@dataclass(frozen=True, slots=True)
class ApplyFile:
    """The jobs of a set, in the order of the file. `apply` never touches a job of another set."""

    set: str
    jobs: tuple[Job, ...]
