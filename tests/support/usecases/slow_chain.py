"""An offload whose filing of successors takes longer than a quick call."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from shared.usecases.filing.file_successor import FileSuccessor

P = ParamSpec("P")
T = TypeVar("T")


class SlowChain:
    """Filing a successor takes its time: other tasks get many turns meanwhile."""

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        files = isinstance(getattr(function, "__self__", None), FileSuccessor)
        for _ in range(50 if files else 0):
            await asyncio.sleep(0)
        return function(*args, **kwargs)
