"""The workflow that an argument names: by its id, or by its key."""

from typing import TYPE_CHECKING

from punctual.cli.exits import CommandError, Exit
from punctual.cli.session import Session

if TYPE_CHECKING:
    from punctual.models import Workflow

_ID_PREFIX = "wfl_"
"""What begins with it is an id, and no key, as in files."""


def is_workflow_id(named: str) -> bool:
    return named.startswith(_ID_PREFIX)


def find_workflow(session: Session, named: str) -> "Workflow":
    """Raises NotFoundError."""
    workflows = session.client.workflows
    if is_workflow_id(named):
        return workflows.get(named)
    return workflows.get_by_key(named)


def find_workflow_id(session: Session, named: str) -> str:
    """An id is taken as it is. Raises NotFoundError for a key that no workflow has."""
    return named if is_workflow_id(named) else find_workflow(session, named).id


def workflow_id(session: Session, flag: str, named: str) -> str:
    """The id of the workflow that an option names. CommandError for a key that no workflow has."""
    from punctual.problems import NotFoundError

    try:
        return find_workflow_id(session, named)
    except NotFoundError:
        raise CommandError(
            f"{flag}: no workflow has the key {named[:128]!r}",
            Exit.NOT_FOUND,
            hint="`punctual workflows list` shows the workflows",
        ) from None
