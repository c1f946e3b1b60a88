"""`punctual admin tenants delete` and `deletion`: all that is stored of a tenant, deleted for good."""

from typing import TYPE_CHECKING, Annotated

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.models import Deletion

TenantArgument = Annotated[str, typer.Argument(metavar="TENANT", help="A tenant's id.", show_default=False)]
MAX_WAIT_SECONDS = 600.0
"""A suspension takes effect within a minute; a clock of this machine that is wrong must not lengthen that for good."""
RETRY_SECONDS = 5.0
RETRIES = 24
POLL_SECONDS = 30.0
ENDED = "ended"
_ROWS = (
    Column("tenant", lambda deletion: deletion.tenant),
    Column("state", lambda deletion: deletion.state),
    Column("asked by", lambda deletion: deletion.asked_by),
    Column("asked", lambda deletion: deletion.asked_at),
    Column("begins", lambda deletion: deletion.begins_at),
    Column("began", lambda deletion: deletion.began_at),
    Column("ended", lambda deletion: deletion.ended_at),
    Column("deleted", lambda deletion: deletion.deleted or None),
)


def delete_tenant(
    context: typer.Context,
    tenant: TenantArgument,
    asked_by: Annotated[
        str, typer.Option("--asked-by", help="Who asked for it, such as a ticket. The record keeps it.")
    ],
    confirm: Annotated[
        str | None,
        typer.Option("--confirm", metavar="TENANT", help="The id once more, in the place of typing it."),
    ] = None,
    suspend: Annotated[
        bool,
        typer.Option("--suspend", help="Suspend the tenant first, and wait until that has taken effect."),
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the end, which takes more than an hour.")
    ] = False,
) -> None:
    """Delete a suspended tenant and all that is stored of it, in the background and for good.

    Exports come before: a tenant that is being deleted has none. The command can be repeated at any time.
    """
    session = session_of(context)
    typed = confirm
    if typed is None:
        session.warn(f"all that is stored of the tenant {tenant} is deleted for good")
        if not session.can_ask:
            raise CommandError(
                "there is no terminal to confirm it at: give --confirm with the id", Exit.USAGE
            )
        typed = session.ask("Type the id of the tenant to delete it: ")
    if typed != tenant:
        raise CommandError(f"the answer was not {tenant}: nothing was changed")
    deletion = (_delete_suspended if suspend else _delete)(session, tenant, asked_by)
    session.show_one(_wait_for_end(session, deletion) if wait else deletion, _ROWS)


def show_deletion(context: typer.Context, tenant: TenantArgument) -> None:
    """Show how far the deletion of a tenant is, or what it has deleted."""
    session = session_of(context)
    session.show_one(session.client.admin.tenants.deletion(tenant), _ROWS)


def _delete_suspended(session: Session, tenant: str, asked_by: str) -> "Deletion":
    """Suspend an active tenant, wait until no call of it begins any more, and ask for its deletion."""
    from punctual.problems import InvalidStateError

    told = ""
    for _ in range(RETRIES if _suspend(session, tenant) else 0):
        try:
            return _delete(session, tenant, asked_by)
        except InvalidStateError as refused:
            # The clocks of the deployment and of this machine differ.
            if told != str(refused):
                told = str(refused)
                session.note(f"{told}: tried again every {RETRY_SECONDS:.0f} s")
        _sleep(session, RETRY_SECONDS)
    return _delete(session, tenant, asked_by)


def _delete(session: Session, tenant: str, asked_by: str) -> "Deletion":
    deletion: Deletion = session.client.admin.tenants.delete(tenant, asked_by=asked_by, confirm=tenant)
    return deletion


def _suspend(session: Session, tenant: str) -> bool:
    """Suspend a tenant unless it is, and wait for the effect; False if there is no such tenant any more."""
    from punctual.problems import NotFoundError

    tenants = session.client.admin.tenants
    try:
        found = tenants.get(tenant)
    except NotFoundError:
        # Its deletion may have ended, which the request for it shows.
        return False
    if found.state != "suspended":
        found = tenants.update(tenant, state="suspended")
    if found.effective_at is None:
        return True
    left = (found.effective_at - session.around.now()).total_seconds()
    if left > 0:
        session.note(f"waiting until {session.local(found.effective_at)}, when the suspension takes effect")
        _sleep(session, min(left, MAX_WAIT_SECONDS))
    return True


def _sleep(session: Session, seconds: float) -> None:
    try:
        session.around.sleep(seconds)
    except KeyboardInterrupt:
        session.warn("the tenant stays suspended, and nothing is deleted: the same command goes on")
        raise


def _wait_for_end(session: Session, deletion: "Deletion") -> "Deletion":
    try:
        while deletion.state != ENDED:
            session.around.sleep(POLL_SECONDS)
            deletion = session.client.admin.tenants.deletion(deletion.tenant)
    except KeyboardInterrupt:
        session.warn(f"the deletion goes on: punctual admin tenants deletion {deletion.tenant}")
        raise
    return deletion
