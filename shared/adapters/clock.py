"""The system's clock and randomness. No other module of the product uses them directly."""

import asyncio
import random
import secrets
import time

from shared.adapters.greenlets import has_loop, wait_for


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    async def sleep_ms(self, duration_ms: int) -> None:
        if has_loop():
            await asyncio.sleep(duration_ms / 1000)
        else:
            time.sleep(duration_ms / 1000)


class SystemEntropy:
    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def bits(self, count: int) -> int:
        return secrets.randbits(count)

    def draw(self) -> float:
        return self._random.random()


def steady_seconds() -> float:
    """A clock for durations, which no correction sets."""
    return time.monotonic()


def pause(duration_ms: int) -> None:
    """Block the greenlet, or the thread where it has none, for at least this long."""
    wait_for(asyncio.sleep(duration_ms / 1000))
