"""The client `Punctual`."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from msgspec import UNSET

from punctual._config import resolve
from punctual._core import R, Sleep, Steps, batch, exchange
from punctual._groups import Item, P
from punctual._http import Link, SyncConnections
from punctual._model import Ref
from punctual._operation import Operation, T
from punctual._requests import Requests
from punctual._runtime import MAX_ELAPSED_SECONDS, SYSTEM, TIMEOUT_SECONDS, Runtime
from punctual._sync_groups import Operations
from punctual._values import IfMatch
from punctual._waiting import Ended, ended
from punctual.models import Batch, JobIn


@dataclass(frozen=True, slots=True)
class _Caller(Requests):
    """Performs the steps of calls."""

    connections: SyncConnections
    sleep: Callable[[float], None]

    def run(self, steps: Steps[R]) -> R:
        """Perform steps to their end."""
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                result: R = end.value
                return result
            answer = None
            if isinstance(step, Sleep):
                self.sleep(step.seconds)
            else:
                answer = self.connections.send(step, self.link)

    def call(self, operation: Operation[T], *ids: Ref, **parts: Any) -> T:
        return self.run(exchange(self.make(operation, *ids, **parts), self.rules))

    def create_batch(self, jobs: Iterable[JobIn | Mapping[str, Any]], **parts: str | None) -> Batch:
        return self.run(batch(self.batch_calls(jobs, **parts), self.rules))

    def pages(self, read: Callable[[str | None], P], items: Callable[[P], Sequence[Item]]) -> Iterator[Item]:
        cursor, is_last = None, False
        while not is_last:
            page = read(cursor)
            yield from items(page)
            cursor = page.next_cursor
            is_last = cursor is None


class Punctual(Operations):
    """The client of a deployment. It is safe to share between threads; use it as a context manager, or close it."""

    _client: _Caller

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        profile: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        max_elapsed: float = MAX_ELAPSED_SECONDS,
        transport: httpx.BaseTransport | None = None,
        runtime: Runtime | None = None,
    ) -> None:
        """Take the URL and the key from the arguments, PUNCTUAL_URL and PUNCTUAL_KEY, or a profile.

        `timeout` is the longest wait for a connection or for data, in seconds. No attempt begins more than
        `max_elapsed` seconds after the first; 0 means that nothing is sent twice. `transport` replaces the connections
        of httpx, and `runtime` the clock. Raises ConfigurationError.
        """
        chosen = runtime or SYSTEM
        link = Link(resolve(url, key, profile, os.environ), timeout)
        super().__init__(_Caller(chosen.rules(max_elapsed), link, SyncConnections(transport), chosen.sleep))

    @property
    def url(self) -> str:
        """The URL of the deployment, without a final slash."""
        return self._client.link.config.url

    def with_options(self, *, timeout: float | None = None, max_elapsed: float | None = None) -> "Punctual":
        """A client with other limits, which shares the connections of this one."""
        other = object.__new__(Punctual)
        other._client = self._client.limited(timeout, max_elapsed)
        return other

    def wait_for(self, subject: Ref, *, timeout: float = MAX_ELAPSED_SECONDS) -> Ended:
        """Wait until a one-off job, a backfill, an execution or a run of a workflow has ended, however it ended.

        Raises WaitTimeoutError after `timeout` seconds, and ValueError for a recurring job.
        """
        return self._client.run(ended(subject, timeout, self._client.rules))

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = UNSET,
        idempotency_key: str | None = None,
        if_match: IfMatch | None = None,
    ) -> Any:
        """The decoded answer to any request, such as one that this version has no method for.

        After a lost answer it is sent again only if it reads, or has an `idempotency_key`.
        """
        call = self._client.any(
            method, path, query=query, json=json, idempotency_key=idempotency_key, if_match=if_match
        )
        return self._client.run(exchange(call, self._client.rules))

    def close(self) -> None:
        """Close the connections, also those of clients made by `with_options`."""
        self._client.connections.close()

    def __enter__(self) -> "Punctual":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Punctual({self.url!r})"
