"""What there is in the model of a recurring job: its instants, who files successors, and who deletes it."""

from enum import Enum, IntEnum, auto
from typing import NamedTuple

from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.jobs.job import JobState

NOWHERE = -1


class Filing(IntEnum):
    """Where somebody stands who files the successor of an execution."""

    IDLE = auto()
    LOOKING = auto()
    """It is late, and looks first whether the immediate successor is there."""
    JUMPING = auto()
    FOLLOWING = auto()
    AUDITING = auto()
    """It files the immediate successor only if the job is active."""


class Deleting(IntEnum):
    """Where a deletion stands."""

    IDLE = auto()
    BEGINNING = auto()
    PROBING = auto()
    ENTOMBING = auto()
    """It puts a tombstone where nothing stands."""
    ENDING = auto()
    """It saw an execution that has not started, and makes that one the tombstone."""
    READING = auto()
    STOPPING = auto()
    CONCLUDING = auto()


class Flaw(Enum):
    """Faults that the model can be given; each must break a promise."""

    NEXT_FROM_NOW = "the next instant is computed from now"
    SUCCESSOR_OF_TOMBSTONE = "a tombstone's successor is filed"
    JUMP_UNCONTESTED = "a jump does not compete for the key of the immediate successor"
    JUMP_UNGUARDED = "a jump does not ask whether the job is active"
    JUMP_UNRECORDED = "a jump leaves no record of what it passed over"
    GAP_REFILLED = "whoever meets a jump's record files the instant behind it"
    DONE_TOO_EARLY = "the message is done before the successor is filed"
    ONE_TOMBSTONE = "a deletion puts one tombstone, whether it sticks or not"
    PROBED_TOO_EARLY = "a deletion looks for the head before it marks the job"
    HEAD_COUNTED = "a deletion takes the latest due instant for the head"
    ACKNOWLEDGED_TOO_EARLY = "a deletion is acknowledged before its tombstones are put"
    RETRIES_NOT_ASKED = "a retry does not ask whether its job is gone"


class Row(NamedTuple):
    """The execution of one instant. `passed_to`: the last instant that the jump which it records passed over.

    `owed`: its message is not done.
    """

    state: State | None = None
    ends_chain: bool = False
    passed_to: int = NOWHERE
    stop: bool = False
    owed: bool = False

    @property
    def has_started(self) -> bool:
        """Whether it stands there, and a claim of it was granted once."""
        return self.state not in (None, State.SKIPPED, *NOT_STARTED) and not self.ends_chain


class Filer(NamedTuple):
    """Who files the successor of the execution at `number`."""

    at: Filing = Filing.IDLE
    number: int = NOWHERE
    immediate: int = NOWHERE
    target: int = NOWHERE
    last_missed: int = NOWHERE


class Deleter(NamedTuple):
    """One request to delete the job."""

    at: Deleting = Deleting.IDLE
    position: int = NOWHERE
    chain_from: int = 0
    far: int = NOWHERE
    stuck: bool = False
    tries: int = 0


class World(NamedTuple):
    """Everything."""

    now: int
    rows: tuple[Row, ...]
    filers: tuple[Filer, ...]
    deleters: tuple[Deleter, ...]
    job: JobState = JobState.ACTIVE
    chain_from: int = 0

    def with_row(self, number: int, row: Row) -> "World":
        """The same with another row at that instant."""
        return self._replace(rows=(*self.rows[:number], row, *self.rows[number + 1 :]))

    def __str__(self) -> str:
        """Short enough for a line of a trace."""
        rows = " ".join(_word(row) for row in self.rows)
        actors: tuple[Filer | Deleter, ...] = (*self.filers, *self.deleters)
        busy = [
            f"{type(actor).__name__.lower()} {actor.at.name.lower()} {actor[1]}"
            for actor in actors
            if actor.at > 1
        ]
        return f"moment {self.now} | job {self.job.value} | {rows} | {', '.join(busy)}"


def _word(row: Row) -> str:
    if row.state is None:
        return "-"
    if row.ends_chain:
        return "tombstone"
    return (
        f"{row.state.value}{'-' + str(row.passed_to) if row.passed_to >= 0 else ''}{'!' if row.owed else ''}"
    )
