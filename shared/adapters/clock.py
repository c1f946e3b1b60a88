"""The system's clock, randomness and threads: the only place that touches them."""

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class SystemClock:
    """The wall clock of this machine."""

    def now_ms(self) -> int:
        """See the port."""
        return time.time_ns() // 1_000_000

    async def sleep_ms(self, duration_ms: int) -> None:
        """See the port."""
        await asyncio.sleep(duration_ms / 1000)


class SystemEntropy:
    """The operating system's randomness."""

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def bits(self, count: int) -> int:
        """See the port."""
        return secrets.randbits(count)

    def draw(self) -> float:
        """See the port."""
        return self._random.random()


def pause(duration_ms: int) -> None:
    """See the port."""
    time.sleep(duration_ms / 1000)


class ThreadOffload:
    """Runs blocking calls in a few threads, which outlive the event loop's turns."""

    def __init__(self, workers: int) -> None:
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="offload")

    async def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """See the port."""
        return await asyncio.get_running_loop().run_in_executor(
            self._pool, partial(function, *args, **kwargs)
        )
