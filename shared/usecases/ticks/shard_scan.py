"""The scan of one shard by a watcher: its lease, its pages, and how far its cursor may move."""

from collections import deque
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.errors import ServiceError
from shared.ports.dispatch import WatchLease
from shared.ports.executions import PendingPage


@dataclass(slots=True, eq=False)
class ScannedPage:
    """A page whose rows are not all sent yet. The cursor must not move past it."""

    next_after: str | None
    unsent: int
    has_failed: bool = False
    """A message for one of its rows was refused for good."""


@dataclass(slots=True, kw_only=True, eq=False)
class ShardScan:
    """One shard in one tick of a watcher."""

    bucket: int
    shard: int
    lease: WatchLease | None = None
    error: ServiceError | None = None
    """The error of the last try."""
    cursor: str | None = None
    """Every row up to here was sent, and the ledger knows it."""
    read_until: int = 0
    """Every row that is due before this instant was read; in ms."""
    is_read: bool = False
    is_finished: bool = False
    """The ledger knows that every row was sent."""
    pages: deque[ScannedPage] = field(default_factory=deque)

    def begin(self, lease: WatchLease) -> None:
        """Begin a try behind the last row that is known to be sent."""
        if self.lease is None:
            self.cursor = lease.cursor
        self.lease, self.error = lease, None
        self.read_until, self.is_read = 0, False
        self.pages.clear()

    @property
    def read_after(self) -> str | None:
        """The position behind which the next page begins."""
        return self.pages[-1].next_after if self.pages else self.cursor

    def add(self, page: PendingPage) -> ScannedPage:
        """Note a page that was read."""
        scanned = ScannedPage(next_after=page.next_after, unsent=len(page.rows))
        self.pages.append(scanned)
        if page.rows:
            self.read_until = max(self.read_until, page.rows[-1].due_at)
        self.is_read = page.next_after is None
        return scanned

    @property
    def has_failed(self) -> bool:
        """Whether a message was refused for good, so that the next tick must read these rows again."""
        return any(page.has_failed for page in self.pages)

    def sent_through(self) -> str | None:
        """Drop the leading pages that are sent; the position up to which that moves the cursor, if it does."""
        position = None
        while self.pages and not self.pages[0].unsent and self.pages[0].next_after is not None:
            position = self.pages.popleft().next_after
            # The next page is read behind this one, whether it is still in the list or not.
            self.cursor = position
        return position

    @property
    def is_sent(self) -> bool:
        """Whether the last page was read, and every row of the shard was sent."""
        return self.is_read and not any(page.unsent for page in self.pages)
