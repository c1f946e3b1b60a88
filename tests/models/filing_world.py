"""What there is in the model of one shard of one bucket: rows and their writers, ticks, and the ledger's row."""

from enum import Enum, IntEnum, auto
from typing import NamedTuple

from shared.domain.executions.states import State

UNKNOWN = -1
"""No position, no instant or no version that could be met again."""


class Filing(IntEnum):
    """Where a writer stands. Each step is one look at the clock, or one effect."""

    BEGINS = auto()
    OPENED = auto()
    DECIDED = auto()
    """It saw that the scan is far off; whatever happens before its put, it puts PENDING."""
    PUT = auto()
    REOPENED = auto()
    ACKNOWLEDGED = auto()
    FAILED = auto()
    """It died, or said 503."""


class Watching(IntEnum):
    """Where a tick of the watcher stands."""

    IDLE = auto()
    SCANNING = auto()
    READ = auto()
    SENT = auto()
    FINISHING = auto()


class Sweeping(IntEnum):
    """Where a run of the sweeper stands."""

    IDLE = auto()
    MISSING = auto()
    """The shard is not on the list, and its bucket was never gone through."""
    UNMARKED = auto()
    LISTED = auto()
    PASSING = auto()


class Flaw(Enum):
    """Faults that the model can be given; each must break a promise."""

    NO_SECOND_LOOK = "the writer does not look at the clock again after its put"
    ACKNOWLEDGED_UNSENT = "the writer acknowledges though its message was not accepted"
    NOT_REOPENED = "a closed bucket is not reopened"
    REOPENED_ONLY_BEFORE = "a closed bucket is not reopened again after the put"
    CURSOR_BEFORE_SEND = "the watcher moves its cursor before it sends"
    FINISHED_BEFORE_SEND = "the watcher marks the shard scanned before it sends"
    REFUSAL_IGNORED = "the watcher takes no notice of messages that were not accepted"
    STALE_SCAN = "the watcher's read may be behind"
    FIRST_PAGE_WATCHED = "the watcher takes the first page for the last"
    FIRST_PAGE_SWEPT = "the sweeper takes the first page for the last"
    CLOSED_UNFINISHED = "the sweeper closes what is unfinished"
    CLOSED_BLINDLY = "the sweeper closes a shard that was reopened meanwhile"
    VERSION_ANEW = "the version of a shard starts anew when it is reopened"
    SCAN_TRUSTED = "the first pass trusts a scan that was never finished"
    MARKED_UNLISTED = "the sweeper notes a bucket as gone through before its shards are listed"


OLD_MS, NEW_MS = 0, 1 << 60
"""For once a scan has begun: created too long before it to be taken for unseen, and not so long."""


class Row(NamedTuple):
    """One execution. `sent`: a message for it was accepted once; `in_lane`: one is there now."""

    state: State | None = None
    created_ms: int = UNKNOWN
    sent: bool = False
    in_lane: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it stands there unfinished."""
        return self.state is not None and not self.state.is_terminal

    def without_the_past(self) -> "Row":
        """Nobody asks when a row was created that is not PENDING, or what became of the messages of an ended one."""
        if self.state in (None, State.PENDING):
            return self
        return Row(self.state, OLD_MS) if not self.is_open else self._replace(created_ms=OLD_MS)


class Watcher(NamedTuple):
    """One tick. `newest`: no other tick has taken the shard since; `page`: the row that it has read."""

    at: Watching = Watching.IDLE
    newest: bool = False
    cursor: int = UNKNOWN
    page: int = UNKNOWN


class Sweeper(NamedTuple):
    """One run, with what it read of the shard when it listed it."""

    at: Sweeping = Sweeping.IDLE
    version: int = UNKNOWN
    is_first: bool = True
    scanned: bool = False
    position: int = 0
    unfinished: int = 0


class Shard(NamedTuple):
    """The ledger's row of an open shard."""

    version: int = 0
    scanned: bool = False
    cursor: int = UNKNOWN
    begun: bool = False
    was_swept: bool = False


class World(NamedTuple):
    """Everything. `shard` is None while the ledger has no row; `marked`: the sweeper went through the bucket."""

    now: int
    rows: tuple[Row, ...]
    writers: tuple[Filing, ...]
    watchers: tuple[Watcher, ...]
    sweepers: tuple[Sweeper, ...]
    shard: Shard | None = None
    marked: bool = False

    def with_row(self, number: int, row: Row) -> "World":
        """The same with another row at that place."""
        return self._replace(rows=(*self.rows[:number], row, *self.rows[number + 1 :]))

    def without_the_past(self) -> "World":
        """The same without what can make no difference any more."""
        if all(row.state in (None, State.PENDING) for row in self.rows):
            return self
        return self._replace(rows=tuple(row.without_the_past() for row in self.rows))

    def __str__(self) -> str:
        """Short enough for a line of a trace."""
        rows = ", ".join(
            f"{writer.name.lower()}: {row.state.value if row.state else 'absent'}"
            f"{' sent' if row.sent else ''}{' in lane' if row.in_lane else ''}"
            for writer, row in zip(self.writers, self.rows, strict=True)
        )
        ticking: tuple[Watcher | Sweeper, ...] = (*self.watchers, *self.sweepers)
        ticks = [f"{type(tick).__name__.lower()} {tick.at.name.lower()}" for tick in ticking if tick.at > 1]
        shard = "no shard" if self.shard is None else f"shard version {self.shard.version}, "
        if self.shard is not None:
            shard += f"{'scanned' if self.shard.scanned else f'cursor {self.shard.cursor}'}"
        return f"moment {self.now} | {rows} | {shard}{' marked' if self.marked else ''} | {', '.join(ticks)}"
