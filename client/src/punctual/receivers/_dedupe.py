"""The rules of deduplication, without I/O.

A call is claimed before its work, for the length of a lease, and marked as done after it. A claim whose owner
died lapses with its lease, so that the next attempt does the work. *Done* is final: a worker that finishes after
its lease has still done the work, and no later attempt repeats it.
"""

from dataclasses import dataclass
from math import ceil

KEEP_DONE_SECONDS = 10 * 86_400
"""The last attempt of an execution starts within 7 days and 20 hours of the first."""
_DONE, _CLAIM = "done", "claim"


@dataclass(frozen=True, slots=True)
class Record:
    """What a store knows of a call: who works on it until when, or that it is done."""

    owner: str | None
    """The worker that has claimed the call; None if it is done."""
    until_ms: int
    """When the claim lapses, or when a done call may be forgotten; milliseconds since 1970."""
    answer: str = ""
    """What a done task of a workflow hands on: a repetition of its call gets it again. Empty for every other call."""

    @property
    def is_done(self) -> bool:
        return self.owner is None

    def encode(self) -> str:
        """The text that a store keeps; equal for equal records only."""
        if self.owner is not None:
            return f"{_CLAIM} {self.until_ms} {self.owner}"
        return f"{_DONE} {self.until_ms}" + (f" {self.answer}" if self.answer else "")

    @classmethod
    def decode(cls, text: str) -> "Record":
        """ValueError if no record was encoded so: something else writes to the store."""
        kind, _, rest = text.partition(" ")
        until, _, tail = rest.partition(" ")
        is_known = (kind == _DONE and is_json(tail)) or (kind == _CLAIM and bool(tail))
        if not (is_known and until.isdecimal()):
            raise ValueError("the store of calls has an entry that Punctual did not write")
        return cls(None, int(until), tail) if kind == _DONE else cls(tail, int(until))


def is_json(text: str) -> bool:
    """Whether it is an answer that is kept: a JSON text, or none."""
    if not text:
        return True
    import json  # most calls keep no answer

    try:
        # Numbers are not converted: some would take long.
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Running:
    """Another worker has claimed the call."""

    until_ms: int

    def retry_after_seconds(self, now_ms: int) -> int:
        """From now until the claim lapses, at least one second."""
        return max(1, ceil((self.until_ms - now_ms) / 1000))


@dataclass(frozen=True, slots=True)
class Done:
    """The work of the call has been done."""

    answer: str = ""


@dataclass(frozen=True, slots=True)
class NotOwned:
    """There is no claim of this worker."""


def claim(found: Record | None, owner: str, now_ms: int, lease_ms: int) -> Record | Running | Done:
    """The record to write for a claim by `owner`, or why there is none. An owner extends its claim so, too."""
    if found is not None and found.until_ms > now_ms:
        if found.is_done:
            return Done(found.answer)
        if found.owner != owner:
            return Running(found.until_ms)
    return Record(owner, now_ms + lease_ms)


def finish(now_ms: int, answer: str = "") -> Record:
    """The record of done work, whatever was found: even if the claim has lapsed, or is another worker's now."""
    return Record(None, now_ms + KEEP_DONE_SECONDS * 1000, answer)


def release(found: Record | None, owner: str, now_ms: int) -> Record | NotOwned:
    """The record of a failed attempt: a claim that has lapsed. Another worker's claim, and done work, remain."""
    if found is None or found.owner != owner:
        return NotOwned()
    return Record(owner, min(found.until_ms, now_ms))
