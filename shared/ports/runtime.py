"""Time, chance and threads: what makes a use case's run a function of its inputs."""

from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Clock(Protocol):
    """The only source of time."""

    def now_ms(self) -> int:
        """The wall clock."""
        ...

    async def sleep_ms(self, duration_ms: int) -> None:
        """Let at least this much time pass."""
        ...


class Entropy(Protocol):
    """The only source of randomness."""

    def bits(self, count: int) -> int:
        """A whole number of `count` random bits, fit for secrets."""
        ...

    def draw(self) -> float:
        """Uniform in [0, 1)."""
        ...


class Pause(Protocol):
    """Lets others go first, from a blocking call: never on the event loop."""

    def __call__(self, duration_ms: int) -> None:
        """Let at least this much time pass while this thread does nothing."""
        ...


class Offload(Protocol):
    """Runs blocking port calls beside the event loop."""

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The function's result; its exceptions pass through."""
        ...
