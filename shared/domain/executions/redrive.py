"""Redrives: executions that run the request of a dead letter again.

A redrive is a new execution with a fresh budget of attempts; the dead letter stays failed. Redrives of one
original are numbered, and each later redrive requires that the previous one ended without success. The mark
in the earlier execution names its redrive and is written once, before the redrive is filed. A repeated or
concurrent request therefore finds the same redrive.
"""

from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.bucket import ShardCounts
from shared.domain.ids import ENTROPY_BITS, ExecutionId, new_one_off_id

MAX_REDRIVES = 100
"""The maximum number of redrives of one original."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedriveOf:
    """The original dead letter, however many redrives lie between, and the number of the redrive, from 1."""

    original: ExecutionId
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RedrivenBy:
    """The mark in a dead letter: its redrive, and the bulk redrive that created it, if any."""

    execution: ExecutionId
    task: str | None = None


def redrive_id(redrive: RedriveOf, due_at: int, counts: ShardCounts) -> ExecutionId:
    """The redrive's id, a pure function of the arguments: every process computes the same id."""
    digest = sha256(f"redrive|{redrive.original}|{redrive.number}".encode()).digest()
    entropy = int.from_bytes(digest[: ENTROPY_BITS // 8])
    return new_one_off_id(due_at, counts, entropy, cell=redrive.original.cell)
