"""A call as `punctual listen` shows it: ids, lag, the check of its signature, and how it was answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from punctual.hooks.wire import RawHeaders
from punctual.webhooks._verification import ID, lower_case
from punctual.webhooks.call import CallHeaders
from punctual.webhooks.diagnosis import Problem, StoredRequest, judge


class Source(Enum):
    """Who gave an answer."""

    RECEIVER = "receiver"
    INJECTED = "injected"
    """`--fail`: the receiver was not called."""
    LISTENER = "listener"
    """The receiver gave none."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call was answered."""

    source: Source
    status: int
    seconds: float
    """From the arrival of the call to the end of its answer."""
    detail: str | None = None
    """Why the receiver gave no whole answer, or that the caller did not wait for it."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a call says about itself. All texts are as they came; only the signature tells whether they are true."""

    arrived_at: datetime
    method: str
    path: str
    """With the query."""
    call_id: str | None
    job_id: str | None
    attempt: int | None
    lag_ms: float | None
    """How long after its nominal instant a first attempt arrived. None for retries and backfills."""
    problems: tuple[Problem, ...] | None = field(default=None)
    """What is wrong with the signature, or nothing; None if no secret is known."""

    @property
    def is_genuine(self) -> bool | None:
        """None if no secret is known."""
        return None if self.problems is None else not self.problems


def arrival_of(
    method: bytes,
    request_target: bytes,
    headers: RawHeaders,
    body: bytes,
    *,
    secrets: Sequence[str],
    arrived_at: datetime,
) -> Arrival:
    """Read and judge a call, whatever its headers are. SecretError if a secret is none."""
    given = lower_case(headers)
    said = CallHeaders(given)
    return Arrival(
        arrived_at=arrived_at,
        method=method.decode("latin-1"),
        path=request_target.decode("latin-1"),
        call_id=given.get(ID),
        job_id=said.job_id,
        attempt=said.attempt,
        lag_ms=_lag_ms(said, arrived_at),
        problems=_problems(headers, body, secrets, arrived_at.timestamp) if secrets else None,
    )


def _problems(
    headers: RawHeaders, body: bytes, secrets: Sequence[str], clock: Callable[[], float]
) -> tuple[Problem, ...]:
    texts = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    return judge(StoredRequest(texts, body), list(secrets), clock=clock).problems


def _lag_ms(said: CallHeaders, arrived_at: datetime) -> float | None:
    if said.attempt != 1 or said.backfill_of is not None or said.scheduled_at is None:
        return None
    return (arrived_at - said.scheduled_at).total_seconds() * 1000
