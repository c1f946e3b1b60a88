"""A call of Punctual whose signature was verified, and what its headers say."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

_ATTEMPT = re.compile(r"[1-9][0-9]{0,3}")
_INPUT: Final = "input"


class CallHeaders:
    """What the headers of a request say that no signature covers, whether or not the request is genuine."""

    __slots__ = ("headers",)

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.headers: Final = headers
        """All headers of the request, by lower-case name."""

    @property
    def job_id(self) -> str | None:
        """The id of the job; None without the header."""
        return self.headers.get("x-job-id")

    @property
    def attempt(self) -> int | None:
        """The number of the attempt, from 1; None without the header, or if it is malformed."""
        text = self.headers.get("x-attempt", "")
        return int(text) if _ATTEMPT.fullmatch(text) else None

    @property
    def scheduled_at(self) -> datetime | None:
        """The nominal instant, with its zone; None without the header, or if it is malformed."""
        try:
            instant = datetime.fromisoformat(self.headers.get("x-scheduled-at", "").replace("Z", "+00:00"))
        except ValueError:
            return None
        return instant if instant.tzinfo is not None else None

    @property
    def backfill_of(self) -> str | None:
        """The job that was backfilled; None for any other call. `scheduled_at` is then the past instant."""
        return self.headers.get("x-backfill-of")

    @property
    def run_id(self) -> str | None:
        """The run of a workflow, `run_...`; None for the call of a job."""
        return self.headers.get("punctual-run")

    @property
    def task(self) -> str | None:
        """The key of the task in its workflow; None for the call of a job."""
        return self.headers.get("punctual-task")

    @property
    def item_index(self) -> int | None:
        """The position of the element in the array, from 0; None for a task that is no map, and for a job."""
        position = self.headers.get("punctual-item", "")
        return int(position) if position.isascii() and position.isdigit() else None

    @property
    def depth(self) -> str | None:
        """`Punctual-Depth`: send it back when the call makes you create a job."""
        return self.headers.get("punctual-depth")

    @property
    def traceparent(self) -> str | None:
        """The trace of the client that created the job, or one for all attempts of the execution."""
        return self.headers.get("traceparent")

    @property
    def callback_token(self) -> str | None:
        """The credential for reports on this attempt, as secret as a password. `punctual.receivers` uses it."""
        return self.headers.get("x-callback-token")


class Call(CallHeaders):
    """What a call says.

    The signature covers `id`, `signed_at` and `body`. It does not cover the other headers: a party that
    can change the request on its way can change them. So they inform, and decide nothing that matters for security.
    """

    __slots__ = ("body", "id", "signed_at")

    # No dataclass: its modules would be most of what the import of this package takes.
    def __init__(self, *, id: str, signed_at: datetime, body: bytes, headers: Mapping[str, str]) -> None:  # noqa: A002
        self.id: Final = id
        """The id of the execution, `exe_...`, equal for every attempt: deduplicate by it."""
        self.signed_at: Final = signed_at
        """When this attempt was signed, in UTC, to the second."""
        self.body: Final = body
        """The raw bytes."""
        super().__init__(headers)

    def __repr__(self) -> str:
        """Without the body and the headers, which may have secrets."""
        return f"{type(self).__name__}(id={self.id!r}, job_id={self.job_id!r}, attempt={self.attempt})"

    def text(self, encoding: str = "utf-8") -> str:
        """The body as text; UnicodeDecodeError, a ValueError, if it is none in this encoding."""
        return self.body.decode(encoding)

    def json(self) -> Any:
        """The body as JSON; ValueError if it is none, such as an empty body."""
        import json  # most receivers of empty bodies never need it

        return json.loads(self.body)

    def task_body(self) -> Any:
        """The task's own JSON body, of the call of a task with `needs` or `input`, or of a map; None without one.

        ValueError for any other call.
        """
        return self._with_results()["body"]

    def run_input(self) -> Any:
        """The input of the run, of the call of a task with `input`; None for a run without one.

        It is the event, if an event has started the run. ValueError for any other call.
        """
        document = self._with_results()
        if _INPUT not in document:
            raise ValueError("the body has no input: only a task with input gets it")
        return document[_INPUT]

    def results(self) -> "dict[str, TaskResult]":
        """What the tasks in `needs` have handed on, by their keys. ValueError for the call of another task or job."""
        return {
            key: TaskResult(each["state"], each["result"])
            for key, each in self._with_results()["results"].items()
        }

    def item(self) -> "TaskItem":
        """The element for which a map calls its task. ValueError for the call of another task or job."""
        item = self._with_results().get("item")
        if item is None:
            raise ValueError("the body has no item: only a map gets any")
        return TaskItem(item["index"], item["count"], item["value"])

    def _with_results(self) -> dict[str, Any]:
        document = self.json()
        if not (isinstance(document, dict) and document.keys() - {_INPUT, "item"} == {"body", "results"}):
            raise ValueError("the body has no results: only a task with needs, or a map, gets any")
        return document


class TaskResult(NamedTuple):
    """How a needed task has ended, and what it has handed on."""

    state: str
    """`succeeded`, `failed`, `cancelled` or `skipped`."""
    result: Any
    """Its JSON value; None unless it has succeeded."""


class TaskItem:
    """An element of the array of a map."""

    __slots__ = ("count", "index", "value")

    def __init__(self, index: int, count: int, value: Any) -> None:
        self.index: Final = index
        """From 0."""
        self.count: Final = count
        """Elements of the array."""
        self.value: Final = value
        """Its JSON value."""

    def __repr__(self) -> str:
        """Without the value, which may have secrets."""
        return f"{type(self).__name__}(index={self.index}, count={self.count})"
