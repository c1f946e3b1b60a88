"""Buckets (UTC minutes), their shards, and the time windows of watching and sweeping.

A bucket's name is its minute number since the epoch. The number of shards of a bucket never shrinks, so a
writer with an older, smaller count still writes to a shard that every watcher reads. A release with larger
counts may be rolled back: a stored record of the counts in use keeps its shards scanned.
"""

from collections.abc import Iterator
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError

MINUTE_MS = 60_000
LOOK_AHEAD_MS = 120_000
"""Watchers scan a bucket from this long before its start."""
GUARD_MS = 5_000
"""Clock-skew margin: this close to the scan, the writer sends the wake-up, because the watcher may miss the
row."""
FIRST_SWEEP_MS = 10_000
"""The delay from the end of a bucket to its first sweep; the sweep may close the bucket."""
KEPT_OPEN_MS = 60_000
"""A reopened shard stays on the sweepers' list for at least this long."""
KEPT_OPEN_MARGIN_MS = 20_000
"""A writer relies on a reopening of another writer only until this long before its end."""
WRITER_LIFE_MS = 620_000
"""No invocation lasts longer: a put comes this soon after its writer's look at the ledger, or never."""
LATER_SWEEPS_MS = (60_000, 300_000, 1_800_000)
HOURLY_MS = 3_600_000
MAX_SHARDS = 32_768


def bucket_of(instant_ms: int) -> int:
    return instant_ms // MINUTE_MS


def bucket_start_ms(bucket: int) -> int:
    return bucket * MINUTE_MS


def bucket_end_ms(bucket: int) -> int:
    """Exclusive end: the first millisecond after the bucket."""
    return (bucket + 1) * MINUTE_MS


def is_near(bucket: int, now_ms: int) -> bool:
    """Return whether the bucket may already have been scanned, so that the writer must send the wake-up."""
    return now_ms >= bucket_start_ms(bucket) - LOOK_AHEAD_MS - GUARD_MS


def may_be_closed(bucket: int, now_ms: int) -> bool:
    """Return whether the sweeper may have closed the bucket; a writer then reopens it before filing."""
    return now_ms >= bucket_end_ms(bucket) + FIRST_SWEEP_MS - GUARD_MS


def buckets_to_watch(now_ms: int) -> range:
    """Return the buckets in the look-ahead: the current minute and those whose scan is due."""
    return range(bucket_of(now_ms), bucket_of(now_ms + LOOK_AHEAD_MS) + 1)


def kept_open_until(bucket: int, open_until: int | None) -> int:
    """Return until when writers may rely on the shard being open: a close requires a scan that began later.

    A writer reopens the shard only once it may have been closed; before, the first sweep is still to come.
    """
    return max(bucket_end_ms(bucket) + FIRST_SWEEP_MS, open_until or 0)


def is_complete(bucket: int, open_until: int | None, scan_began_at: int) -> bool:
    """Return whether a scan that began then saw every row that any writer has put, or will put, without
    reopening the shard again."""
    return scan_began_at >= kept_open_until(bucket, open_until) + WRITER_LIFE_MS


def next_sweep_ms(bucket: int, now_ms: int) -> int:
    """Return the next scheduled sweep of the bucket, strictly after `now_ms`."""
    end_ms = bucket_end_ms(bucket)
    for offset_ms in (FIRST_SWEEP_MS, *LATER_SWEEPS_MS):
        if end_ms + offset_ms > now_ms:
            return end_ms + offset_ms
    last_ms = end_ms + LATER_SWEEPS_MS[-1]
    return last_ms + ((now_ms - last_ms) // HOURLY_MS + 1) * HOURLY_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardCounts:
    """The number of shards of a bucket, by the class of its minute."""

    normal: int
    quarter: int
    midnight: int

    def __post_init__(self) -> None:
        for count in (self.normal, self.quarter, self.midnight):
            if not 1 <= count <= MAX_SHARDS:
                raise InvalidValueError(f"a shard count must be 1 to {MAX_SHARDS}, not {count}")

    def of(self, bucket: int) -> int:
        """Return the count of a bucket: midnight UTC first, then :00, :15 and :30, then any other minute."""
        count: int = getattr(self, _minute_class(bucket))
        return count

    def covers(self, other: "ShardCounts") -> bool:
        """Return whether no count is smaller than in `other`."""
        return (
            self.normal >= other.normal and self.quarter >= other.quarter and self.midnight >= other.midnight
        )

    def grown_to(self, other: "ShardCounts") -> "ShardCounts":
        """Return the larger count of both for each class of minute."""
        return ShardCounts(
            normal=max(self.normal, other.normal),
            quarter=max(self.quarter, other.quarter),
            midnight=max(self.midnight, other.midnight),
        )

    def with_shard(self, bucket: int, shard: int) -> "ShardCounts":
        """Return counts that contain this shard of the bucket."""
        return replace(self, **{_minute_class(bucket): max(self.of(bucket), shard + 1)})


LEAST_COUNTS = ShardCounts(normal=1, quarter=1, midnight=1)
"""Every plan covers these counts: the first shard of each bucket is always scanned."""


def _minute_class(bucket: int) -> str:
    if bucket % 1440 == 0:
        return "midnight"
    return "quarter" if bucket % 60 in (0, 15, 30) else "normal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardEpoch:
    """The counts of all buckets from `from_bucket` until the next epoch."""

    from_bucket: int
    counts: ShardCounts


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """The grow-only history of shard counts."""

    epochs: tuple[ShardEpoch, ...]

    def __post_init__(self) -> None:
        """Refuse an empty, unordered or shrinking plan: a shrunk bucket would hide its upper shards."""
        if not self.epochs:
            raise InvalidValueError("a shard plan needs at least one epoch")
        for earlier, later in zip(self.epochs, self.epochs[1:], strict=False):
            if later.from_bucket <= earlier.from_bucket:
                raise InvalidValueError("the epochs of a shard plan must be in order of time")
            if not later.counts.covers(earlier.counts):
                raise InvalidValueError("shard counts may only grow")

    def counts_at(self, bucket: int) -> ShardCounts:
        """Return the counts of a bucket; buckets before the first epoch use the counts of the first."""
        valid = [epoch.counts for epoch in self.epochs if epoch.from_bucket <= bucket]
        return valid[-1] if valid else self.epochs[0].counts

    def grown_to(self, recorded: ShardCounts) -> "ShardPlan":
        """Return this plan with no count below the recorded count, in any epoch."""
        return ShardPlan(
            tuple(replace(epoch, counts=epoch.counts.grown_to(recorded)) for epoch in self.epochs)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRange:
    """Part `index` of `of` equal parts of a bucket's shards."""

    index: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.of:
            raise InvalidValueError(f"there is no part {self.index} of {self.of}")

    def shards(self, count: int) -> Iterator[int]:
        """Return the shards of this part; each shard belongs to exactly one part."""
        return (shard for shard in range(count) if shard * self.of // count == self.index)


EVERY_SHARD = ShardRange(index=0, of=1)
