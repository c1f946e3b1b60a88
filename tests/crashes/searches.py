"""The client that searches executions, and what it was promised: each of them on one line of the files."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.request import urlopen

from shared.domain.schedules.instants import format_instant
from tests.crashes.clock import SharedClock
from tests.crashes.gateway import Answer
from tests.crashes.reader import ACCEPTED, TRIES, Reader, Send


@dataclass(slots=True, kw_only=True)
class Search:
    """A search as its client knows it."""

    id: str | None = None
    """None: not acknowledged."""
    shown: dict[str, Any] = field(default_factory=dict)
    """As it was shown last."""


class Searches(Reader):
    """Searches all that was due in a run."""

    def __init__(self, clock: SharedClock, send: Send) -> None:
        super().__init__(send)
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """A new run: executions of earlier ones are none of its business."""
        self._begun_at = self._clock.now_ms()
        self.all: list[Search] = []

    def start(self) -> None:
        """Search what was due since the run began."""
        search = Search()
        self.all.append(search)
        headers = {"idempotency-key": f"search-{self._begun_at}-{len(self.all)}"}
        body = {"from": format_instant(self._begun_at)}
        answer = self._ask("POST", "/v1/executions/search", body, headers)
        if answer.status == ACCEPTED:
            search.id = answer.body["id"]

    def are_at_rest(self) -> bool:
        """Whether every search has ended."""
        for search in self.all:
            search.shown = self._ask("GET", f"/v1/searches/{search.id}").body
        return not any(search.shown.get("state") == "running" for search in self.all)

    def faults(self, records: list[dict[str, Any]]) -> Iterator[str]:
        """What was promised and does not hold. `records` are all executions of the run."""
        self.are_at_rest()
        for search in self.all:
            if search.shown.get("state") != "finished":
                yield f"search: it never ended, it is {search.shown}"
                continue
            wanted = Counter(
                each["id"] for each in records if search.shown["from"] <= each["due_at"] < search.shown["to"]
            )
            found = Counter(line["id"] for line in self._lines(search))
            yield from (f"search: {each} is on no line" for each in wanted - found)
            yield from (f"search: {each} is on a line too many" for each in found - wanted)
            if search.shown["found"] != found.total():
                yield f"search: {search.shown['found']} were counted, and {found.total()} are there"

    @staticmethod
    def _lines(search: Search) -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = []
        for file in search.shown["files"]:
            with urlopen(file["url"], timeout=30) as answer:
                lines += map(json.loads, gzip.decompress(answer.read()).splitlines())
        return lines

    def _ask(self, *request: Any) -> Answer:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        return answer
