"""Carry the maps of a run on: choose their items, file them, record their ends, and join them.

Loaded only for a workflow with a map. The items are chosen by the put of their record, which names how many there are;
then they are filed. So every process files the same executions, and one that is too late finds the record.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from shared.dataclass import dataclass
from shared.domain.dispatch.wakeup import pack, single_wakeup
from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution, TaskRef
from shared.domain.executions.retention import Retention
from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.ids import ExecutionId
from shared.domain.workflows.map_items import (
    MapItems,
    chosen_items,
    end_of_map,
    ended_item,
    item_execution_id,
    stopped_items,
)
from shared.domain.workflows.run import STOPPING, Run, TaskProgress, TaskReason, TaskState
from shared.domain.workflows.run_rules import MapEnd, execution_of, to_be_stopped
from shared.domain.workflows.task_map import MAX_ITEMS
from shared.domain.workflows.workflow import Workflow, task_execution
from shared.ports.dispatch import WakeupQueue
from shared.ports.executions import ExecutionStore
from shared.ports.runtime import Clock
from shared.ports.workflows import MapStore
from shared.usecases.workflows.file_tasks import FileTasks
from shared.usecases.workflows.map_results import MapResults
from shared.usecases.workflows.read_tasks import read_tasks
from shared.usecases.workflows.stop_tasks import StopTasks, is_last_attempt

TRIES = 25
"""Tries of one record against concurrent ones of the same map. Each refusal shows that another end was recorded."""
CANDIDATES = 10
"""Ended executions of a run, the latest ones, of which one has its message sent again."""
_STALE = "the run goes on in another epoch"


@dataclass(frozen=True, slots=True)
class RunMaps:
    """Every method is safe to repeat, and to run in any number of processes at once. UnavailableError: call again."""

    maps: MapStore
    store: ExecutionStore
    file_tasks: FileTasks
    stop_tasks: StopTasks
    results: MapResults | None
    """None in a process without the keys of tenants, which asks an executor in its place."""
    queue: WakeupQueue
    clock: Clock
    retention: Retention

    def begin(self, workflow: Workflow, run: Run, index: int) -> MapEnd:
        """Choose the items of a chosen map, and file them. The map ends at once if its array is empty, or none."""
        task, key = _chosen(run, index), workflow.graph.nodes[index].key
        if self.results is None:
            return self._asked(workflow, run, index)
        count = self.results.count(workflow, run, index)
        if isinstance(count, TaskReason):
            return MapEnd(epoch=task.epoch, state=TaskState.FAILED, reason=count)
        items = self._put(lambda before: chosen_items(run, index, key, count, before), task.epoch)
        self._file(workflow, run, index, items, items.open_items())
        return self._end(workflow, run, items)

    def record(
        self, workflow: Workflow, run: Run, ended: Iterable[Execution]
    ) -> tuple[dict[int, MapEnd], bool]:
        """Record the ends of items. What the run learns of their maps, and whether each end was recorded just now:
        otherwise an earlier try may have crashed before it did what follows."""
        positions, by_index = workflow.graph.indexes(), dict[int, dict[int, TaskProgress]]()
        is_new = True
        for each in ended:
            index = positions.get(each.task.key) if each.task is not None else None
            if each.task is None or each.task.item is None or index is None or not each.state.is_terminal:
                is_new = False
            else:
                end = ended_item(each.id, each.task.epoch, each.state)
                by_index.setdefault(index, {})[each.task.item] = end
        found: dict[int, MapEnd] = {}
        for index, ends in by_index.items():
            items, is_written = self.maps.record(run.id, workflow.graph.nodes[index].key, ends)
            if items is None or not is_written:
                is_new = False
            else:
                found[index] = self._end(workflow, run, items)
        return found, is_new

    def heal(self, workflow: Workflow, run: Run, index: int) -> tuple[MapEnd | None, Sequence[ExecutionId]]:
        """Record the ends that the record has not learned of, and file the items that do not stand.

        What the run learns of the map; None if its items are not chosen yet. And the IDs of broken executions.
        """
        task = _chosen(run, index)
        items = self.maps.get(run.id, workflow.graph.nodes[index].key)
        if items is None or items.epoch < task.epoch:
            return None, ()
        _check_epoch(items, task.epoch)
        ids = self._open_ids(run, items)
        known, broken = read_tasks(self.store, list(ids.values()))
        items = self._recorded(run, items, ids, {key: each.state for key, each in known.items()})
        missing = [position for position, key in ids.items() if key not in known and key not in broken]
        if index not in to_be_stopped(run, workflow.graph):
            self._file(workflow, run, index, items, missing)
        return self._end(workflow, run, items), broken

    def stop(self, workflow: Workflow, run: Run, index: int) -> MapEnd:
        """Keep the items of a map from starting, and learn of those that have ended, as `StopTasks` does for tasks.

        A map whose items are not chosen yet gets a record without them, which keeps a slow process from choosing them.
        """
        task, key = _chosen(run, index), workflow.graph.nodes[index].key
        items = self.maps.get(run.id, key)
        if items is None or items.epoch < task.epoch:
            items = self._put(lambda before: stopped_items(run, index, key, before), task.epoch)
        _check_epoch(items, task.epoch)
        ids = self._open_ids(run, items)
        known, _ = read_tasks(self.store, list(ids.values()))
        is_final = run.state in STOPPING
        ends = {key: each.state for key, each in known.items()}
        drafts = [
            self._draft(workflow, run, index, items, position)
            for position, key in ids.items()
            if key not in known
            or known[key].state in NOT_STARTED
            or (is_final and not known[key].state.is_terminal and not is_last_attempt(known[key]))
        ]
        ends |= self.stop_tasks.stop(drafts, is_final=is_final)
        return self._end(workflow, run, self._recorded(run, items, ids, ends))

    def have_recorded(self, run_id: ExecutionId, ended: Iterable[TaskRef]) -> bool:
        """Whether the records of the maps have learned of these ended items, by one read of each map."""
        found = dict[str, MapItems | None]()
        for each in ended:
            if each.key not in found:
                found[each.key] = self.maps.get(run_id, each.key)
            items = found[each.key]
            if items is None or (items.epoch <= each.epoch and each.item in items.open_items()):
                return False
        return True

    def most_anew(self, run_id: ExecutionId, key: str) -> int:
        """The most items that a redrive of the map chooses: by its record, what has not succeeded."""
        items = self.maps.get(run_id, key)
        if items is None or items.items is None:
            return MAX_ITEMS
        return len(items.items) - items.count(TaskState.SUCCEEDED)

    def keep(self, run_id: ExecutionId, key: str, expires_at_s: int) -> bool:
        """Extend the expiry of the record of a map that has ended; False if there is none."""
        return self.maps.keep(run_id, key, expires_at_s)

    def _put(self, draft_of: Callable[[MapItems | None], MapItems], epoch: int) -> MapItems:
        """The stored record in this epoch: the draft, or that of a process that was faster."""
        draft = draft_of(None)
        existing = self.maps.put(draft)
        if existing is not None and existing.epoch < epoch:
            draft = draft_of(existing)
            existing = self.maps.replace(existing, draft)
        stored = existing or draft
        _check_epoch(stored, epoch)
        return stored

    def _recorded(
        self,
        run: Run,
        items: MapItems,
        ids: Mapping[int, ExecutionId],
        states: Mapping[ExecutionId, State],
    ) -> MapItems:
        """The record with these ends. They are recorded together, so the end of one by another process refuses all."""
        ends = {
            position: ended_item(key, items.epoch, states[key])
            for position, key in ids.items()
            if key in states and states[key].is_terminal
        }
        for _ in range(TRIES):
            present = items.open_items()
            left = {position: end for position, end in ends.items() if position in present}
            if not left:
                return items
            stored, is_written = self.maps.record(run.id, items.key, left)
            if stored is None:
                raise UnavailableError("the record of a map is gone")
            _check_epoch(stored, items.epoch)
            if is_written:
                return stored
            items = stored
        raise UnavailableError("other processes record the ends of items")

    def _end(self, workflow: Workflow, run: Run, items: MapItems) -> MapEnd:
        """What the run learns. Before it learns of the end, the results are joined, and the record gets its expiry."""
        end = end_of_map(items)
        if end.state is None:
            return end
        result: bytes | TaskReason = items.result
        if items.stopped is None and items.key in workflow.graph.needed:
            if self.results is None:
                return self._asked(workflow, run, workflow.graph.indexes()[items.key], items)
            result = self.results.join(run, items)
        if isinstance(result, TaskReason):
            is_lost = end.state is TaskState.SUCCEEDED
            end, result = (
                (MapEnd(epoch=end.epoch, state=TaskState.FAILED, reason=result) if is_lost else end),
                b"",
            )
        expires_at_s = self.retention.result_expires_at_s(self.clock.now_ms())
        if not self.maps.conclude(items, result, expires_at_s):
            raise UnavailableError(_STALE)
        return end

    def _asked(self, workflow: Workflow, run: Run, index: int, items: MapItems | None = None) -> MapEnd:
        """Send the message of an ended execution: the executor that gets it looks at the whole run.

        It drops the message of one that has expired, as those of earlier epochs may have, so the latest one is sent.
        UnavailableError if none is left.
        """
        ended = [
            each for number in range(len(run.tasks)) if (each := _ended(run, workflow, number)) is not None
        ]
        over = workflow.graph.nodes[index].map
        source = self.maps.get(run.id, over.over) if over is not None and items is None else None
        for record in (items, source):
            count = len(record.items or ()) if record is not None else 0
            ids = (item_execution_id(run, record, position) for position in range(count) if record)
            ended += [key for key in ids if key is not None]
        latest = sorted(ended, key=lambda each: each.dispatch_at, reverse=True)[:CANDIDATES]
        known, _ = read_tasks(self.store, latest)
        found = next(
            (known[each] for each in latest if each in known and known[each].state.is_terminal), None
        )
        if found is None:
            raise UnavailableError("no execution of the run is left whose message an executor would take")
        now_ms = self.clock.now_ms()
        call = found.call
        wakeup = single_wakeup(found.lane, run.tenant_id, found.id, now_ms, call.destination, call.trace)
        if self.queue.send(pack([wakeup]), now_ms):
            raise UnavailableError("the lane did not accept the message")
        return MapEnd(epoch=_chosen(run, index).epoch, state=None)

    def _file(
        self, workflow: Workflow, run: Run, index: int, items: MapItems, positions: Sequence[int]
    ) -> None:
        chosen = [position for position in positions if (items.items or ())[position].is_open]
        if chosen:
            self.file_tasks.items(workflow, run, index, chosen, len(items.items or ()))

    def _draft(self, workflow: Workflow, run: Run, index: int, items: MapItems, position: int) -> Execution:
        return task_execution(
            workflow,
            run,
            index,
            created_at=self.clock.now_ms(),
            item=position,
            items=len(items.items or ()),
        )

    def _open_ids(self, run: Run, items: MapItems) -> dict[int, ExecutionId]:
        found = {position: item_execution_id(run, items, position) for position in items.open_items()}
        return {position: key for position, key in found.items() if key is not None}


def _ended(run: Run, workflow: Workflow, index: int) -> ExecutionId | None:
    """The execution of an ended task; None for any other, and for a map."""
    task = run.tasks[index]
    return execution_of(run, workflow.graph, index) if task is not None and not task.is_open else None


def _chosen(run: Run, index: int) -> TaskProgress:
    task = run.tasks[index]
    if task is None or not task.is_open:
        raise UnavailableError(_STALE)
    return task


def _check_epoch(items: MapItems, epoch: int) -> None:
    """Another process may have redriven the run meanwhile: what this one knows of it is stale."""
    if items.epoch != epoch:
        raise UnavailableError(_STALE)
