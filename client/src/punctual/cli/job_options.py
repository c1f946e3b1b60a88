"""The options of `create` and `edit`: one for each member of a new job."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from punctual.cli.job_values import (
    auth_value,
    body,
    duration,
    durations,
    header_values,
    json_value,
    sigv4_value,
    url_value,
)
from punctual.cli.options import DURATION
from punctual.cli.session import Session
from punctual.cli.workflows_of import workflow_id

URL_HELP = "A secret one comes from env:VAR, @FILE or - (standard input)."
Read = Callable[[Session, str, Any], Any]


@dataclass(frozen=True, slots=True)
class JobOption:
    """An option: its flags, the member of the job that it sets, and how its value is read.

    `part` is the member of the job that has the member, such as `schedule`; empty for the job itself.
    """

    flags: tuple[str, ...]
    part: str
    member: str
    kind: Any
    help: str
    metavar: str | None = None
    read: Read | None = None

    @property
    def name(self) -> str:
        """The name of its argument."""
        return f"{self.part or 'job'}_{self.flag.removeprefix('--').replace('-', '_')}"

    @property
    def flag(self) -> str:
        """Its longest flag, which names it in texts."""
        return max(self.flags, key=len)

    @property
    def annotation(self) -> Any:
        """Its declaration for typer."""
        option = typer.Option(*self.flags, help=self.help, metavar=self.metavar, show_default=False)
        return Annotated[self.kind | None, option]


def _text(flag: str, part: str, member: str, text: str, metavar: str = "TEXT") -> JobOption:
    return JobOption((flag,), part, member, str, text, metavar)


def _seconds(flag: str, part: str, member: str, text: str) -> JobOption:
    return JobOption((flag,), part, member, str, text, DURATION, duration)


def _secret_url(flag: str, part: str, member: str, text: str) -> JobOption:
    return JobOption((flag,), part, member, str, f"{text} {URL_HELP}", "URL", url_value)


def _number(flag: str, part: str, member: str, text: str) -> JobOption:
    return JobOption((flag,), part, member, int, text, "N")


SCHEDULE = (
    _text("--cron", "schedule", "cron", "Five fields of a cron line, or an alias such as @daily."),
    _seconds("--every", "schedule", "rate_seconds", "At this interval, such as 5s."),
    _text("--at", "schedule", "at", "Once: 2030-01-01T09:00:00Z, or a local time with --tz.", "INSTANT"),
    _seconds("--delay", "schedule", "delay_seconds", "Once, this long from now, such as 10m."),
    _text(
        "--expression", "schedule", "expression", "cron(...), rate(...) or at(...) of EventBridge Scheduler."
    ),
    JobOption(
        ("--tz", "--timezone"), "schedule", "timezone", str, "The time zone, such as Europe/Berlin.", "ZONE"
    ),
    _text("--start-at", "schedule", "start_at", "Nothing runs before.", "INSTANT"),
    _text("--end-at", "schedule", "end_at", "Nothing runs after.", "INSTANT"),
    _number("--max-runs", "schedule", "max_runs", "The job ends after this many runs."),
    _seconds("--jitter", "schedule", "jitter_seconds", "Each run starts later by up to this long."),
    JobOption(
        ("--dst-gap",), "schedule", "dst_gap", Literal["shift", "skip"], "What a skipped local time does."
    ),
    JobOption(
        ("--dst-overlap",),
        "schedule",
        "dst_overlap",
        Literal["first", "second", "both"],
        "Which of two equal local times run.",
    ),
    _text(
        "--calendar",
        "schedule",
        "calendar",
        "A country, such as DE or US-CA, or a calendar of your own.",
        "NAME",
    ),
    JobOption(
        ("--when-excluded",),
        "schedule",
        "when_excluded",
        Literal["skip", "next", "previous", "modified_following"],
        "What a run on an excluded day of the calendar does; skip by default.",
    ),
    _number("--business-day", "schedule", "business_day", "Only the nth of the month; -1 is the last one."),
)
REQUEST = (
    _text("--url", "request", "url", "The URL that is called.", "URL"),
    JobOption(
        ("-X", "--method"),
        "request",
        "method",
        Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"],
        "The method; POST by default.",
    ),
    JobOption(
        ("-H", "--header"),
        "request",
        "headers",
        list[str],
        "A header. The value env:VAR is read from the environment: give secrets so.",
        "'NAME: VALUE'",
        header_values,
    ),
    JobOption(
        ("--oidc-audience",),
        "request",
        "auth",
        str,
        "The call has an identity token for this audience.",
        "AUDIENCE",
        auth_value,
    ),
    JobOption(
        ("--sigv4",),
        "request",
        "auth",
        str,
        "This target role signs the call for AWS.",
        "ROLE,SERVICE,REGION",
        sigv4_value,
    ),
    JobOption(
        ("--json",),
        "request",
        "json",
        str,
        "The body in JSON; - is standard input.",
        "@FILE|-|JSON",
        json_value,
    ),
    JobOption(
        ("--body",), "request", "body", str, "The body as it is; - is standard input.", "@FILE|-|TEXT", body
    ),
)
TARGET = (
    _text("--sqs", "target", "sqs", "The queue that gets the body, in place of --url.", "ARN|URL"),
    _text("--lambda", "target", "lambda", "The function that gets the body.", "ARN"),
    _text("--sns", "target", "sns", "The topic that gets the body.", "ARN"),
    _text("--eventbridge", "target", "eventbridge", "The event bus that gets the body as detail.", "ARN"),
    _text("--step-functions", "target", "step_functions", "The state machine that gets the body.", "ARN"),
    _text(
        "--message-group-id",
        "target",
        "message_group_id",
        "The group of the message, for --sqs and --sns.",
        "GROUP",
    ),
    JobOption(
        ("--invocation-type",),
        "target",
        "invocation_type",
        Literal["event", "request_response"],
        "Whether an attempt of --lambda waits for the function; event by default.",
    ),
    _text("--source", "target", "source", "The source of the event, for --eventbridge."),
    _text("--detail-type", "target", "detail_type", "The detail-type of the event, for --eventbridge."),
)
SETTINGS = (
    JobOption(
        ("--workflow",),
        "",
        "workflow",
        str,
        "The id or the key of the workflow that the job starts, in place of a call.",
        "WORKFLOW",
        workflow_id,
    ),
    _text("--name", "", "name", "Shown in lists."),
    JobOption(("--tag",), "", "tags", list[str], "A tag; may be given several times.", "TAG"),
    JobOption(
        ("--lane",), "", "lane", Literal["critical", "standard", "bulk"], "The queue; standard by default."
    ),
    _seconds("--timeout", "", "timeout_seconds", "For the whole call; 30 s by default."),
    JobOption(
        ("--overlap",),
        "",
        "overlap_policy",
        Literal["allow", "skip", "queue_one"],
        "What a run does whose predecessor has not ended.",
    ),
    JobOption(
        ("--catch-up",),
        "",
        "catch_up",
        Literal["coalesce", "skip", "all"],
        "The instants to run after an outage.",
    ),
    _number("--catch-up-limit", "", "catch_up_limit", "The most that --catch-up all runs."),
    _seconds("--catch-up-window", "", "catch_up_window_seconds", "What was missed longer ago never runs."),
    _seconds("--late-tolerance", "", "late_tolerance_seconds", "A run that is less late was not missed."),
    _seconds("--start-deadline", "", "start_deadline_seconds", "A one-off job is skipped after this time."),
    JobOption(
        ("--when-suspended",),
        "",
        "when_suspended",
        Literal["skip", "run"],
        "What a one-off job does after a suspension of the tenant.",
    ),
    _secret_url("--on-success", "", "on_success", "Called after a success; none for no call."),
    _secret_url("--on-failure", "", "on_failure", "Called after a failure; none for no call."),
    _text("--signing-secret", "", "signing_secret", "The name of the secrets that sign the calls.", "NAME"),
    _seconds("--async-deadline", "", "async_deadline_seconds", "The longest attempt that is answered 202."),
    _seconds("--heartbeat", "", "heartbeat_seconds", "Such an attempt is lost without a heartbeat."),
    _number("--max-attempts", "retry", "max_attempts", "Attempts with the first; 5 by default."),
    _seconds("--retry-base", "retry", "base_seconds", "The first delay before a retry."),
    _number("--retry-factor", "retry", "factor", "Each delay is this many times the one before."),
    _seconds("--retry-cap", "retry", "cap_seconds", "The longest delay before a retry."),
    JobOption(
        ("--retry-delays",),
        "retry",
        "delays_seconds",
        str,
        "One delay for each retry, such as 10s,1m,1h.",
        "DURATIONS",
        durations,
    ),
    _seconds("--give-up-after", "retry", "give_up_after_seconds", "No attempt starts later than this."),
    _secret_url("--alerts-url", "alerts", "url", "Called for alerts; none for no alerts."),
    JobOption(
        ("--alert",),
        "alerts",
        "events",
        list[str],
        "An event that is announced: failed, recovered, late, skipped or gone. May be given several times.",
        "EVENT",
    ),
    JobOption(("--alert-format",), "alerts", "format", Literal["json", "slack"], "The form of alerts."),
    _seconds("--alert-late-after", "alerts", "late_after_seconds", "A run is late after this time."),
)
JOB_OPTIONS = (*SCHEDULE, *REQUEST, *TARGET, *SETTINGS)
ANNOTATIONS: Mapping[str, Any] = {each.name: each.annotation for each in JOB_OPTIONS}
"""For `with_options`."""
