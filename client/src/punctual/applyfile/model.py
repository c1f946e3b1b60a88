"""The jobs of a file, and the bodies that they become in the API."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from punctual.applyfile.schema import REQUEST_MEMBERS, SCHEDULE_MEMBERS, TARGET_MEMBERS, URL_POINTERS
from punctual.aws_targets import OPTIONS, TARGETS, target_of

KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}", re.ASCII)
"""A key of the API: 1 to 128 letters, digits and `. _ : -`, with a letter or digit at its beginning."""
SET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", re.ASCII)
"""The name of a set: 1 to 64 of the same characters."""
ID_PREFIX: Final = "wfl_"
"""The beginning of the ids of workflows: no other text with it names a workflow."""
WORKFLOW_ID: Final = re.compile(r"wfl_1[0123456789abcdefghjkmnpqrstvwxyz]{27}")
_HEADER_TEXT: Final = re.compile(r"[\t\x20-\x7e]*")
_URL_TEXT: Final = re.compile(r"https?://[\x21-\x7e]{0,2040}")
_MAX_URL: Final = 2048
_NO_URL: Final = "none"


class ApplyFileError(ValueError):
    """A file that cannot be applied; `str()` names the file, the line and the member, and says what to write.

    The text never holds the value of a header or of a body, and no value from outside the file.
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


def value_at(members: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The value of a member such as `("alerts", "url")`; None where it is missing."""
    value: Any = members
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def source_of(value: Any) -> Source | None:
    """The source that a value of the file names; None for text."""
    if not isinstance(value, Mapping):
        return None
    return Source(value.get("env"), tuple(value.get("command", ())))


def checked_url(place: str, source: Source, text: str, *, may_be_none: bool) -> str:
    """The URL from outside the file. Raises ApplyFileError, without the text, if it is none."""
    is_url = len(text) <= _MAX_URL and _URL_TEXT.fullmatch(text) is not None
    if is_url or (may_be_none and text == _NO_URL):
        return text
    also = f", or is {_NO_URL!r}" if may_be_none else ""
    raise ApplyFileError(
        f"{place}: the value of {source} is no URL: one begins with https:// and has at "
        f"most {_MAX_URL} characters of ASCII, without spaces and line breaks{also}"
    )


@dataclass(frozen=True, slots=True)
class Job:
    """One job of the file. `members` are complete: the defaults of the file are in them.

    A header's value, the body and each URL are text, `{"env": NAME}` for the value of an environment variable, or
    `{"command": [...]}` for what a command prints. `line` is the line of the job's key, from 1, and 0 for a job that
    was not read from a file.
    """

    key: str
    members: Mapping[str, Any] = field(repr=False)
    line: int = 0
    section: str = "jobs"
    """The section of the file in which it is: a task of a workflow is read like a job."""
    workflow_line: int = 0
    """The line of its `workflow`, if it has one."""

    def sources(self) -> tuple[Source, ...]:
        """Where the values come from that the file does not hold, in the order of the file."""
        return tuple(source for value in self._values() if (source := source_of(value)) is not None)

    def body(self, values: Mapping[Source, str]) -> dict[str, Any]:
        """Return the body of `PUT /v1/jobs/by-key/{key}`, without `set`. A `workflow` stands in it as in the file.

        `values` has one for each of `sources()`. Raises ApplyFileError for a value that cannot be sent.
        """
        members = {**self.members, **self._urls(values)}
        request: dict[str, Any] = {name: members[name] for name in REQUEST_MEMBERS if name in members}
        if "headers" in request:
            request["headers"] = dict(self._headers(values))
        if (source := source_of(request.get("body"))) is not None:
            request["body"] = self._body(source, values[source])
        apart = {*SCHEDULE_MEMBERS, *REQUEST_MEMBERS, *TARGET_MEMBERS}
        rest = {name: value for name, value in members.items() if name not in apart}
        service = next((each for each in TARGETS if each in members), None)
        if service is not None:
            options = {name: members[name] for name in OPTIONS if name in members}
            target = target_of(service, members[service], {**request, **options})
            return {**rest, "schedule": self.schedule(), "target": target}
        called = {} if "workflow" in members else {"request": request}
        return {**rest, "schedule": self.schedule(), **called}

    def hidden(self) -> frozenset[str]:
        """The JSON pointers in the API of the URLs that the file does not hold."""
        return frozenset(
            pointer for path, pointer in URL_POINTERS.items() if source_of(value_at(self.members, path))
        )

    def schedule(self) -> dict[str, Any]:
        """Return the `schedule` of the body, which `POST /v1/schedules/preview` takes by itself."""
        return {name: self.members[name] for name in SCHEDULE_MEMBERS if name in self.members}

    def _headers(self, values: Mapping[Source, str]) -> Iterator[tuple[str, str]]:
        for name, value in self.members["headers"].items():
            source = source_of(value)
            text = value if source is None else values[source]
            if not _HEADER_TEXT.fullmatch(text):
                raise ApplyFileError(
                    f"{self.section}.{self.key}.headers.{name}: the value of {source} has characters that no header has"
                )
            yield name, text

    def _urls(self, values: Mapping[Source, str]) -> dict[str, Any]:
        """The members with a URL from outside the file, with their values."""
        found: dict[str, Any] = {}
        for path in URL_POINTERS:
            source = source_of(value_at(self.members, path))
            if source is None:
                continue
            first, *rest = path
            place = ".".join((self.section, self.key, *path))
            url = checked_url(place, source, values[source], may_be_none=path != ("url",))
            found[first] = {**self.members[first], rest[0]: url} if rest else url
        return found

    def _body(self, source: Source, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ApplyFileError(
                f"{self.section}.{self.key}.body: the value of {source} is not UTF-8"
            ) from None
        return text

    def _values(self) -> Iterator[Any]:
        yield from self.members.get("headers", {}).values()
        yield self.members.get("body")
        yield from (value_at(self.members, path) for path in URL_POINTERS)


def api_key(set_name: str, key: str) -> str:
    """The key in the API of a job that a file of this set calls `key`."""
    return f"{set_name}.{key}"
