"""How long each stage of an attempt took, from the due time to the first byte of the response.

A duration is kept as a code of one byte. The codes are the buckets of a histogram with the factor 2^(1/11): two
histograms merge exactly by adding, and a decoded duration is at most 3.2 % off.
"""

from collections.abc import Sequence
from enum import IntEnum, StrEnum
from math import log2

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError

CODES_PER_DOUBLING = 11
UNKNOWN_CODE = 255
LONGEST_CODE = UNKNOWN_CODE - 1
"""Of about 2.4 hours and of everything longer."""


class Stage(StrEnum):
    """The stages in order. The values are those of the API."""

    FILED = "filed"
    """Due time to creation, of an execution that was created after its due time."""
    REFUNDED = "refunded"
    """Claims before that made no call."""
    LOST = "lost"
    """An earlier attempt whose worker did not record its outcome."""
    SENT = "sent"
    """Due and created, until its message could be received."""
    QUEUE = "queue"
    WAIT = "wait"
    """First receive until limits and backpressure let the call through."""
    CLAIM = "claim"
    READY = "ready"
    """Claim until the call begins: the request is read, unsealed and signed."""
    CONNECT = "connect"
    HEAD = "head"
    """The request, until the first byte of the response."""
    DONE = "done"
    """The rest of the response."""


STORED = (Stage.QUEUE, Stage.WAIT, Stage.CLAIM, Stage.READY, Stage.CONNECT, Stage.HEAD)
"""The stages with a code, in the order of the codes. The last two begin with the call."""
_INDEX = {stage: index for index, stage in enumerate(STORED)}
UNKNOWN_CODES = bytes([UNKNOWN_CODE]) * len(STORED)


class WaitCause(IntEnum):
    """Why a message waited between its first receive and the claim. The numbers are stored: never renumber.

    The names are those of `WaitReason`, and of waits that no limit causes.
    """

    TENANT_CONCURRENCY = 1
    TENANT_RATE = 2
    DESTINATION_CONCURRENCY = 3
    DESTINATION_RATE = 4
    BREAKER_OPEN = 5
    SLOW = 6
    BACKPRESSURE = 7
    LATE = 8
    OVERLAP = 9
    """An earlier run of the job had not ended."""
    UNDECIDED = 10
    """The claim was repeated: the table did not answer, or the worker had too little time left for the call."""

    SUSPENDED = 11

    @property
    def word(self) -> str:
        """The spelling of the API."""
        return self.name.lower()


def cause_of(number: int) -> WaitCause | None:
    """None for 0, and for a number of another release."""
    return WaitCause(number) if number in _CAUSES else None


def cause_named(word: str) -> WaitCause | None:
    """None for a word of another release."""
    return _WORDS.get(word)


_CAUSES = frozenset(WaitCause)
_WORDS = {cause.word: cause for cause in WaitCause}


def code_of(duration_ms: int | None) -> int:
    """The code of a duration in ms; None is unknown."""
    if duration_ms is None:
        return UNKNOWN_CODE
    return min(LONGEST_CODE, round(CODES_PER_DOUBLING * log2(1 + max(0, duration_ms))))


def duration_of(code: int) -> int | None:
    """The duration of a code in ms; None is unknown. `LONGEST_CODE` stands for this duration or more."""
    return None if code == UNKNOWN_CODE else round(2 ** (code / CODES_PER_DOUBLING) - 1)


def codes_between(due_at: int, instants: Sequence[int]) -> list[int]:
    """The codes of the stages between consecutive instants.

    Time before `due_at` counts in no stage. Two clocks may disagree: no stage is negative, and no stage ends after
    the last instant, so that the stages add up.
    """
    last_at = instants[-1]
    before_at = min(max(due_at, instants[0]), last_at)
    codes = []
    for instant in instants[1:]:
        at = min(max(before_at, instant), last_at)
        codes.append(code_of(at - before_at))
        before_at = at
    return codes


@dataclass(frozen=True, slots=True)
class AttemptStages:
    """The codes of one attempt, and why it waited."""

    codes: bytes = UNKNOWN_CODES
    cause: WaitCause | None = None

    def __post_init__(self) -> None:
        """InvalidValueError unless there is one code for each stage."""
        if len(self.codes) != len(STORED):
            raise InvalidValueError(f"an attempt has {len(STORED)} codes")

    def duration_ms(self, stage: Stage) -> int | None:
        """None where the duration is unknown."""
        return duration_of(self.codes[_INDEX[stage]])

    def is_longest(self, stage: Stage) -> bool:
        """Whether the stage may have taken longer than a code can say."""
        return self.codes[_INDEX[stage]] == LONGEST_CODE


UNKNOWN_STAGES = AttemptStages()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The stages of the first attempt, and of the latest one that was recorded with its stages."""

    number: int
    """Of the latest attempt. An older release or a lost worker leaves it behind the count of attempts."""
    first: AttemptStages
    latest: AttemptStages

    def of(self, attempt: int) -> AttemptStages:
        """The stages of an attempt; unknown for all but the first and the latest."""
        if attempt == self.number:
            return self.latest
        return self.first if attempt == 1 else UNKNOWN_STAGES


def following(stages: Stages | None, attempt: int, latest: AttemptStages) -> Stages:
    """The stages to store with the outcome of an attempt."""
    if attempt == 1:
        return Stages(number=1, first=latest, latest=latest)
    first = UNKNOWN_STAGES if stages is None else stages.first
    return Stages(number=attempt, first=first, latest=latest)
