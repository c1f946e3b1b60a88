"""Reads the calendars and triggers of a set as the file has them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from punctual.applyfile.named import JOB_PREFIX, Named, NamedKind, members_of
from punctual.applying.asking import ENDED
from punctual.applying.named_entries import standing_named
from punctual.applying.shown_members import present
from punctual.client import Punctual
from punctual.problems import NotFoundError

_KINDS: Final[tuple[NamedKind, ...]] = ("calendar", "trigger")
_EMPTY: Final[tuple[Any, ...]] = (0, (), [])
_MEANS_NONE: Final = "weekend"
"""Empty, it stands for no weekend at all, which is no default."""


@dataclass(slots=True)
class JobNames:
    """How the triggers of a file name jobs: as the file does, by their keys, and else by their ids."""

    client: Punctual
    own: dict[str, str]
    """The names of the jobs of the file, by their ids."""
    gone: set[str] = field(default_factory=set)
    """The ids of jobs that do not exist any more."""

    def of(self, job_id: str) -> str:
        if job_id not in self.own:
            self.own[job_id] = self._key(job_id)
        return self.own[job_id]

    def _key(self, job_id: str) -> str:
        try:
            job = self.client.jobs.get(job_id)
        except NotFoundError:
            self.gone.add(job_id)
            return job_id
        if job.state in ENDED:
            self.gone.add(job_id)
            return job_id
        key = job.key or job_id
        is_taken = key.startswith(JOB_PREFIX) or key in self.own.values()
        return job_id if is_taken else key


def read_named(client: Punctual, set_name: str, names: JobNames) -> list[Named]:
    """Raises RequestError."""
    return [Named(kind, *each) for kind in _KINDS for each in _read(client, kind, set_name, names)]


def _read(
    client: Punctual, kind: NamedKind, set_name: str, names: JobNames
) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, each in standing_named(client, kind).items():
        if each.set != set_name:
            continue
        shown = present(each)
        members: dict[str, Any] = {"job": names.of(shown["job_id"])} if kind == "trigger" else {}
        for member in members_of(kind):
            value = shown.get(member)
            if value is not None and (member == _MEANS_NONE or value not in _EMPTY):
                members[member] = value
        yield name, members
