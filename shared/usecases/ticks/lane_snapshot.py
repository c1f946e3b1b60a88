"""The state of lanes and throttling for one run of the sweeper: each value is read lazily, and once."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.dispatch.sweep import (
    MAX_YIELD_MS,
    PROGRESS_FRESH_MS,
    DueRow,
    LaneProgress,
    LaneView,
    is_hot,
    is_slow_alone,
)
from shared.domain.errors import PunctualError
from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import Phase
from shared.domain.limits.hot_scopes import HOT_SCOPE_PARTS
from shared.domain.limits.scopes import ScopeState, destination_scope
from shared.names import Lane, QueueName
from shared.ports.dispatch import Backlog, LaneProgressStore
from shared.ports.limits import LimitStore
from shared.usecases.limits.apply_backpressure import PREFERRED_LANES

MAX_READ = 100
RECENT_START_MS = 180_000
"""A lane in which a call started this recently is working."""
_ALSO_THROUGH = {Lane.STANDARD: (QueueName.BULK,)}
"""Other queues that may hold messages of a lane: backpressure moves late ones."""


@dataclass(slots=True)
class LaneSnapshot:
    """For re-sends, a failed read counts as an empty backlog without hot scopes: rows are sent again."""

    progress: LaneProgressStore
    backlogs: Backlog
    limits: LimitStore
    _hot_scopes: Mapping[str, int] | None = None
    _states: Mapping[str, ScopeState] | None = None
    _has_read_states: bool = False
    _throttling: Mapping[str, int] | None = None
    _progress: dict[Lane, LaneProgress | None] = field(default_factory=dict)
    _backlog: dict[Lane, int | None] = field(default_factory=dict)
    _reached: dict[tuple[Lane, str], int] = field(default_factory=dict)
    _begun_at: dict[Lane, int] = field(default_factory=dict)
    _leased_until: dict[Lane, int] = field(default_factory=dict)

    @property
    def hot_scopes(self) -> Mapping[str, int]:
        """The scopes in which work waits or that are in trouble, each with the instant until when."""
        if self._hot_scopes is None:
            self._hot_scopes = {}
            with suppress(PunctualError):
                parts = self.limits.hot_scopes(range(HOT_SCOPE_PARTS)).values()
                self._hot_scopes = {scope: until for part in parts for scope, until in part.items()}
        return self._hot_scopes

    def open_breakers(self, now_ms: int) -> int:
        """Open and half-open breakers, among the first `MAX_READ` hot destinations."""
        states = self._states_in_trouble(now_ms) or {}
        return sum(state.circuit.phase(now_ms) is not Phase.CLOSED for state in states.values())

    def _states_in_trouble(self, now_ms: int) -> Mapping[str, ScopeState] | None:
        """The states of the first `MAX_READ` hot destinations; None where they cannot be read."""
        if not self._has_read_states:
            self._has_read_states = True
            scopes = [scope for scope, until in self.hot_scopes.items() if now_ms < until]
            destinations = [scope for scope in scopes if _is_destination(scope)][:MAX_READ]
            with suppress(PunctualError):
                self._states = self.limits.read(destinations) if destinations else {}
        return self._states

    def _throttling_scopes(self, now_ms: int) -> Mapping[str, int]:
        """The hot scopes without destinations that are only slow, or without all if their states are unknown.

        A slow path that is down must not count as throttling.
        """
        if self._throttling is None:
            states = self._states_in_trouble(now_ms)
            self._throttling = {
                scope: until
                for scope, until in self.hot_scopes.items()
                if not _is_destination(scope)
                or (states is not None and not is_slow_alone(states.get(scope, ScopeState()), now_ms))
            }
        return self._throttling

    def observe(self, rows: Iterable[DueRow]) -> None:
        """Record how far each lane has come with each tenant, and when it last worked."""
        for row in rows:
            if row.claims and row.reminder_target is None:
                key = row.lane, row.tenant_id
                self._reached[key] = max(self._reached.get(key, 0), row.id.dispatch_at)
            if row.begun_at is not None:
                self._begun_at[row.lane] = max(self._begun_at.get(row.lane, 0), row.begun_at)
            if row.state is State.RUNNING and not row.async_accepted:
                until = max(self._leased_until.get(row.lane, 0), row.claimable_from or 0)
                self._leased_until[row.lane] = until

    def view(self, row: DueRow) -> LaneView:
        return LaneView(
            progress=self._progress_of(row.lane),
            backlog=self._backlog_of(row.lane) or 0,
            reached=self._reached.get((row.lane, row.tenant_id)),
        )

    def is_throttled(self, row: DueRow, now_ms: int) -> bool:
        """Whether a row that is due may be deferred by a limit, a circuit breaker or backpressure."""
        return is_hot(row, self._throttling_scopes(now_ms), now_ms) or self._yields(row, now_ms)

    def _yields(self, row: DueRow, now_ms: int) -> bool:
        due_at = max(row.id.dispatch_at, row.next_attempt_at or 0)
        if row.lane is not Lane.BULK or now_ms - due_at >= MAX_YIELD_MS:
            return False
        reports = (self._progress_of(lane) for lane in PREFERRED_LANES)
        return any(now_ms - report.reported_at <= PROGRESS_FRESH_MS for report in reports if report)

    def is_working(self, lane: Lane, now_ms: int) -> bool:
        """Whether calls of the lane started recently, or its queues are empty; False where that is unknown.

        Correct only after all rows of the run were passed to `observe`.
        """
        if now_ms - self._begun_at.get(lane, 0) < RECENT_START_MS or self._leased_until.get(lane, 0) > now_ms:
            return True
        return self._backlog_of(lane) == 0

    def _progress_of(self, lane: Lane) -> LaneProgress | None:
        if lane not in self._progress:
            try:
                self._progress[lane] = self.progress.read(lane)
            except PunctualError:
                self._progress[lane] = None
        return self._progress[lane]

    def _backlog_of(self, lane: Lane) -> int | None:
        if lane not in self._backlog:
            queues = (QueueName(lane), *_ALSO_THROUGH.get(lane, ()))
            try:
                self._backlog[lane] = sum(map(self.backlogs.visible, queues))
            except PunctualError:
                self._backlog[lane] = None
        return self._backlog[lane]


def _is_destination(scope: str) -> bool:
    return scope.startswith(destination_scope(""))
