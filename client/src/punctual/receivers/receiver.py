"""The steps of a receiver that no framework changes: verify a call, claim it, handle it, and record its end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from punctual.receivers._claims import Claim, new_owner
from punctual.receivers._dedupe import Done, Running, is_json
from punctual.receivers.errors import CallFailedError
from punctual.receivers.received import ReceivedCall
from punctual.receivers.replies import (
    MAX_RESULT_BYTES,
    Accepted,
    Reply,
    done,
    failed,
    refused,
    running,
    too_large,
)
from punctual.webhooks._verification import DEFAULT_TOLERANCE_SECONDS, Headers, Secrets, verify
from punctual.webhooks.errors import VerificationError

if TYPE_CHECKING:
    from punctual.receivers._work import Work
    from punctual.receivers.long_work import LongWork
    from punctual.receivers.seen.store import Seen

MAX_BODY_BYTES = 200 * 1024
"""No call of Punctual has a larger body."""
MAX_TIMEOUT_SECONDS = 60
"""The largest `timeout_seconds` of a job."""
log = logging.getLogger("punctual.receivers")
T = TypeVar("T")


class Receiver:
    """Verifies calls and has each of them handled once, also if it arrives more than once.

    `secrets` are the texts of all active signing secrets, or a function that returns them for each call.

    `seen` is the store for deduplication: a call that is done is answered 200, and a call that another worker has
    claimed is answered 409 with `Retry-After`. A task of a workflow that is done gets its former answer again, if that
    was JSON of at most 4,096 bytes. None hands every call to the handler, which must then tolerate repetitions itself.

    `timeout_seconds` is that of the job: a claim lapses after it, because Punctual has then given up on the
    attempt. A handler that works for longer may be called a second time while it works. Such work belongs into
    `ReceivedCall.later`, which needs `long_work`.

    `clock` returns seconds since 1970.
    """

    def __init__(
        self,
        secrets: Secrets | Callable[[], Secrets],
        *,
        seen: Seen | None,
        long_work: LongWork | None = None,
        timeout_seconds: float = MAX_TIMEOUT_SECONDS,
        tolerance_seconds: float = DEFAULT_TOLERANCE_SECONDS,
        max_body_bytes: int = MAX_BODY_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secrets = secrets
        self.seen = seen
        self.long_work = long_work
        self.max_body_bytes = max_body_bytes
        self._timeout_seconds = timeout_seconds
        self._tolerance_seconds = tolerance_seconds
        self._clock = clock

    def admit(self, headers: Headers, body: bytes) -> ReceivedCall | Reply:
        """A call to handle, or the answer to a request that must not be handled.

        SecretError for a wrong configuration, and the errors of the store: both are an answer of 500, which
        Punctual retries.
        """
        if len(body) > self.max_body_bytes:
            return too_large(self.max_body_bytes)
        secrets = self._secrets() if callable(self._secrets) else self._secrets
        try:
            call = verify(headers, body, secrets, self._tolerance_seconds, clock=self._clock)
        except VerificationError as error:
            log.warning("refused a request: %s", error)
            return refused(error)
        claim = None if self.seen is None else Claim(self.seen, call.id, new_owner(), self._clock)
        match claim and claim.take(self._timeout_seconds):
            case Done(answer):
                return done(answer)
            case Running() as other:
                return running(other.retry_after_seconds(int(self._clock() * 1000)))
        return ReceivedCall(call, claim, self.long_work)

    def handle(
        self,
        call: ReceivedCall,
        handler: Callable[[], T],
        status_of: Callable[[T], int],
        body_of: Callable[[T], bytes] | None = None,
    ) -> T | Reply:
        """Run the handler of an admitted call, and record the end of its work.

        `body_of` is the body of what the handler made: a repeated call of a task of a workflow gets it again.
        """
        try:
            made = handler()
        except CallFailedError as error:
            release(call)
            return failed(error)
        except BaseException:
            release(call)
            raise
        settle(call, made, status_of, body_of)
        return made

    def resume(self, ticket: str | Mapping[str, Any]) -> Work:
        """The work of a call whose handler returned `accepted()`, by its `ticket`, in any process.

        The ticket may be its text, or what that is in JSON. ValueError if it is none.
        """
        from punctual.receivers._work import Work
        from punctual.receivers.long_work import Ticket

        if self.long_work is None:
            raise RuntimeError("give the receiver long_work=LongWork(api_url=...), to which work is reported")
        known = Ticket.decode(ticket)
        claim = None
        if self.seen is not None and known.owner is not None:
            claim = Claim(self.seen, known.execution, known.owner, self._clock)
        return Work(known, claim, self.long_work)


def settle(
    call: ReceivedCall,
    made: T,
    status_of: Callable[[T], int],
    body_of: Callable[[T], bytes] | None = None,
) -> None:
    """Record the end of a handled call: a 2xx is done, unless the work goes on."""
    if isinstance(made, Accepted):
        return
    if 200 <= status_of(made) < 300:
        finish(call, answer_of(call, body_of(made)) if body_of is not None and call.task is not None else "")
    else:
        release(call)


def answer_of(call: ReceivedCall, body: bytes) -> str:
    """What is kept of an answer: the JSON with which a task of a workflow hands on its result, and nothing else."""
    if call.task is None or not body or len(body) > MAX_RESULT_BYTES:
        return ""
    try:
        text = body.decode()
    except ValueError:
        return ""
    return text if is_json(text) else ""


def finish(call: ReceivedCall, answer: str = "") -> None:
    """The work is done. If the store fails the answer is a success all the same: another attempt would repeat
    the work for sure, and this way only if the answer is lost."""
    try:
        if call.claim is not None:
            call.claim.finish(answer)
    except Exception:
        log.exception("the end of call %s was not recorded; a repetition would not be recognised", call.id)


def release(call: ReceivedCall) -> None:
    """The work has failed. If the store fails, the claim lapses by itself."""
    try:
        if call.claim is not None:
            call.claim.release()
    except Exception:
        log.exception("the claim on call %s was not released; it lapses by itself", call.id)
