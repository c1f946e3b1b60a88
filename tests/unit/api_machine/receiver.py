"""The receiver of all jobs: answers as each was made to behave, and notes what must not have come."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shared.domain.delivery import Answer, Callback, Reason
from shared.ports.runtime import Clock
from tests.unit.api_machine.promised import Call, PromisedJob, milliseconds

LATE_MS = 5_000
DURATION_MS = 5


@dataclass(slots=True)
class Receiver:
    """Nothing is raised in here, where the product would take it for a failed call: see `broken`."""

    clock: Clock
    jobs: dict[str, PromisedJob] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    meanwhile: dict[str, Callable[[], None]] = field(default_factory=dict)
    """By job, what a client does while its next call runs."""
    excused_until: int = 0
    """Until then calls may be late: the deployment stood still for a while."""

    def __call__(self, callback: Callback) -> Answer:
        """Answer one call."""
        headers = {name.lower(): value for name, value in callback.headers}
        job = self.jobs.get(headers["x-job-id"])
        if job is None:
            self.broken.append(f"a call for a job that was never acknowledged: {callback.url}")
            return Answer(reason=Reason.OK, duration_ms=DURATION_MS, status=200)
        attempt = int(headers["x-attempt"])
        call = Call(
            execution_id=headers["webhook-id"],
            attempt=attempt,
            scheduled_at=milliseconds(headers["x-scheduled-at"]),
            began_at=self.clock.now_ms(),
            status=job.behaviour.to(attempt),
        )
        self._judge(job, call, callback.url)
        job.calls.append(call)
        meanwhile = self.meanwhile.pop(job.id, None)
        if meanwhile is not None:
            meanwhile()
        return _answer(job, call)

    def _judge(self, job: PromisedJob, call: Call, url: str) -> None:
        before = job.calls_of(call.scheduled_at)
        told = {
            "the call of another job": url != job.url,
            "a call after the cancellation": job.ended_at is not None,
            "a call after the last attempt": job.is_over(before),
            "a call before its time": call.began_at < call.scheduled_at,
            "a call at no instant of its job": call.scheduled_at not in job.instants(call.began_at),
            "an attempt out of order": call.attempt != len(before) + 1,
            "an attempt under another id": any(other.execution_id != call.execution_id for other in before),
            "a late call": self._is_late(job, call, before),
        }
        self.broken += [f"{what}: {call}" for what, is_so in told.items() if is_so]

    def _is_late(self, job: PromisedJob, call: Call, before: list[Call]) -> bool:
        """A first call soon after it is due, a retry within its backoff and not before what the receiver asked for."""
        if not before:
            due_at = max(call.scheduled_at, job.created_at)
            return call.began_at > due_at + LATE_MS and call.began_at > self.excused_until
        retry, last = job.document["retry"], before[-1]
        longest = min(retry["cap_seconds"], retry["base_seconds"] * retry["factor"] ** (last.attempt - 1))
        asked = min(_retry_after(job, last) or 0, retry["cap_seconds"])
        waited_ms = call.began_at - last.began_at - DURATION_MS
        is_slow = waited_ms > max(longest, asked) * 1000 + LATE_MS and call.began_at > self.excused_until
        return is_slow or waited_ms < asked * 1000


def _retry_after(job: PromisedJob, call: Call) -> int | None:
    return job.behaviour.retry_after_seconds if call.status == 429 else None


def _answer(job: PromisedJob, call: Call) -> Answer:
    if call.status == 0:
        return Answer(reason=Reason.CONNECT_FAILED, duration_ms=DURATION_MS)
    reason = Reason.OK if call.status == 200 else Reason.HTTP_STATUS
    return Answer(
        reason=reason,
        duration_ms=DURATION_MS,
        status=call.status,
        retry_after_seconds=_retry_after(job, call),
        body=b"" if reason is Reason.OK else b"no",
    )
