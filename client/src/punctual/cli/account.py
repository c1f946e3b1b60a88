"""`punctual usage`, `settings` and `audit`: the tenant of the key."""

import re
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.job_options import URL_HELP
from punctual.cli.job_values import url_value
from punctual.cli.jobs_of import find_job
from punctual.cli.list_options import PAGE, All, Limit, Since, Until, shown
from punctual.cli.options import DURATION, seconds
from punctual.cli.output import Column, Format
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.models import AuditRecord, Settings, Usage

_ID = re.compile(r"[a-z]{3}_[0-9a-z]{10,}")
NO_URL = "none"


class Event(str, Enum):
    """An event that is announced."""

    FAILED = "failed"
    RECOVERED = "recovered"
    LATE = "late"
    SKIPPED = "skipped"
    GONE = "gone"
    LIMIT_REACHED = "limit_reached"


Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="JOB|ID",
        help="Only changes of a job, or of the thing with this id.",
        show_default=False,
    ),
]
_URL = f"none removes it. {URL_HELP}"
OnSuccess = Annotated[
    str | None, typer.Option("--on-success", metavar="URL", help=f"Called after successes; {_URL}")
]
OnFailure = Annotated[
    str | None, typer.Option("--on-failure", metavar="URL", help=f"Called after failures; {_URL}")
]
AlertsUrl = Annotated[
    str | None,
    typer.Option("--alerts-url", metavar="URL", help=f"Called with the events that are announced; {_URL}"),
]
AlertEvents = Annotated[
    list[Event] | None, typer.Option("--alert", help="An event to announce; may be given several times.")
]
LateAfter = Annotated[
    str | None,
    typer.Option("--alert-late-after", metavar=DURATION, help="When a run is late; with --alert late."),
]
AlertFormat = Annotated[
    Literal["json", "slack"] | None, typer.Option("--alert-format", help="The body of an alert.")
]


class _QuotaLine(NamedTuple):
    name: str
    used: str
    limit: str


_QUOTA_COLUMNS = (
    Column("quota", lambda line: line.name),
    Column("used", lambda line: line.used),
    Column("limit", lambda line: line.limit),
)
_AUDIT_COLUMNS = (
    Column("at", lambda record: record.at),
    Column("operation", lambda record: record.operation),
    Column("target", lambda record: record.target, folds=True),
    Column("actor", lambda record: record.actor),
    Column("key", lambda record: record.key_id),
    Column("request", lambda record: record.request_id, folds=True),
)


def _alerts(member: str) -> Any:
    return lambda settings: getattr(settings.alerts, member) if settings.alerts else None


SETTINGS_ROWS = (
    Column("on success", lambda settings: settings.on_success),
    Column("on failure", lambda settings: settings.on_failure),
    Column("alerts", _alerts("url")),
    Column("alerts of", _alerts("events")),
    Column("late after s", _alerts("late_after_seconds")),
    Column("alert format", _alerts("format")),
)


def show_usage(session: Session, usage: "Usage") -> None:
    """Show the quotas of a tenant, and what is in use."""
    if session.format in (Format.JSON, Format.YAML):
        session.out.data(usage)
        return
    session.note(f"tenant {usage.tenant}, weight {usage.weight}")
    lines = [
        _QuotaLine(
            name=name,
            used="" if quota.used is None else f"{quota.used}{' or more' if quota.is_lower_bound else ''}",
            limit=str(quota.limit) if quota.is_enforced else "none",
        )
        for name, quota in usage.quotas.items()
    ]
    session.show_list(lines, _QUOTA_COLUMNS, empty="no quotas")


def show_records(session: Session, records: "Iterable[AuditRecord]", limit: int, all_: bool) -> None:
    """Show changes of a tenant."""
    session.show_list(shown(session, records, limit, all_), _AUDIT_COLUMNS, empty="no changes")


def changed_defaults(
    session: Session,
    on_success: str | None,
    on_failure: str | None,
    alerts_url: str | None,
    alerts: list[Event] | None,
    late_after: str | None,
    alert_format: str | None,
) -> dict[str, Any]:
    """The members of a change of the defaults of a tenant. Raises CommandError for alerts without a URL."""
    members: dict[str, Any] = {}
    for flag, name, url in (
        ("--on-success", "on_success", on_success),
        ("--on-failure", "on_failure", on_failure),
    ):
        if url is not None:
            members[name] = _url(session, flag, url)
    of_alerts: dict[str, Any] = {}
    if alerts:
        of_alerts["events"] = [each.value for each in alerts]
    if late_after is not None:
        of_alerts["late_after_seconds"] = seconds(late_after, "--alert-late-after")
    if alert_format is not None:
        of_alerts["format"] = alert_format
    if alerts_url is not None:
        url = _url(session, "--alerts-url", alerts_url)
        members["alerts"] = None if url is None else {"url": url, **of_alerts}
    elif of_alerts:
        raise CommandError("alerts are replaced as a whole: give --alerts-url as well", Exit.USAGE)
    return members


def _url(session: Session, flag: str, given: str) -> str | None:
    url = url_value(session, flag, given)
    return None if url == NO_URL else url


def usage(context: typer.Context) -> None:
    """Show the quotas of the tenant, and what is in use."""
    session = session_of(context)
    show_usage(session, session.client.usage.get())


def get_settings(context: typer.Context) -> None:
    """Show the defaults of jobs that set nothing else."""
    session = session_of(context)
    _show_settings(session, session.client.settings.get())


def set_settings(
    context: typer.Context,
    on_success: OnSuccess = None,
    on_failure: OnFailure = None,
    alerts_url: AlertsUrl = None,
    alert: AlertEvents = None,
    alert_late_after: LateAfter = None,
    alert_format: AlertFormat = None,
) -> None:
    """Change the defaults of jobs that set nothing else. What is not given stays as it is."""
    session = session_of(context)
    members = changed_defaults(
        session, on_success, on_failure, alerts_url, alert, alert_late_after, alert_format
    )
    if not members:
        raise CommandError("nothing to change: give --on-success, --on-failure or --alerts-url", Exit.USAGE)
    _show_settings(session, session.client.settings.update(**members))


def _show_settings(session: Session, settings: "Settings") -> None:
    session.show_one(settings, SETTINGS_ROWS)
    if not (settings.on_success or settings.on_failure or settings.alerts):
        session.note("no defaults are set")


def audit(
    context: typer.Context,
    target: Target = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = PAGE,
    all_: All = False,
) -> None:
    """List the changes of the tenant, newest first, and the keys that made them."""
    session = session_of(context)
    of = None if target is None else _target(session, target)
    show_records(session, session.client.audit.iterate(target=of, since=since, until=until), limit, all_)


def _target(session: Session, named: str) -> str:
    """An id as it is; the id of the job with this key or name; and otherwise the text, such as the id of a key."""
    if _ID.fullmatch(named):
        return named
    from punctual.problems import ForbiddenError

    try:
        return find_job(session, named).id
    except ForbiddenError:  # A key with the scope admin alone reads the trail, and no jobs.
        return named
    except CommandError as error:
        if error.code is not Exit.NOT_FOUND:
            raise
        return named


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("usage")(usage)
    settings = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Defaults of jobs that set nothing else."
    )
    settings.command("get")(get_settings)
    settings.command("set")(set_settings)
    app.add_typer(settings, name="settings")
    app.command("audit")(audit)
