"""Maps in responses: how far their items have come."""

from functions.api.models import instant_out
from functions.api.resources.workflows.run_models import (
    BLOCKED,
    FailedItemOut,
    RunItemsOut,
    RunTaskOut,
)
from shared.domain.executions.states import State
from shared.domain.workflows.map_items import MapItems, item_execution_id
from shared.domain.workflows.run import Run, TaskProgress, TaskState
from shared.usecases.workflows.read_runs import DescribedRun

_WORST_FIRST = (TaskState.FAILED, TaskState.CANCELLED, TaskState.SKIPPED)


def map_out(key: str, progress: TaskProgress | None, described: DescribedRun) -> RunTaskOut:
    """A map has items in place of an execution."""
    items = described.maps.get(key)
    return RunTaskOut(
        key=key,
        state=_state(progress, items),
        reason=progress.reason if progress is not None else None,
        epoch=progress.epoch if progress is not None else None,
        execution_id=None,
        due_at=instant_out(progress.at) if progress is not None and progress.has_execution else None,
        started_at=None,
        has_result=progress is not None
        and progress.state is TaskState.SUCCEEDED
        and items is not None
        and items.result != b"",
        items=_items_out(described.run, items) if items is not None and items.items is not None else None,
        attempts_begun=0,
        attempts=[],
        next_attempt_at=None,
        end_reason=None,
    )


def _state(progress: TaskProgress | None, items: MapItems | None) -> str:
    """A map runs from when its items are chosen."""
    if progress is None:
        return BLOCKED
    if not progress.is_open:
        return progress.state.value
    has_begun = items is not None and items.epoch == progress.epoch
    return (State.RUNNING if has_begun else State.PENDING).value


def _items_out(run: Run, items: MapItems) -> RunItemsOut:
    known = list(enumerate(items.items or ()))
    ended = [(position, item) for state in _WORST_FIRST for position, item in known if item.state is state]
    listed = []
    for position, item in ended:
        execution_id = item_execution_id(run, items, position)
        listed.append(
            FailedItemOut(
                index=position,
                state=item.state.value,
                execution_id=str(execution_id) if execution_id is not None else None,
            )
        )
    return RunItemsOut(
        count=len(known),
        open=items.count(TaskState.CHOSEN),
        succeeded=items.count(TaskState.SUCCEEDED),
        failed=items.count(TaskState.FAILED),
        cancelled=items.count(TaskState.CANCELLED),
        skipped=items.count(TaskState.SKIPPED),
        unsuccessful=listed,
    )
