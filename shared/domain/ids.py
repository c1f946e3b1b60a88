"""Identifiers. An execution id contains the storage key of its item, so a read by id needs no index.

`exe_` + 31 characters of Crockford's base32: a version (1), the cell, the dispatch instant in ms (50 bits),
the final shard number (15 bits) and 80 bits that are random for a one-off and derived for an occurrence of a
recurring job. A one-off job *is* its execution: its id has the same 31 characters after `job_`. A recurring
job has `job_r`, its cell and 26 characters; the id of a backfill begins with the id of its job.

The cell is the deployment that owns the job. Every id that is derived from another id keeps its cell.
"""

import re
from dataclasses import field
from functools import lru_cache
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.bucket import MAX_SHARDS, ShardCounts, bucket_of
from shared.domain.errors import InvalidValueError

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_VERSION = "1"
_LOCATED = re.compile(rf"1[{_ALPHABET}]{{30}}")
_RECURRING = re.compile(rf"(job_r[{_ALPHABET}]{{27}})(?:_b[{_ALPHABET}]{{26}})?")
JOB_ID = rf"^job_(1[{_ALPHABET}]{{30}}|r[{_ALPHABET}]{{27}}(_b[{_ALPHABET}]{{26}})?)$"
"""Pattern of all job ids: one-off, recurring and backfill."""
CELL = rf"^[{_ALPHABET}]$"
"""Pattern of a cell: one character."""
DEFAULT_CELL = "0"
_CELL_AT = 5
"""The position of the cell in the text of every id."""
_MAX_INSTANT = 1 << 50
ENTROPY_BITS = 80
_SHARD_BITS = 15


_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
"""The texts of ten bits: two digits at a time are faster than one."""
_PYTHONS = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
"""From Crockford's digits to those that `int` reads in base 32."""


def encode_base32(value: int, length: int) -> str:
    """Encode an integer in Crockford's base32, padded with zeros to `length` characters."""
    pairs = [_PAIRS[value >> bits & 1023] for bits in range(10 * ((length - 1) // 2), -1, -10)]
    return "".join(pairs)[-length:]


def decode_base32(text: str) -> int:
    """The inverse, for Crockford's digits alone."""
    return int(text.translate(_PYTHONS), 32)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ExecutionId:
    """Identity and location of one execution. Ids compare as their texts do."""

    cell: str
    dispatch_at: int
    shard: int
    entropy: int
    _text: str = field(default="", init=False, repr=False, compare=False)
    """The text that it was parsed from, or that was spelled before."""

    def __post_init__(self) -> None:
        if not 0 <= self.dispatch_at < _MAX_INSTANT or not 0 <= self.shard < MAX_SHARDS:
            raise InvalidValueError("an execution id needs an instant and a shard in range")
        if len(self.cell) != 1 or self.cell not in _ALPHABET:
            raise InvalidValueError("an execution id needs a cell of one character")
        if not 0 <= self.entropy < 1 << ENTROPY_BITS:
            raise InvalidValueError("an execution id carries 80 bits of entropy")

    @property
    def bucket(self) -> int:
        """The UTC minute in which the execution is due."""
        return bucket_of(self.dispatch_at)

    @property
    def body(self) -> str:
        """The 31 characters after the prefix."""
        return str(self)[4:]

    def __str__(self) -> str:
        if not self._text:
            number = (self.dispatch_at << _SHARD_BITS | self.shard) << ENTROPY_BITS | self.entropy
            self._remember(f"exe_{_VERSION}{self.cell}{encode_base32(number, 29)}")
        return self._text

    def _remember(self, text: str) -> None:
        object.__setattr__(self, "_text", text)


@lru_cache(maxsize=1024)
def parse_execution_id(text: str) -> ExecutionId:
    """Parse the text form; InvalidValueError for any text that is not canonical.

    Executors parse each id twice: in the message, and in the row that they claim.
    """
    if not text.startswith("exe_"):
        raise InvalidValueError("an execution id starts with exe_")
    parsed = _parse_body(text[4:])
    parsed._remember(text)
    return parsed


def _parse_body(body: str) -> ExecutionId:
    if not _LOCATED.fullmatch(body):
        raise InvalidValueError("not an id that this version can read")
    number = decode_base32(body[2:])
    return ExecutionId(
        cell=body[1],
        dispatch_at=number >> _SHARD_BITS + ENTROPY_BITS,
        shard=number >> ENTROPY_BITS & (1 << _SHARD_BITS) - 1,
        entropy=number & (1 << ENTROPY_BITS) - 1,
    )


class RecurringJobId(str):
    """The id of a recurring job or of a backfill."""

    __slots__ = ()


JobId = ExecutionId | RecurringJobId
"""A one-off job has the id of its execution."""


def one_off_job_id(execution_id: ExecutionId) -> str:
    """Return the id of the one-off job with this execution."""
    return f"job_{execution_id.body}"


def one_off_execution(job_id: str) -> ExecutionId | None:
    """Return the execution id of a one-off job's id; None if the id is of another kind or malformed."""
    if not job_id.startswith("job_") or not _LOCATED.fullmatch(job_id[4:]):
        return None
    return _parse_body(job_id[4:])


def recurring_job_id(created_at: int, entropy: int, *, cell: str) -> RecurringJobId:
    """Return a new id for a recurring job; the ids of a cell sort by creation time."""
    return RecurringJobId(f"job_r{cell}{encode_base32(created_at, 10)}{encode_base32(entropy, 16)}")


def backfill_job_id(of: str, created_at: int, entropy: int) -> RecurringJobId:
    """Return a new id for a backfill: the job's id plus a suffix.

    Backfills of a job sort by creation time.
    """
    return RecurringJobId(f"{of}_b{encode_base32(created_at, 10)}{encode_base32(entropy, 16)}")


def cell_of(job_id: str) -> str:
    """Return the cell of a job of any kind."""
    return job_id[_CELL_AT]


def job_id_text(job_id: JobId) -> str:
    """Return the text form, as users see it."""
    return one_off_job_id(job_id) if isinstance(job_id, ExecutionId) else job_id


def parse_job_id(text: str) -> JobId | None:
    """Read the text form; None where the text is no job id."""
    return RecurringJobId(text) if is_recurring_job_id(text) else one_off_execution(text)


def backfilled_job(job_id: str) -> str | None:
    """Return the job id of a backfill's id; None for any other id."""
    match = _RECURRING.fullmatch(job_id)
    return match[1] if match is not None and match[1] != job_id else None


def is_recurring_job_id(job_id: str) -> bool:
    """Return whether the text has the form of a recurring job's or backfill's id."""
    return _RECURRING.fullmatch(job_id) is not None


def is_job_id(text: str) -> bool:
    """Return whether the text has the form of a job id of any kind."""
    return parse_job_id(text) is not None


def new_one_off_id(dispatch_at: int, counts: ShardCounts, entropy: int, *, cell: str) -> ExecutionId:
    """Return the execution id of a new one-off job; `entropy` also selects the shard."""
    shard = entropy % counts.of(bucket_of(dispatch_at))
    return ExecutionId(cell=cell, dispatch_at=dispatch_at, shard=shard, entropy=entropy)


def occurrence_id(
    job_id: str, revision: int, nominal_at: int, counts: ShardCounts, dispatch_at: int | None = None
) -> ExecutionId:
    """Return the id of an occurrence of a recurring job.

    A pure function, so all writers compute the same key. `counts` must be the counts frozen in the job's
    revision, never the current configuration. `dispatch_at` is the instant after jitter.
    """
    at = nominal_at if dispatch_at is None else dispatch_at
    digest = sha256(f"{job_id}|{revision}|{nominal_at}".encode()).digest()
    shard_hash = int.from_bytes(sha256(job_id.encode()).digest()[:8])
    return ExecutionId(
        cell=cell_of(job_id),
        dispatch_at=at,
        shard=shard_hash % counts.of(bucket_of(at)),
        entropy=int.from_bytes(digest[: ENTROPY_BITS // 8]),
    )
