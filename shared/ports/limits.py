"""The shared state of limits: the state of each scope, and the index of hot scopes, where work waits."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.limits.scopes import ScopeState
from shared.names import Lane

MAX_HOT_SCOPE_WRITES = 50
"""The most scopes that one write adds, and removes: an update expression of DynamoDB has at most 4 KB."""


class LimitStore(Protocol):
    """States are changed by compare-and-swap; entries of the index of hot scopes are overwritten freely."""

    def read(self, scopes: Sequence[str]) -> Mapping[str, ScopeState]:
        """The states of at most 100 scopes, eventually consistent; a scope without an item has version 0.

        Scopes that could not be read or decoded are missing; UnavailableError where the request itself failed.
        """
        ...

    def swap(self, scope: str, before: ScopeState, after: ScopeState, now_ms: int) -> ScopeState | None:
        """Compare-and-swap by the version of `before`; None if written, otherwise the stored state.

        The stored version is a later one. UnavailableError where the response was lost, so that the write may
        have been made; ThrottledError where it was not made.
        """
        ...

    def hot_scopes(self, parts: Collection[int]) -> Mapping[int, Mapping[str, int]]:
        """The hot scopes of these parts of the index, each with the instant until when; eventually consistent.

        Parts that could not be read are missing; ThrottledError or UnavailableError where no part could be
        read.
        """
        ...

    def note_hot_scopes(self, part: int, until: Mapping[str, int], gone: Sequence[str] = ()) -> None:
        """Add or replace entries of hot scopes in a part, and remove the scopes in `gone`, in one write.

        At most `MAX_HOT_SCOPE_WRITES` of each.
        """
        ...


class ThrottleStatus(Protocol):
    """Read-only view for the API, which explains why an execution waits."""

    def read(
        self, scopes: Sequence[str], lanes: Sequence[Lane], parts: Collection[int] = ()
    ) -> ThrottleSnapshot:
        """Parts of the index of hot scopes, states of scopes and last reports of lanes, in one eventually
        consistent request. States that cannot be decoded are missing.

        UnavailableError where anything could not be read.
        """
        ...
