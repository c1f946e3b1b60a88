"""Time and chance of the clients."""

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timezone

from punctual._core import Rules

TIMEOUT_SECONDS, MAX_ELAPSED_SECONDS = 10.0, 60.0


@dataclass(frozen=True, slots=True)
class Runtime:
    """Time and chance, which tests replace."""

    sleep: Callable[[float], None] = time.sleep
    async_sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(timezone.utc)
    chance: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: secrets.token_hex(16)

    def rules(self, max_elapsed: float) -> Rules:
        """The rules of a client."""
        return Rules(max_elapsed, self.monotonic, self.now, self.chance, self.new_key)


SYSTEM = Runtime()
