"""Blocking code on an event loop, without threads: each blocking function runs in a greenlet of its own.

Where the function has to wait, its greenlet hands an awaitable to the loop, and goes on with the result. So one
source text of use cases and stores serves the API, which blocks, and the executors, which make hundreds of
calls at a time on one thread.
"""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from greenlet import getcurrent, greenlet

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")


class _Worker(greenlet):  # type: ignore[misc]
    """Runs blocking functions, one after another, until one of them raises.

    A new greenlet maps memory for its stack, which takes ten times as long as the rest of a call.
    """

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[Any] = []
        """What the last function returned, until it is taken."""

    def run(self, function: Any, args: Any, kwargs: Any) -> None:
        while True:
            self.returned.append(function(*args, **kwargs))
            function = args = kwargs = None
            function, args, kwargs = self.parent.switch()


class _ThreadLoop:
    """The event loop of a thread, closed with the thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()

    def __del__(self) -> None:
        self.loop.close()


class _Own(threading.local):
    """What belongs to one thread."""

    def __init__(self) -> None:
        self.loop: _ThreadLoop | None = None
        self.idle: list[_Worker] = []
        """The workers that run no function: as many as ever ran at the same time."""


_OWN = _Own()


async def in_greenlet(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function beside the other tasks of the loop; its exceptions pass through."""
    worker, current = _OWN.idle.pop() if _OWN.idle else _Worker(), getcurrent()
    # A greenlet has context variables of its own: the function sees those of its task.
    worker.parent, worker.gr_context = current, current.gr_context
    awaited = worker.switch(function, args, kwargs)
    while not worker.returned:
        try:
            answer = await awaited
        except BaseException:  # noqa: BLE001 - raised again where the worker waits, a cancellation too
            awaited = worker.throw(*sys.exc_info())
        else:
            awaited = worker.switch(answer)
    _OWN.idle.append(worker)
    returned: T = worker.returned.pop()
    return returned


def wait_for(awaitable: Awaitable[T]) -> T:
    """The result of an awaitable: the greenlet gives way, or the thread blocks if no loop runs in it.

    RuntimeError if called from a task of a running loop, outside of `in_greenlet`.
    """
    current = getcurrent()
    if isinstance(current, _Worker):
        answer: T = current.parent.switch(awaitable)
        return answer
    if has_loop():
        if asyncio.iscoroutine(awaitable):
            awaitable.close()
        raise RuntimeError("a blocking call on the event loop: make it through the Offload port")
    return run(_awaited(awaitable))


def has_loop() -> bool:
    """Whether an event loop runs in this thread."""
    return asyncio._get_running_loop() is not None


def finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that blocks where it has to wait, as the transport to AWS does without a loop."""
    try:
        # Nothing else can run meanwhile, so `asyncio.sleep(0)` ends at once.
        while coroutine.send(None) is None:
            pass
    except StopIteration as ended:
        result: T = ended.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine waits for a loop where none runs")


def may_wait() -> bool:
    """Whether the caller runs in a greenlet, so that others go on while it waits."""
    return isinstance(getcurrent(), _Worker)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the thread's own loop. Kept-alive connections belong to that loop."""
    if _OWN.loop is None:
        _OWN.loop = _ThreadLoop()
    return _OWN.loop.loop.run_until_complete(coroutine)


def result_of(future: Future[T]) -> T:
    """The result of a future that another greenlet or thread sets."""
    if not future.done() and may_wait():
        # Shielded: the others that wait for the future go on if this greenlet is cancelled.
        return wait_for(asyncio.shield(asyncio.wrap_future(future)))
    return future.result()


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable


class GreenletSpread:
    """Makes the calls of a spread side by side, at most `at_once` of them."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once

    def __call__(self, function: Callable[[A], T], items: Sequence[A]) -> list[T]:
        if len(items) < 2:
            return [function(item) for item in items]
        return wait_for(self._all(function, items))

    async def _all(self, function: Callable[[A], T], items: Sequence[A]) -> list[T]:
        places = asyncio.Semaphore(self._at_once)

        async def call(item: A) -> T:
            async with places:
                return await in_greenlet(function, item)

        calls = [asyncio.create_task(call(item)) for item in items]
        try:
            await asyncio.wait(calls)
        finally:
            # A call that outlives its spread would go on in a later invocation.
            unfinished = [call for call in calls if not call.done()]
            for each in unfinished:
                each.cancel()
            if unfinished:
                await asyncio.wait(unfinished)
        errors = [error for each in calls if (error := each.exception()) is not None]
        if errors:
            raise errors[0]
        return [each.result() for each in calls]
