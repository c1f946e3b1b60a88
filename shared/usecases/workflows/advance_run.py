"""Carry a run on: record ends of its tasks, decide what follows from them, and file what was chosen.

Chosen first, filed second: a repeated step files the very same executions. The process that chose a task
files it before its own message is done; if it crashes, the message comes back, or the sweeper finds the task's row or
the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.errors import NotFoundError, UnavailableError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.run import Run
from shared.domain.workflows.run_rules import (
    MapEnd,
    decided,
    execution_of,
    newly_chosen,
    recorded,
    recorded_map,
    to_be_stopped,
)
from shared.domain.workflows.workflow import Workflow
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.ports.workflows import RunStore
from shared.usecases.workflows.announce_run import AnnounceRun
from shared.usecases.workflows.file_tasks import FileTasks
from shared.usecases.workflows.read_revision import ReadRevision
from shared.usecases.workflows.read_tasks import read_tasks
from shared.usecases.workflows.stop_tasks import StopTasks

if TYPE_CHECKING:
    from shared.usecases.workflows.run_maps import RunMaps

TRIES = 25
"""Tries of one step against concurrent steps of the same run. Each refusal shows that another step was made."""

Ends = Mapping[ExecutionId, State]
MapEnds = Mapping[int, MapEnd]
"""By the position of the task."""
NO_MAPS: MapEnds = {}


@dataclass(frozen=True, slots=True)
class AdvanceRun:
    """Every method is safe to repeat, and to run in any number of processes at once."""

    runs: RunStore
    read_revision: ReadRevision
    store: ExecutionStore
    file_tasks: FileTasks
    stop_tasks: StopTasks
    maps: Callable[[], RunMaps]
    """Made only for a workflow with a map."""
    announce: AnnounceRun
    clock: Clock
    retention: Retention
    end_parent: Callable[[Run], None]
    """Records the end of a run in the execution that started it; no effect for any other run."""

    def execute(self, ended: Execution) -> None:
        """Tell the run of the end of a task; no effect for any other execution.

        The message of the task is done only afterwards. UnavailableError: call again.
        """
        if ended.task is not None:
            self.join(ended.task.run, [ended])

    def join(self, run_id: ExecutionId, ended: Sequence[Execution]) -> None:
        """Tell a run of the ends of several of its tasks: one write records them all, and what follows from them.

        UnavailableError: the run may have learned of some of them, so call again, in any order or one by one.
        """
        run = self.runs.get(run_id)
        if run is None:
            return
        if run.state.is_terminal:
            # An earlier try may have crashed before it ended the parent.
            self.end_parent(run)
        if run.state.is_terminal and run.notification is None:
            return
        workflow = self.read_revision.execute(run)
        if workflow is None:
            return
        present = {execution_of(run, workflow.graph, index) for index in run.open_tasks()}
        ends = {each.id: each.state for each in ended if each.id in present and each.state.is_terminal}
        try:
            items = [each for each in ended if each.task is not None and each.task.item is not None]
            maps, are_new = self.maps().record(workflow, run, items) if items else (NO_MAPS, True)
            if are_new and len(ends) + len(items) == len(ended):
                self.end_parent(self.go_on(workflow, run, ends, maps=maps))
            else:
                # An end is recorded: an earlier try may have crashed before it filed what follows.
                self.heal(workflow, run)
        except NotFoundError:
            return  # The tenant is being deleted.

    def heal(self, workflow: Workflow, run: Run) -> Run:
        """Record the ends that the run has not learned of, and file the chosen tasks that do not stand. For an ended
        run, file its notification.

        The stored run afterwards. UnavailableError; UnreadableItemError if a task's execution is broken.
        """
        if run.state.is_terminal:
            self.announce.execute(workflow, run)
            return run
        ids = {execution_of(run, workflow.graph, index): index for index in run.open_tasks()}
        open_maps = [index for index in run.open_tasks() if workflow.graph.nodes[index].map is not None]
        ids.pop(None, None)
        known, broken = read_tasks(self.store, [key for key in ids if key is not None])
        ends = {key: each.state for key, each in known.items() if each.state.is_terminal}
        missing = [index for key, index in ids.items() if key not in known and key not in broken]
        maps: dict[int, MapEnd] = {}
        for index in open_maps:
            end, broken_items = self.maps().heal(workflow, run, index)
            broken += broken_items
            if end is None:
                missing.append(index)
            else:
                maps[index] = end
        healed = self.go_on(workflow, run, ends, missing=missing, maps=maps, is_repeated=True)
        if broken:
            raise UnreadableItemError(f"the execution {broken[0]} of a task is broken")
        self.end_parent(healed)
        return healed

    def go_on(
        self,
        workflow: Workflow,
        run: Run,
        ends: Ends,
        *,
        missing: Sequence[int] = (),
        maps: MapEnds = NO_MAPS,
        is_repeated: bool = False,
    ) -> Run:
        """Make every step that these ends allow, and return the stored run.

        `missing` are chosen tasks that are to be filed too. A step that changes the state of the run also stops
        tasks; `is_repeated` stops them again, because an earlier try may have crashed.
        """
        before = run
        run, chosen = self._settled(workflow, run, ends, maps)
        run = self._filed(workflow, run, (*missing, *chosen))
        if not is_repeated and run.state is before.state:
            return run
        return self.stop(workflow, run)

    def stop(self, workflow: Workflow, run: Run) -> Run:
        """Stop the tasks that the state of the run forbids, record the ends of those that have ended, and file the
        notification of a run that has ended."""
        asked: set[int] = set()
        while left := [index for index in to_be_stopped(run, workflow.graph) if index not in asked]:
            asked.update(left)
            open_maps = [index for index in left if workflow.graph.nodes[index].map is not None]
            maps = {index: self.maps().stop(workflow, run, index) for index in open_maps}
            ends = self.stop_tasks.execute(workflow, run, [each for each in left if each not in maps])
            run, chosen = self._settled(workflow, run, ends, maps)
            run = self._filed(workflow, run, chosen)
        self.announce.execute(workflow, run)
        return run

    def _settled(
        self, workflow: Workflow, run: Run, ends: Ends, maps: MapEnds = NO_MAPS
    ) -> tuple[Run, list[int]]:
        """The stored run after all steps, and the tasks that these steps chose."""
        chosen: set[int] = set()
        for _ in range(TRIES):
            after = recorded(run, workflow.graph, ends)
            for index, end in maps.items():
                after = recorded_map(after, workflow.graph, index, end)
            now_ms = self.clock.now_ms()
            after = decided(after, workflow.graph, now_ms)
            if after == run:
                return run, sorted(chosen)
            after = self.announce.named(workflow, after)
            expires_at_s = self.retention.expires_at_s(now_ms) if after.state.is_terminal else None
            update = self.runs.update(run, after, expires_at_s=expires_at_s)
            if update.is_written:
                chosen.update(newly_chosen(run, after))
            # What is stored may show ends of others, and so more that is ready.
            run = update.run
        raise UnavailableError("other processes change the run")

    def _filed(self, workflow: Workflow, run: Run, indexes: Iterable[int]) -> Run:
        """The stored run after these tasks were filed. A map may end at once, so that others are chosen."""
        while maps := self._file(workflow, run, indexes):
            run, indexes = self._settled(workflow, run, {}, maps)
        return run

    def _file(self, workflow: Workflow, run: Run, indexes: Iterable[int]) -> MapEnds:
        """What has to be stopped is not filed: it gets a tombstone. What the run learns of the maps that begin."""
        stopped = to_be_stopped(run, workflow.graph)
        due = [index for index in indexes if index in run.open_tasks() and index not in stopped]
        maps = [index for index in due if workflow.graph.nodes[index].map is not None]
        self.file_tasks.execute(workflow, run, [index for index in due if index not in maps])
        return {index: self.maps().begin(workflow, run, index) for index in maps}
