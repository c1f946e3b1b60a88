"""SURVEY the lanes: what one run of the sweeper knows of them, each thing asked once and only when it is needed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.domain.circuit import Phase
from shared.domain.errors import PunctualError
from shared.domain.execution import State
from shared.domain.limits import destination_scope
from shared.domain.sweep import (
    PROGRESS_FRESH_MS,
    YIELDS_AT_MOST_MS,
    DueRow,
    LaneProgress,
    LaneView,
    may_wait,
)
from shared.names import Lane, QueueName
from shared.ports.boards import ProgressBoard
from shared.ports.limits import LimitStore
from shared.ports.queue import Backlog
from shared.usecases.give_way import PREFERRED

MOST_READ = 100
BEGUN_MS = 180_000
"""A lane in which something began that was due so recently is at work."""
_ALSO_THROUGH = {Lane.STANDARD: (QueueName.BULK,)}
"""Where messages of a lane may be beside its own queue: late ones step aside."""


@dataclass(slots=True)
class SurveyLanes:
    """For what is sent again, what cannot be read is as if nothing waited: the gate stays open."""

    progress: ProgressBoard
    backlogs: Backlog
    limits: LimitStore
    _board: Mapping[str, int] | None = None
    _progress: dict[Lane, LaneProgress | None] = field(default_factory=dict)
    _backlog: dict[Lane, int | None] = field(default_factory=dict)
    _reached: dict[tuple[Lane, str], int] = field(default_factory=dict)
    _leased_until: dict[Lane, int] = field(default_factory=dict)

    @property
    def board(self) -> Mapping[str, int]:
        """The scopes in which something waits, each until when."""
        if self._board is None:
            try:
                self._board = self.limits.waiting()
            except PunctualError:
                self._board = {}
        return self._board

    def open_breakers(self, now_ms: int) -> int:
        """How many destinations are not called at all, or by one call that probes; of the first hundred in trouble."""
        in_trouble = [scope for scope, until in self.board.items() if now_ms < until]
        scopes = [scope for scope in in_trouble if scope.startswith(destination_scope(""))][:MOST_READ]
        try:
            states = self.limits.read(scopes) if scopes else {}
        except PunctualError:
            return 0
        return sum(state.circuit.phase(now_ms) is not Phase.CLOSED for state in states.values())

    def look_at(self, rows: Iterable[DueRow]) -> None:
        """Remember how far each lane has come with each tenant."""
        for row in rows:
            if row.attempt and row.pointer_target is None:
                key = row.lane, row.tenant_id
                self._reached[key] = max(self._reached.get(key, 0), row.id.dispatch_at)
            if row.state is State.RUNNING and not row.works_on:
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
        return may_wait(row, self.board, now_ms) or self._makes_room(row, now_ms)

    def _makes_room(self, row: DueRow, now_ms: int) -> bool:
        if row.lane is not Lane.BULK or now_ms - row.id.dispatch_at >= YIELDS_AT_MOST_MS:
            return False
        reports = (self._progress_of(lane) for lane in PREFERRED)
        return any(one is not None and now_ms - one.reported_at <= PROGRESS_FRESH_MS for one in reports)

    def is_at_work(self, lane: Lane, now_ms: int) -> bool:
        """Whether calls of the lane, whoever's they are, have begun of late, or no message is there to be taken.

        Where neither can be told it is not. To be asked once its rows were looked at.
        """
        begun = [at for (of_lane, _), at in self._reached.items() if of_lane is lane]
        if now_ms - max(begun, default=0) < BEGUN_MS or self._leased_until.get(lane, 0) > now_ms:
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
