"""The receiver of all jobs: answers as each was made to behave, and notes what must not have come."""

from collections.abc import Callable
from dataclasses import dataclass, field

import orjson

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.api_machine.changes import answered
from tests.api_machine.executions import Call, PromisedExecution
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.instants import milliseconds
from tests.support.fakes.clock import VirtualClock

LATE_MS = 5_000
"""Nothing is this late while everything runs."""
TROUBLED_MS = 600_000
"""A destination that says that it has too much, or nothing at all, is called with care for a while: calls may wait."""
TROUBLE = (0, 429)
DURATION_MS = 5
CLAIMED_AHEAD_MS = 1_500
"""So long before its time an attempt may have begun to wait for it."""


@dataclass(slots=True)
class Receiver:
    """Raises nothing, for the product would take that for a failed call: see `broken`."""

    clock: VirtualClock
    jobs: dict[str, PromisedJob] = field(default_factory=dict)
    others: dict[str, Callable[[Callback], CallbackResponse]] = field(default_factory=dict)
    """Who answers the calls of other jobs and workflows, by their ids."""
    broken: list[str | Exception] = field(default_factory=list)
    meanwhile: dict[str, Callable[[], None]] = field(default_factory=dict)
    """By job, what a client does while its next call runs."""
    excused: list[tuple[int, int]] = field(default_factory=list)
    """Between these moments calls may be late: the deployment stood still for a while."""
    troubled: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """By job, whose destination is its own: between these moments its calls may wait, and nobody else's."""

    def __call__(self, callback: Callback) -> CallbackResponse:
        """Answer one call."""
        headers = {name.lower(): value for name, value in callback.headers}
        other = self.others.get(headers["x-job-id"])
        if other is not None:
            return other(callback)
        job = self.jobs.get(headers["x-job-id"])
        if job is None:
            self.broken.append(f"a call for a job that was never acknowledged: {callback.url}")
            return CallbackResponse(reason=Reason.OK, duration_ms=DURATION_MS, status=200)
        call = self._call(job, int(headers["x-attempt"]))
        is_new = headers["webhook-id"] not in job.executions
        scheduled_at = milliseconds(headers["x-scheduled-at"])
        self._note("start", job, call, _start_faults(job, scheduled_at) if is_new else {})
        execution = job.executions.get(headers["webhook-id"]) or job.begin(
            headers["webhook-id"], scheduled_at
        )
        self._note("content", job, call, _content_faults(execution, callback))
        self._note("identity", job, call, _identity_faults(execution, call, scheduled_at))
        self._note("moment", job, call, self._moment_faults(job, execution, call))
        execution.begin(call)
        self._act_meanwhile(job)
        answered(job, execution, self.clock.now_ms())
        return _answer(call)

    def is_excused(self, job: PromisedJob) -> bool:
        """Whether what was due of a job may not have been called yet."""
        return self.was_excused(job, self.clock.now_ms())

    def was_excused(self, job: PromisedJob, moment_ms: int) -> bool:
        """Whether that was so at a moment."""
        spans = (*self.excused, *self.troubled.get(job.id, ()))
        return any(from_ms <= moment_ms <= until_ms for from_ms, until_ms in spans)

    def _call(self, job: PromisedJob, attempt: int) -> Call:
        status = job.behaviour.to(attempt)
        if status in TROUBLE:
            now_ms = self.clock.now_ms()
            self.troubled.setdefault(job.id, []).append((now_ms, now_ms + TROUBLED_MS))
        return Call(
            attempt=attempt,
            began_at=self.clock.now_ms(),
            status=status,
            retry_after_seconds=job.behaviour.retry_after_seconds if status == 429 else None,
        )

    def _act_meanwhile(self, job: PromisedJob) -> None:
        act = self.meanwhile.pop(job.id, None)
        if act is None:
            return
        try:
            act()
        except Exception as fault:  # noqa: BLE001 - raised again by the machine, outside of the product
            self.broken.append(fault)

    def _note(self, kind: str, job: PromisedJob, call: Call, faults: dict[str, bool]) -> None:
        self.broken += [f"{kind}: {fault}: {job} {call}" for fault, is_so in faults.items() if is_so]

    def _moment_faults(self, job: PromisedJob, execution: PromisedExecution, call: Call) -> dict[str, bool]:
        is_first = not execution.calls
        due_at = execution.scheduled_at if is_first else earliest_retry(execution)
        last_due_at = max(due_at, execution.chain.begun_at) if is_first else latest_retry(execution)
        return {
            "after the cancellation": job.ended_at is not None and not execution.has_crossed,
            "before its time": call.began_at < due_at,
            "too late": call.began_at > last_due_at + LATE_MS and not self.is_excused(job),
        }


def _start_faults(job: PromisedJob, scheduled_at: int) -> dict[str, bool]:
    """What an execution may not do that was not known to have started."""
    chain = job.chain_of(scheduled_at)
    if chain is None:
        return {"at no instant of its job": True}
    is_stopped = chain.stopped_at is not None and scheduled_at > chain.stopped_at + CLAIMED_AHEAD_MS
    return {
        "of a chain that has ended": chain is not job.chain,
        "of a chain that was stopped": is_stopped or chain.is_quiet,
        "an instant twice": scheduled_at in job.planned,
        "once too often": job.is_recurring and job.is_used_up,
    }


def earliest_retry(execution: PromisedExecution) -> int:
    """The next attempt does not begin before."""
    if execution.retry_at is not None:
        return execution.retry_at
    last = execution.calls[-1]
    asked_seconds = min(last.retry_after_seconds or 0, execution.terms.retry["cap_seconds"])
    return last.began_at + DURATION_MS + asked_seconds * 1000


def latest_retry(execution: PromisedExecution) -> int:
    """The next attempt is due by then."""
    if execution.retry_at is not None:
        return execution.retry_at
    retry, last = execution.terms.retry, execution.calls[-1]
    longest = min(retry["cap_seconds"], retry["base_seconds"] * int(retry["factor"] ** (last.attempt - 1)))
    return max(last.began_at + DURATION_MS + longest * 1000, earliest_retry(execution))


def _content_faults(execution: PromisedExecution, callback: Callback) -> dict[str, bool]:
    request = execution.terms.request
    sent = orjson.loads(callback.body) if callback.body else None
    return {
        "another URL": callback.url != request["url"],
        "another method": callback.method != request["method"],
        "another body": sent != request.get("json") or bool(callback.body) != ("json" in request),
        "other headers": not set(request["headers"].items()) <= set(callback.headers),
    }


def _identity_faults(execution: PromisedExecution, call: Call, scheduled_at: int) -> dict[str, bool]:
    return {
        "at another instant": scheduled_at != execution.scheduled_at,
        "out of order": call.attempt != len(execution.calls) + 1 and not execution.is_open,
        "while another runs": execution.state == "running" and bool(execution.calls),
        "after the outcome": execution.has_ended,
    }


def _answer(call: Call) -> CallbackResponse:
    if call.status == 0:
        return CallbackResponse(reason=Reason.CONNECT_FAILED, duration_ms=DURATION_MS)
    is_good = call.status == 200
    return CallbackResponse(
        reason=Reason.OK if is_good else Reason.HTTP_STATUS,
        duration_ms=DURATION_MS,
        status=call.status,
        retry_after_seconds=call.retry_after_seconds,
        body=b"" if is_good else b"no",
    )
