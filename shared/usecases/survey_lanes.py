"""SURVEY the lanes: what one run of the sweeper knows of them, each thing asked once and only when it is needed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.domain.circuit import Phase
from shared.domain.errors import PunctualError
from shared.domain.limits import destination_scope
from shared.domain.sweep import DueRow, LaneProgress, LaneView
from shared.names import Lane, QueueName
from shared.ports.boards import ProgressBoard
from shared.ports.limits import LimitStore
from shared.ports.queue import Backlog

MOST_READ = 100
_ALSO_THROUGH = {Lane.STANDARD: (QueueName.BULK,)}
"""Where messages of a lane may be beside its own queue: late ones step aside."""


@dataclass(slots=True)
class SurveyLanes:
    """What cannot be read is as if nothing waited: the gate stays open."""

    progress: ProgressBoard
    backlogs: Backlog
    limits: LimitStore
    _board: Mapping[str, int] | None = None
    _progress: dict[Lane, LaneProgress | None] = field(default_factory=dict)
    _backlog: dict[Lane, int] = field(default_factory=dict)
    _reached: dict[tuple[Lane, str], int] = field(default_factory=dict)

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
        scopes = [scope for scope in self.board if scope.startswith(destination_scope(""))][:MOST_READ]
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

    def of(self, row: DueRow) -> LaneView:
        """What is known of the row's lane."""
        return LaneView(
            progress=self._progress_of(row.lane),
            backlog=self._backlog_of(row.lane),
            reached=self._reached.get((row.lane, row.tenant_id)),
        )

    def _progress_of(self, lane: Lane) -> LaneProgress | None:
        if lane not in self._progress:
            try:
                self._progress[lane] = self.progress.read(lane)
            except PunctualError:
                self._progress[lane] = None
        return self._progress[lane]

    def _backlog_of(self, lane: Lane) -> int:
        if lane not in self._backlog:
            queues = (QueueName(lane), *_ALSO_THROUGH.get(lane, ()))
            try:
                self._backlog[lane] = sum(map(self.backlogs.visible, queues))
            except PunctualError:
                self._backlog[lane] = 0
        return self._backlog[lane]
