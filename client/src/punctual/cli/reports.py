"""`punctual report`: what a receiver that answered 202 tells of its work.

The token of the call is in its header `X-Callback-Token`. It is a secret, so it comes from a variable of the
environment.
"""

from typing import Annotated

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column
from punctual.cli.session import Session, session_of

TOKEN = "PUNCTUAL_CALLBACK_TOKEN"  # noqa: S105 - the name of the variable
RunArgument = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The execution: the call's header webhook-id.", show_default=False),
]
LEASE_ROWS = (
    Column("run", lambda lease: lease.id),
    Column("attempt", lambda lease: lease.attempt),
    Column("lost after", lambda lease: lease.lease_until),
    Column("ends at", lambda lease: lease.deadline_at),
)
REPORT_ROWS = (
    Column("run", lambda report: report.id),
    Column("attempt", lambda report: report.attempt),
    Column("outcome", lambda report: report.outcome),
)


def _token(session: Session) -> str:
    token = session.around.environ.get(TOKEN)
    if not token:
        raise CommandError(f"set {TOKEN} to the call's header X-Callback-Token", Exit.USAGE)
    return token


def report_heartbeat(context: typer.Context, run: RunArgument) -> None:
    """Tell that the work goes on, and show until when the next heartbeat is due."""
    session = session_of(context)
    session.show_one(session.client.executions.heartbeat(run, token=_token(session)), LEASE_ROWS)


def report_success(context: typer.Context, run: RunArgument) -> None:
    """Tell that the work is done."""
    session = session_of(context)
    session.show_one(session.client.executions.complete(run, token=_token(session)), REPORT_ROWS)


def report_failure(
    context: typer.Context,
    run: RunArgument,
    reason: Annotated[
        str | None, typer.Option(help="Kept with the run; at most 256 bytes.", metavar="TEXT")
    ] = None,
    final: Annotated[bool, typer.Option("--final", help="Do not retry.")] = False,
) -> None:
    """Tell that the work has failed."""
    session = session_of(context)
    given = {} if reason is None else {"reason": reason}
    report = session.client.executions.fail(run, token=_token(session), retryable=not final, **given)
    session.show_one(report, REPORT_ROWS)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    reports = typer.Typer(
        help="Report on work that a call has begun (answered with 202).", no_args_is_help=True
    )
    reports.command("heartbeat")(report_heartbeat)
    reports.command("complete")(report_success)
    reports.command("fail")(report_failure)
    app.add_typer(reports, name="report")
