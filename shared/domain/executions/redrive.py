"""Redrives: what ties a dead letter to the executions that run its request again.

A redrive is an execution of its own, with a fresh budget of attempts; what failed stays failed. Redrives of the same
original are numbered, and each but the first was asked for when the one before had ended without success. Which comes
after which is written down once, in the record of the earlier one, before the later one is filed: so that whoever asks
again, or at the same moment, names the same execution.
"""

from dataclasses import dataclass
from hashlib import sha256

from shared.domain.bucket import ShardCounts
from shared.domain.ids import ENTROPY_BITS, ExecutionId, new_one_off_id

MAX_REDRIVES = 100
"""So often can one original be redriven."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedriveOf:
    """What a redrive makes up for: the original, however many redrives lie between, and its number, from 1."""

    original: ExecutionId
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RedrivenBy:
    """Which execution runs the request of one that has ended without success, and for which bulk redrive."""

    execution: ExecutionId
    task: str | None = None


def redrive_id(redrive: RedriveOf, due_at: int, counts: ShardCounts) -> ExecutionId:
    """The id of a redrive that is due at an instant: a function of the original and the number beside that."""
    digest = sha256(f"redrive|{redrive.original}|{redrive.number}".encode()).digest()
    return new_one_off_id(due_at, counts, int.from_bytes(digest[: ENTROPY_BITS // 8]))
