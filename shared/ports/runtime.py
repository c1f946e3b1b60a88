"""Time, randomness and threads, so that a use case is a function of its inputs."""

from collections.abc import Callable, Sequence
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")


class Clock(Protocol):
    """The only source of time."""

    def now_ms(self) -> int:
        """The current time."""
        ...

    async def sleep_ms(self, duration_ms: int) -> None:
        """Sleep for at least this long."""
        ...


class Entropy(Protocol):
    """The only source of randomness."""

    def bits(self, count: int) -> int:
        """An integer of `count` random bits, suitable for secrets."""
        ...

    def draw(self) -> float:
        """Uniform in [0, 1)."""
        ...


class Pause(Protocol):
    """Blocks the calling thread; must not be called on the event loop."""

    def __call__(self, duration_ms: int) -> None:
        """Block for at least this long."""
        ...


class Spread(Protocol):
    """Makes blocking port calls side by side; must not be called on the event loop."""

    def __call__(self, function: Callable[[A], T], items: Sequence[A]) -> list[T]:
        """The results in the order of the items; an exception passes through when all calls have ended."""
        ...


class Offload(Protocol):
    """Runs blocking port calls in a thread, off the event loop."""

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The function's result; its exceptions pass through."""
        ...
