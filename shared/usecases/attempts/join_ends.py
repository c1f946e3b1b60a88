"""Tell runs of the ends of their tasks. Ends of one run in one batch are told together.

The record of a run has up to 4 KB, and each write of it costs a unit for each started KB. So a run of many tasks
costs less if one write records several ends.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field, replace

from shared.dataclass import dataclass
from shared.domain.errors import ServiceError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.runtime import Clock, Offload
from shared.usecases.attempts.make_attempt import AttemptResult

JOIN_MS = 100
"""How long the first end of a run waits for others, at most. An end waits only while the batch makes other attempts
of tasks of the same run."""
STEP_MS = 10


@dataclass(slots=True)
class _OfRun:
    attempts: int = 0
    """Attempts that have not ended."""
    ended: list[Execution] = field(default_factory=list)
    """Tasks whose ends are to be told."""
    telling: asyncio.Task[bool] | None = None
    """Tells these ends, and those that are added until it begins."""


@dataclass(slots=True)
class JoinEnds:
    """The attempts of tasks in one batch. A message is done only after its run has learned of the end.

    If the run does not learn of the ends, all their messages come back, and each end is told alone.
    """

    advance_run: Callable[[ExecutionId, Sequence[Execution]], None]
    clock: Clock
    offload: Offload
    _runs: dict[ExecutionId, _OfRun] = field(default_factory=dict)

    async def execute(self, run_id: ExecutionId, attempt: Awaitable[AttemptResult]) -> AttemptResult:
        """The result of the attempt, after its run was told of an end."""
        of_run = self._runs.setdefault(run_id, _OfRun())
        of_run.attempts += 1
        try:
            result = await attempt
        finally:
            of_run.attempts -= 1
        if result.untold is None:
            return result
        of_run.ended.append(result.untold)
        of_run.telling = of_run.telling or asyncio.create_task(self._tell(run_id, of_run))
        is_told = await of_run.telling
        return replace(result, is_done=result.is_done and is_told)

    async def _tell(self, run_id: ExecutionId, of_run: _OfRun) -> bool:
        for _ in range(JOIN_MS // STEP_MS):
            if not of_run.attempts:
                break
            await self.clock.sleep_ms(STEP_MS)
        # Later ends are told by another task: this one has made its choice.
        ended, of_run.ended, of_run.telling = of_run.ended, [], None
        return await self.offload(self._is_told, run_id, ended)

    def _is_told(self, run_id: ExecutionId, ended: Sequence[Execution]) -> bool:
        try:
            self.advance_run(run_id, ended)
        except (ServiceError, UnreadableItemError):
            return False
        return True
