"""A verified and claimed call, as handlers receive it."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from punctual.receivers.errors import AttemptLostError, CallFailedError, ReportError
from punctual.receivers.replies import ACCEPTED, Accepted
from punctual.webhooks.call import Call

if TYPE_CHECKING:
    import asyncio

    from punctual.receivers._claims import Claim
    from punctual.receivers._work import Work
    from punctual.receivers.long_work import LongWork, Ticket

log = logging.getLogger("punctual.receivers")
_EXPECTED = (AttemptLostError, CallFailedError, ReportError)
_ENDED = "the work of %s has ended: %s"
_RUNNING: set[asyncio.Task[None]] = set()
"""The event loop itself keeps weak references only."""


class ReceivedCall(Call):
    """A call that this worker has claimed.

    Return from the handler, and the call is done. Any exception, and any response that is no 2xx, releases the
    claim, so that the next attempt does the work. For work that takes longer than the call's timeout, return what
    `later` returns.
    """

    __slots__ = ("claim", "long_work")

    def __init__(self, call: Call, claim: Claim | None, long_work: LongWork | None) -> None:
        super().__init__(id=call.id, signed_at=call.signed_at, body=call.body, headers=call.headers)
        self.claim: Final = claim
        """In the store of seen calls; None without one."""
        self.long_work: Final = long_work
        """Where the outcome is reported; None if the receiver was given nothing."""

    def later(self, work: Callable[..., Any], *arguments: Any, **named: Any) -> Accepted:
        """Answer 202, and run `work(w, *arguments, **named)` inside of `with call.work() as w`.

        A coroutine function runs as a task of the running event loop, any other function as `LongWork.start` says.
        The end of the work is reported, and an exception of it is logged. Not for outcome callbacks and alerts: for
        these, Punctual takes a 202 as the end.
        """
        made = self.work()
        if inspect.iscoroutinefunction(work):
            _start_task(_run_async(made, work, arguments, named))
        else:
            assert self.long_work is not None
            self.long_work.start(lambda: _run(made, work, arguments, named))
        return ACCEPTED

    def work(self) -> Work:
        """Long work on this attempt, for `with` or `async with`. Return `accepted()` from the handler."""
        from punctual.receivers._work import Work  # imports httpx, which short work does not need

        return Work(self._ticket(), self.claim, self._configured())

    def accepted(self) -> Accepted:
        """202: the work goes on elsewhere, with the `ticket` of this call, and sends its first heartbeat soon."""
        self._configured()
        return ACCEPTED

    def ticket(self) -> str:
        """What another process passes to `Receiver.resume` to do the work, as secret as a password."""
        return self._ticket().encode()

    def _ticket(self) -> Ticket:
        from punctual.receivers.long_work import Ticket

        token = self.callback_token
        if token is None:
            raise CallFailedError("the call has no X-Callback-Token, so that its work cannot be reported on")
        return Ticket(self.id, token, None if self.claim is None else self.claim.owner)

    def _configured(self) -> LongWork:
        if self.long_work is None:
            raise RuntimeError("give the receiver long_work=LongWork(api_url=...), to which work is reported")
        return self.long_work


def _start_task(run: Coroutine[Any, Any, None]) -> None:
    import asyncio

    try:
        task = asyncio.get_running_loop().create_task(run)
    except RuntimeError:
        run.close()
        raise RuntimeError("a coroutine function can be started by an asynchronous handler only") from None
    _RUNNING.add(task)
    task.add_done_callback(_RUNNING.discard)


def _run(work: Work, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    try:
        with work:
            function(work, *arguments, **named)
    except _EXPECTED as error:
        log.warning(_ENDED, work.execution_id, error)
    except Exception as error:
        log.exception(_ENDED, work.execution_id, error)


async def _run_async(
    work: Work, function: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    try:
        async with work:
            await function(work, *arguments, **named)
    except _EXPECTED as error:
        log.warning(_ENDED, work.execution_id, error)
    except Exception as error:
        log.exception(_ENDED, work.execution_id, error)
