"""What a worker knows of its attempt, and the decisions of long work that need no waiting."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from punctual.receivers._lease import AttemptLease
from punctual.receivers._reports import (
    Judgement,
    Lost,
    Recorded,
    Rejected,
    Tries,
    Unanswered,
    judge,
)
from punctual.receivers.errors import AttemptLostError
from punctual.receivers.replies import MAX_RESULT_BYTES, dump
from punctual.receivers.timing import Timing

if TYPE_CHECKING:
    import httpx

    from punctual.receivers._claims import Claim
    from punctual.receivers.long_work import LongWork, Ticket

HTTP_TIMEOUT_SECONDS = 10.0
HURRIED_SECONDS = 2.0
"""How long the failure of an interrupted worker is reported, in seconds."""
log = logging.getLogger("punctual.receivers")


class WorkState:
    """The state of long work on one attempt."""

    def __init__(self, ticket: Ticket, claim: Claim | None, long_work: LongWork) -> None:
        self._ticket = ticket
        self._claim = claim
        self._settings = long_work
        self._timing = long_work.timing or Timing()
        self._result = ""
        self._lease = AttemptLease(next_beat_at=self._timing.monotonic())

    @property
    def execution_id(self) -> str:
        """The id of the execution, equal for all attempts."""
        return self._ticket.execution

    @property
    def is_lost(self) -> bool:
        """Whether `check` raises."""
        return self._lease.why_lost(self._timing.monotonic()) is not None

    def hand_on(self, result: Any) -> None:
        """Give a JSON value to the tasks of the workflow that need it, when the work has ended.

        TypeError or ValueError for a value that is none, or has more than 4,096 bytes as JSON.
        """
        text = dump(result)
        if len(text.encode()) > MAX_RESULT_BYTES:
            raise ValueError(
                f"a result has at most {MAX_RESULT_BYTES:,} bytes as JSON: hand on a reference to it"
            )
        self._result = text

    def check(self) -> None:
        """AttemptLostError if the work must stop, because another attempt has started or may start.

        It sends nothing, so call it often: before each step that must not be done by two workers at once.
        """
        reason = self._lease.why_lost(self._timing.monotonic())
        if reason is not None:
            raise AttemptLostError(reason)

    def _request(self, what: str, body: dict[str, object]) -> dict[str, Any]:
        """The arguments of `post`. Redirects are not followed: they would take the token elsewhere."""
        return {
            "url": f"{self._settings.api_url}/v1/executions/{self._ticket.execution}/{what}",
            "headers": {"X-Callback-Token": self._ticket.token},
            "json": body,
            "timeout": HTTP_TIMEOUT_SECONDS,
            "follow_redirects": False,
        }

    def _judged(self, answer: httpx.Response) -> Judgement:
        return judge(answer.status_code, answer.headers, answer.content, self._timing.clock())

    def _note(self, answer: Judgement, sent_at: float) -> None:
        """The answer to a heartbeat, which also extends the claim in the store of seen calls."""
        now = self._timing.monotonic()
        match answer:
            case Recorded(float(lease_seconds)):
                self._lease.extended(sent_at, lease_seconds)
                self._extend_claim(sent_at + lease_seconds - now)
            case Lost(detail) | Rejected(detail):
                self._lease.refused(detail)
            case Recorded():
                self._lease.unanswered(now, 0, self._timing.random())
            case Unanswered(detail, retry_after):
                log.warning("a heartbeat of %s failed: %s", self.execution_id, detail)
                self._lease.unanswered(now, retry_after, self._timing.random())

    def _extend_claim(self, lease_seconds: float) -> None:
        try:
            other = None if self._claim is None else self._claim.take(lease_seconds)
        except Exception:
            log.exception("the claim on call %s was not extended", self.execution_id)
            return
        if other is not None:
            self._lease.refused("another worker has claimed the call, or has done its work")

    def _seconds_to_beat(self) -> float:
        return max(0.0, self._lease.next_beat_at - self._timing.monotonic())

    def _record_end(self, error: BaseException | None) -> None:
        """In the store, before the API may start another attempt. If the store fails the claim lapses by itself."""
        try:
            if self._claim is not None and error is None:
                self._claim.finish(self._result)
            elif self._claim is not None:
                self._claim.release()
        except Exception:
            log.exception("the end of call %s was not recorded", self.execution_id)

    def _tries(self, error: BaseException | None) -> Tries:
        is_interrupted = error is not None and not isinstance(error, Exception)
        seconds = HURRIED_SECONDS if is_interrupted else self._settings.report_seconds
        return Tries(started_at=self._timing.monotonic(), within_seconds=seconds)

    def _pause(self, tries: Tries, answer: Judgement) -> float | None:
        return tries.pause_after(answer, self._timing.monotonic(), self._timing.random())

    def _note_unreported(self, error: BaseException | None, failed: Exception) -> None:
        """Raise why a completion is not recorded; the exception of failed work takes precedence."""
        if error is None:
            raise failed
        log.warning("the failure of %s was not reported: %s", self.execution_id, failed)
