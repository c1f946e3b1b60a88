"""From the arguments of a method to the call that is sent."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from msgspec import UNSET

from punctual import _operations
from punctual._core import Rules
from punctual._http import Link
from punctual._model import Ref
from punctual._operation import Call, Operation, Repeat, Secret, T, id_of
from punctual._values import IfMatch, encode, etag, instant, members_of, query_of, revision_of
from punctual.models import Batch, JobIn

MAX_JOBS = 100
MAX_BYTES = 250_000
"""The jobs of one request; the API takes 256 KiB in all."""
MAX_KEY = 255
C = TypeVar("C", bound="Requests")
_HEADER = re.compile(r"[\x20-\x7e]+")
_KEY = re.compile(rf"[\x21-\x7e]{{1,{MAX_KEY}}}")


@dataclass(frozen=True, slots=True)
class Requests:
    """Makes calls; what is needed of the environment is in the rules."""

    rules: Rules
    link: Link

    def limited(self: C, timeout: float | None, max_elapsed: float | None) -> C:
        """The same with other limits."""
        link = self.link if timeout is None else replace(self.link, timeout=timeout)
        rules = self.rules if max_elapsed is None else replace(self.rules, max_elapsed=max_elapsed)
        return replace(self, link=link, rules=rules)

    def instant(self, value: Any) -> Any:
        """An instant as a text; what is not given stays so."""
        return value if value is None or value is UNSET else instant(value, self.rules.now())

    def make(
        self,
        operation: Operation[T],
        *ids: Ref,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        body_is_required: bool = True,
        idempotency_key: str | None = None,
        if_match: IfMatch | None = None,
        headers: Mapping[str, str | None] | None = None,
        token: str | None = None,
    ) -> Call[T]:
        """The call of an operation; ValueError or TypeError for arguments that cannot be sent."""
        given = None if body is None else members_of(body)
        sent = {"If-Match": etag(if_match), **(headers or {})}
        if operation.repeat is Repeat.KEY:
            sent["Idempotency-Key"] = self.key(idempotency_key)
        return Call(
            operation=operation,
            path=operation.at(*ids),
            query=query_of(query or {}),
            body=encode(given) if given or (given is not None and body_is_required) else None,
            headers={name: _header(name, value) for name, value in sent.items() if value is not None},
            token=None if token is None else Secret(_header("X-Callback-Token", token)),
        )

    def key(self, given: str | None) -> str:
        """The key of a call: the one that is given, or a new one."""
        if given is None:
            return self.rules.new_key()
        if not _KEY.fullmatch(given):
            raise ValueError(f"an idempotency_key is 1 to {MAX_KEY} visible ASCII characters")
        return given

    def batch_calls(
        self,
        jobs: Iterable[JobIn | Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        depth: str | None = None,
        traceparent: str | None = None,
    ) -> list[Call[Batch]]:
        """Calls of at most 100 jobs each. The first has the key, and the others the key with their number.

        Raises ValueError for several calls without a key: an import that breaks off could not be repeated.
        """
        bodies = list(_batches(encode(job) for job in jobs))
        if len(bodies) > 1 and idempotency_key is None:
            raise ValueError(
                "these jobs need several requests: give an idempotency_key, so that they can be repeated"
            )
        key = self.key(idempotency_key)
        headers = {"Punctual-Depth": depth, "traceparent": traceparent}
        operation = _operations.CREATE_JOBS
        return [
            Call(
                operation=operation,
                path=operation.path,
                body=body,
                headers={
                    "Idempotency-Key": self.key(key if number == 1 else f"{key}.{number}"),
                    **{name: _header(name, value) for name, value in headers.items() if value is not None},
                },
            )
            for number, body in enumerate(bodies, start=1)
        ]

    def any(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None,
        json: Any,
        idempotency_key: str | None,
        if_match: IfMatch | None,
    ) -> Call[Any]:
        """A call of any path of the API. It is repeated after a lost answer if it reads, or has a key."""
        if not path.startswith("/"):
            raise ValueError(f"{path!r} is no path of the API: give one such as /v1/usage")
        repeat = Repeat.ALWAYS if method.upper() in ("GET", "HEAD") else Repeat.KEY
        headers = {"Idempotency-Key": idempotency_key, "If-Match": etag(if_match)}
        return Call(
            operation=Operation(
                f"{method.upper()} {path}", method.upper(), path, dict.fromkeys(range(200, 300), Any), repeat
            ),
            path=path,
            query=query_of(query or {}),
            body=None if json is UNSET else encode(json),
            headers={name: _header(name, value) for name, value in headers.items() if value is not None},
        )

    @staticmethod
    def revision_of(job: Ref, if_match: IfMatch | None) -> str:
        """See `punctual._values.revision_of`."""
        return revision_of(job, if_match)

    @staticmethod
    def reference(value: Any) -> Any:
        """The id of an object; what is not given stays so."""
        return value if value is None or value is UNSET else id_of(value)


def _batches(jobs: Iterable[bytes]) -> Iterable[bytes]:
    """Bodies, always the same ones for the same jobs."""
    held: list[bytes] = []
    for job in jobs:
        if held and (len(held) == MAX_JOBS or sum(map(len, held)) + len(held) + len(job) > MAX_BYTES):
            yield _body(held)
            held = []
        held.append(job)
    if held:
        yield _body(held)


def _body(jobs: list[bytes]) -> bytes:
    return b'{"jobs":[' + b",".join(jobs) + b"]}"


def _header(name: str, value: str) -> str:
    if not isinstance(value, str) or not _HEADER.fullmatch(value):
        raise ValueError(f"the value of {name} cannot be a header: it needs visible ASCII characters")
    return value
