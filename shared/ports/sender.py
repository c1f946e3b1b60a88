"""The calls."""

from typing import Protocol

from shared.domain.delivery import Answer, Callback


class Sender(Protocol):
    """Makes the calls."""

    async def send(self, callback: Callback, *, timeout_seconds: float) -> Answer:
        """One attempt, within the deadline in total; every failure is an answer, nothing is raised."""
        ...
