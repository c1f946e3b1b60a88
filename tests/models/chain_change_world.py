"""What there is in the model of a recurring job that is changed: the old chain and the new one, and who changes it."""

from enum import Enum, IntEnum, auto
from typing import NamedTuple

from shared.domain.jobs.job import JobState
from tests.models.chain_world import NOWHERE, Deleter, Filer, Row

OLD, NEW = 0, 1


class Changing(IntEnum):
    """Where somebody stands who changes the job."""

    IDLE = auto()
    DECIDING = auto()
    """He has seen the job, and is about to begin the change."""
    PROBING = auto()
    ENDING = auto()
    """He puts tombstones, as a deletion does."""
    CONCLUDING = auto()


class Flaw(Enum):
    """Faults that the model can be given; each must break a promise."""

    ONLY_DUE_ENTOMBED = "a pause ends what is due, and leaves the head that is still to come"
    SUCCESSOR_OF_TOMBSTONE = "a tombstone's successor is filed in the old chain"
    RESUMED_FROM_NOW_ALONE = "a resumption repeats an instant that had begun ahead of its time"
    RESUMED_FROM_THE_END = (
        "a resumption goes on where the tombstones end, and runs what the pause passed over"
    )
    PAUSE_UNRECORDED = "a resumption leaves no record of what the pause passed over"
    UPDATED_FROM_NOW = "an update forgets what was late"
    UPDATED_FROM_THE_END = "an update forgets what has a tombstone"
    EDITED_WITHOUT_IF_MATCH = "an update does not check the revision that its maker saw"
    RECORD_PASSED_BY = "who ends a chain goes on behind the record of a pause that others have ended"
    RECORD_IN_ONE_PLACE = "the record of a pause goes behind the last known tombstone, and nowhere else"


class Changer(NamedTuple):
    """One request to change the job, or somebody who finishes what another began."""

    at: Changing = Changing.IDLE
    kind: JobState = JobState.ACTIVE
    """The state in which the change leaves the job while it goes on."""
    seen: int = 0
    """The revision of the job that he saw."""
    chain: int = OLD
    ending: Deleter = Deleter()


class ChangedWorld(NamedTuple):
    """Everything."""

    now: int
    chains: tuple[tuple[Row, ...], tuple[Row, ...]]
    changers: tuple[Changer, ...]
    filer: Filer = Filer()
    filed_in: int = OLD
    """The chain of the execution whose successor the filer files."""
    job: JobState = JobState.ACTIVE
    revision: int = 1
    chain: int = OLD
    chain_from: int = 0
    ended_after: int = NOWHERE
    """The last instant that had begun when the chain ended."""
    ended_through: int = NOWHERE
    begins: int = 0
    """The first instant that is the new chain's to account for."""
    is_update: bool = False
    """Whether the new chain is one of an update, which passes over nothing."""
    changed: tuple[int, ...] = ()
    """The revisions that changes were made from."""

    def with_row(self, chain: int, number: int, row: Row) -> "ChangedWorld":
        """The same with another row in one chain."""
        rows = self.chains[chain]
        return self.with_rows(chain, (*rows[:number], row, *rows[number + 1 :]))

    def with_rows(self, chain: int, rows: tuple[Row, ...]) -> "ChangedWorld":
        """The same with another chain."""
        old, new = self.chains
        return self._replace(chains=(rows, new) if chain == OLD else (old, rows))

    def __str__(self) -> str:
        """Short enough for a line of a trace."""
        rows = [" ".join(_word(row) for row in chain) for chain in self.chains]
        busy = [f"{each.kind.value} {each.at.name.lower()}" for each in self.changers if each.at > 1]
        if self.filer.at > 1:
            busy.append(f"filer {self.filer.at.name.lower()} {self.filer.number} of {self.filed_in}")
        job = f"job {self.job.value} at {self.revision}"
        return f"moment {self.now} | {job} | {rows[OLD]} | {rows[NEW]} | {', '.join(busy)}"


def _word(row: Row) -> str:
    if row.state is None:
        return "-"
    if row.passed_to != NOWHERE:
        return f"record-{row.passed_to}"
    return "tombstone" if row.ends_chain else row.state.value
