"""The objects of the API. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal

from msgspec import UNSET, UnsetType, field

from punctual._model import BatchResults, Instant, Model, Request

AlarmState = Literal["alarm", "insufficient_data", "ok"]


AlertEvent = Literal["failed", "recovered", "late", "skipped", "gone", "limit_reached"]


AlertFormat = Literal["json", "slack"]


BulkAction = Literal["pause", "resume", "trigger", "delete", "patch"]


CatchUp = Literal["coalesce", "skip", "all"]


Change = Literal["created", "updated", "unchanged"]


DstEffect = Literal["shifted", "collapsed", "skipped", "first_time_only", "second_time_only", "doubled"]


Gap = Literal["shift", "skip"]


InvocationType = Literal["event", "request_response"]


JobTaskState = Literal["running", "waiting", "deleting", "finished", "cancelled", "undoing", "undone"]


Kind = Literal["once", "cron", "rate", "backfill"]


Lane = Literal["critical", "standard", "bulk"]


Member = Literal[
    "lane",
    "timeout_seconds",
    "retry",
    "async_deadline_seconds",
    "heartbeat_seconds",
    "jitter_seconds",
    "catch_up",
    "catch_up_limit",
    "catch_up_window_seconds",
    "late_tolerance_seconds",
    "overlap_policy",
    "on_success",
    "on_failure",
    "alerts",
    "signing_secret",
]


OnFailure = Literal["fail_fast", "continue"]


Outcome = Literal["filed", "repeated", "debounced", "throttled", "refused"]


Overlap = Literal["first", "second", "both"]


OverlapPolicy = Literal["allow", "skip", "queue_one"]


QueueName = Literal["critical", "standard", "bulk", "slow-critical", "slow", "slow-bulk"]


QuotaName = Literal[
    "recurring_jobs",
    "creates_per_second",
    "requests_per_second",
    "due_per_minute",
    "payload_bytes",
    "tags",
    "api_keys",
    "workflows",
    "concurrency",
    "calls_per_second",
    "destination_concurrency",
    "destination_calls_per_second",
]


Refusal = Literal[
    "deleted", "completed", "ended", "running", "backfill", "invalid", "quota", "changed", "unreadable"
]


RunIf = Literal["all_succeeded", "all_ended", "any_failed"]


RunState = Literal[
    "running", "failing", "cancelling", "timing_out", "succeeded", "failed", "cancelled", "timed_out"
]


Scope = Literal["read", "write", "admin"]


SearchState = Literal["running", "finished", "cancelled"]


TaskReason = Literal[
    "upstream_not_succeeded",
    "nothing_failed",
    "fail_fast",
    "run_cancelled",
    "run_timed_out",
    "map_missing",
    "map_no_array",
    "map_too_long",
    "result_lost",
]


TaskState = Literal["running", "finished", "undoing", "undone"]


TenantState = Literal["active", "suspended"]


WarningCode = Literal[
    "never_runs",
    "far_first_run",
    "dense",
    "rate_is_elapsed_time",
    "either_day_field",
    "missing_days",
    "uneven_steps",
    "dst_gap",
    "dst_second_time",
    "dst_doubled",
]


WhenExcluded = Literal["skip", "next", "previous", "modified_following"]


WhenSuspended = Literal["skip", "run"]


WorkflowChange = Literal["created", "updated", "unchanged"]


class Accepted(Model, frozen=True, kw_only=True):
    """A job that was created."""

    job: Job
    status: int


class Alarm(Model, frozen=True, kw_only=True):
    """An alarm of the deployment."""

    meaning: str
    """What is wrong while it is in alarm."""
    name: str
    """The name in CloudWatch is `punctual-<stage>-<name>`."""
    notifies: bool
    """Whether it notifies the operators. False without a target, and while its actions are disabled."""
    reason: str
    """The values and the threshold behind the state, in the words of CloudWatch."""
    runbook: str | None = None
    """What to do: a page, from the root of the repository."""
    since: datetime
    """When it got this state."""
    state: str
    """`insufficient_data`: CloudWatch cannot judge it, as before its first data."""


class AlarmPage(Model, frozen=True, kw_only=True):
    """Alarms in the state `alarm` first, then `insufficient_data`, then `ok`."""

    alarms: tuple[Alarm, ...]
    next_cursor: str | None = None


class AlertsIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A subscription: the events that are announced, and the URL that is called."""

    events: Sequence[Literal["failed", "recovered", "late", "skipped", "gone"]] | UnsetType = UNSET
    """`failed`: the execution failed for good. `recovered`: the first success after that. `late`: its
    first attempt began more than `late_after_seconds` after it was due. `skipped`: the overlap policy,
    the start deadline or the suspension of its tenant skipped it. `gone`: its receiver answered 410,
    which pauses a recurring job.
    """
    format: AlertFormat | UnsetType = UNSET
    """`slack`: a body of `{"text": "..."}`, for incoming webhooks of chats."""
    late_after_seconds: int | UnsetType | None = UNSET
    """Required with the event `late`, and refused without it."""
    url: str
    """`none`: no alerts."""


class Alerts(Model, frozen=True, kw_only=True):
    """A subscription to alerts."""

    events: tuple[str, ...]
    format: str
    late_after_seconds: int | None = None
    url: str
    """`none`: no alerts."""


class Attempt(Model, frozen=True, kw_only=True):
    """One attempt of an execution. An attempt whose worker was lost is counted but has no entry."""

    duration_ms: int
    number: int
    reason: str
    """The outcome of the attempt; `ok` for success."""
    started_at: datetime
    status: int | None = None
    """The HTTP status; null where there was no response."""


class AttemptStages(Model, frozen=True, kw_only=True):
    """One attempt with its stages, from its due time to the end of its call."""

    due_at: datetime | None = None
    """Null while the execution waits for the attempt after it, whose due time took its place."""
    lag_ms: int | None = None
    """From `due_at` to `started_at`."""
    longest: Longest | None = None
    number: int
    stages: tuple[Span, ...]
    started_at: datetime | None = None
    """When the call began."""


class AuditPage(Model, frozen=True, kw_only=True):
    """Newest first. A page may be short while `next_cursor` is there."""

    next_cursor: str | None = None
    records: tuple[AuditRecord, ...]


class AuditRecord(Model, frozen=True, kw_only=True):
    """One change."""

    actor: str
    after: str | None = None
    at: datetime
    before: str | None = None
    """SHA-256 of the thing's representation before the change; null where there was none."""
    id: str
    key_id: str | None = None
    """The key that made the change. Tenants see null for a change by an operator."""
    operation: str
    """The operation, by its `operationId`."""
    request_id: str
    target: str
    """The id of the changed thing."""


class AuthIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the request authenticates itself: exactly one way."""

    oidc: OidcAuthIn | UnsetType = UNSET
    sigv4: SigV4AuthIn | UnsetType = UNSET


class Auth(Model, frozen=True, kw_only=True):
    """How the request authenticates itself."""

    oidc: OidcAuth | None = None
    sigv4: SigV4Auth | None = None


class AwsTargetIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to send in place of an HTTP request: exactly one service of AWS."""

    eventbridge: EventBridgeTargetIn | UnsetType = UNSET
    lambda_: LambdaTargetIn | UnsetType = field(default=UNSET, name="lambda")
    sns: SnsTargetIn | UnsetType = UNSET
    sqs: SqsTargetIn | UnsetType = UNSET
    step_functions: StepFunctionsTargetIn | UnsetType = UNSET


class AwsTarget(Model, frozen=True, kw_only=True):
    """The service that a job sends to."""

    eventbridge: EventBridgeTarget | None = None
    lambda_: LambdaTarget | None = field(default=None, name="lambda")
    sns: SnsTarget | None = None
    sqs: SqsTarget | None = None
    step_functions: StepFunctionsTarget | None = None


class BackfillIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A past range with at most 1,000 instants of a recurring job."""

    dry_run: bool | UnsetType = UNSET
    """Only return the plan; create nothing."""
    every_seconds: int | UnsetType = UNSET
    """The time between the starts of two runs, whatever lies between their instants."""
    since: Instant = field(name="from")
    """Start of the range, inclusive: RFC 3339 with an offset."""
    lane: Lane | UnsetType = UNSET
    """The queue and its workers. The bulk lane yields to work that is due."""
    overlap_policy: OverlapPolicy | UnsetType = UNSET
    """The rule for a run whose predecessor in the backfill has not ended."""
    until: Instant = field(name="to")
    """End of the range, exclusive; not in the future."""


class Backfill(Model, frozen=True, kw_only=True):
    """The range of a backfill."""

    count: int
    """The number of instants in the range."""
    every_seconds: int
    since: datetime = field(name="from")
    of: str
    """The job that the backfill belongs to."""
    until: datetime = field(name="to")


class BackfillPlan(Model, frozen=True, kw_only=True):
    """The runs that a backfill would have. Nothing was created."""

    count: int
    """The number of instants in the range."""
    every_seconds: int
    first_at: datetime
    since: datetime = field(name="from")
    instants: tuple[datetime, ...]
    """The first 100 instants."""
    last_at: datetime
    of: str
    """The job that the backfill belongs to."""
    until: datetime = field(name="to")


class BatchIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Jobs to create. Each job is validated by itself; its errors are in its own result."""

    jobs: Sequence[JobIn]


class Batch(BatchResults, frozen=True, kw_only=True):
    """One result for each job, in the order of the request."""

    results: tuple[BatchResult, ...]


class BlackoutIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A window, [from, until), in which no run begins, in any time zone."""

    since: Instant = field(name="from")
    """A whole minute: RFC 3339 with an offset, because a calendar has no time zone."""
    reason: str | UnsetType = UNSET
    """What the window is for. It is shown, and has no effect."""
    until: Instant
    """The first instant after the window, at most 92 days after `from`."""


class Blackout(Model, frozen=True, kw_only=True):
    """A window, [from, until), in which no run begins."""

    since: datetime = field(name="from")
    reason: str
    until: datetime


class BulkCounts(Model, frozen=True, kw_only=True):
    """What happened to the jobs so far."""

    changed_since: int
    """Jobs that others changed after the operation, and triggered runs that had started: neither an undo
    nor a deletion after the grace touches them.
    """
    deleted: int
    """Jobs that were deleted after the grace."""
    done: int
    """Jobs that the action has changed; of a deletion with a grace, paused."""
    gone: int
    """Jobs that an undo found deleted."""
    refused: dict[str, int]
    """Jobs that could not take the action, by reason."""
    unchanged: int
    """Jobs that already were as the action leaves them."""
    undone: int
    """Jobs whose change was undone."""


class BulkFilterIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The jobs to change: those that match every member. `{}` means all."""

    created_from: Instant | UnsetType | None = UNSET
    """Created at this instant or later."""
    created_to: Instant | UnsetType | None = UNSET
    """Created before this instant; by default before the time of the request."""
    kind: Kind | UnsetType | None = UNSET
    """Only jobs of this kind. One-off jobs are chosen by `once` alone."""
    q: str | UnsetType | None = UNSET
    """Only jobs whose name starts with this text; case-sensitive."""
    set: str | UnsetType | None = UNSET
    """Only jobs of this set. One-off jobs have no set."""
    state: (
        Literal[
            "active",
            "cancelled",
            "completed",
            "deleted",
            "deleting",
            "failed",
            "paused",
            "pausing",
            "pending",
            "queued",
            "running",
            "skipped",
            "succeeded",
            "updating",
            "waiting",
        ]
        | UnsetType
        | None
    ) = UNSET
    """Only jobs in this state."""
    tag: str | UnsetType | None = UNSET
    """Only jobs with this tag."""


class BulkFilter(Model, frozen=True, kw_only=True):
    """The filter of an operation."""

    created_from: datetime | None = None
    created_to: datetime
    kind: str | None = None
    q: str | None = None
    set: str | None = None
    state: str | None = None
    tag: str | None = None


class BulkIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A filter, and the action on all jobs that match it."""

    action: BulkAction
    dry_run: bool | UnsetType = UNSET
    """Only count the jobs and make a plan; change nothing."""
    filter: BulkFilterIn
    grace_hours: int | UnsetType | None = UNSET
    """Of a deletion: the jobs are paused at once, and deleted this much later unless the operation is
    undone or cancelled. 24 by default; 0 deletes at once.
    """
    patch: BulkPatchIn | UnsetType | None = UNSET
    """Of the action `patch`, which needs it."""
    plan: str | UnsetType | None = UNSET
    """The plan of a dry run with the same filter and action, at most 10 minutes old. An operation on more
    than 100 jobs needs it.
    """
    rate: int | UnsetType = UNSET
    """At most this many jobs are changed per second."""
    reason: str | UnsetType | None = UNSET
    """The reason of a pause, shown with each job together with the operation's id."""


class BulkPatchIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The members of recurring jobs that a bulk operation can change. What is left out stays as it is.

    They are those of a new job. Null restores the default. `retry` and `alerts` are replaced as a
    whole.
    """

    add_tags: Sequence[str] | UnsetType = UNSET
    """Tags that every job has afterwards."""
    alerts: AlertsIn | UnsetType | None = UNSET
    async_deadline_seconds: int | UnsetType | None = UNSET
    catch_up: CatchUp | UnsetType | None = UNSET
    catch_up_limit: int | UnsetType | None = UNSET
    catch_up_window_seconds: int | UnsetType | None = UNSET
    heartbeat_seconds: int | UnsetType | None = UNSET
    jitter_seconds: int | UnsetType | None = UNSET
    """`jitter_seconds` of the schedule."""
    lane: Lane | UnsetType | None = UNSET
    """The lane of the jobs' runs."""
    late_tolerance_seconds: int | UnsetType | None = UNSET
    on_failure: str | UnsetType | None = UNSET
    on_success: str | UnsetType | None = UNSET
    overlap_policy: OverlapPolicy | UnsetType | None = UNSET
    remove_tags: Sequence[str] | UnsetType = UNSET
    """Tags that no job has afterwards."""
    retry: RetryIn | UnsetType | None = UNSET
    signing_secret: str | UnsetType | None = UNSET
    timeout_seconds: int | UnsetType | None = UNSET
    """For the whole call, including the response body."""


class BulkPatch(Model, frozen=True, kw_only=True):
    """The patch of an operation, with the members that it changes."""

    add_tags: tuple[str, ...]
    alerts: Alerts | None = None
    async_deadline_seconds: int | None = None
    catch_up: str | None = None
    catch_up_limit: int | None = None
    catch_up_window_seconds: int | None = None
    heartbeat_seconds: int | None = None
    jitter_seconds: int | None = None
    lane: str | None = None
    late_tolerance_seconds: int | None = None
    on_failure: str | None = None
    on_success: str | None = None
    overlap_policy: str | None = None
    remove_tags: tuple[str, ...]
    removed: tuple[str, ...]
    """Members that are null in each job afterwards."""
    retry: Retry | None = None
    signing_secret: str | None = None
    timeout_seconds: int | None = None


class BulkPlan(Model, frozen=True, kw_only=True):
    """The jobs that would be changed. Nothing was changed."""

    complete: bool
    """False where the counts are lower bounds: at most 10000 jobs are counted."""
    count: int
    """The number of jobs that match."""
    examples: tuple[JobSummary, ...]
    """The first 20 jobs that would be changed."""
    plan: str
    """Send this with the request itself."""
    plan_expires_at: datetime
    refused: dict[str, int]
    """Matching jobs that cannot take the action, by reason."""
    unchanged: int
    """Matching jobs that already are as the action would leave them."""
    warnings: tuple[str, ...]
    """What to consider before the operation."""


class BulkTask(Model, frozen=True, kw_only=True):
    """A bulk operation."""

    action: str
    counts: BulkCounts
    created_at: datetime
    deletes_at: datetime | None = None
    ended_at: datetime | None = None
    ends_at: datetime | None = None
    """When the present pass ends at the earliest; null where nothing is left to do."""
    filter: BulkFilter
    grace_hours: int | None = None
    """Null for actions other than a deletion."""
    id: str
    left: int
    """Jobs that the present pass has not reached, as far as it is known."""
    patch: BulkPatch | None = None
    rate: int
    reason: str | None = None
    state: str
    """`waiting`: the jobs of a deletion are paused until `deletes_at`. `undone`: every change that could
    be undone is undone.
    """
    total: int
    """The number of jobs that matched at the start."""
    total_is_exact: bool
    """False where `total` is a lower bound."""


class BulkTaskPage(Model, frozen=True, kw_only=True):
    """Bulk operations, newest first."""

    next_cursor: str | None = None
    operations: tuple[BulkTask, ...]


class BusiestJobs(Model, frozen=True, kw_only=True):
    """The recurring jobs with the most executions of a day."""

    complete: bool
    """Whether all executions of the day have ended, and were counted. See the guide."""
    ended: int
    """Executions of the day that were counted, those of one-off jobs included."""
    from_at: datetime
    job_count: int
    """Recurring jobs with executions of the day, `jobs` or more."""
    jobs: tuple[JobCount, ...]
    """At most 500, those with the most executions first."""
    until_at: datetime


class CalendarIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The excluded days: those of a country, of a weekend, and of dates. A date of `dates_in` is never
    excluded. No run begins in one of the blackout windows, whatever its date.
    """

    blackouts: Sequence[BlackoutIn] | UnsetType = UNSET
    """Windows of instants, such as those of a deployment. They may overlap. `when_excluded` of a schedule
    says what happens to a run in one.
    """
    country: str | UnsetType | None = UNSET
    """A country whose public holidays, and whose weekend, are excluded."""
    dates_in: Sequence[str] | UnsetType = UNSET
    """Days that are business days in any case."""
    dates_out: Sequence[str] | UnsetType = UNSET
    """Days that are excluded as well."""
    set: str | UnsetType | None = UNSET
    """The set to which the calendar belongs, such as one file."""
    weekend: (
        Sequence[Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]]
        | UnsetType
        | None
    ) = UNSET
    """Null: the weekend of the country, or Saturday and Sunday without one."""


class Calendar(Model, frozen=True, kw_only=True):
    """A calendar. Its version grows with each change."""

    blackouts: tuple[Blackout, ...]
    """By their start."""
    changed_at: datetime
    country: str | None = None
    dates_in: tuple[str, ...]
    dates_out: tuple[str, ...]
    name: str
    set: str | None = None
    version: int
    weekend: tuple[str, ...] | None = None
    """Null: the weekend of the country, or Saturday and Sunday without one."""


class Calendars(Model, frozen=True, kw_only=True):
    """All calendars of the tenant, by name."""

    calendars: tuple[Calendar, ...]
    shared: tuple[Calendar, ...]
    """The calendars of the operators, which schedules of every tenant may name, such as
    `operator/deployments`.
    """


class ClockChange(Model, frozen=True, kw_only=True):
    """A change of the clocks that affects runs: local times that are skipped or come twice."""

    at: datetime
    count: int
    effect: str
    local_after: str
    local_before: str
    local_times: tuple[str, ...]
    """The first of the affected local times."""
    runs_at: datetime | None = None
    """The time at which it runs instead; null where it does not run."""


class CompletionIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The end of the work, and what a task of a workflow hands on."""

    result: Any | UnsetType = UNSET
    """Any JSON value of at most 4,096 bytes. It is required if another task of the workflow needs the
    result, and dropped otherwise.
    """


class DeadLetter(Model, frozen=True, kw_only=True):
    """An execution that failed for good."""

    archived: bool
    """Whether its record has expired, so that it is shown from the archive: without `redriven_by` and
    `notification`.
    """
    attempts: tuple[Attempt, ...]
    attempts_begun: int
    """Includes attempts whose worker was lost."""
    backfill_of: str | None = None
    """For a run of a backfill: the job that it belongs to."""
    due_at: datetime
    """The instant at which it is or was due: later than `scheduled_at` by the job's jitter, or by the
    events that have postponed it.
    """
    end_reason: str | None = None
    """The reason of the end, where the state alone does not tell it."""
    event: EventOfRun | None = None
    """The event that has started it, by a trigger; where several events share the run, the latest."""
    id: str
    job_id: str
    lag_ms: int | None = None
    """How late its first call began; null where that is not known, or not yet."""
    lane: str
    last_reason: str | None = None
    """The outcome of the last attempt; null where its worker was lost."""
    last_response_body: str | None = None
    """First 256 bytes of the last failed response."""
    last_status: int | None = None
    """The HTTP status of the last attempt; null where there was no response."""
    missed: Missed | None = None
    """The instants that a `skipped` execution covers, where they are several."""
    name: str | None = None
    """The present name of its job; null where it has none, or could not be read."""
    next_attempt_at: datetime | None = None
    notification: Notification | None = None
    """The execution that delivers its outcome; null where no notification is sent."""
    notification_of: str | None = None
    """The execution whose outcome it delivers; its own id, if it announces a limit of the tenant, or tells
    of the end of a run.
    """
    redrive_of: str | None = None
    """The failed execution whose request it repeats."""
    redriven_by: str | None = None
    """The execution that repeats its request."""
    run: str | None = None
    """The run that it has started, of a job that starts a workflow. It ends as the run does."""
    scheduled_at: datetime
    """The nominal instant; for a run of a backfill, the past instant that it covers."""
    state: str
    task: TaskOfRun | None = None
    """For a task of a workflow, whose id is the `job_id`; null for any other execution."""


class DeadLetterPage(Model, frozen=True, kw_only=True):
    """Newest first. A page may be short while `next_cursor` is there."""

    executions: tuple[DeadLetter, ...]
    next_cursor: str | None = None


class DeletionIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The deletion of a tenant, which cannot be undone."""

    asked_by: str
    """Who asked for it, such as a ticket. It stays in the record of the deletion."""
    confirm: str
    """The id of the tenant once more, so that no other tenant is deleted."""


class Deletion(Model, frozen=True, kw_only=True):
    """How far the deletion of a tenant is, or what it has deleted."""

    asked_at: datetime
    asked_by: str
    began_at: datetime | None = None
    begins_at: datetime | None = None
    """When it begins at the earliest; null once it has begun."""
    deleted: dict[str, int]
    """What was deleted so far, by kind. If a worker crashed, more may have been deleted."""
    ended_at: datetime | None = None
    state: str
    tenant: str


class Density(Model, frozen=True, kw_only=True):
    """The number of upcoming runs in each step, by time. Steps without runs are there, too."""

    complete: bool
    """False where the range is not counted to its end, or where the tenant has more recurring jobs than
    can be enumerated, or more waiting retries than can be read.
    """
    estimated: bool
    """Whether the counts follow from a sample: of more than 200 stored executions, 200 at most are read."""
    steps: tuple[DensityStep, ...]
    until: datetime
    """Runs before this instant are counted. It is the end of the range, or where the request has reached
    its bounds; the last step is then counted in part.
    """


class DensityStep(Model, frozen=True, kw_only=True):
    """A step: from `at` to the next step. The first one is counted from now on."""

    at: datetime
    count: int


class DuePage(Model, frozen=True, kw_only=True):
    """By time, across tenants. A page may be short, or empty, while `next_cursor` is there."""

    next_cursor: str | None = None
    rows: tuple[DueRow, ...]
    until: datetime


class DueRow(Model, frozen=True, kw_only=True):
    """A row of a bucket that is not yet due."""

    at: datetime
    execution_id: str
    lane: str
    retry: bool
    shard: int
    state: str
    tenant_id: str


class Edge(Model, frozen=True, kw_only=True):
    """An edge of the graph: the task `target` waits for the task `source`."""

    source: str
    target: str


class EventBridgeTargetIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event. Exactly one of `body` and `json`: its detail, a JSON object, to which Punctual adds
    `punctual`.
    """

    arn: str
    """The ARN of the event bus."""
    body: str | UnsetType = UNSET
    """The message as it is, in UTF-8; at most 204,800 bytes."""
    detail_type: str
    """The detail-type of the event."""
    json: Mapping[str, Any] | UnsetType = UNSET
    """A JSON object, without the member `punctual`, which Punctual adds."""
    source: str
    """The source of the event."""


class EventBridgeTarget(Model, frozen=True, kw_only=True):
    """An event bus, without the detail."""

    arn: str
    detail_type: str | None = None
    """Missing in lists."""
    source: str | None = None
    """Missing in lists."""


class EventIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event. Its source and its ID name it: for 24 hours, the same event again starts nothing more."""

    data: Mapping[str, Any] | UnsetType = UNSET
    """At most 32768 bytes, as compact JSON."""
    deliver_at: str | UnsetType | None = UNSET
    """When the event counts, in place of now. Delays of triggers begin then."""
    id: str
    """Another one for each event of the source; the same one for a repetition."""
    source: str
    """Where the event comes from."""
    type: str
    """What has happened."""


class EventOfRun(Model, frozen=True, kw_only=True):
    """The event that has started an execution, and the trigger that it matched."""

    id: str
    source: str
    trigger: str


class Event(Model, frozen=True, kw_only=True):
    """What the event has started. Each run in it is durable."""

    id: str
    matches: tuple[Match, ...]
    """The triggers that the event matches, by name."""
    source: str


class EventRouteIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tenant of all events whose source begins with a prefix."""

    source_prefix: str
    """How the `source` of an event begins. The longest prefix counts."""
    tenant_id: str
    """A tenant, whose triggers the events reach."""


class EventRoute(Model, frozen=True, kw_only=True):
    """The tenant of all events whose source begins with a prefix."""

    source_prefix: str
    tenant_id: str


class EventSourceIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tenants the events of an account of AWS are for."""

    routes: Sequence[EventRouteIn]
    """Events that no prefix matches are dropped."""


class EventSource(Model, frozen=True, kw_only=True):
    """The routes of an account. The version grows with each change."""

    account: str
    changed_at: datetime
    routes: tuple[EventRoute, ...]
    version: int


class EventSources(Model, frozen=True, kw_only=True):
    """All event sources, by account."""

    event_sources: tuple[EventSource, ...]


class ExecutionDetail(Model, frozen=True, kw_only=True):
    """One planned run of a job, read by its id."""

    archived: bool
    """Whether its record has expired, so that it is shown from the archive: without `redriven_by` and
    `notification`.
    """
    attempts: tuple[Attempt, ...]
    attempts_begun: int
    """Includes attempts whose worker was lost."""
    backfill_of: str | None = None
    """For a run of a backfill: the job that it belongs to."""
    due_at: datetime
    """The instant at which it is or was due: later than `scheduled_at` by the job's jitter, or by the
    events that have postponed it.
    """
    end_reason: str | None = None
    """The reason of the end, where the state alone does not tell it."""
    event: EventOfRun | None = None
    """The event that has started it, by a trigger; where several events share the run, the latest."""
    id: str
    job_id: str
    lag_ms: int | None = None
    """How late its first call began; null where that is not known, or not yet."""
    last_response_body: str | None = None
    """First 256 bytes of the last failed response."""
    missed: Missed | None = None
    """The instants that a `skipped` execution covers, where they are several."""
    name: str | None = None
    """The present name of its job; null where it has none, or could not be read."""
    next_attempt_at: datetime | None = None
    notification: Notification | None = None
    """The execution that delivers its outcome; null where no notification is sent."""
    notification_of: str | None = None
    """The execution whose outcome it delivers; its own id, if it announces a limit of the tenant, or tells
    of the end of a run.
    """
    redrive_of: str | None = None
    """The failed execution whose request it repeats."""
    redriven_by: str | None = None
    """The execution that repeats its request."""
    run: str | None = None
    """The run that it has started, of a job that starts a workflow. It ends as the run does."""
    scheduled_at: datetime
    """The nominal instant; for a run of a backfill, the past instant that it covers."""
    state: str
    task: TaskOfRun | None = None
    """For a task of a workflow, whose id is the `job_id`; null for any other execution."""
    waiting_for: Wait | None = None
    """Why its next attempt is due and has not started. A hint, which may lag by a few seconds. Null where
    no attempt is due, where it has started, and where the reason is not known.
    """


class Execution(Model, frozen=True, kw_only=True):
    """One planned run of a job."""

    archived: bool
    """Whether its record has expired, so that it is shown from the archive: without `redriven_by` and
    `notification`.
    """
    attempts: tuple[Attempt, ...]
    attempts_begun: int
    """Includes attempts whose worker was lost."""
    backfill_of: str | None = None
    """For a run of a backfill: the job that it belongs to."""
    due_at: datetime
    """The instant at which it is or was due: later than `scheduled_at` by the job's jitter, or by the
    events that have postponed it.
    """
    end_reason: str | None = None
    """The reason of the end, where the state alone does not tell it."""
    event: EventOfRun | None = None
    """The event that has started it, by a trigger; where several events share the run, the latest."""
    id: str
    job_id: str
    lag_ms: int | None = None
    """How late its first call began; null where that is not known, or not yet."""
    last_response_body: str | None = None
    """First 256 bytes of the last failed response."""
    missed: Missed | None = None
    """The instants that a `skipped` execution covers, where they are several."""
    name: str | None = None
    """The present name of its job; null where it has none, or could not be read."""
    next_attempt_at: datetime | None = None
    notification: Notification | None = None
    """The execution that delivers its outcome; null where no notification is sent."""
    notification_of: str | None = None
    """The execution whose outcome it delivers; its own id, if it announces a limit of the tenant, or tells
    of the end of a run.
    """
    redrive_of: str | None = None
    """The failed execution whose request it repeats."""
    redriven_by: str | None = None
    """The execution that repeats its request."""
    run: str | None = None
    """The run that it has started, of a job that starts a workflow. It ends as the run does."""
    scheduled_at: datetime
    """The nominal instant; for a run of a backfill, the past instant that it covers."""
    state: str
    task: TaskOfRun | None = None
    """For a task of a workflow, whose id is the `job_id`; null for any other execution."""


class ExecutionPage(Model, frozen=True, kw_only=True):
    """Newest first. A page may be short while `next_cursor` is there."""

    executions: tuple[Execution, ...]
    next_cursor: str | None = None


class Explanation(Model, frozen=True, kw_only=True):
    """Why an execution was late, has not started, or did not run."""

    attempts: tuple[AttemptStages, ...]
    """The first attempt and the latest one; empty before the first."""
    due_at: datetime
    end_reason: str | None = None
    id: str
    job_id: str
    lag_ms: int | None = None
    """How late the first call began; null where that is not known yet."""
    longest: Longest | None = None
    """What took longest: before the first call, or until now for an execution that is due."""
    name: str | None = None
    """The name of its job."""
    state: str
    summary: str
    """The state and the main reason in words."""
    waiting_for: Wait | None = None
    """As in `GET /v1/executions/{execution_id}`."""


class FailedItem(Model, frozen=True, kw_only=True):
    """An item of a map that has ended without success."""

    execution_id: str | None = None
    """Null if it was cancelled before it had one."""
    index: int
    """The position of its element in the array, from 0."""
    state: str


class FailedRequest(Model, frozen=True, kw_only=True):
    """The request of a dead letter."""

    _hidden: ClassVar[frozenset[str]] = frozenset(["body"])

    body: str | None = None
    """Null unless the request is revealed."""
    body_bytes: int
    headers: tuple[Header, ...]
    method: str
    """The service of AWS, such as `sqs`, where the job has a target."""
    revealed: bool
    url: str
    """The ARN of the target, where the job has one."""


class FailureIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reason of a failure."""

    reason: str | UnsetType = UNSET
    """Kept as `last_response_body`; at most 256 bytes."""
    retryable: bool | UnsetType = UNSET
    """Whether the job's retry policy applies."""


class FieldChange(Model, frozen=True, kw_only=True):
    """One member that differs."""

    after: Any
    """Null for a member that is missing, and for a hidden one."""
    before: Any
    """Null for a member that was missing, and for a hidden one."""
    hidden: bool
    """Whether the values are never shown: headers and the body of the request or message."""
    pointer: str
    """A JSON pointer into the description. The tasks of a workflow stand under their keys."""


class FieldError(Model, frozen=True, kw_only=True):
    """One error in a body."""

    detail: str
    pointer: str
    """A JSON pointer (RFC 6901) into the body; empty for the body as a whole."""


class Graph(Model, frozen=True, kw_only=True):
    """The graph of the tasks."""

    edges: tuple[Edge, ...]
    nodes: tuple[Node, ...]
    """Each behind the nodes that it waits for."""


class Header(Model, frozen=True, kw_only=True):
    """A header of a request."""

    _hidden: ClassVar[frozenset[str]] = frozenset(["value"])

    name: str
    value: str
    """`[redacted]` unless the request is revealed."""


class Health(Model, frozen=True, kw_only=True):
    """The API answers."""

    status: str


class Heartbeat(Model, frozen=True, kw_only=True):
    """The lease of a running attempt."""

    attempt: int
    deadline_at: datetime
    """The end of the attempt, which no heartbeat extends."""
    id: str
    lease_until: datetime
    """Without another heartbeat by then the attempt counts as lost."""


class HotScope(Model, frozen=True, kw_only=True):
    """A tenant or a destination in which calls wait or fail."""

    breaker: str | None = None
    """Null where it is unknown."""
    concurrency_limit: int | None = None
    """The adaptive limit; null where there is none."""
    id: str
    """The id of a tenant, or the keyed hash that names a destination."""
    kind: str
    open_until: datetime | None = None
    """Null unless the breaker is open."""
    reason: str
    """`destination_concurrency`: the adaptive limit. `quota`: a quota of concurrent calls or of calls per
    second. `unknown`: the state cannot be read by this release.
    """
    running: int | None = None
    """Concurrent calls that workers have reserved."""
    until: datetime
    """The entry holds until this instant, unless it is renewed."""


class Inspected(Model, frozen=True, kw_only=True):
    """A dead letter with its request. Header values and body are withheld unless it is revealed."""

    archived: bool
    """Whether its record has expired, so that it is shown from the archive: without `redriven_by` and
    `notification`.
    """
    attempts: tuple[Attempt, ...]
    attempts_begun: int
    """Includes attempts whose worker was lost."""
    backfill_of: str | None = None
    """For a run of a backfill: the job that it belongs to."""
    due_at: datetime
    """The instant at which it is or was due: later than `scheduled_at` by the job's jitter, or by the
    events that have postponed it.
    """
    end_reason: str | None = None
    """The reason of the end, where the state alone does not tell it."""
    event: EventOfRun | None = None
    """The event that has started it, by a trigger; where several events share the run, the latest."""
    id: str
    job_id: str
    lag_ms: int | None = None
    """How late its first call began; null where that is not known, or not yet."""
    lane: str
    last_reason: str | None = None
    """The outcome of the last attempt; null where its worker was lost."""
    last_response_body: str | None = None
    """First 256 bytes of the last failed response."""
    last_status: int | None = None
    """The HTTP status of the last attempt; null where there was no response."""
    missed: Missed | None = None
    """The instants that a `skipped` execution covers, where they are several."""
    name: str | None = None
    """The present name of its job; null where it has none, or could not be read."""
    next_attempt_at: datetime | None = None
    notification: Notification | None = None
    """The execution that delivers its outcome; null where no notification is sent."""
    notification_of: str | None = None
    """The execution whose outcome it delivers; its own id, if it announces a limit of the tenant, or tells
    of the end of a run.
    """
    redrive_of: str | None = None
    """The failed execution whose request it repeats."""
    redriven_by: str | None = None
    """The execution that repeats its request."""
    request: FailedRequest | None = None
    """Null where it is no longer stored."""
    run: str | None = None
    """The run that it has started, of a job that starts a workflow. It ends as the run does."""
    scheduled_at: datetime
    """The nominal instant; for a run of a backfill, the past instant that it covers."""
    state: str
    task: TaskOfRun | None = None
    """For a task of a workflow, whose id is the `job_id`; null for any other execution."""


class JobCount(Model, frozen=True, kw_only=True):
    """Executions of a recurring job, or of a backfill, that were due on the day and have ended."""

    ended: int
    failed: int
    job_id: str
    tenant_id: str


class JobIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A job to create, with exactly one of `request`, `workflow` and `target`. The members from `catch_up`
    to `overlap_policy` are for recurring jobs only.
    """

    alerts: AlertsIn | UnsetType | None = UNSET
    """The events to announce. Null: the tenant's default."""
    async_deadline_seconds: int | UnsetType = UNSET
    """The longest duration of an attempt whose receiver answered 202 and reports later."""
    catch_up: CatchUp | UnsetType = UNSET
    """The instants to run after an outage: none, the latest, or all."""
    catch_up_limit: int | UnsetType = UNSET
    """The maximum that `all` runs; the newest instants run."""
    catch_up_window_seconds: int | UnsetType = UNSET
    """Instants missed longer ago than this never run."""
    heartbeat_seconds: int | UnsetType = UNSET
    """Such an attempt counts as lost after this time without a heartbeat."""
    lane: Lane | UnsetType = UNSET
    """The queue and its workers. Lanes never wait for one another."""
    late_tolerance_seconds: int | UnsetType = UNSET
    """A run that is late by at most this much does not count as missed."""
    name: str | UnsetType | None = UNSET
    """Shown in lists. The filter `q` finds jobs by a prefix of their name."""
    on_failure: str | UnsetType | None = UNSET
    """The URL to call after a failure."""
    on_success: str | UnsetType | None = UNSET
    """The URL to call after a success. `none`: no call. Null: the tenant's default."""
    overlap_policy: OverlapPolicy | UnsetType = UNSET
    """The rule for a run whose predecessor has not ended."""
    request: RequestIn | UnsetType = UNSET
    """The HTTP request to make."""
    retry: RetryIn | UnsetType = UNSET
    schedule: ScheduleIn
    signing_secret: str | UnsetType | None = UNSET
    """The name of the signing secrets that sign the calls and outcome callbacks, and no others do. Null:
    the secrets without a name.
    """
    start_deadline_seconds: int | UnsetType | None = UNSET
    """A one-off job that has not started this long after its time is skipped."""
    tags: Sequence[str] | UnsetType = UNSET
    """Lists can be filtered by one tag."""
    target: AwsTargetIn | UnsetType = UNSET
    """The target in AWS to send to, in place of a `request`, with the rights of a role that an operator
    registered. Such a job has no `signing_secret`.
    """
    timeout_seconds: int | UnsetType = UNSET
    """For the whole call, including the response body."""
    when_suspended: WhenSuspended | UnsetType | None = UNSET
    """For a one-off job that is due while its tenant is suspended. Null: `skip`."""
    workflow: str | UnsetType = UNSET
    """The workflow to start, in place of a `request`. Each execution starts a run, is open until the run
    has ended, and ends as the run does. Such a job has no `retry`, `timeout_seconds`,
    `async_deadline_seconds`, `heartbeat_seconds`.
    """


class Job(Model, frozen=True, kw_only=True):
    """A job. Members that only recurring jobs have are null for a one-off job."""

    alerts: Alerts | None = None
    """Null: the tenant's default."""
    async_deadline_seconds: int
    backfill: Backfill | None = None
    """The range of a backfill; `schedule` is then the schedule of the job that it belongs to."""
    catch_up: str | None = None
    catch_up_limit: int | None = None
    catch_up_window_seconds: int | None = None
    created_at: datetime
    heartbeat_seconds: int
    id: str
    key: str | None = None
    kind: str
    lane: str
    last_run: LastRun | None = None
    """Null before the first run of the present definition, and where the record of its last run has
    expired. Left out in responses to changes of a recurring job, which do not read its runs.
    """
    late_tolerance_seconds: int | None = None
    name: str | None = None
    next_due_at: datetime | None = None
    """The next due time; null where there is none."""
    no_next_run: str | None = None
    """Why there is no next due time, in words; null where there is one."""
    on_failure: str | None = None
    on_success: str | None = None
    """`none`: no call. Null: the tenant's default."""
    overlap_policy: str | None = None
    pause_reason: str | None = None
    request: Target | None = None
    """Null for a job that sends to a target or starts a workflow."""
    retry: Retry
    revision: int
    """Grows with every change. The ETag contains it."""
    schedule: Schedule
    set: str | None = None
    signing_secret: str | None = None
    """Null: the signing secrets without a name."""
    start_deadline_seconds: int | None = None
    state: str
    tags: tuple[str, ...]
    target: AwsTarget | None = None
    timeout_seconds: int
    when_suspended: str | None = None
    workflow: str | None = None
    """The workflow that the job starts, in place of a request."""


class JobPage(Model, frozen=True, kw_only=True):
    """Recurring jobs by id, then one-off jobs. A page may be short while `next_cursor` is there."""

    jobs: tuple[JobSummary, ...]
    next_cursor: str | None = None


class JobPatch(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A merge patch (RFC 7396) of a job: a member replaces the present one, null restores the default.

    The members are those of a new job, and the resulting job is validated like a new one. A `schedule`
    of another kind replaces the whole schedule.
    """

    alerts: Mapping[str, Any] | UnsetType | None = UNSET
    """Members of a new job's `alerts`."""
    async_deadline_seconds: int | UnsetType | None = UNSET
    catch_up: CatchUp | UnsetType | None = UNSET
    catch_up_limit: int | UnsetType | None = UNSET
    catch_up_window_seconds: int | UnsetType | None = UNSET
    heartbeat_seconds: int | UnsetType | None = UNSET
    lane: Lane | UnsetType | None = UNSET
    late_tolerance_seconds: int | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    on_failure: str | UnsetType | None = UNSET
    on_success: str | UnsetType | None = UNSET
    overlap_policy: OverlapPolicy | UnsetType | None = UNSET
    request: Mapping[str, Any] | UnsetType = UNSET
    """Members of a new job's `request`. They replace a `workflow` or `target`."""
    retry: Mapping[str, Any] | UnsetType | None = UNSET
    """Members of a new job's `retry`."""
    schedule: Mapping[str, Any] | UnsetType = UNSET
    """Members of a new job's `schedule`."""
    signing_secret: str | UnsetType | None = UNSET
    start_deadline_seconds: int | UnsetType | None = UNSET
    tags: Sequence[str] | UnsetType | None = UNSET
    target: Mapping[str, Any] | UnsetType = UNSET
    """Members of a new job's `target`. They replace a `request` or `workflow`."""
    timeout_seconds: int | UnsetType | None = UNSET
    when_suspended: WhenSuspended | UnsetType | None = UNSET
    """For a one-off job that is due while its tenant is suspended. Null: `skip`."""
    workflow: str | UnsetType = UNSET
    """Replaces the present one, or the `request` with what only calls have."""


class JobPut(Model, frozen=True, kw_only=True):
    """What the request did. With `dry_run=true`: what it would do."""

    change: str
    fields: tuple[FieldChange, ...]
    """What differs, for `updated`."""
    job: Job | None = None
    """The job as it is now; with `dry_run=true` still the job before the change. Null for a job that would
    be created.
    """


class JobSummary(Model, frozen=True, kw_only=True):
    """A job in a list. `GET /v1/jobs/{job_id}` shows the other members."""

    created_at: datetime
    id: str
    key: str | None = None
    kind: str
    lane: str
    last_run: LastRun | None = None
    name: str | None = None
    next_due_at: datetime | None = None
    no_next_run: str | None = None
    """Why there is no next due time, in words; null where there is one."""
    revision: int
    schedule: Schedule
    set: str | None = None
    state: str
    tags: tuple[str, ...]
    target: AwsTarget | None = None


class KeyIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to create."""

    expires_in_seconds: int | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    scopes: Sequence[Scope]


class Key(Model, frozen=True, kw_only=True):
    """A key without its secret."""

    created_at: datetime
    expires_at: datetime | None = None
    id: str
    last_used_at: datetime | None = None
    """Accurate to an hour."""
    name: str | None = None
    scopes: tuple[str, ...]
    state: str


class KeyRotationIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the old key stays valid besides the new one."""

    expires_in_seconds: int | UnsetType | None = UNSET
    """The life of the new key. Absent: it does not expire."""
    overlap_seconds: int | UnsetType = UNSET


class KeyedJobIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole description of the recurring job with a key. A member that is missing has its default."""

    alerts: AlertsIn | UnsetType | None = UNSET
    """The events to announce. Null: the tenant's default."""
    async_deadline_seconds: int | UnsetType = UNSET
    """The longest duration of an attempt whose receiver answered 202 and reports later."""
    catch_up: CatchUp | UnsetType = UNSET
    """The instants to run after an outage: none, the latest, or all."""
    catch_up_limit: int | UnsetType = UNSET
    """The maximum that `all` runs; the newest instants run."""
    catch_up_window_seconds: int | UnsetType = UNSET
    """Instants missed longer ago than this never run."""
    heartbeat_seconds: int | UnsetType = UNSET
    """Such an attempt counts as lost after this time without a heartbeat."""
    lane: Lane | UnsetType = UNSET
    """The queue and its workers. Lanes never wait for one another."""
    late_tolerance_seconds: int | UnsetType = UNSET
    """A run that is late by at most this much does not count as missed."""
    name: str | UnsetType | None = UNSET
    """Shown in lists. The filter `q` finds jobs by a prefix of their name."""
    on_failure: str | UnsetType | None = UNSET
    """The URL to call after a failure."""
    on_success: str | UnsetType | None = UNSET
    """The URL to call after a success. `none`: no call. Null: the tenant's default."""
    overlap_policy: OverlapPolicy | UnsetType = UNSET
    """The rule for a run whose predecessor has not ended."""
    request: RequestIn | UnsetType = UNSET
    """The HTTP request to make."""
    retry: RetryIn | UnsetType = UNSET
    schedule: ScheduleIn
    set: str | UnsetType | None = UNSET
    """The set of jobs to which the job belongs, such as one file. Lists can be filtered by it."""
    signing_secret: str | UnsetType | None = UNSET
    """The name of the signing secrets that sign the calls and outcome callbacks, and no others do. Null:
    the secrets without a name.
    """
    start_deadline_seconds: int | UnsetType | None = UNSET
    """A one-off job that has not started this long after its time is skipped."""
    tags: Sequence[str] | UnsetType = UNSET
    """Lists can be filtered by one tag."""
    target: AwsTargetIn | UnsetType = UNSET
    """The target in AWS to send to, in place of a `request`, with the rights of a role that an operator
    registered. Such a job has no `signing_secret`.
    """
    timeout_seconds: int | UnsetType = UNSET
    """For the whole call, including the response body."""
    when_suspended: WhenSuspended | UnsetType | None = UNSET
    """For a one-off job that is due while its tenant is suspended. Null: `skip`."""
    workflow: str | UnsetType = UNSET
    """The workflow to start, in place of a `request`. Each execution starts a run, is open until the run
    has ended, and ends as the run does. Such a job has no `retry`, `timeout_seconds`,
    `async_deadline_seconds`, `heartbeat_seconds`.
    """


class KeyedWorkflowIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole description of the workflow with a key. A member that is missing has its default."""

    alerts: RunAlertsIn | UnsetType | None = UNSET
    """The ends of runs to announce. Null: the tenant's default."""
    callbacks: RunCallbacksIn | UnsetType = UNSET
    deadline_seconds: int | UnsetType = UNSET
    """The longest duration of a run: no attempt of a task starts later."""
    name: str | UnsetType | None = UNSET
    """Shown in lists."""
    on_failure: OnFailure | UnsetType = UNSET
    """What happens to the other tasks of a run when a task fails. `fail_fast`: those that have not started
    are cancelled, but for handlers of the failure. `continue`: those that can still run go on.
    """
    set: str | UnsetType | None = UNSET
    """The set to which the workflow belongs, such as one file. The list can be filtered by it."""
    tags: Sequence[str] | UnsetType = UNSET
    tasks: Sequence[TaskIn]
    """1 to 100 tasks, with 500 entries in all their `after` lists at most."""


class Keys(Model, frozen=True, kw_only=True):
    """All keys of a tenant, the oldest first. Expired and revoked keys stay listed for a while."""

    keys: tuple[Key, ...]


class LambdaTargetIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call of a function. Exactly one of `body` and `json`: a JSON object, to which Punctual adds
    `punctual`.
    """

    arn: str
    """The ARN of the function, with or without a version or alias."""
    body: str | UnsetType = UNSET
    """The message as it is, in UTF-8; at most 204,800 bytes."""
    invocation_type: InvocationType | UnsetType = UNSET
    """`event`: Lambda queues the event. `request_response`: the attempt waits for the function."""
    json: Mapping[str, Any] | UnsetType = UNSET
    """A JSON object, without the member `punctual`, which Punctual adds."""


class LambdaTarget(Model, frozen=True, kw_only=True):
    """A function, without the payload."""

    arn: str
    invocation_type: str | None = None
    """Missing in lists."""


class LanePage(Model, frozen=True, kw_only=True):
    """All lanes, and a page of the hot scopes."""

    hot_scopes: tuple[HotScope, ...]
    lanes: dict[str, LaneStatus]
    next_cursor: str | None = None


class LaneStatus(Model, frozen=True, kw_only=True):
    """A lane of the deployment."""

    behind_since: datetime | None = None
    """Since when the oldest message that was received last had waited. Null unless the lane is behind.
    While `critical` or `standard` is behind, bulk work is deferred.
    """
    visible_messages: int
    """Messages that wait in its queue, approximately."""


class LastRun(Model, frozen=True, kw_only=True):
    """The latest run of a job that has started, or was skipped.

    For a recurring job, `GET /v1/jobs/{job_id}` reads its two latest instants, and so does a list with
    `include=last_run`. A list without it has the member for one-off jobs that have begun only.
    """

    execution_id: str
    lag_ms: int | None = None
    """How late the first call began."""
    scheduled_at: datetime
    started_at: datetime | None = None
    """The start of the first recorded attempt."""
    state: str


class Longest(Model, frozen=True, kw_only=True):
    """The longest stage before the call."""

    cause: str | None = None
    duration_ms: int
    stage: str
    text: str
    """In words, such as `41 s: breaker open`."""


class MapIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An array in the result of another task. The task is called once for each element."""

    over: str
    """The key of a task in `after`, whose result is the array or contains it."""
    path: str | UnsetType = UNSET
    """A JSON Pointer (RFC 6901) into the result, such as `/files`. Empty: the result itself."""


class Map(Model, frozen=True, kw_only=True):
    """The array for each of whose elements a task is called."""

    over: str
    path: str


class Match(Model, frozen=True, kw_only=True):
    """A trigger that the event matches."""

    due_at: datetime | None = None
    execution_id: str | None = None
    job_id: str
    outcome: str
    """`filed`: a run was filed. `repeated`: this event had filed or postponed the run before. `debounced`:
    a run that waits has got this event, and stands for it. `throttled`: the trigger has started all
    runs of its window, and nothing of the event is kept. `refused`: no run is filed, for the `reason`.
    """
    reason: str | None = None
    throttled_until: datetime | None = None
    trigger: str


class Missed(Model, frozen=True, kw_only=True):
    """Nominal instants that were skipped together."""

    count: int
    first_at: datetime
    last_at: datetime


class NewKey(Model, frozen=True, kw_only=True):
    """A new key. `api_key` is shown only once."""

    _hidden: ClassVar[frozenset[str]] = frozenset(["api_key"])

    api_key: str
    created_at: datetime
    expires_at: datetime | None = None
    id: str
    last_used_at: datetime | None = None
    """Accurate to an hour."""
    name: str | None = None
    scopes: tuple[str, ...]
    state: str


class NewSecret(Model, frozen=True, kw_only=True):
    """A new signing secret. `signing_secret` is shown only once."""

    _hidden: ClassVar[frozenset[str]] = frozenset(["signing_secret"])

    created_at: datetime
    ends_at: datetime | None = None
    id: str
    name: str | None = None
    """Null: signs the jobs that name no secret."""
    signing_secret: str
    state: str


class NewTenant(Model, frozen=True, kw_only=True):
    """A new tenant. `api_key` and `signing_secret` are shown only once."""

    _hidden: ClassVar[frozenset[str]] = frozenset(["api_key", "signing_secret"])

    api_key: str
    key: Key
    signing_secret: str
    tenant: Tenant


class NextRun(Model, frozen=True, kw_only=True):
    """A run of a job: its nominal instant, its due time, and the local time of the nominal instant."""

    due_at: datetime
    local: str
    """The local time of `scheduled_at`, without an offset."""
    offset: str
    """The offset of that local time from UTC."""
    scheduled_at: datetime


class NextRuns(Model, frozen=True, kw_only=True):
    """The next runs of a job, in order."""

    job_id: str
    runs: tuple[NextRun, ...]
    timezone: str


class Node(Model, frozen=True, kw_only=True):
    """A task as a node of the graph."""

    key: str
    level: int
    """0 for a task that waits for none; else one more than the tasks before it."""


class Notification(Model, frozen=True, kw_only=True):
    """The execution that delivers the outcome of another."""

    id: str
    state: str | None = None
    """Null where it does not exist, and in responses to other methods than GET."""


class OidcAuthIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An identity token of OpenID Connect in the `Authorization` header."""

    audience: str
    """The `aud` of the token, such as the URL of the receiver: must be 1 to 255 printable characters of
    ASCII, without spaces.
    """


class OidcAuth(Model, frozen=True, kw_only=True):
    """The audience of the token, which itself is never shown."""

    audience: str


class Parked(Model, frozen=True, kw_only=True):
    """A message of a dead-letter queue that could not be handled."""

    body: str
    """The first 4096 characters; those that cannot be displayed are escaped."""
    id: str
    lane: str
    """The queue that the message came from."""
    message_id: str
    parked_at: datetime
    reason: str
    size: int
    """The length of the whole body, in characters."""


class ParkedPage(Model, frozen=True, kw_only=True):
    """Newest first."""

    messages: tuple[Parked, ...]
    next_cursor: str | None = None


class PauseIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reason of a pause, shown with the job."""

    reason: str | UnsetType | None = UNSET


class PreviewedRun(Model, frozen=True, kw_only=True):
    """A run of a schedule. With jitter it starts between `scheduled_at` and `begins_before`."""

    begins_before: datetime | None = None
    local: str
    offset: str
    scheduled_at: datetime


class Problem(Model, frozen=True, kw_only=True):
    """A problem document (RFC 9457): the form of every error."""

    detail: str
    """The reason why this request was refused."""
    errors: tuple[FieldError, ...] | None = None
    """With a 422: every error in the body."""
    instance: str
    """The request's id, under which operators find it in their logs."""
    quota: str | None = None
    """With a 429: the quota or rate limit that was reached."""
    status: int
    title: str
    """The same words for every problem of this type."""
    type: str
    """The type of problem. Clients compare this member, never the title."""


class Quantiles(Model, frozen=True, kw_only=True):
    """A distribution of durations. A quantile is at most 3.2 % off, plus half a millisecond."""

    count: int
    """Executions whose duration is known."""
    p50_ms: int | None = None
    """Null where `count` is 0."""
    p99_ms: int | None = None
    """Null where `count` is 0."""


class Quota(Model, frozen=True, kw_only=True):
    """The limit of a quota, and how much of it is in use now."""

    is_enforced: bool
    """False where the limit is the maximum, which means no limit."""
    is_lower_bound: bool
    """Whether `used` was not counted to its end, and may be more."""
    limit: int
    used: int | None = None
    """Null where usage is not counted."""


class RedriveCounts(Model, frozen=True, kw_only=True):
    """What happened to the dead letters so far."""

    already_started: int
    """Redrives that could not be undone, because they had already started."""
    cancelled: int
    """Redrives that were undone."""
    redriven: int
    refused: int
    """Dead letters whose job was deleted or whose request is no longer stored."""
    skipped: int
    """Dead letters with a redrive that is open, has succeeded, or is a dead letter itself."""


class RedriveIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The dead letters to redrive, and the pace. Without a filter: all dead letters of the tenant."""

    dry_run: bool | UnsetType = UNSET
    """Only count the dead letters; redrive nothing."""
    since: Instant | UnsetType | None = field(default=UNSET, name="from")
    """Due at this instant or later."""
    job: str | UnsetType | None = UNSET
    """Only dead letters of this job, or of the tasks of this workflow."""
    lane: Lane | UnsetType | None = UNSET
    """Only dead letters of this lane."""
    rate: int | UnsetType = UNSET
    """At most this many redrives are due in one second."""
    reason: (
        Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | UnsetType
        | None
    ) = UNSET
    """Only dead letters that ended for this reason, or whose last attempt did."""
    status: int | UnsetType | None = UNSET
    """Only dead letters whose last attempt got this HTTP status."""
    tag: str | UnsetType | None = UNSET
    """Only dead letters of jobs with this tag."""
    until: Instant | UnsetType | None = field(default=UNSET, name="to")
    """Due before this instant; by default before the time of the request."""


class Redrive(Model, frozen=True, kw_only=True):
    """A bulk redrive."""

    counts: RedriveCounts
    created_at: datetime
    due_until: datetime
    """No redrive created so far is due later."""
    ended_at: datetime | None = None
    since: datetime | None = field(default=None, name="from")
    id: str
    job: str | None = None
    lane: str | None = None
    progress_at: datetime | None = None
    """Dead letters up to this instant are done; null where all are done."""
    rate: int
    reason: str | None = None
    state: str
    """`finished`: every redrive was created and runs when it is due. While the state is `undoing`,
    `cancelled` and `already_started` count the pass in progress.
    """
    status: int | None = None
    tag: str | None = None
    until: datetime = field(name="to")


class RedrivePlan(Model, frozen=True, kw_only=True):
    """The dead letters that would be redriven. Nothing was redriven."""

    already_redriven: int
    """The number of matching dead letters with a redrive that was not cancelled. Of a task: those whose
    run is open, has succeeded, or is redriven at another dead letter.
    """
    complete: bool
    """False where these are lower bounds: only the oldest 1000 are counted."""
    count: int
    """The number of dead letters that match."""
    redrives: int
    """The number of redrives that would be tried: one for each other dead letter, but one for each run of
    a workflow.
    """
    sample: tuple[DeadLetter, ...]
    """The first 10 that would be redriven, oldest first."""


class Refused(Model, frozen=True, kw_only=True):
    """A job that was refused, and the reason. Pointers start at the body of the whole request."""

    problem: Problem
    status: int


class Report(Model, frozen=True, kw_only=True):
    """The recorded outcome of an attempt; the same for every repetition of the same report."""

    attempt: int
    id: str
    outcome: str


class RequestIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The request to make. At most one of `body` (text, sent as it is) and `json` (sent as JSON)."""

    _hidden: ClassVar[frozenset[str]] = frozenset(["headers", "body", "json"])

    auth: AuthIn | UnsetType | None = UNSET
    """What the call has as its `Authorization` header, beside Punctual's own signature: an identity token,
    which the receiver verifies with the public keys of this deployment, or a signature of AWS. Null:
    none.
    """
    body: str | UnsetType | None = UNSET
    """Text that is sent as it is, in UTF-8; at most 204,800 bytes."""
    headers: Mapping[str, str] | UnsetType = UNSET
    """Headers of the request. Those that Punctual or the connection sets are refused."""
    json: Any | UnsetType = UNSET
    """Any value; sent as JSON, with its content type."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET
    url: str
    """Absolute, with a public host; port 443, or 1024 and above. Deployed stacks call https."""


class RetryIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of attempts and the delays between them.

    The delay before retry n is random between 0 and min(cap, base x factor^(n-1)) (full jitter). With
    `delays_seconds` it is the n-th entry of that table, less a random tenth at most.
    """

    base_seconds: int | UnsetType = UNSET
    cap_seconds: int | UnsetType = UNSET
    delays_seconds: Sequence[int] | UnsetType | None = UNSET
    """One delay for each retry; replaces base, factor and cap."""
    factor: int | UnsetType = UNSET
    give_up_after_seconds: int | UnsetType | None = UNSET
    """No attempt starts later than this after the due time, not even the first."""
    max_attempts: int | UnsetType = UNSET
    """Includes the first attempt. With `delays_seconds`: one more than the table has entries."""


class Retry(Model, frozen=True, kw_only=True):
    """The stored retry policy. Members that do not apply are left out."""

    base_seconds: int | None = None
    cap_seconds: int | None = None
    delays_seconds: tuple[int, ...] | None = None
    factor: int | None = None
    give_up_after_seconds: int | None = None
    max_attempts: int


class RunAlertsIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A subscription to the ends of runs: the events that are announced, and the URL that is called."""

    events: Sequence[Literal["failed", "recovered"]] | UnsetType = UNSET
    """`failed`: the run failed, or its deadline passed. `recovered`: the first run to succeed after that."""
    format: AlertFormat | UnsetType = UNSET
    """`slack`: a body of `{"text": "..."}`, for incoming webhooks of chats."""
    url: str
    """`none`: no alerts."""


class RunCallbacksIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The URLs to call after a run has ended, once for each epoch. A cancelled run is no failure, and
    calls none.
    """

    on_failure: str | UnsetType | None = UNSET
    """After a failure, and when the deadline has passed."""
    on_success: str | UnsetType | None = UNSET
    """After a success. `none`: no call. Null: the tenant's default."""


class RunCallbacks(Model, frozen=True, kw_only=True):
    """The URLs that are called after a run."""

    on_failure: str | None = None
    on_success: str | None = None
    """Null: the tenant's default. `none`: no call."""


class RunDetail(Model, frozen=True, kw_only=True):
    """A run of a workflow, with its tasks."""

    counts: TaskCounts
    created_at: datetime
    deadline_at: datetime
    """No attempt of a task starts later."""
    ended_at: datetime | None = None
    epoch: int
    """1, and one more for each redrive."""
    execution_id: str | None = None
    """The execution of a job that started the run, and ends with it; null for a run by request."""
    graph: Graph
    has_input: bool
    """Whether it began with an input, which only its tasks with `input` get: it is not shown."""
    id: str
    job_id: str | None = None
    """The job of that execution."""
    notification: Notification | None = None
    """The execution that tells of the end; null where no notification is sent."""
    revision: int
    """The revision of the workflow that the run follows until its end."""
    state: str
    """`failing`, `cancelling` and `timing_out` end with the attempts that are running, as `failed`,
    `cancelled` and `timed_out`.
    """
    tasks: tuple[RunTask, ...]
    """In the order of the definition."""
    workflow_id: str
    workflow_name: str | None = None
    """The name of the workflow in the revision of the run."""


class RunIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run begins with."""

    input: Any | UnsetType = UNSET
    """Any JSON value of at most 32,768 bytes, for the tasks with `input`. It is encrypted, and never shown
    again. Null: the run has no input.
    """


class RunItems(Model, frozen=True, kw_only=True):
    """The items of a map, as far as they are recorded."""

    cancelled: int
    count: int
    """Elements of the array."""
    failed: int
    open: int
    """They are pending, running, or between two attempts."""
    skipped: int
    succeeded: int
    unsuccessful: tuple[FailedItem, ...]
    """All items that failed, were cancelled or skipped; failed ones first."""


class Run(Model, frozen=True, kw_only=True):
    """A run of a workflow."""

    counts: TaskCounts
    created_at: datetime
    deadline_at: datetime
    """No attempt of a task starts later."""
    ended_at: datetime | None = None
    epoch: int
    """1, and one more for each redrive."""
    execution_id: str | None = None
    """The execution of a job that started the run, and ends with it; null for a run by request."""
    has_input: bool
    """Whether it began with an input, which only its tasks with `input` get: it is not shown."""
    id: str
    job_id: str | None = None
    """The job of that execution."""
    revision: int
    """The revision of the workflow that the run follows until its end."""
    state: str
    """`failing`, `cancelling` and `timing_out` end with the attempts that are running, as `failed`,
    `cancelled` and `timed_out`.
    """
    workflow_id: str


class RunPage(Model, frozen=True, kw_only=True):
    """Runs of a workflow, latest first. A page may be short while `next_cursor` is there."""

    next_cursor: str | None = None
    runs: tuple[Run, ...]


class RunRedriveIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the client has seen of the run that is to be redriven."""

    epoch: int
    """The `epoch` of the run as you have seen it: sending the request twice redrives once."""


class RunTask(Model, frozen=True, kw_only=True):
    """A task of a run, with its execution."""

    attempts: tuple[Attempt, ...]
    attempts_begun: int
    due_at: datetime | None = None
    end_reason: str | None = None
    epoch: int | None = None
    """The epoch of the run in which its state was decided; null while it is blocked."""
    execution_id: str | None = None
    has_result: bool
    """Whether it has handed on a result, which only the tasks that need it get: it is not shown."""
    items: RunItems | None = None
    """Of a map, once its array has been counted."""
    key: str
    next_attempt_at: datetime | None = None
    reason: str | None = None
    """Why the task ended without an execution, or a map failed."""
    started_at: datetime | None = None
    """The start of its first attempt that has ended."""
    state: str
    """`blocked`: it waits for other tasks. The other states are those of its execution."""


class ScheduleIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a job runs: exactly one of `at`, `delay_seconds`, `cron`, `rate_seconds` and `expression`."""

    at: Instant | UnsetType | None = UNSET
    """Once: RFC 3339 with an offset, or a local time together with `timezone`."""
    business_day: int | UnsetType | None = UNSET
    """Only on the nth business day of the month; -1 is the last one."""
    calendar: str | UnsetType | None = UNSET
    """A country, such as DE or US-CA, whose weekend and public holidays are excluded, a calendar of your
    own, or one of the operators, such as operator/deployments.
    """
    cron: str | UnsetType | None = UNSET
    """Five fields of a Unix cron line, or an alias such as @hourly or @daily."""
    delay_seconds: int | UnsetType | None = UNSET
    """Once, this many seconds from now."""
    dst_gap: Gap | UnsetType | None = UNSET
    """A local time that is skipped: run after the gap (`shift`) or not at all (`skip`)."""
    dst_overlap: Overlap | UnsetType | None = UNSET
    """A local time that comes twice: run the `first`, the `second` or `both`."""
    end_at: Instant | UnsetType | None = UNSET
    """Nothing runs after."""
    expression: str | UnsetType | None = UNSET
    """EventBridge Scheduler's `cron(...)`, `rate(...)` or `at(...)`, unchanged."""
    jitter_seconds: int | UnsetType = UNSET
    """Each run starts later by up to this many seconds; the delay of one run never changes."""
    max_runs: int | UnsetType | None = UNSET
    """The job ends after this many runs."""
    rate_seconds: int | UnsetType | None = UNSET
    """At this interval, counted from `start_at` or from the second of creation."""
    start_at: Instant | UnsetType | None = UNSET
    """Nothing runs before; the anchor of a rate."""
    timezone: str | UnsetType | None = UNSET
    """IANA zone of a cron line (UTC where absent) or of local times."""
    when_excluded: WhenExcluded | UnsetType | None = UNSET
    """What a run on an excluded day does: `skip`, or move to the `next` or `previous` business day, or to
    the next one of the month and else the previous one (`modified_following`).
    """


class Schedule(Model, frozen=True, kw_only=True):
    """A stored schedule. Members that do not apply are left out."""

    at: datetime | None = None
    business_day: int | None = None
    calendar: str | None = None
    cron: str | None = None
    dst_gap: str | None = None
    dst_overlap: str | None = None
    end_at: datetime | None = None
    expression: str | None = None
    jitter_seconds: int | None = None
    max_runs: int | None = None
    rate_seconds: int | None = None
    start_at: datetime | None = None
    timezone: str | None = None
    when_excluded: str | None = None


class SchedulePreview(Model, frozen=True, kw_only=True):
    """The runs of a schedule, changes of the clocks, and warnings."""

    clock_changes: tuple[ClockChange, ...]
    description: str
    runs: tuple[PreviewedRun, ...]
    timezone: str
    warnings: tuple[ScheduleWarning, ...]


class SearchDetail(Model, frozen=True, kw_only=True):
    """A search of executions, with its files once it has finished."""

    created_at: datetime
    ended_at: datetime | None = None
    expires_at: datetime
    """The files are offered until this instant, 7 days after the start."""
    files: tuple[SearchFile, ...]
    """Newest executions first. A line is an execution as the lists show it, without `last_response_body`.
    Empty until the search has finished, and after `expires_at`.
    """
    filter: SearchFilter
    found: int
    """Executions that were found so far."""
    since: datetime = field(name="from")
    id: str
    next_to: datetime | None = None
    """Of a truncated search: `to` of another one, which finds the rest, and nothing again."""
    progress_at: datetime | None = None
    """What was due at this instant or later is searched; null after the end."""
    state: str
    until: datetime = field(name="to")
    truncated: bool
    """Whether the search ends before all of its range: after 1,000,000 executions, or a day."""
    urls_expire_at: datetime | None = None
    """15 minutes after this response: another one has new URLs. Null without files."""


class SearchFile(Model, frozen=True, kw_only=True):
    """A part of the result: JSON lines, compressed with gzip."""

    _hidden: ClassVar[frozenset[str]] = frozenset(["url"])

    bytes: int
    """The size of the compressed file."""
    rows: int
    url: str
    """Reads this file without an API key, until `urls_expire_at`."""


class SearchFilterIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The executions to find: those that match every member. `{}` means all."""

    job: str | UnsetType | None = UNSET
    """Only executions of this job."""
    lane: Lane | UnsetType | None = UNSET
    """Only executions of this lane."""
    reason: (
        Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | UnsetType
        | None
    ) = UNSET
    """Only executions that ended for this reason, or whose last attempt did."""
    state: (
        Literal["pending", "queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"]
        | UnsetType
        | None
    ) = UNSET
    """Only executions in this state."""
    status: int | UnsetType | None = UNSET
    """Only executions whose last attempt got this HTTP status."""
    tag: str | UnsetType | None = UNSET
    """Only executions of jobs with this tag. A recurring job has its present tags."""


class SearchFilter(Model, frozen=True, kw_only=True):
    """The criteria of a search. A criterion that is null matches everything."""

    job: str | None = None
    lane: str | None = None
    reason: str | None = None
    state: str | None = None
    status: int | None = None
    tag: str | None = None


class SearchIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A range of due times, and what to find in it."""

    filter: SearchFilterIn | UnsetType = UNSET
    since: Instant = field(name="from")
    """Due at this instant or later. An instant before all that is kept is raised to that."""
    until: Instant | UnsetType | None = field(default=UNSET, name="to")
    """Due before this instant; the time of the request at the latest, and by default."""


class Search(Model, frozen=True, kw_only=True):
    """A search of executions."""

    created_at: datetime
    ended_at: datetime | None = None
    expires_at: datetime
    """The files are offered until this instant, 7 days after the start."""
    filter: SearchFilter
    found: int
    """Executions that were found so far."""
    since: datetime = field(name="from")
    id: str
    next_to: datetime | None = None
    """Of a truncated search: `to` of another one, which finds the rest, and nothing again."""
    progress_at: datetime | None = None
    """What was due at this instant or later is searched; null after the end."""
    state: str
    until: datetime = field(name="to")
    truncated: bool
    """Whether the search ends before all of its range: after 1,000,000 executions, or a day."""


class SearchPage(Model, frozen=True, kw_only=True):
    """Searches, newest first."""

    next_cursor: str | None = None
    searches: tuple[Search, ...]


class Secret(Model, frozen=True, kw_only=True):
    """A signing secret, without the secret itself."""

    created_at: datetime
    ends_at: datetime | None = None
    id: str
    name: str | None = None
    """Null: signs the jobs that name no secret."""
    state: str


class SecretRotationIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the old secrets of the same name sign besides the new one."""

    name: str | UnsetType | None = UNSET
    """Jobs with this `signing_secret` are signed with the secrets of this name alone. Null: the secrets
    that sign all other jobs.
    """
    overlap_seconds: int | UnsetType = UNSET


class Secrets(Model, frozen=True, kw_only=True):
    """The secrets that sign calls: those without a name, then those of each name, the current one first."""

    signing_secrets: tuple[Secret, ...]


class Settings(Model, frozen=True, kw_only=True):
    """The defaults of a tenant's jobs."""

    alerts: Alerts | None = None
    on_failure: str | None = None
    on_success: str | None = None
    """Called with the outcome of executions whose job names no URL of its own."""


class SettingsPatch(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members to change. A member of null is removed, and so is one with the URL `none`."""

    alerts: TenantAlertsIn | UnsetType | None = UNSET
    """Announces events of executions whose job has no `alerts`; replaced as a whole."""
    on_failure: str | UnsetType | None = UNSET
    on_success: str | UnsetType | None = UNSET
    """Called with the outcome of executions whose job names no URL of its own."""


class SharedCalendars(Model, frozen=True, kw_only=True):
    """All calendars of the operators, by name."""

    calendars: tuple[Calendar, ...]


class SigV4AuthIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signature of AWS (Signature Version 4), which a role of the tenant makes."""

    region: str
    """The region of the signature; that of the host, where the host is one of AWS."""
    role: str
    """One of the tenant's target roles, which an operator registers."""
    service: str
    """The service of the signature: it must be the name that signatures give to the service, of lower-case
    letters, digits and hyphens, such as execute-api, lambda or s3.
    """


class SigV4Auth(Model, frozen=True, kw_only=True):
    """Who signs for AWS. The signature itself is never shown."""

    region: str
    role: str
    service: str


class SnsTargetIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to a topic. Exactly one of `body` and `json`."""

    arn: str
    """The ARN of the topic."""
    body: str | UnsetType = UNSET
    """The message as it is, in UTF-8; at most 204,800 bytes."""
    json: Any | UnsetType = UNSET
    """Any value; the message is its JSON."""
    message_group_id: str | UnsetType | None = UNSET
    """The message group: required for a FIFO topic, and passed on to fair queues."""


class SnsTarget(Model, frozen=True, kw_only=True):
    """A topic, without the message."""

    arn: str
    message_group_id: str | None = None


class Span(Model, frozen=True, kw_only=True):
    """One stage of an attempt."""

    began_at: datetime | None = None
    cause: str | None = None
    """Of the stage `wait`: why the call was not let through."""
    duration_ms: int | None = None
    """Null where it is unknown."""
    ended_at: datetime | None = None
    precision: str
    """`about`: a duration may be 3.2 % off, and the instants with it."""
    stage: str
    text: str
    """The stage in words; of the stage `wait`, what the call waited for."""


class SqsTargetIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to a queue. Exactly one of `arn` and `queue_url`, and exactly one of `body` and `json`."""

    arn: str | UnsetType = UNSET
    """The ARN of the queue, whose region and account the message goes to."""
    body: str | UnsetType = UNSET
    """The message as it is, in UTF-8; at most 204,800 bytes."""
    json: Any | UnsetType = UNSET
    """Any value; the message is its JSON."""
    message_group_id: str | UnsetType | None = UNSET
    """The message group: required for a FIFO queue, and the tenant of a fair queue."""
    queue_url: str | UnsetType = UNSET
    """The URL of the queue in the place of its ARN."""


class SqsTarget(Model, frozen=True, kw_only=True):
    """A queue, without the message, which may hold secrets and is never shown again."""

    arn: str
    message_group_id: str | None = None


class StatBucket(Model, frozen=True, kw_only=True):
    """One step of the range."""

    attempts: int | None = None
    """Attempts that have begun. Null by minute."""
    complete: bool
    """Whether each execution that was due in the step is in these sums. See the guide for records that are
    added to a past hour.
    """
    duration: Quantiles | None = None
    """Of the last recorded call. Null by minute."""
    end_reasons: dict[str, int] | None = None
    """By `end_reason`. Null by minute."""
    ended: int
    failed: int
    from_at: datetime
    lag: Quantiles
    """From the due time to the start of the first call."""
    queue: Quantiles | None = None
    """How long the message of the first attempt was in its queue. Null by minute."""
    states: dict[str, int] | None = None
    """By the state in which they ended. Null by minute."""
    statuses: dict[str, int] | None = None
    """By the class of the last recorded HTTP status, such as `2xx`; `none` for a call without a status.
    Executions without a recorded call are left out. Null by minute.
    """
    uncounted_due: int | None = None
    """Executions that are due until now, in hours that the archive has not counted yet, and that are in no
    other sum. Up to 500 such executions are read, and those that have ended are in the sums. Null where
    they are too many to count, or where all tenants are shown.
    """
    uncounted_failed: int | None = None
    """Those of them that have failed, whether redriven since or not. Null like `uncounted_due`; 0 where
    executions are read.
    """
    unended: int | None = None
    """Executions that had not ended when their hour was counted last. Null by minute."""
    until_at: datetime
    wait: Quantiles | None = None
    """How long limits and backpressure held the first attempt. Null by minute."""


class Statistics(Model, frozen=True, kw_only=True):
    """Sums over a range of time, as a whole and step by step."""

    buckets: tuple[StatBucket, ...]
    by: str
    complete_until: datetime | None = None
    """All steps before this instant are complete. Null if the first one is not."""
    from_at: datetime
    total: Sums
    until_at: datetime


class StepFunctionsTargetIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An execution of a state machine. Exactly one of `body` and `json`: its input, in JSON."""

    arn: str
    """The ARN of the state machine, with or without a version or alias."""
    body: str | UnsetType = UNSET
    """The message as it is, in UTF-8; at most 204,800 bytes."""
    json: Any | UnsetType = UNSET
    """Any value; the message is its JSON."""


class StepFunctionsTarget(Model, frozen=True, kw_only=True):
    """A state machine, without the input."""

    arn: str


class Sums(Model, frozen=True, kw_only=True):
    """Executions that have ended, by their due times."""

    attempts: int | None = None
    """Attempts that have begun. Null by minute."""
    duration: Quantiles | None = None
    """Of the last recorded call. Null by minute."""
    end_reasons: dict[str, int] | None = None
    """By `end_reason`. Null by minute."""
    ended: int
    failed: int
    lag: Quantiles
    """From the due time to the start of the first call."""
    queue: Quantiles | None = None
    """How long the message of the first attempt was in its queue. Null by minute."""
    states: dict[str, int] | None = None
    """By the state in which they ended. Null by minute."""
    statuses: dict[str, int] | None = None
    """By the class of the last recorded HTTP status, such as `2xx`; `none` for a call without a status.
    Executions without a recorded call are left out. Null by minute.
    """
    unended: int | None = None
    """Executions that had not ended when their hour was counted last. Null by minute."""
    wait: Quantiles | None = None
    """How long limits and backpressure held the first attempt. Null by minute."""


class Target(Model, frozen=True, kw_only=True):
    """The request without headers and body, which may hold secrets and are never shown again."""

    auth: Auth | None = None
    method: str
    url: str


class TaskCounts(Model, frozen=True, kw_only=True):
    """How many tasks of a run are in which state, as far as the run has recorded."""

    blocked: int
    """They wait for other tasks."""
    cancelled: int
    failed: int
    open: int
    """They are pending, running, or between two attempts."""
    skipped: int
    succeeded: int


class TaskIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task: a request or a target to call once the tasks in `after` have ended as `run_if` wants."""

    after: Sequence[str] | UnsetType = UNSET
    """The keys of the tasks that must end before this one. Without any, it starts with the run."""
    input: bool | UnsetType = UNSET
    """Whether this task gets the input of its run in its body: `{"input": ..., "body": ..., "results":
    {...}}`. The input of a run that an event has started is the event. `request` as with `needs`.
    """
    key: str
    """The name of the task, unique in its workflow."""
    lane: Lane | UnsetType = UNSET
    """The queue and its workers. Lanes never wait for one another."""
    map: MapIn | UnsetType | None = UNSET
    """Calls the task once for each element of an array, at most 100 times. The body of each call also has
    `"item": {"index": ..., "count": ..., "value": element}`. The map ends with its last item, and
    succeeds if all of them do. Its result is the array of their results. In the limit of 1,000
    executions of a run, a map counts 100.
    """
    needs: Sequence[str] | UnsetType = UNSET
    """The keys of tasks in `after` whose results this task gets in its body: `{"body": ..., "results":
    {key: {"state": ..., "result": ...}}}`. Each of them answers with JSON of at most 4,096 bytes, or
    fails. `request` has a JSON body or none, and a method with a body; a target has a JSON body. Of
    targets, only functions that are waited for have results.
    """
    request: RequestIn | UnsetType = UNSET
    """The request that the task makes. A task has this or a target."""
    retry: RetryIn | UnsetType = UNSET
    run_if: RunIf | UnsetType = UNSET
    """What the tasks in `after` must have come to, once all of them have ended: `all_succeeded`,
    `all_ended` (in whatever way), or `any_failed`, which makes this task the handler of their failure.
    """
    target: AwsTargetIn | UnsetType = UNSET
    """The service of AWS that the task calls or sends to, in place of a request."""
    timeout_seconds: int | UnsetType = UNSET
    """For the whole call, including the response body."""


class TaskOfRun(Model, frozen=True, kw_only=True):
    """The task of a workflow's run that an execution carries out."""

    epoch: int
    """The epoch of the run in which the task was chosen."""
    item: int | None = None
    """Of an item of a map: the position of its element in the array, from 0."""
    key: str
    run_id: str


class Task(Model, frozen=True, kw_only=True):
    """A task of a workflow. Headers and body of its request, and the message of a target, are never shown
    again.
    """

    after: tuple[str, ...]
    input: bool
    key: str
    lane: str
    map: Map | None = None
    needs: tuple[str, ...]
    request: Target | None = None
    """Null for a task with a target."""
    retry: Retry
    run_if: str
    target: AwsTarget | None = None
    timeout_seconds: int


class TenantAlertsIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The subscription of a tenant, which may also name an event of its own."""

    events: Sequence[AlertEvent] | UnsetType = UNSET
    """`failed`: the execution failed for good. `recovered`: the first success after that. `late`: its
    first attempt began more than `late_after_seconds` after it was due. `skipped`: the overlap policy,
    the start deadline or the suspension of its tenant skipped it. `gone`: its receiver answered 410,
    which pauses a recurring job. `limit_reached`: a limit of the tenant refuses new jobs, or makes
    executions wait; at most one alert in an hour for each limit.
    """
    format: AlertFormat | UnsetType = UNSET
    """`slack`: a body of `{"text": "..."}`, for incoming webhooks of chats."""
    late_after_seconds: int | UnsetType | None = UNSET
    """Required with the event `late`, and refused without it."""
    url: str
    """`none`: no alerts."""


class TenantIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tenant to create. Its first key has these scopes."""

    id: str
    """admin, operator, punctual, punctual-canary, system are reserved."""
    scopes: Sequence[Scope] | UnsetType = UNSET


class Tenant(Model, frozen=True, kw_only=True):
    """The state, quotas and callbacks of a tenant, without secrets."""

    alerts: Alerts | None = None
    """Announces events of executions whose job has no `alerts`."""
    created_at: datetime
    effective_at: datetime | None = None
    """When the latest change between `active` and `suspended` takes effect: from then on no call of a
    suspended tenant begins, and calls of a resumed tenant begin again. Null before the first change.
    """
    id: str
    index_shards: int
    on_failure: str | None = None
    on_success: str | None = None
    """Called with the outcome of executions whose job names no URL of its own."""
    own_quotas: tuple[str, ...]
    """The quotas that override the deployment's defaults."""
    quotas: dict[str, int]
    """The limits in force."""
    revision: int
    state: str
    target_external_id: str | None = None
    """The external id that the trust policies of these roles require. Null without a role."""
    target_roles: tuple[str, ...]
    """The roles with which its jobs reach targets in AWS, one for each account."""
    weight: int


class TenantPage(Model, frozen=True, kw_only=True):
    """Tenants by id."""

    next_cursor: str | None = None
    tenants: tuple[Tenant, ...]


class TenantPatch(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members to change. A quota of null returns to the deployment's default; any other member of null is
    removed.
    """

    alerts: TenantAlertsIn | UnsetType | None = UNSET
    """Replaced as a whole."""
    index_shards: int | UnsetType = UNSET
    on_failure: str | UnsetType | None = UNSET
    on_success: str | UnsetType | None = UNSET
    """Called with the outcome of executions whose job names no URL of its own."""
    quotas: Mapping[str, int | None] | UnsetType = UNSET
    state: TenantState | UnsetType = UNSET
    target_roles: Sequence[str] | UnsetType = UNSET
    """The roles with which the tenant's jobs reach targets in AWS, one for each account. Replaced as a
    whole; an empty array removes all.
    """
    weight: int | UnsetType = UNSET


class ThrottleIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At most so many runs in a window, which the first run behind the window before begins."""

    count: int
    """How many runs a window has at most."""
    per_seconds: int
    """How long a window lasts."""


class Throttle(Model, frozen=True, kw_only=True):
    """At most so many runs in a window."""

    count: int
    per_seconds: int


class TriggerIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which events start a run of which job."""

    debounce_max_seconds: int | UnsetType | None = UNSET
    """How long after the first event this run is due at the latest. Ten times `debounce_seconds` by
    default.
    """
    debounce_seconds: int | UnsetType = UNSET
    """One run for several events: it is due once no further event has come for this time, and gets the
    latest one. In place of `delay_seconds`.
    """
    delay_seconds: int | UnsetType = UNSET
    """How long after the event the run is due."""
    job_id: str
    """A recurring job. It may be paused: its schedule is then no matter."""
    pattern: Mapping[str, Any]
    """In the pattern language of Amazon EventBridge, against `source`, `type`, `id` and `data`."""
    set: str | UnsetType | None = UNSET
    """The set to which the trigger belongs, such as one file."""
    throttle: ThrottleIn | UnsetType | None = UNSET
    """How many runs may start in a window. Further events start none, and are not kept."""


class Trigger(Model, frozen=True, kw_only=True):
    """A trigger. Its version grows with each change."""

    changed_at: datetime
    debounce_max_seconds: int | None = None
    debounce_seconds: int | None = None
    delay_seconds: int
    job_id: str
    latest_run: str | None = None
    """With `debounce_seconds`: the latest run of this version. Events share it until it has begun."""
    name: str
    pattern: dict[str, Any]
    set: str | None = None
    throttle: Throttle | None = None
    throttled_until: datetime | None = None
    """The end of the window of the throttle, if it has all its runs."""
    version: int


class Triggers(Model, frozen=True, kw_only=True):
    """All triggers of the tenant, by name."""

    triggers: tuple[Trigger, ...]


class UpcomingPage(Model, frozen=True, kw_only=True):
    """By time. A page may be short while `next_cursor` is there."""

    complete: bool
    """False where the tenant has more recurring jobs than can be enumerated, or more waiting retries than
    can be read. Of the other jobs only the next execution is listed.
    """
    next_cursor: str | None = None
    runs: tuple[UpcomingRun, ...]
    until: datetime


class UpcomingRun(Model, frozen=True, kw_only=True):
    """A call that will be made unless something changes before."""

    at: datetime
    attempt: int
    basis: str
    """`filed`: a stored execution. `retry`: its next attempt. `expected`: an execution that a recurring
    job will create.
    """
    execution_id: str
    job_id: str
    scheduled_at: datetime


class Usage(Model, frozen=True, kw_only=True):
    """A tenant's quotas and their present usage."""

    quotas: dict[str, Quota]
    tenant: str
    weight: int


class Wait(Model, frozen=True, kw_only=True):
    """The reason why an execution that is due has not started: a hint from the present state of limits."""

    reason: str
    until: datetime | None = None
    """The earliest start, as far as it is known now; null where it is not known."""


class ScheduleWarning(Model, frozen=True, kw_only=True):
    """A behaviour of the schedule that may surprise. None of them is an error."""

    code: str
    text: str


class Whoami(Model, frozen=True, kw_only=True):
    """The tenant and the key of the request."""

    expires_at: datetime | None = None
    """Null for a key that does not expire."""
    is_operator: bool
    """Whether the key belongs to the operators, and manages all tenants."""
    key_id: str
    scopes: tuple[str, ...]
    tenant: str


class WorkflowIn(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A workflow to create: tasks that wait for one another, without a cycle."""

    alerts: RunAlertsIn | UnsetType | None = UNSET
    """The ends of runs to announce. Null: the tenant's default."""
    callbacks: RunCallbacksIn | UnsetType = UNSET
    deadline_seconds: int | UnsetType = UNSET
    """The longest duration of a run: no attempt of a task starts later."""
    name: str | UnsetType | None = UNSET
    """Shown in lists."""
    on_failure: OnFailure | UnsetType = UNSET
    """What happens to the other tasks of a run when a task fails. `fail_fast`: those that have not started
    are cancelled, but for handlers of the failure. `continue`: those that can still run go on.
    """
    tags: Sequence[str] | UnsetType = UNSET
    tasks: Sequence[TaskIn]
    """1 to 100 tasks, with 500 entries in all their `after` lists at most."""


class Workflow(Model, frozen=True, kw_only=True):
    """A workflow with the requests of its tasks, but for their headers and bodies."""

    alerts: Alerts | None = None
    """Null: the tenant's default."""
    callbacks: RunCallbacks
    created_at: datetime
    deadline_seconds: int
    id: str
    key: str | None = None
    name: str | None = None
    on_failure: str
    revision: int
    """Grows with every change. The ETag contains it."""
    set: str | None = None
    state: str
    """A deleted workflow starts no run."""
    tags: tuple[str, ...]
    task_count: int
    tasks: tuple[Task, ...]


class WorkflowPage(Model, frozen=True, kw_only=True):
    """Workflows that are not deleted, oldest first. A page may be short while `next_cursor` is there."""

    next_cursor: str | None = None
    workflows: tuple[WorkflowSummary, ...]


class WorkflowPatch(Request, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A merge patch (RFC 7396) of a workflow: a member replaces the present one, null restores the
    default.

    `tasks` replaces all tasks. The resulting workflow is validated like a new one.
    """

    alerts: RunAlertsIn | UnsetType | None = UNSET
    callbacks: RunCallbacksIn | UnsetType | None = UNSET
    deadline_seconds: int | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    on_failure: OnFailure | UnsetType | None = UNSET
    tags: Sequence[str] | UnsetType | None = UNSET
    tasks: Sequence[Mapping[str, Any]] | UnsetType | None = UNSET
    """All tasks, as in a new workflow."""


class WorkflowPut(Model, frozen=True, kw_only=True):
    """What the request did. With `dry_run=true`: what it would do."""

    change: str
    fields: tuple[FieldChange, ...]
    """What differs, for `updated`. A task stands under its key, as in `/tasks/ship/request/url`. With the
    pointer `/tasks`, the order of the keys differs.
    """
    workflow: Workflow | None = None
    """The workflow as it is now; with `dry_run=true` still the workflow before the change. Null for a
    workflow that would be created.
    """


class WorkflowSummary(Model, frozen=True, kw_only=True):
    """A workflow in a list. `GET /v1/workflows/{workflow_id}` shows the other members."""

    created_at: datetime
    id: str
    key: str | None = None
    name: str | None = None
    revision: int
    """Grows with every change. The ETag contains it."""
    set: str | None = None
    state: str
    """A deleted workflow starts no run."""
    tags: tuple[str, ...]
    task_count: int


class BatchResult(Model, frozen=True, kw_only=True):
    """A job that was created. Or: A job that was refused, and the reason. Pointers start at the body of
    the whole request.
    """

    job: Job | None = None
    status: int
    problem: Problem | None = None
