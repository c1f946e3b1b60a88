"""Searches of executions: all that match a filter are written to files, which their tenant downloads.

A file is made of whole pages. Its name has the version of the task that wrote it, so that no two workers write the
same one. Only the files that a version names are a part of the result.
"""

import re
from dataclasses import replace
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.archive.reading import RowFilter
from shared.domain.bulk.task import PagedTask
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.ids import encode_base32
from shared.domain.listings.position import IndexPosition, PositionRange

MOST_FOUND = 1_000_000
"""Executions after which a search ends with the instant that it has reached."""
LONGEST_MS = 24 * 3_600_000
"""After this time, too."""
RESULT_DAYS = 7
"""From the start of a search: how long its files are offered, and after which it is cancelled if it has not ended."""
FULL_ROWS = 20_000
"""A file with fewer rows grows by the next page."""
_DAY_MS = 86_400_000
_SEARCH_ID = re.compile(r"srh_[0-9a-hjkmnp-tv-z]{26}")


class SearchState(StrEnum):
    """The values are those of the API."""

    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Executions that match every given criterion and were due in [from_at, until_at)."""

    rows: RowFilter
    from_at: int
    until_at: int
    tag: str | None = None
    """A tag of the job as it is now, if that is a recurring one: its executions have none."""

    def __post_init__(self) -> None:
        """InvalidValueError for an empty range."""
        if not 0 <= self.from_at < self.until_at:
            raise InvalidValueError("a search has a beginning, and an end after it")


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file of a result. `version` is that of the task while the file was written."""

    version: int
    rows: int
    size: int
    """In bytes, compressed."""

    @property
    def is_full(self) -> bool:
        return self.rows >= FULL_ROWS


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTask(PagedTask):
    """One search with its progress, newest executions first."""

    criteria: SearchFilter
    position: IndexPosition
    """Every execution from here on was examined."""
    state: SearchState = SearchState.RUNNING
    truncated_at: int | None = None
    """The search ends with the executions of this instant. None: with the beginning of its range."""
    files: tuple[ResultFile, ...] = ()
    """Newest executions first."""

    @property
    def is_open(self) -> bool:
        return self.state is SearchState.RUNNING

    @property
    def rest(self) -> PositionRange:
        """The positions that were not examined."""
        after_at = self.criteria.from_at if self.truncated_at is None else self.truncated_at
        return PositionRange(after=IndexPosition(at=after_at), before=self.position)

    @property
    def found(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def expires_at(self) -> int:
        return self.created_at + RESULT_DAYS * _DAY_MS

    def has_result(self, now_ms: int) -> bool:
        """Whether the files are complete, and kept for a while yet."""
        return self.state is SearchState.FINISHED and now_ms < self.expires_at

    def after_page(
        self, file: ResultFile | None, position: IndexPosition | None, now_ms: int
    ) -> "SearchTask":
        """The next version: `file` has the rows of the page, `position` is None after the last one.

        A file that was not full is replaced, so `file` has its rows, too.
        """
        kept = self.files[:-1] if file is not None and self.grows else self.files
        after = replace(
            self,
            files=(*kept, file) if file is not None else kept,
            position=self.rest.after if position is None else position,
            lease_until=0,
            version=self.version + 1,
        )
        if after._has_to_end(now_ms):
            # The whole instant is searched, so that another search can begin where this one ends.
            after = replace(after, truncated_at=after.position.at)
        return after if after.rest.after < after.position else after._ended(SearchState.FINISHED, now_ms)

    @property
    def grows(self) -> bool:
        """Whether the next page is added to the last file."""
        return bool(self.files) and not self.files[-1].is_full

    def cancelled(self, now_ms: int) -> "SearchTask":
        """The next version, which does no more work. InvalidStateError for a search that has finished."""
        if self.state is SearchState.FINISHED:
            raise InvalidStateError("the search has finished")
        return replace(self._ended(SearchState.CANCELLED, now_ms), version=self.version + 1, lease_until=0)

    def _has_to_end(self, now_ms: int) -> bool:
        is_too_much = self.found >= MOST_FOUND or now_ms >= self.created_at + LONGEST_MS
        return is_too_much and self.truncated_at is None and self.position.at > self.criteria.from_at

    def _ended(self, state: SearchState, now_ms: int) -> "SearchTask":
        return replace(self, state=state, ended_at=now_ms)


def search_task_id(created_at: int, entropy: int) -> str:
    """A new id; ids sort by the time of creation."""
    return f"srh_{encode_base32(created_at, 10)}{encode_base32(entropy, 16)}"


def is_search_task_id(text: str) -> bool:
    """Whether the text is a well-formed id of a search."""
    return _SEARCH_ID.fullmatch(text) is not None
