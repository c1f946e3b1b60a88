"""Requests that a document shows, sent; and answers that it shows, compared with what comes.

The exchanges of one document are one story, told to one deployment. Its clock begins at 2025-02-19T21:10:12.345Z and
stands still, so that every instant is compared as it is; ids, keys and cursors are those of the story: wherever the
document shows the same one, the API must answer with the same one. A member "..." stands for any others.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.fakes.sender import in_turn, succeeds
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.reports import async_accepted

_NAME = re.compile(
    r"\b(?:job|exe|sec|aud|rdr)_[0-9a-z_]{8,}|\bpk_[0-9a-z]{16}_[0-9a-z]{32}|\bct1_[0-9A-Za-z_-]+|whsec_[0-9A-Za-z+/]{43}="
)
"""Whatever is made of chance, by its form."""
_LONG = frozenset({"next_cursor", "instance"})
"""Members whose whole text is."""
_SLUG = frozenset({"id", "key_id"})
REST = "..."


@dataclass(slots=True)
class Story:
    """What was said and heard so far."""

    world: ApiWorld = field(default_factory=ApiWorld)
    names: dict[str, str] = field(default_factory=dict)
    """By what the document shows: what it is in this deployment."""
    key: str = ""
    heard: Answer | None = None
    called: Any = None
    """The body of the call that is shown next."""

    def __post_init__(self) -> None:
        """A key that may do everything but operate."""
        self.world.limit_to(*Scope)
        self.key = self.world.world.credentials.api_key

    def obey(self, directive: str) -> None:
        """Do what is to be done before an example; KeyError for what nobody knows."""
        word, _, rest = directive.partition(": ")
        _DIRECTIVES[word](self, rest)

    def say(self, text: str) -> None:
        """Send a request that is shown as HTTP."""
        head, _, body = text.partition("\n\n")
        line, *lines = head.splitlines()
        method, target = line.split(" ")
        headers = dict(header.split(": ", 1) for header in lines)
        self.send(method, target, headers, body.strip())

    def send(self, method: str, target: str, headers: dict[str, str], body: str) -> None:
        """Send it under the ids of this deployment."""
        path, _, query = self._translated(target).partition("?")
        given = {name: self._translated(value) for name, value in headers.items()}
        if not given.keys() & {"Authorization", "X-Callback-Token"}:
            given["Authorization"] = f"Bearer {self.key}"
        if body and "Content-Type" not in given:
            given["Content-Type"] = "application/json"
        self.heard = self.world.handle(
            Request(
                method=method,
                path=path,
                headers=given,
                query=dict(pair.split("=", 1) for pair in query.split("&")) if query else {},
                body=self._translated(body) or None,
            )
        )

    def hear(self, text: str) -> None:
        """Compare an answer that is shown as HTTP with the one that came."""
        assert self.heard is not None, "an answer to no request"
        head, _, body = text.partition("\n\n")
        line, *lines = head.splitlines()
        assert self.heard.status == int(line.split(" ")[1]), self.heard.text
        for name, shown in (header.split(": ", 1) for header in lines):
            self._learn(shown, self.heard.headers[name])
            assert self._translated(shown) == self.heard.headers[name]
        if body.strip():
            self.compare(orjson.loads(body), self.heard.json)

    def hear_call(self, text: str) -> None:
        """Compare the body of a call that is shown with that of the one that was made."""
        assert self.called is not None, "the body of no call"
        self.compare(orjson.loads(text), self.called)
        self.called = None

    def compare(self, shown: Any, real: Any, place: str = "") -> None:
        """Every member that is shown is there, and no other unless that is said."""
        if isinstance(shown, dict):
            assert isinstance(real, dict), place
            names = shown.keys() - {REST}
            assert names <= real.keys() and (REST in shown or names == real.keys()), (
                place,
                names ^ real.keys(),
            )
            for name in names:
                self._compare_member(name, shown[name], real[name], f"{place}/{name}")
        elif isinstance(shown, list):
            assert isinstance(real, list) and len(shown) == len(real), (place, real)
            for number, (one, other) in enumerate(zip(shown, real, strict=True)):
                self.compare(one, other, f"{place}/{number}")
        elif isinstance(shown, str):
            self._learn(shown, str(real))
            assert self._translated(shown) == real, (place, real)
        else:
            assert shown == real and type(shown) is type(real), (place, real)

    def _compare_member(self, name: str, shown: Any, real: Any, place: str) -> None:
        is_of_chance = name in _LONG or (name in _SLUG and isinstance(shown, str) and not _NAME.search(shown))
        if is_of_chance and isinstance(shown, str):
            assert isinstance(real, str) and bool(shown) == bool(real), place
            self.names.setdefault(shown, real)
        else:
            self.compare(shown, real, place)

    def _learn(self, shown: str, real: str) -> None:
        """Ids that are shown for the first time are those that came."""
        for one, other in zip(_NAME.findall(shown), _NAME.findall(real), strict=False):
            if self.names.setdefault(one, other) != other:
                raise AssertionError(f"{one} was {self.names[one]} before, and is {other} now")
            if one.startswith("job_1"):  # A job that runs once is its execution.
                self.names[one.replace("job_", "exe_")] = other.replace("job_", "exe_")

    def _translated(self, text: str) -> str:
        for shown in sorted(self.names, key=len, reverse=True):
            text = text.replace(shown, self.names[shown])
        return text


def _wait(story: Story, seconds: str) -> None:
    """Everything runs, and time passes."""
    Lanes(story.world.world).until(story.world.world.clock.time_ms + int(float(seconds) * 1000))


def _receiver(story: Story, answer: str) -> None:
    """What all receivers answer from now on: a status and what they ask for with it, or that they work on."""
    if answer == "works on":
        story.world.world.sender.answer_to = async_accepted
    elif answer == "200":
        story.world.world.sender.answer_to = succeeds
    else:
        status, _, header = answer.partition(", ")
        failed = CallbackResponse(
            reason=Reason.RECEIVER_GAVE_UP if header == "X-Punctual-No-Retry: true" else Reason.HTTP_STATUS,
            duration_ms=5,
            status=int(status),
            retry_after_seconds=int(header.removeprefix("Retry-After: ")) if "Retry" in header[:11] else None,
        )
        story.world.world.sender.answer_to = in_turn(failed)


def _as_operator(story: Story, _: str) -> None:
    """The key of an operator, from now on."""
    story.key = story.world.world.create_tenant.operator().api_key


def _afresh(story: Story, _: str) -> None:
    """Another deployment, in which nothing has happened yet."""
    fresh = Story()
    story.world, story.names, story.key = fresh.world, {}, fresh.key


def _call_carried(story: Story, token: str) -> None:
    """The token of the last call, by what the document calls it."""
    headers = dict(story.world.world.sender.calls[-1].callback.headers)
    story.names[token] = headers["X-Callback-Token"]


def _call_said(story: Story, _: str) -> None:
    """The last call is shown next."""
    story.called = orjson.loads(story.world.world.sender.calls[-1].callback.body)


def _given(story: Story, body: str) -> None:
    """A job that is there already."""
    story.send("POST", "/v1/jobs", {}, body)
    assert story.heard is not None and story.heard.status == 201


_DIRECTIVES: dict[str, Callable[[Story, str], None]] = {
    "seconds pass": _wait,
    "receivers answer": _receiver,
    "as an operator": _as_operator,
    "afresh": _afresh,
    "the call carried": _call_carried,
    "the call said": _call_said,
    "given": _given,
}
