"""The jobs of a file, and the bodies that they become in the API."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from punctual.applyfile.schema import REQUEST_MEMBERS, SCHEDULE_MEMBERS

KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)
"""A key of the API: 1 to 128 letters, digits and `. _ : -`, with a letter or digit at its beginning."""
SET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", re.ASCII)
"""The name of a set: 1 to 64 of the same characters."""
_HEADER_TEXT: Final = re.compile(r"[\t\x20-\x7e]*")


class ApplyFileError(ValueError):
    """A file that cannot be applied; `str()` names the file, the line and the member, and says what to write.

    The text never holds the value of a header or of a body.
    """


class MissingVariablesError(ApplyFileError):
    """Environment variables that the file names and that are not set, or blank; `names` has all of them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(f"environment variables that are not set, or empty: {', '.join(names)}")
        self.names = names


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value that is not in the file comes from: an environment variable, or else what a command prints."""

    env: str | None = None
    command: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.env if self.env is not None else f"the command {self.command[0][:60]!r}"


def source_of(value: Any) -> Source | None:
    """The source that a header or a body of the file names; None for text."""
    if not isinstance(value, Mapping):
        return None
    return Source(value.get("env"), tuple(value.get("command", ())))


@dataclass(frozen=True, slots=True)
class Job:
    """One job of the file. `members` are complete: the defaults of the file are in them.

    A header's value and the body are text, `{"env": NAME}` for the value of an environment variable, or
    `{"command": [...]}` for what a command prints. `line` is the line of the job's key, from 1, and 0 for a job that
    was not read from a file.
    """

    key: str
    members: Mapping[str, Any] = field(repr=False)
    line: int = 0

    def sources(self) -> tuple[Source, ...]:
        """Where the values come from that the file does not hold, in the order of the file."""
        return tuple(source for value in self._values() if (source := source_of(value)) is not None)

    def body(self, values: Mapping[Source, str]) -> dict[str, Any]:
        """Return the body of `PUT /v1/jobs/by-key/{key}`, without `set`.

        `values` has one for each of `sources()`. Raises ApplyFileError for a value that cannot be sent.
        """
        request = {name: self.members[name] for name in REQUEST_MEMBERS if name in self.members}
        if "headers" in request:
            request["headers"] = dict(self._headers(values))
        if (source := source_of(request.get("body"))) is not None:
            request["body"] = self._body(source, values[source])
        apart = {*SCHEDULE_MEMBERS, *REQUEST_MEMBERS}
        rest = {name: value for name, value in self.members.items() if name not in apart}
        return {**rest, "schedule": self.schedule(), "request": request}

    def schedule(self) -> dict[str, Any]:
        """Return the `schedule` of the body, which `POST /v1/schedules/preview` takes by itself."""
        return {name: self.members[name] for name in SCHEDULE_MEMBERS if name in self.members}

    def _headers(self, values: Mapping[Source, str]) -> Iterator[tuple[str, str]]:
        for name, value in self.members["headers"].items():
            source = source_of(value)
            text = value if source is None else values[source]
            if not _HEADER_TEXT.fullmatch(text):
                raise ApplyFileError(
                    f"jobs.{self.key}.headers.{name}: the value of {source} has characters that no header has"
                )
            yield name, text

    def _body(self, source: Source, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ApplyFileError(f"jobs.{self.key}.body: the value of {source} is not UTF-8") from None
        return text

    def _values(self) -> Iterator[Any]:
        yield from self.members.get("headers", {}).values()
        yield self.members.get("body")


@dataclass(frozen=True, slots=True)
class ApplyFile:
    """The jobs of a set, in the order of the file. `apply` never touches a job of another set."""

    set: str
    jobs: tuple[Job, ...]

    def key_of(self, job: Job) -> str:
        """The key of a job in the API, such as `billing.nightly`."""
        return api_key(self.set, job.key)


def api_key(set_name: str, key: str) -> str:
    """The key in the API of a job that a file of this set calls `key`."""
    return f"{set_name}.{key}"
