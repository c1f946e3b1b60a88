"""What stands between a process and a port: its faults, its clock, and the threads of an executor."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from shared.domain.executions.execution import Execution
from shared.ports.executions import ClaimRejected, ScanPage
from tests.simulation.faults import Strike
from tests.simulation.hub import SimLoop
from tests.simulation.lanes import SimLanes
from tests.simulation.places import places_of, refused_at
from tests.simulation.process import Crash, Process, throttled, unavailable
from tests.simulation.subjects import READS, is_transaction, items_of, subjects_of
from tests.support.fakes.claimer import FakeClaimer
from tests.support.fakes.one_off_batches import FakeOneOffBatches
from tests.support.fakes.redrive_batches import FakeRedriveBatches

P = ParamSpec("P")
T = TypeVar("T")
ANSWER_WITH_WHAT_STANDS = frozenset({"put_if_absent", "finish", "extend_lease", "cancel", "mark_redriven"})
"""Writes that answer None when they were made, and otherwise what stands there."""


@dataclass(slots=True)
class ProcessHandle:
    """The process that makes the calls of a set of ports. An executor's sandbox has another one with each batch."""

    process: Process
    loop: SimLoop | None = None
    """Of an executor."""


class PortCalls:
    """Puts a process's faults before and after every method of a port.

    `fails` says, by method, what the port answers instead of raising UnavailableError where it promises not to raise.
    """

    def __init__(
        self, handle: ProcessHandle, target: Any, fails: dict[str, Callable[..., Any]] | None = None
    ) -> None:
        self._handle = handle
        self._target = target
        self._fails = fails or {}
        self._name = type(target).__name__.removeprefix("Fake").removeprefix("Sim")

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._target, name)
        failing = self._fails.get(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            way, about = self._way(name, args, kwargs)
            if self._is_hot(name, args, about):
                self._handle.process.refuse(f"{self._name}.{name}", about)
                return failing(*args) if failing else throttled()
            result = way(
                f"{self._name}.{name}",
                lambda: method(*args, **kwargs),
                (lambda: failing(*args)) if failing else unavailable,
                about,
            )
            self._look_at(name, result)
            return result

        return call

    def _is_hot(self, name: str, args: Sequence[Any], about: tuple[str, ...]) -> bool:
        """Whether DynamoDB throttles what the call touches; queues are no part of it."""
        process = self._handle.process
        weather = process.weather
        if isinstance(self._target, SimLanes):
            return False
        strikes = weather.strikes(Strike.HOT_PLACE)
        if not strikes and not weather.hotspots.until_ms:
            return False
        places = list(places_of(self._name, name, args, about))
        if strikes:
            weather.hotspots.heat(places, weather.separate, process.true_ms)
        return weather.hotspots.throttles(refused_at(name, places), process.true_ms)

    def _way(
        self, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Callable[..., Any], tuple[str, ...]]:
        """How the call goes, and what it is about."""
        process = self._handle.process
        if is_transaction(name, kwargs):
            return process.transact, items_of([*args, *kwargs.values()], process.trace)
        way = process.read if name in READS else process.write
        if isinstance(self._target, FakeClaimer | FakeOneOffBatches | FakeRedriveBatches | SimLanes):
            way = process.write_batch
        return way, tuple(subjects_of([*args, kwargs], process.trace))

    def _look_at(self, name: str, result: Any) -> None:
        """What an answer means to the simulation itself."""
        process = self._handle.process
        if name == "claim" and isinstance(result, list):
            process.leases += [one.progress.lease_until or 0 for one in result if isinstance(one, Execution)]
            refused = any(isinstance(one, ClaimRejected) for one in result)
        else:
            refused = name in ANSWER_WITH_WHAT_STANDS and result is not None
        if refused:
            process.weather.note(Strike.REFUSED_CONDITION)
        if isinstance(result, ScanPage) and result.rows:
            process.note("saw", subjects_of(result, process.trace))


class ProcessClock:
    """The clock port of one process."""

    def __init__(self, handle: ProcessHandle) -> None:
        self._handle = handle

    def now_ms(self) -> int:
        """The clock of the sandbox, which may be off."""
        return self._handle.process.now_ms()

    async def sleep_ms(self, duration_ms: int) -> None:
        """Let virtual time pass on the executor's event loop."""
        loop = self._handle.loop
        if loop is None:
            raise AssertionError("only executors wait")
        future = loop.create_future()
        loop.call_later(duration_ms / 1000, future.set_result, None)
        await future


class GreenletOffload:
    """Blocking calls of an executor, each in a greenlet of its own: that is where its threads interleave."""

    def __init__(self, handle: ProcessHandle) -> None:
        self._handle = handle

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The function's result; its exceptions pass through."""
        process, loop = self._handle.process, self._handle.loop
        assert loop is not None
        future = loop.create_future()

        def settle(setter: Callable[[Any], None], value: Any) -> None:
            if loop.is_closed():  # the process has died meanwhile
                return
            loop.call_soon(lambda: None if future.done() else setter(value))
            loop.wake()

        def work() -> None:
            try:
                result = function(*args, **kwargs)
            except Crash as crash:
                settle(future.set_exception, crash)
                raise
            except Exception as fault:  # noqa: BLE001 - whatever it is belongs to the caller
                settle(future.set_exception, fault)
            else:
                settle(future.set_result, result)

        process.spawn(work)
        return await future
