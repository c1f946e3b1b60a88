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
    """The job that is named. Raises CommandError if there is none, or if several jobs have the name."""
    if _ID.fullmatch(named):
        return session.client.jobs.get(named)
    if _KEY.fullmatch(named):
        from punctual.problems import NotFoundError

        try:
            return session.client.jobs.get_by_key(named)
        except NotFoundError:
            pass
    return session.client.jobs.get(_by_name(session, named))


def find_job_id(session: Session, named: str) -> str:
    """The id of the job that is named; an id is taken as it is. Raises CommandError as `find_job`."""
    return named if _ID.fullmatch(named) else find_job(session, named).id


def _by_name(session: Session, named: str) -> str:
    jobs = session.client.jobs.iterate(q=named) if _NAME.fullmatch(named) else ()
    found = [each for each in jobs if each.name == named and each.state not in _GONE]
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
