"""Clocks, pauses and chance, passed in so that tests need not wait."""

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Those of the machine. All durations are seconds."""

    clock: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random
    """From 0 to 1."""
    sleep: Callable[[float], None] = time.sleep
    sleep_async: Callable[[float], Awaitable[None]] = asyncio.sleep
    wait: Callable[[threading.Event, float], bool] = threading.Event.wait
    """Waits for an event, at most so long; whether it was set."""
