"""Keep the shard of a late put on the sweepers' list, with few writes however many puts there are."""

from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.bounded_cache import BoundedCache
from shared.domain.bucket import (
    KEPT_OPEN_MARGIN_MS,
    KEPT_OPEN_MS,
    bucket_end_ms,
    may_be_closed,
    next_sweep_ms,
)
from shared.domain.ids import ExecutionId
from shared.ports.dispatch import ShardLedger

MAX_REMEMBERED = 10_000
"""Shards that a process remembers, at about 0.2 KB each."""


@dataclass(slots=True)
class OpenShards:
    """One instance per process. A reopening by any process keeps the shard open for `KEPT_OPEN_MS`."""

    ledger: ShardLedger
    _until: BoundedCache[tuple[int, int], int] = field(default_factory=lambda: BoundedCache(MAX_REMEMBERED))

    def ensure(self, location: ExecutionId, now_ms: int) -> None:
        """Ensure that sweepers will scan the shard after a put at `now_ms`; UnavailableError.

        One strong read, or a read and a write, for each shard and `KEPT_OPEN_MS`; nothing while the first
        sweep of the bucket is still to come.
        """
        bucket, shard = location.bucket, location.shard
        if not may_be_closed(bucket, now_ms) or _is_reliable(self._until.get((bucket, shard)), now_ms):
            return
        until = self.ledger.open_until(bucket, shard)
        if until is None or not _is_reliable(until, now_ms):
            until = now_ms + KEPT_OPEN_MS
            next_pass_at = max(bucket_end_ms(bucket), next_sweep_ms(bucket, now_ms))
            self.ledger.reopen(bucket, shard, next_pass_at=next_pass_at, open_until=until)
        self._until[bucket, shard] = until


def _is_reliable(until: int | None, now_ms: int) -> bool:
    """Whether the guarantee lasts long enough for a put. One of more than `KEPT_OPEN_MS` shows a clock that is
    wrong, this one or the other."""
    return until is not None and KEPT_OPEN_MARGIN_MS < until - now_ms <= KEPT_OPEN_MS
