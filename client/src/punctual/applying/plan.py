"""What an application of a file would do: pure values, and the limit of deletions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from punctual.models import FieldChange
from punctual.problems import ApiError, QuotaExceededError

Kind = Literal["job", "workflow", "calendar", "trigger"]
JOB: Final = "job"
WORKFLOW: Final = "workflow"
CALENDAR: Final = "calendar"
TRIGGER: Final = "trigger"
KINDS: Final[tuple[Kind, ...]] = (JOB, WORKFLOW, CALENDAR, TRIGGER)
IN_ORDER: Final[tuple[Kind, ...]] = (CALENDAR, WORKFLOW, JOB, TRIGGER)
"""Each kind names only those before it. Deletions are made in the other direction."""
CREATED: Final = "created"
UPDATED: Final = "updated"
UNCHANGED: Final = "unchanged"
DELETED: Final = "deleted"
FREE_DELETIONS: Final = 20
"""More deletions than this, or more than half of the set, need a limit."""
_OF_ONE_JOB: Final = frozenset({400, 404, 409, 412, 413, 422})


@dataclass(frozen=True, slots=True)
class NextRun:
    """The local time of the next run, such as `2026-02-21T02:30:00`, before and after; None where there is none."""

    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """What is created or updated. `next_run` is known for another schedule of a job that is not paused, if its calendar
    stays as it is. `tasks` is how many a workflow of the file has, which has no schedule.

    `revision` is the one that was compared with the file; None where no job was.
    """

    key: str
    change: str
    fields: tuple[FieldChange, ...]
    schedule: Mapping[str, Any]
    next_run: NextRun | None = None
    is_paused: bool = False
    revision: int | None = None
    kind: Kind = JOB
    tasks: int = 0
    starts: str = ""
    """The key or the id of the workflow that a new job starts, or of the job of a new trigger."""
    members: Mapping[str, Any] = field(default_factory=dict)
    """Those of a new calendar or trigger, as far as they are shown."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """What is in the set and not in the file, at the revision that was seen. The id of a calendar or a trigger is its
    name."""

    key: str
    id: str
    revision: int
    kind: Kind = JOB


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the API refuses; `line` is its line in the file."""

    key: str
    line: int
    error: ApiError
    kind: Kind = JOB


@dataclass(frozen=True, slots=True)
class Conflict:
    """A key of the file that belongs to another set."""

    key: str
    line: int
    set: str
    kind: Kind = JOB


@dataclass(frozen=True, slots=True)
class Dangling:
    """A job of the file whose workflow does not exist, or `is_pruned`: would be deleted. Or a job whose calendar would
    be deleted, or a trigger without its job. `line` is the line of its `workflow` or `job` in the file."""

    key: str
    line: int
    named: str
    is_pruned: bool = False
    kind: Kind = JOB
    names: Kind = WORKFLOW
    """The kind of what is missing."""


Answer = Change | Refusal | Conflict | Dangling | None
"""What the API says of one entry of the file; None for one that stays as it is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would change in a set.

    A plan with refusals, conflicts or dangling jobs is not carried out, not even in parts.
    """

    set: str
    changes: tuple[Change, ...] = ()
    deletions: tuple[Deletion, ...] = ()
    unchanged: int = 0
    refusals: tuple[Refusal, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    standing: int = field(default=0)
    """How much the set had before the application, if deletions were asked for."""
    nouns: str = "jobs"
    """What they are."""
    dangling: tuple[Dangling, ...] = ()
    workflows: Mapping[str, str] = field(default_factory=dict)
    """The ids of the workflows that jobs of the file name by their keys, as far as these exist already."""
    jobs: Mapping[str, str] = field(default_factory=dict)
    """The same for the jobs that triggers name."""

    @property
    def is_possible(self) -> bool:
        return not (self.refusals or self.conflicts or self.dangling)

    @property
    def has_changes(self) -> bool:
        return bool(self.changes or self.deletions)


def plan_of(
    set_name: str,
    answers: Sequence[Answer],
    deletions: tuple[Deletion, ...],
    standing: Sequence[Deletion],
    workflows: Mapping[str, str],
    jobs: Mapping[str, str],
) -> Plan:
    """Put together what the API says of the entries of the file, in its order. `standing` is all of the set."""
    return Plan(
        set=set_name,
        changes=tuple(each for each in answers if isinstance(each, Change)),
        deletions=deletions,
        unchanged=sum(each is None for each in answers),
        refusals=tuple(each for each in answers if isinstance(each, Refusal)),
        conflicts=tuple(each for each in answers if isinstance(each, Conflict)),
        standing=len(standing),
        nouns=nouns_of(standing),
        dangling=tuple(each for each in answers if isinstance(each, Dangling)),
        workflows=workflows,
        jobs=jobs,
    )


def prune_error(plan: Plan, limit: int | None) -> str | None:
    """Return why there are too many deletions, or None. `limit` is the number that the user allows."""
    count = len(plan.deletions)
    if limit is not None:
        nouns = nouns_of(plan.deletions)
        return f"{count} {nouns} would be deleted, more than the limit of {limit}" if count > limit else None
    if count > FREE_DELETIONS or 2 * count > plan.standing:
        return f"{count} of the {plan.standing} {plan.nouns} of the set {plan.set} would be deleted"
    return None


def nouns_of(entries: Iterable[Change | Deletion | Refusal | Conflict | Dangling]) -> str:
    """What they are of, such as `jobs`, or `jobs, workflows and triggers`."""
    found = {each.kind for each in entries} or {JOB}
    *others, last = (f"{kind}s" for kind in KINDS if kind in found)
    return f"{', '.join(others)} and {last}" if others else last


def named(kind: Kind, key: str) -> str:
    """How lines name a job, or another entry: kinds do not share their keys."""
    return key if kind == JOB else f"{kind} {key}"


def concerns_one_job(error: ApiError) -> bool:
    """Whether the API refuses one job, and may accept others."""
    return error.status in _OF_ONE_JOB or isinstance(error, QuotaExceededError)
