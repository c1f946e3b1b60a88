"""Wake-ups: SQS messages that name executions to run. They carry keys, never a URL, secret or payload."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from shared.dataclass import dataclass
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.trace import Trace
from shared.domain.dispatch.arrival import WaitSoFar
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId
from shared.names import Lane, QueueName

MAX_DELAY_SECONDS = 900
MAX_KEYS = 10
_CEIL_FROM_MS = 800
PackKey = tuple[str, str, str, int, int]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wakeup:
    """Up to 10 executions of one tenant and lane, due in the same second; none starts before `not_before`."""

    lane: Lane
    tenant_id: str
    keys: tuple[ExecutionId, ...]
    not_before: int
    destinations: tuple[str, ...] = ()
    """One for each key; empty where they are unknown."""
    traces: tuple[Trace | None, ...] = ()
    """One for each key: the trace of the client that created its job. Empty where no client gave one."""
    via: QueueName | None = None
    """The queue, where it is not the lane's own."""
    waited: int = 0
    """How often its executions have been deferred."""
    ends_at: int | None = None
    """A deferral beyond this instant drops the message: the sweeper will have sent another one."""
    wait: WaitSoFar | None = None
    """The wait of the message that it takes the place of; None if no worker has received it before."""

    def __post_init__(self) -> None:
        """InvalidValueError for too few or too many keys, or for destinations of only some keys."""
        if not 1 <= len(self.keys) <= MAX_KEYS:
            raise InvalidValueError(f"a wake-up names 1 to {MAX_KEYS} executions")
        if self.destinations and len(self.destinations) != len(self.keys):
            raise InvalidValueError("a wake-up names one destination for each execution, or none")
        if self.traces and len(self.traces) != len(self.keys):
            raise InvalidValueError("a wake-up names one trace for each execution, or none")

    @property
    def queue(self) -> QueueName:
        return self.via or QueueName(self.lane)

    @property
    def is_resent(self) -> bool:
        """Whether the sweeper sent it."""
        return self.ends_at is not None

    def destination_of(self, key: ExecutionId) -> str:
        """The destination of a key's call, or `UNKNOWN`."""
        return self.destinations[self.keys.index(key)] if self.destinations else UNKNOWN

    def trace_of(self, key: ExecutionId) -> Trace | None:
        """The trace of the client that created a key's job; None if the execution has a trace of its own."""
        return self.traces[self.keys.index(key)] if self.traces else None

    def only(self, keys: Sequence[ExecutionId]) -> "Wakeup":
        """A copy that names these of its executions."""
        return replace(
            self,
            keys=tuple(keys),
            destinations=tuple(map(self.destination_of, keys)) if self.destinations else (),
            traces=known_for_any(list(map(self.trace_of, keys))),
        )

    def singles(self) -> list["Wakeup"]:
        return [self.only((key,)) for key in self.keys]


def single_wakeup(
    lane: Lane,
    tenant_id: str,
    key: ExecutionId,
    not_before: int,
    destination: str = UNKNOWN,
    trace: Trace | None = None,
) -> Wakeup:
    return Wakeup(
        lane=lane,
        tenant_id=tenant_id,
        keys=(key,),
        not_before=not_before,
        destinations=(destination,) if destination else (),
        traces=(trace,) if trace else (),
    )


def message_group(wakeup: Wakeup, weight: int) -> str:
    """The SQS message group, the unit of fair queueing: a tenant has `weight` groups.

    The first key chooses the group, so that a pack stays whole.
    """
    if weight == 1:
        return wakeup.tenant_id
    return f"{wakeup.tenant_id}.{wakeup.keys[0].entropy % weight}"


def pack(wakeups: Iterable[Wakeup]) -> list[Wakeup]:
    """Join single wake-ups of the same tenant, lane and second into as few messages as possible."""
    packs = []
    for _, group in groupby(sorted(wakeups, key=pack_key), key=pack_key):
        members = list(group)
        packs += [join(members[start : start + MAX_KEYS]) for start in range(0, len(members), MAX_KEYS)]
    return packs


def pack_key(wakeup: Wakeup) -> PackKey:
    """Single wake-ups with the same key may share a message."""
    return wakeup.lane, wakeup.queue, wakeup.tenant_id, wakeup.not_before // 1000, wakeup.ends_at or 0


def join(singles: Sequence[Wakeup]) -> Wakeup:
    """One message for at most `MAX_KEYS` single wake-ups with the same key.

    `not_before` of a pack is the earliest of its keys; each key's own instant is in its id, and the executor
    waits for that.
    """
    return replace(
        singles[0],
        keys=tuple(wakeup.keys[0] for wakeup in singles),
        not_before=min(wakeup.not_before for wakeup in singles),
        destinations=known_for_any([wakeup.destination_of(wakeup.keys[0]) for wakeup in singles]),
        traces=known_for_any([wakeup.trace_of(wakeup.keys[0]) for wakeup in singles]),
    )


def known_for_any(values: Sequence[T]) -> tuple[T, ...]:
    """One value for each key of a wake-up, or nothing where none of them is known."""
    return tuple(values) if any(values) else ()


def delay_seconds(not_before: int, now_ms: int) -> int:
    """The SQS delay of a message: 0 to 900 whole seconds.

    Rounded down, and the executor waits for the rest. A rest of 0.8 s or more is rounded up: holding a worker
    for that long costs more than 0.2 s of lag.
    """
    whole, rest_ms = divmod(max(0, not_before - now_ms), 1000)
    return min(MAX_DELAY_SECONDS, whole + (rest_ms >= _CEIL_FROM_MS))
