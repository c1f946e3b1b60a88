"""Long work on one attempt: heartbeats while it runs, and its outcome at the end."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import httpx

from punctual._proxies import no_proxy_for
from punctual.receivers._reports import Judgement, Unanswered, outcome_of
from punctual.receivers._work_state import WorkState
from punctual.receivers.errors import AttemptLostError, ReportError

if TYPE_CHECKING:
    from types import TracebackType

    from punctual.receivers._claims import Claim
    from punctual.receivers.long_work import LongWork, Ticket


class Work(WorkState):
    """Long work on one attempt. Enter it with `with` or `async with`, once.

    The first heartbeat is sent before the block begins, and others in the background until it has ended; each
    extends the claim in the store of seen calls as well. The end of the block completes the attempt. An exception
    fails it, with the exception as the reason, and goes on. A process that dies sends no heartbeat, and the next
    attempt starts when the lease has ended.

    AttemptLostError when the block begins or ends: the attempt is over. ReportError when it ends: the outcome
    could not be reported. If calls are deduplicated, the next attempt is then answered without repeating the work.
    """

    def __init__(self, ticket: Ticket, claim: Claim | None, long_work: LongWork) -> None:
        super().__init__(ticket, claim, long_work)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat_until_end, name="punctual-heartbeats", daemon=True)
        self._client: httpx.Client | None = None
        self._async_client: httpx.AsyncClient | None = None
        self._task: asyncio.Task[None] | None = None

    # --- with

    def __enter__(self) -> Work:
        self._client = self._settings.http or httpx.Client(mounts=no_proxy_for(self._settings.api_url))
        try:
            self._beat()
            self.check()
        except BaseException as error:
            self._record_end(error)
            self._close()
            raise
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._record_end(error)
            if not isinstance(error, AttemptLostError):
                self._report(error)
        finally:
            self._ended.set()
            self._thread.join()
            self._close()

    def _beat_until_end(self) -> None:
        while not self.is_lost and not self._timing.wait(self._ended, self._seconds_to_beat()):
            self._beat()

    def _beat(self) -> None:
        sent_at = self._timing.monotonic()
        self._note(self._send("heartbeat", {}), sent_at)

    def _report(self, error: BaseException | None) -> None:
        what, body = outcome_of(error, self._result)
        tries = self._tries(error)
        try:
            while (pause := self._pause(tries, self._send(what, body))) is not None:
                self._timing.sleep(pause)
        except (AttemptLostError, ReportError) as failed:
            self._note_unreported(error, failed)

    def _send(self, what: str, body: dict[str, object]) -> Judgement:
        assert self._client is not None
        try:
            return self._judged(self._client.post(**self._request(what, body)))
        except httpx.TransportError as error:
            return Unanswered(f"no answer from the API: {type(error).__name__}")

    def _close(self) -> None:
        if self._client is not None and self._client is not self._settings.http:
            self._client.close()

    # --- async with

    async def __aenter__(self) -> Work:
        self._async_client = self._settings.async_http or httpx.AsyncClient(
            mounts=no_proxy_for(self._settings.api_url)
        )
        try:
            await self._beat_async()
            self.check()
        except BaseException as error:
            await asyncio.to_thread(self._record_end, error)
            await self._close_async()
            raise
        self._task = asyncio.create_task(self._beat_until_end_async())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await asyncio.to_thread(self._record_end, error)
            if not isinstance(error, AttemptLostError):
                await self._report_async(error)
        finally:
            if self._task is not None:
                self._task.cancel()
                await asyncio.wait([self._task])
            await self._close_async()

    async def _beat_until_end_async(self) -> None:
        while not self.is_lost:
            await self._timing.sleep_async(self._seconds_to_beat())
            await self._beat_async()

    async def _beat_async(self) -> None:
        sent_at = self._timing.monotonic()
        answer = await self._send_async("heartbeat", {})
        await asyncio.to_thread(self._note, answer, sent_at)

    async def _report_async(self, error: BaseException | None) -> None:
        what, body = outcome_of(error, self._result)
        tries = self._tries(error)
        try:
            while (pause := self._pause(tries, await self._send_async(what, body))) is not None:
                await self._timing.sleep_async(pause)
        except (AttemptLostError, ReportError) as failed:
            self._note_unreported(error, failed)

    async def _send_async(self, what: str, body: dict[str, object]) -> Judgement:
        assert self._async_client is not None
        try:
            return self._judged(await self._async_client.post(**self._request(what, body)))
        except httpx.TransportError as error:
            return Unanswered(f"no answer from the API: {type(error).__name__}")

    async def _close_async(self) -> None:
        if self._async_client is not None and self._async_client is not self._settings.async_http:
            await self._async_client.aclose()
