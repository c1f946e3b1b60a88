"""Where work waits at dispatch, for operators: the lanes, and the tenants and destinations that hold calls back."""

from collections.abc import Mapping
from dataclasses import field
from heapq import nsmallest

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import BACKED_UP_MS
from shared.domain.limits.hot_scopes import HOT_SCOPE_PARTS
from shared.domain.limits.scopes import ScopeState
from shared.names import Lane, QueueName
from shared.ports.dispatch import Backlog, LaneProgressStore
from shared.ports.limits import ThrottleStatus
from shared.ports.runtime import Clock

SNAPSHOT_TTL_MS = 5_000
"""How long a process answers from what it has read. Every worker reads the items of the hot scopes, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneStatus:
    lane: Lane
    visible: int
    """Messages that wait in its queue, approximately."""
    behind_since: int | None
    """Since when the oldest claimed message had been visible; None unless the lane is behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HotScope:
    """A tenant or a destination in which calls wait or fail."""

    scope: str
    until: int
    """The entry holds until this instant, unless it is renewed."""
    state: ScopeState | None
    """None for a state that cannot be decoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanePage:
    """All lanes, and a page of the hot scopes in order of their names."""

    lanes: tuple[LaneStatus, ...]
    scopes: tuple[HotScope, ...]
    next_after: str | None
    """The scope after which the next page begins; None on the last page."""


@dataclass(slots=True)
class ListLanes:
    """Belongs to one process. A page reads at most the states of its scopes, besides the snapshot."""

    throttle_status: ThrottleStatus
    progress: LaneProgressStore
    backlog: Backlog
    clock: Clock
    _lanes: tuple[LaneStatus, ...] = ()
    _hot_scopes: Mapping[str, int] = field(default_factory=dict)
    _read_at: int | None = None

    def execute(self, *, limit: int, after: str | None = None) -> LanePage:
        """At most `limit` hot scopes, at most 100. UnavailableError."""
        now_ms = self.clock.now_ms()
        if self._read_at is None or now_ms - self._read_at >= SNAPSHOT_TTL_MS:
            self._read(now_ms)
        following = (
            scope
            for scope, until in self._hot_scopes.items()
            if now_ms < until and (after is None or scope > after)
        )
        one_more = nsmallest(limit + 1, following)
        found = one_more[:limit]
        states = self.throttle_status.read(found, ()).states if found else {}
        return LanePage(
            lanes=self._lanes,
            scopes=tuple(
                HotScope(scope=scope, until=self._hot_scopes[scope], state=states.get(scope))
                for scope in found
            ),
            next_after=found[-1] if len(one_more) > limit else None,
        )

    def _read(self, now_ms: int) -> None:
        hot_scopes = self.throttle_status.read((), (), range(HOT_SCOPE_PARTS)).hot_scopes
        self._lanes = tuple(self._status(lane, now_ms) for lane in Lane)
        self._hot_scopes, self._read_at = hot_scopes, now_ms

    def _status(self, lane: Lane, now_ms: int) -> LaneStatus:
        report = self.progress.read(lane)
        is_behind = report is not None and now_ms - report.reported_at < BACKED_UP_MS
        return LaneStatus(
            lane=lane,
            visible=self.backlog.visible(QueueName(lane)),
            behind_since=report.visible_at if report is not None and is_behind else None,
        )
