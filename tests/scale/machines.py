"""Virtual machines of Lambda: processor time is served one step after another, waits pass side by side."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from greenlet import getcurrent, greenlet

from infra.sizing import figures
from tests.simulation.hub import Hub, SimLoop

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")


class Machine:
    """One sandbox: a share of a core by its memory. Everything in it runs as greenlets on the hub."""

    def __init__(self, hub: Hub, memory_mb: int) -> None:
        self.hub = hub
        self.share = min(1.0, memory_mb / figures.MB_OF_ONE_CORE.value)
        self.cpu_ms = 0.0
        """Processor time used so far, in milliseconds of a full core."""
        self.fixed_ms = 0.0
        """Milliseconds of calls that last as long in the stage as in the slice."""
        self._free_at = 0.0

    def spend(self, cpu_ms: float, latency_ms: float = 0) -> None:
        """Use the processor when it is free, then wait."""
        self.hub.sleep(self.busy_ms(cpu_ms) + latency_ms)  # type: ignore[arg-type]

    def pause(self, duration_ms: int) -> None:
        """Wait as long as in the whole stage."""
        self.fixed_ms += duration_ms
        self.hub.sleep(duration_ms)

    def busy_ms(self, cpu_ms: float) -> float:
        """Reserve the processor; how long it takes from now until the step is done."""
        now_ms = self.hub.now_ms
        self.cpu_ms += cpu_ms
        self._free_at = max(now_ms, self._free_at) + cpu_ms / self.share
        return self._free_at - now_ms


class _Selector:
    """Where an executor's loop waits: in the hub, for fractions of milliseconds too."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.sleeper: greenlet | None = None

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None or timeout > 0:
            self.sleeper = getcurrent()
            self._hub.sleep(None if timeout is None else timeout * 1000)  # type: ignore[arg-type]
            self.sleeper = None
        return []


class MachineLoop(SimLoop):
    """The event loop of an executor."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._selector = _Selector(hub)  # type: ignore[assignment]


class MachineClock:
    """The clock of a machine, without skew."""

    def __init__(self, hub: Hub, loop: MachineLoop | None = None) -> None:
        self._hub = hub
        self._loop = loop

    def now_ms(self) -> int:
        return int(self._hub.now_ms)

    async def sleep_ms(self, duration_ms: int) -> None:
        if self._loop is None:
            raise AssertionError("only executors wait")
        future = self._loop.create_future()
        self._loop.call_later(duration_ms / 1000, future.set_result, None)
        await future


class MachineOffload:
    """Blocking calls of an executor: each in a greenlet of its own, with the price of a thread's hand-off."""

    def __init__(self, machine: Machine, loop: MachineLoop) -> None:
        self._machine = machine
        self._loop = loop

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        future: asyncio.Future[T] = self._loop.create_future()

        def work() -> None:
            try:
                self._machine.spend(figures.cpu("hop"))
                result = function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - it belongs to the caller
                self._loop.call_soon(future.set_exception, error)
            else:
                self._loop.call_soon(future.set_result, result)
            self._loop.wake()

        self._machine.hub.spawn(work)
        return await future


class MachineSpread:
    """Calls side by side, up to a number of threads at a time: a group lasts as long as its longest calls."""

    def __init__(self, machine: Machine, threads: int) -> None:
        self._machine = machine
        self._threads = threads

    def __call__(self, function: Callable[[A], T], items: Sequence[A]) -> list[T]:
        if len(items) < 2:
            return [function(item) for item in items]
        hub, results, left = self._machine.hub, [None] * len(items), list(enumerate(items))[::-1]
        errors: list[BaseException] = []
        caller, running = getcurrent(), min(self._threads, len(items))

        def work() -> None:
            nonlocal running
            while left:
                number, item = left.pop()
                try:
                    results[number] = function(item)  # type: ignore[call-overload]
                except Exception as error:  # noqa: BLE001 - it belongs to the caller
                    errors.append(error)
            running -= 1
            if not running:
                hub.wake(caller)

        for _ in range(running):
            hub.spawn(work)
        hub.sleep(None)
        if errors:
            raise errors[0]
        return results  # type: ignore[return-value]
