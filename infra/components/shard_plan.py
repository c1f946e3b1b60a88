"""The shard plan of a stage: the number of shards of a bucket, by the class of its minute and by epoch."""

import json
import re
from dataclasses import dataclass
from itertools import pairwise

MAX_SHARDS = 32_768
"""The limit of the shard number in an execution id."""
MAX_EPOCHS = 20
"""Each takes some 75 bytes of the variables of every function, which have 4 KB in all."""
ARCHIVED_SHARDS = 32
"""Shards of one archiver: it passes 8 groups an hour, twice each, and a group of a busy hour takes six minutes."""
MOST_ARCHIVERS = 16
_MINUTE = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\dZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardEpoch:
    """Shard counts from the UTC minute `since` (`YYYY-MM-DDTHH:MMZ`) until the next epoch."""

    since: str
    normal: int
    quarter: int
    midnight: int

    def __post_init__(self) -> None:
        if not _MINUTE.fullmatch(self.since):
            raise ValueError(
                f"an epoch of shards begins at a UTC minute, such as '2026-01-31T00:00Z', not {self.since!r}"
            )
        if not all(1 <= count <= MAX_SHARDS for count in self.counts):
            counts = ", ".join(map(str, self.counts))
            raise ValueError(f"the counts of shards are 1 to {MAX_SHARDS}, not {counts}")

    @property
    def counts(self) -> tuple[int, int, int]:
        """The counts of normal minutes, of :00, :15 and :30, and of midnight."""
        return self.normal, self.quarter, self.midnight


def check_plan(plan: tuple[ShardEpoch, ...]) -> None:
    """Raise ValueError if empty, unordered or shrinking: a shrunk bucket would hide its upper shards."""
    if not 1 <= len(plan) <= MAX_EPOCHS:
        raise ValueError(
            f"shards has 1 to {MAX_EPOCHS} epochs, not {len(plan)}: remove the oldest, but keep the last one that "
            "began more than retention_days ago"
        )
    for earlier, later in pairwise(plan):
        if later.since <= earlier.since:
            raise ValueError(
                f"the epochs of shards are in order of time: {later.since} must not follow {earlier.since}"
            )
        if any(new < old for old, new in zip(earlier.counts, later.counts, strict=True)):
            raise ValueError(
                f"the counts of shards may only grow, and those since {later.since} are less than those since "
                f"{earlier.since}"
            )


def fewest_shards(plan: tuple[ShardEpoch, ...]) -> int:
    """Return the smallest number of shards of any bucket."""
    return min(min(epoch.counts) for epoch in plan)


def archivers_of(plan: tuple[ShardEpoch, ...]) -> int:
    """Return the number of archivers that keep up with all shards."""
    return min(-(-max(plan[-1].counts) // ARCHIVED_SHARDS), MOST_ARCHIVERS)


def plan_json(plan: tuple[ShardEpoch, ...]) -> str:
    """Encode the plan for the environment of the functions."""
    epochs = [
        {"from": epoch.since, "normal": epoch.normal, "quarter": epoch.quarter, "midnight": epoch.midnight}
        for epoch in plan
    ]
    return json.dumps(epochs, separators=(",", ":"))
