"""What a reader makes of one job of the source, and the verdicts on it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from punctual.aws_targets import TARGETS
from punctual.importers.ports import SourceInstants


class UnreadableSourceError(ValueError):
    """The file is not what the importer reads; `str()` names the file and says what to give instead."""


class Verdict(Enum):
    """What became of a job of the source. The values are those of the report."""

    SAME = "same"
    DIFFERS = "differs"
    NOT_EXPRESSIBLE = "not expressible"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True, slots=True)
class SourceJob:
    """A job of the source, translated.

    `origin` says where it stands, such as `line 12`. `members` are those of the apply file. For a job that cannot
    be expressed, `misfit` says why and `members` are the nearest job, or None. `instants` has the source's rules;
    several mean that the source does not document which of them holds, which `doubt` says. `notes` name what is not
    carried over or is done in another way. None of the texts holds the value of a header, a body or a command.
    """

    key: str
    origin: str
    members: Mapping[str, Any] | None = field(repr=False)
    instants: tuple[SourceInstants, ...] = ()
    misfit: str | None = None
    notes: tuple[str, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The jobs of all files, in their order, and remarks on parts that are no jobs."""

    jobs: tuple[SourceJob, ...]
    remarks: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Translation:
    """What is found while one job of a source is translated."""

    members: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)

    def source_job(
        self, key: str, origin: str, instants: tuple[SourceInstants, ...], doubt: str = ""
    ) -> SourceJob:
        """Return the job. It has members only if the schedule and the target were understood."""
        is_understood = bool(instants) and any(name in self.members for name in ("url", *TARGETS))
        return SourceJob(
            key,
            origin,
            self.members if is_understood else None,
            instants=instants,
            misfit="; ".join(self.misfits) or None,
            notes=tuple(self.notes),
            doubt=doubt,
        )


def without_repeats(jobs: Iterable[SourceJob], name: str) -> Iterator[SourceJob]:
    """Yield the jobs; one whose key has occurred before becomes a misfit. `name` is what the source calls the key."""
    times: Counter[str] = Counter()
    for job in jobs:
        times[job.key] += 1
        if times[job.key] == 1:
            yield job
        else:
            repeated = f"an earlier job of the files has the same {name}"
            yield SourceJob(f"{job.key}-{times[job.key]}", job.origin, None, misfit=repeated)
