"""Wake-ups: messages that say which executions to look at. They carry keys, never a URL, secret or payload."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId
from shared.names import Lane

MAX_DELAY_SECONDS = 900
MAX_KEYS = 10
EARLY_MS = 1_500
"""A message this early or less is claimed at once and waited for; an earlier one is put back."""
_CEIL_FROM_MS = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class Wakeup:
    """Up to 10 executions of one tenant and lane, due in the same second; none begins before `not_before`."""

    lane: Lane
    tenant_id: str
    keys: tuple[ExecutionId, ...]
    not_before: int

    def __post_init__(self) -> None:
        """Refuse an empty or an overfull message."""
        if not 1 <= len(self.keys) <= MAX_KEYS:
            raise InvalidValueError(f"a wake-up names 1 to {MAX_KEYS} executions")

    def singles(self) -> list["Wakeup"]:
        """One message for each key."""
        return [single_wakeup(self.lane, self.tenant_id, key, self.not_before) for key in self.keys]


def single_wakeup(lane: Lane, tenant_id: str, key: ExecutionId, not_before: int) -> Wakeup:
    """A message that names one execution."""
    return Wakeup(lane=lane, tenant_id=tenant_id, keys=(key,), not_before=not_before)


def pack(wakeups: Iterable[Wakeup]) -> list[Wakeup]:
    """Join single wake-ups of the same tenant, lane and second into as few messages as may be.

    `not_before` of a pack is the earliest of its keys; each key's own instant is in its id, and the executor
    waits for that.
    """

    def same_second(wakeup: Wakeup) -> tuple[str, str, int]:
        return wakeup.lane, wakeup.tenant_id, wakeup.not_before // 1000

    packs = []
    for _, group in groupby(sorted(wakeups, key=same_second), key=same_second):
        members = list(group)
        for start in range(0, len(members), MAX_KEYS):
            chunk = members[start : start + MAX_KEYS]
            packs.append(
                Wakeup(
                    lane=chunk[0].lane,
                    tenant_id=chunk[0].tenant_id,
                    keys=tuple(wakeup.keys[0] for wakeup in chunk),
                    not_before=min(wakeup.not_before for wakeup in chunk),
                )
            )
    return packs


def delay_seconds(not_before: int, now_ms: int) -> int:
    """The whole seconds for which SQS shall hold a message: 0 to 900.

    Rounded down, and the rest is waited for in the executor, except where that rest would be 0.8 s or more:
    holding a worker so long costs more than the 0.2 s of lag.
    """
    whole, rest_ms = divmod(max(0, not_before - now_ms), 1000)
    return min(MAX_DELAY_SECONDS, whole + (rest_ms >= _CEIL_FROM_MS))
