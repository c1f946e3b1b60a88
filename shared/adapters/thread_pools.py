"""Threads for the calls of the SDK, which blocks its thread. No other module of the product uses threads."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")


class ThreadSpread:
    """Makes up to `workers` calls at a time, in threads that are started with the first spread.

    A spread inside a spread makes its calls one after another: if it waited for a thread, all could wait.
    """

    def __init__(self, workers: int) -> None:
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(
            max_workers=workers, thread_name_prefix="spread", initializer=self._mark
        )

    def _mark(self) -> None:
        self._own.is_worker = True

    def __call__(self, function: Callable[[A], T], items: Sequence[A]) -> list[T]:
        if len(items) < 2 or getattr(self._own, "is_worker", False):
            return [function(item) for item in items]
        calls = [self._pool.submit(function, item) for item in items]
        wait(calls)
        return [call.result() for call in calls]


class ThreadOffload:
    """Runs blocking calls in a thread pool that outlives the event loop."""

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="offload")

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, partial(function, *args, **kwargs)
        )
