"""Schemas of maps: tasks that are called once for each element of an array."""

from typing import Annotated

from pydantic import Field, StringConstraints

from functions.api.models import Representation, Schema
from shared.domain.workflows.graph import KEY
from shared.domain.workflows.task_map import MAX_EXECUTIONS, MAX_ITEMS, MAX_PATH_BYTES, TaskMap

TaskKey = Annotated[str, StringConstraints(pattern=KEY)]


class MapIn(Schema):
    """An array in the result of another task. The task is called once for each element."""

    over: TaskKey = Field(
        description="The key of a task in `after`, whose result is the array or contains it."
    )
    path: Annotated[str, Field(max_length=MAX_PATH_BYTES)] = Field(
        "",
        description="A JSON Pointer (RFC 6901) into the result, such as `/files`. Empty: the result itself.",
    )

    @property
    def task_map(self) -> TaskMap:
        return TaskMap(over=self.over, path=self.path)


MapMember = Annotated[
    MapIn | None,
    Field(
        description=(
            f"Calls the task once for each element of an array, at most {MAX_ITEMS} times. The body of each call also "
            'has `"item": {"index": ..., "count": ..., "value": element}`. The map ends with its last item, and '
            "succeeds if all of them do. Its result is the array of their results. In the limit of "
            f"{MAX_EXECUTIONS:,} executions of a run, a map counts {MAX_ITEMS}."
        )
    ),
]


class MapOut(Representation):
    """The array for each of whose elements a task is called."""

    over: str
    path: str
