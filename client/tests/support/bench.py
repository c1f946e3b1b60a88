"""A received call with long work, on an API and a clock of the test."""

import asyncio
from collections.abc import Callable

from client.tests.support.calls import NEW, headers_of
from client.tests.support.long_work import API, Api, Time
from punctual.receivers import LongWork, MemorySeen, ReceivedCall, Receiver, Seen, Work
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import Done, Running


class Bench:
    """A received call, and everything that its work meets."""

    def __init__(self, api: Api, seen: Seen | None = None, *, is_async: bool = False) -> None:
        self.api, self.time = api, Time()
        self.seen = MemorySeen() if seen is None else seen
        self.started: list[Callable[[], None]] = []
        self.receiver = Receiver(
            NEW,
            seen=self.seen,
            clock=self.time.timing().clock,
            long_work=LongWork(
                api_url=API + "/",
                http=api.client(),
                async_http=api.async_client(),
                start=self.started.append,
                timing=self.time.timing(),
            ),
        )
        call = self.receiver.admit(headers_of(b"{}"), b"{}")
        assert isinstance(call, ReceivedCall)
        self.call = call
        self.is_async = is_async

    def run(self, act: Callable[[Work], None]) -> None:
        """The work of the call, in either way."""
        if self.is_async:
            asyncio.run(self._run(act))
        else:
            with self.call.work() as work:
                act(work)

    async def _run(self, act: Callable[[Work], None]) -> None:
        async with self.call.work() as work:
            await asyncio.to_thread(act, work)

    def other(self) -> Running | Done | None:
        """What another worker gets for the same call."""
        return Claim(self.seen, self.call.id, "other", self.time.timing().clock).take(10)
