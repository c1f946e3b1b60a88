"""The job that an argument names: by its id, by its key, or by a name that only one job has."""

import re
from typing import TYPE_CHECKING

from punctual.cli.exits import CommandError, Exit
from punctual.cli.session import Session

if TYPE_CHECKING:
    from punctual.models import Job, JobSummary

_ID = re.compile(r"job_[0-9a-z]{20,}")
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]{1,128}")
SHOWN = 10
_GONE = frozenset({"deleted", "deleting"})


def find_job(session: Session, named: str) -> "Job":
    """The job that is named. Raises CommandError if there is none, or if several jobs have the name.

    The API shows a deleted job under its key until its record expires: a job with this name counts before it.
    """
    if _ID.fullmatch(named):
        return session.client.jobs.get(named)
    keyed = _with_key(session, named)
    if keyed is not None and keyed.state not in _GONE:
        return keyed
    found = _with_name(session, named)
    if keyed is not None and not found:
        return keyed
    return session.client.jobs.get(_only(named, found))


def find_job_id(session: Session, named: str) -> str:
    """The id of the job that is named; an id is taken as it is. Raises CommandError as `find_job`."""
    return named if _ID.fullmatch(named) else find_job(session, named).id


def _with_key(session: Session, named: str) -> "Job | None":
    from punctual.problems import NotFoundError

    if not _KEY.fullmatch(named):
        return None
    try:
        return session.client.jobs.get_by_key(named)
    except NotFoundError:
        return None


def _with_name(session: Session, named: str) -> "list[JobSummary]":
    jobs = session.client.jobs.iterate(q=named) if _NAME.fullmatch(named) else ()
    return [each for each in jobs if each.name == named and each.state not in _GONE]


def _only(named: str, found: "list[JobSummary]") -> str:
    """The id of the one job; CommandError if there is none, or several."""
    if len(found) == 1:
        return found[0].id
    if not found:
        raise CommandError(
            f"no job has the id, the key or the name {named!r}",
            Exit.NOT_FOUND,
            hint="`punctual list` shows the jobs, and its --name finds them by the beginning of their names",
        )
    raise CommandError(
        f"{len(found)} jobs have the name {named!r}", Exit.USAGE, hint=f"give the id of one: {_ids(found)}"
    )


def _ids(found: "list[JobSummary]") -> str:
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(each.id for each in found[:SHOWN]) + more
