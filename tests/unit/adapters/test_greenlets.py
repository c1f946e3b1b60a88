"""Blocking code in greenlets of an event loop."""

import asyncio
import gc
import threading
import weakref
from concurrent.futures import Future
from contextvars import ContextVar
from functools import partial

import pytest
from greenlet import getcurrent, greenlet

from shared.adapters.clock import pause
from shared.adapters.greenlets import (
    GreenletSpread,
    finish,
    in_greenlet,
    result_of,
    run,
    wait_for,
)

MEETING_SECONDS = 60
OWN: ContextVar[str] = ContextVar("own", default="none")


class Steps:
    """What happens, in order. Calls meet at `gate`, so no test depends on time."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.gate = asyncio.Event()

    def call(self, name: str) -> str:
        """A blocking function that waits for the gate."""
        self.seen.append(f"{name} begins")
        # Bounded, so that calls that never meet fail here in place of running for ever.
        wait_for(asyncio.wait_for(self.gate.wait(), MEETING_SECONDS))
        self.seen.append(f"{name} ends")
        return name.upper()

    def open(self, name: str) -> str:
        self.seen.append(f"{name} opens")
        self.gate.set()
        return name.upper()


def test_calls_that_wait_give_way_to_each_other_on_one_thread() -> None:
    steps = Steps()

    async def all_three() -> tuple[str, str, str]:
        return await asyncio.gather(
            in_greenlet(steps.call, "a"), in_greenlet(steps.call, "b"), in_greenlet(steps.open, "c")
        )

    assert list(run(all_three())) == ["A", "B", "C"]
    assert steps.seen == ["a begins", "b begins", "c opens", "a ends", "b ends"]


def test_spread_makes_its_calls_side_by_side_and_keeps_their_order() -> None:
    steps = Steps()

    def call(name: str) -> str:
        return steps.open(name) if name == "c" else steps.call(name)

    assert GreenletSpread(3)(call, ["a", "b", "c"]) == ["A", "B", "C"]


def test_spread_makes_so_many_calls_at_once_and_no_more() -> None:
    running, most = 0, 0

    def call(_: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        pause(0)
        running -= 1

    GreenletSpread(4)(call, range(20))
    assert most == 4


def test_spread_inside_a_spread_inside_an_offload_is_made() -> None:
    inner, outer = GreenletSpread(2), GreenletSpread(2)

    def product(number: int, other: int) -> int:
        pause(0)
        return number * other

    def row(number: int) -> list[int]:
        return inner(partial(product, number), range(3))

    async def main() -> list[list[int]]:
        return await in_greenlet(outer, row, range(3))

    assert run(main()) == [[0, 0, 0], [0, 1, 2], [0, 2, 4]]


def test_exception_of_a_spread_passes_when_all_calls_have_ended() -> None:
    ended: list[int] = []

    def call(number: int) -> None:
        if number == 0:
            raise ValueError("first")
        pause(0)
        ended.append(number)

    with pytest.raises(ValueError, match="first"):
        GreenletSpread(4)(call, range(4))
    assert ended == [1, 2, 3]


def test_every_error_of_a_spread_is_taken_and_the_first_is_raised(caplog: pytest.LogCaptureFixture) -> None:
    def fail(number: int) -> None:
        pause(0)
        raise ValueError(f"number {number}")

    with pytest.raises(ValueError, match="number 0"):
        GreenletSpread(4)(fail, range(4))
    gc.collect()
    assert caplog.records == [], "the exception of each task is retrieved"


def test_cancelled_spread_leaves_no_call_behind() -> None:
    seen: list[str] = []

    def call(number: int) -> None:
        try:
            pause(60_000)
        finally:
            seen.append(f"{number} ends")

    async def main() -> int:
        task = asyncio.create_task(in_greenlet(GreenletSpread(4), call, range(3)))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return len(asyncio.all_tasks())

    assert run(main()) == 1, "only the task that counts"
    assert sorted(seen) == ["0 ends", "1 ends", "2 ends"]


def test_future_goes_on_for_others_when_one_that_waits_for_it_is_cancelled() -> None:
    future: Future[str] = Future()

    async def main() -> str:
        waiting = asyncio.create_task(in_greenlet(result_of, future))
        other = asyncio.create_task(in_greenlet(result_of, future))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        future.set_result("key")
        return await other

    assert run(main()) == "key"


def test_exception_of_what_is_awaited_is_raised_where_the_function_waits() -> None:
    async def fails() -> None:
        raise ValueError("awaited")

    def function() -> str:
        try:
            wait_for(fails())
        except ValueError as error:
            return str(error)
        return "no error"

    async def main() -> str:
        return await in_greenlet(function)

    assert run(main()) == "awaited"


def test_cancellation_reaches_the_function() -> None:
    seen: list[str] = []

    def function() -> None:
        try:
            pause(60_000)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def main() -> None:
        task = asyncio.create_task(in_greenlet(function))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        seen.append("ended" if task.cancelled() else "goes on")

    run(main())
    assert seen == ["cancelled", "ended"]


def test_function_sees_the_context_variables_of_its_task() -> None:
    def function() -> str:
        pause(0)
        return OWN.get()

    async def task(name: str) -> str:
        OWN.set(name)
        return await in_greenlet(function)

    async def main() -> tuple[str, str]:
        return await asyncio.gather(task("a"), task("b"))

    assert list(run(main())) == ["a", "b"]


def test_future_that_another_greenlet_sets_blocks_nobody_else() -> None:
    future: Future[str] = Future()

    async def main() -> tuple[str, str, None]:
        waiting = in_greenlet(result_of, future), in_greenlet(result_of, future)
        return await asyncio.gather(*waiting, in_greenlet(set_later))

    def set_later() -> None:
        pause(0)
        future.set_result("key")

    assert list(run(main())) == ["key", "key", None]


def test_without_a_loop_the_thread_blocks_and_each_thread_has_a_loop_of_its_own() -> None:
    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    loops = [wait_for(loop()), wait_for(loop())]

    def in_thread() -> None:
        loops.append(wait_for(loop()))

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert loops[0] is loops[1] is not loops[2]


def test_to_wait_on_the_loop_itself_is_an_error_and_no_deadlock() -> None:
    async def main() -> None:
        pause(0)

    with pytest.raises(RuntimeError, match="Offload port"):
        run(main())


class Payload:
    """Something whose end can be seen."""


def test_greenlet_runs_functions_one_after_another_and_keeps_nothing_of_them() -> None:
    def echo(payload: Payload) -> tuple[greenlet, Payload]:
        return getcurrent(), payload

    async def in_turn() -> None:
        payloads = [Payload(), Payload()]
        ends = [weakref.ref(payload) for payload in payloads]
        first, shown = await in_greenlet(echo, payloads[0])
        assert shown is payloads[0]
        second, shown = await in_greenlet(echo, payloads[1])
        assert second is first
        del payloads, shown
        assert [end() for end in ends] == [None, None]

    run(in_turn())


def test_greenlets_of_functions_that_raise_run_no_other_function() -> None:
    def fail() -> None:
        raise ValueError("a bug")

    async def in_turn() -> tuple[greenlet, greenlet]:
        before = await in_greenlet(getcurrent)
        with pytest.raises(ValueError, match="a bug"):
            await in_greenlet(fail)
        return before, await in_greenlet(getcurrent)

    before, after = run(in_turn())
    assert (before.dead, after.dead) == (True, False)


def test_functions_give_way_to_the_loop_that_runs_now() -> None:
    def begin() -> str:
        wait_for(asyncio.sleep(0))
        return "begun"

    async def in_turn() -> list[str]:
        return [await in_greenlet(begin) for _ in range(2)]

    # The greenlets of the first loop are idle when its own greenlet has ended.
    assert greenlet(run).switch(in_turn()) == ["begun"] * 2
    assert run(in_turn()) == ["begun"] * 2


def test_coroutine_that_waits_for_a_loop_is_refused_where_none_runs() -> None:
    async def immediate() -> int:
        await asyncio.sleep(0)
        return 1

    async def waiting(future: asyncio.Future[None]) -> None:
        await future

    assert finish(immediate()) == 1
    loop = asyncio.new_event_loop()
    with pytest.raises(RuntimeError, match="where none runs"):
        finish(waiting(loop.create_future()))
    loop.close()
