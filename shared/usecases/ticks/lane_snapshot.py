"""SURVEY the lanes: what one run of the sweeper knows of them, each thing asked once and only when it is needed."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from shared.domain.dispatch.sweep import (
    PROGRESS_FRESH_MS,
    YIELDS_AT_MOST_MS,
    DueRow,
    LaneProgress,
    LaneView,
    is_slow_alone,
    may_wait,
)
from shared.domain.errors import PunctualError
from shared.domain.executions.states import State
from shared.domain.limits.circuit_breaker import Phase
from shared.domain.limits.scopes import ScopeState, destination_scope
from shared.names import Lane, QueueName
from shared.ports.dispatch import Backlog, LaneProgressStore
from shared.ports.limits import LimitStore
from shared.usecases.limits.apply_backpressure import PREFERRED

MOST_READ = 100
BEGUN_MS = 180_000
"""A lane in which something began so recently is at work."""
_ALSO_THROUGH = {Lane.STANDARD: (QueueName.BULK,)}
"""Where messages of a lane may be beside its own queue: late ones step aside."""


@dataclass(slots=True)
class LaneSnapshot:
    """For what is sent again, what cannot be read is as if nothing waited: the gate stays open."""

    progress: LaneProgressStore
    backlogs: Backlog
    limits: LimitStore
    _hot_scopes: Mapping[str, int] | None = None
    _states: Mapping[str, ScopeState] | None = None
    _is_asked: bool = False
    _orders: Mapping[str, int] | None = None
    _progress: dict[Lane, LaneProgress | None] = field(default_factory=dict)
    _backlog: dict[Lane, int | None] = field(default_factory=dict)
    _reached: dict[tuple[Lane, str], int] = field(default_factory=dict)
    _begun_at: dict[Lane, int] = field(default_factory=dict)
    _leased_until: dict[Lane, int] = field(default_factory=dict)

    @property
    def hot_scopes(self) -> Mapping[str, int]:
        """The scopes in which something waits, each until when."""
        if self._hot_scopes is None:
            try:
                self._hot_scopes = self.limits.hot_scopes()
            except PunctualError:
                self._hot_scopes = {}
        return self._hot_scopes

    def open_breakers(self, now_ms: int) -> int:
        """How many destinations are not called at all, or by one call that probes; of the first hundred in trouble."""
        states = self._states_in_trouble(now_ms) or {}
        return sum(state.circuit.phase(now_ms) is not Phase.CLOSED for state in states.values())

    def _states_in_trouble(self, now_ms: int) -> Mapping[str, ScopeState] | None:
        """Of the first hundred destinations on the board, asked for once; None where they cannot be read."""
        if not self._is_asked:
            self._is_asked = True
            scopes = [scope for scope, until in self.hot_scopes.items() if now_ms < until]
            destinations = [scope for scope in scopes if _is_destination(scope)][:MOST_READ]
            with suppress(PunctualError):
                self._states = self.limits.read(destinations) if destinations else {}
        return self._states

    def _ordered(self, now_ms: int) -> Mapping[str, int]:
        """The board without the destinations that order nobody to wait; without any where that cannot be told."""
        if self._orders is None:
            states = self._states_in_trouble(now_ms)
            self._orders = {
                scope: until
                for scope, until in self.hot_scopes.items()
                if not _is_destination(scope)
                or (states is not None and not is_slow_alone(states.get(scope, ScopeState()), now_ms))
            }
        return self._orders

    def look_at(self, rows: Iterable[DueRow]) -> None:
        """Remember how far each lane has come with each tenant."""
        for row in rows:
            if row.attempt and row.reminder_target is None:
                key = row.lane, row.tenant_id
                self._reached[key] = max(self._reached.get(key, 0), row.id.dispatch_at)
            if row.begun_at is not None:
                self._begun_at[row.lane] = max(self._begun_at.get(row.lane, 0), row.begun_at)
            if row.state is State.RUNNING and not row.async_accepted:
                until = max(self._leased_until.get(row.lane, 0), row.claimable_from or 0)
                self._leased_until[row.lane] = until

    def of(self, row: DueRow) -> LaneView:
        """What is known of the row's lane."""
        return LaneView(
            progress=self._progress_of(row.lane),
            backlog=self._backlog_of(row.lane) or 0,
            reached=self._reached.get((row.lane, row.tenant_id)),
        )

    def waits_as_ordered(self, row: DueRow, now_ms: int) -> bool:
        """Whether a row that is due may wait for a limit or a destination, or makes room for another lane."""
        return may_wait(row, self._ordered(now_ms), now_ms) or self._makes_room(row, now_ms)

    def _makes_room(self, row: DueRow, now_ms: int) -> bool:
        if row.lane is not Lane.BULK or now_ms - row.id.dispatch_at >= YIELDS_AT_MOST_MS:
            return False
        reports = (self._progress_of(lane) for lane in PREFERRED)
        return any(one is not None and now_ms - one.reported_at <= PROGRESS_FRESH_MS for one in reports)

    def is_at_work(self, lane: Lane, now_ms: int) -> bool:
        """Whether calls of the lane have begun of late, whoever's they are and whenever they were due, or none waits.

        Where neither can be told it is not. To be asked once its rows were looked at.
        """
        if now_ms - self._begun_at.get(lane, 0) < BEGUN_MS or self._leased_until.get(lane, 0) > now_ms:
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
        """None where it cannot be told."""
        if lane not in self._backlog:
            queues = (QueueName(lane), *_ALSO_THROUGH.get(lane, ()))
            try:
                self._backlog[lane] = sum(map(self.backlogs.visible, queues))
            except PunctualError:
                self._backlog[lane] = None
        return self._backlog[lane]


def _is_destination(scope: str) -> bool:
    return scope.startswith(destination_scope(""))
