"""What the API says in words about states, reasons and stages."""

from collections.abc import Mapping

from shared.domain.delivery.callback import Reason
from shared.domain.executions.stages import Stage, WaitCause
from shared.domain.executions.states import EndReason, State

STATES = {
    State.PENDING: "It is stored, and its time is still to come.",
    State.QUEUED: "It has not started: it is queued, or its message is on its way to the queue.",
    State.RUNNING: "An attempt is running.",
    State.WAITING: "An attempt has ended without success, and another attempt follows.",
    State.SUCCEEDED: "Its receiver accepted the call.",
    State.FAILED: "It failed, and no attempt follows.",
    State.CANCELLED: "It was cancelled.",
    State.SKIPPED: "It did not run, on purpose.",
    State.MOVED: "It was moved to another time.",
}
POSTPONED = "It waits until no further event comes, and gets the latest one."
"""In place of the state, before the first attempt of a run that events postpone."""
OVERDUE = "Its time has come, and no worker has started it yet."
ASYNC_ACCEPTED = "Its receiver accepted the work, and has not reported the outcome."
RUN_OPEN = "The run that it started has not ended."
RUN_SUCCEEDED = "The run that it started has succeeded."
RUN_OUTCOMES: Mapping[Reason, str] = {
    Reason.WORKFLOW_GONE: "Its workflow does not exist any more, so no run was started.",
    Reason.RUN_FAILED: "The run that it started has failed.",
    Reason.RUN_TIMED_OUT: "The run that it started has reached its deadline.",
}
"""In place of the reason of the end, for an execution that starts a workflow."""
MOVED_HERE = "The job was moved to another time: this is its current execution."

END_REASONS: Mapping[str, str] = {
    EndReason.ATTEMPTS_USED_UP: "All attempts of its retry policy were used up.",
    EndReason.NOT_RETRYABLE: "Its receiver's response rules out another attempt.",
    EndReason.RESULT_INVALID: "Its receiver's response is no result that another task could get.",
    EndReason.STOPPED: "Its retries were stopped on request.",
    EndReason.TOO_OLD: "The next attempt would have begun after its maximum age.",
    EndReason.WORKER_LOST: "Its last attempt was lost with its worker.",
    EndReason.UNREADABLE: "Its record is damaged.",
    EndReason.CANCELLED: "It was cancelled on request.",
    EndReason.JOB_DELETED: "Its job was deleted.",
    EndReason.JOB_PAUSED: "Its job was paused.",
    EndReason.JOB_UPDATED: "Its job was changed, and runs by the new definition.",
    EndReason.OVERLAP: "An earlier run of its job had not ended.",
    EndReason.LATE: "It had not started by its start deadline.",
    EndReason.COALESCED: "Several missed instants were joined into one run.",
    EndReason.CATCH_UP_SKIP: "The job runs no missed instants.",
    EndReason.CATCH_UP_WINDOW: "It was missed too long ago to be caught up.",
    EndReason.CATCH_UP_LIMIT: "More instants were missed than the job catches up.",
    EndReason.DST_GAP: "A clock change skipped its local time.",
    EndReason.ZONE_RULES_CHANGED: "The rules of its time zone changed.",
    EndReason.SUSPENDED: "Its tenant was suspended when it was due.",
}

STAGES = {
    Stage.FILED: "created after its due time",
    Stage.REFUNDED: "claims that made no call",
    Stage.LOST: "an earlier attempt was lost with its worker",
    Stage.SENT: "its message was sent late",
    Stage.QUEUE: "in the queue",
    Stage.WAIT: "received, and not let through",
    Stage.CLAIM: "claim in the table",
    Stage.READY: "preparation of the call",
    Stage.CONNECT: "connection to the receiver",
    Stage.HEAD: "wait for the receiver's response",
    Stage.DONE: "rest of the response",
}
CAUSES = {
    WaitCause.TENANT_CONCURRENCY: "limit of the tenant's concurrent calls",
    WaitCause.TENANT_RATE: "limit of the tenant's calls per second",
    WaitCause.DESTINATION_CONCURRENCY: "limit of concurrent calls to the destination",
    WaitCause.DESTINATION_RATE: "limit of calls per second to the destination",
    WaitCause.BREAKER_OPEN: "breaker open",
    WaitCause.SLOW: "queue for slow destinations",
    WaitCause.BACKPRESSURE: "other lanes were behind",
    WaitCause.LATE: "moved behind fresh work",
    WaitCause.OVERLAP: "an earlier run of the job had not ended",
    WaitCause.UNDECIDED: "the claim was repeated",
    WaitCause.SUSPENDED: "the tenant was suspended",
}


def duration_text(duration_ms: int) -> str:
    """Two digits or a few more, such as `340 ms`, `4.1 s`, `41 s`, `12 min`, `2.5 h`."""
    if duration_ms < 1_000:
        return f"{duration_ms} ms"
    seconds = duration_ms / 1_000
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 119.5:
        return f"{seconds:.0f} s"
    if seconds < 7_170:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3_600:.1f} h"
