"""What the executors share about limits: the state of each scope that has any, and where something waits.
What the functions share about what waits, for whoever is asked why."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.limits.scopes import ScopeState
from shared.names import Lane

MAX_HOT_SCOPE_WRITES = 50
"""One write puts no more scopes than this on the board, and takes no more off: DynamoDB takes 4 KB of an update."""


class LimitStore(Protocol):
    """States that are changed by compare-and-swap, and one board that is overwritten freely."""

    def read(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        """The states of up to 100 scopes; one that nothing is stored of has version 0. They may lag a moment behind.

        What could not be read is missing; UnavailableError where nothing could.
        """
        ...

    def swap(self, scope: str, before: ScopeState, after: ScopeState, now_ms: int) -> ScopeState | None:
        """Put `after` in the place of the version of `before`; None when that was done, otherwise what stands there.

        The stored version is a later one. UnavailableError where the answer was lost: it may be done then, but
        for ThrottledError.
        """
        ...

    def hot_scopes(self) -> Mapping[str, int]:
        """For each scope on the board until when something waits there. May lag a moment behind."""
        ...

    def note_hot_scopes(self, until: Mapping[str, int], gone: Sequence[str] = ()) -> None:
        """Put scopes on the board, each with the instant until when something waits, and take others off: one write.

        Up to `MOST_NOTED` of either.
        """
        ...


class ThrottleStatus(Protocol):
    """Read only."""

    def read(
        self, scopes: Sequence[str], lanes: Sequence[Lane], hot_scopes: Mapping[str, int] | None = None
    ) -> ThrottleSnapshot:
        """The board, the states of a few scopes and the last reports of lanes: one request. They may lag a moment.

        A board that was read a moment ago can be given: it is large, everybody reads it, and it is not read then.
        UnavailableError where any part of it could not be read.
        """
        ...
