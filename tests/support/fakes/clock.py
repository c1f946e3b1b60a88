"""Time, randomness and threads under the control of a test."""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")


class VirtualClock:
    """Time changes only when a test sets it or a caller sleeps."""

    def __init__(self, now_ms: int) -> None:
        self.time_ms = now_ms

    def now_ms(self) -> int:
        return self.time_ms

    async def sleep_ms(self, duration_ms: int) -> None:
        """Advances the clock at once and lets other tasks run."""
        self.time_ms += max(0, duration_ms)
        await asyncio.sleep(0)


class SeededEntropy:
    """The same seed gives the same bits and draws."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def bits(self, count: int) -> int:
        return self._random.getrandbits(count)

    def draw(self) -> float:
        return self._random.random()


class InlineOffload:
    """Calls the function at once, in the caller's thread."""

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)


def one_by_one(function: Callable[[A], T], items: Sequence[A]) -> list[T]:
    """Calls that would be made side by side, in their order."""
    return [function(item) for item in items]
