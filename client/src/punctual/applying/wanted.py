"""All entries of a file as they are sent: with the values that it leaves to the environment and to commands.

Such a value is never empty or white space alone. Pipelines pass a secret that they do not have as an empty variable,
and it would replace the token that a job has.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from punctual.applyfile import ApplyFile, ApplyFileError, Job, MissingVariablesError, Named, Source, Workflow
from punctual.applying.plan import JOB, TRIGGER, WORKFLOW, Kind

Run = Callable[[Sequence[str]], str]
"""Runs a command, and returns what it prints. Raises ConfigurationError."""


@dataclass(frozen=True, slots=True)
class WantedJob:
    """An entry of the file, such as a job: its key in the API, its line in the file, and the body of the PUT by its
    key. The key of a calendar or a trigger is its name."""

    key: str
    line: int
    body: Mapping[str, Any] = field(repr=False)
    hidden: frozenset[str] = frozenset()
    """The JSON pointers of members that the API shows, and whose values come from outside the file."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """All values from outside the file."""
    kind: Kind = JOB
    starts: str | None = None
    """The key in the API of the workflow that a job names by its key; `body` then has no `workflow`. For a trigger, the
    key of its job; `body` then has no `job_id`."""
    starts_line: int = 0

    @property
    def starts_member(self) -> str:
        """The member of the body that names what is started."""
        return "job_id" if self.kind == TRIGGER else "workflow"

    @property
    def calendar(self) -> str | None:
        """The name of the calendar of a job."""
        schedule: Mapping[str, Any] = self.body.get("schedule", {})
        return schedule.get("calendar")

    def body_with(self, ids: Mapping[str, str]) -> Mapping[str, Any]:
        """The body with the id of what it starts. KeyError for a key that `ids` does not have."""
        return self.body if self.starts is None else {**self.body, self.starts_member: ids[self.starts]}


def wanted_jobs(file: ApplyFile, environ: Mapping[str, str], run: Run | None) -> tuple[WantedJob, ...]:
    """Return all jobs of the file, in its order, then all workflows, calendars and triggers. Nothing is sent.

    Each command runs once; `run` None means that the file may have none. Raises MissingVariablesError with all
    variables that are not set or blank, ApplyFileError, and what `run` raises.
    """
    entries: tuple[Job | Workflow, ...] = (*file.jobs, *file.workflows)
    values = _values((source for entry in entries for source in entry.sources()), environ, run)
    named = (_named(file, entry) for entry in (*file.calendars, *file.triggers))
    return (*(_wanted(file, entry, values) for entry in entries), *named)


def _named(file: ApplyFile, entry: Named) -> WantedJob:
    body = {**entry.body(), "set": file.set}
    starts = None
    if entry.kind == TRIGGER:
        starts = file.job_of(entry)
        body |= {"job_id": entry.members["job"]} if starts is None else {}
    return WantedJob(entry.name, entry.line, body, kind=entry.kind, starts=starts, starts_line=entry.job_line)


def _wanted(file: ApplyFile, entry: Job | Workflow, values: Mapping[Source, str]) -> WantedJob:
    body = {**entry.body(values), "set": file.set}
    starts = file.workflow_of(entry) if isinstance(entry, Job) else None
    if starts is not None:
        del body["workflow"]
    return WantedJob(
        file.key_of(entry),
        entry.line,
        body,
        entry.hidden(),
        tuple(dict.fromkeys(values[source] for source in entry.sources())),
        WORKFLOW if isinstance(entry, Workflow) else JOB,
        starts,
        entry.workflow_line if isinstance(entry, Job) else 0,
    )


def _values(sources: Iterable[Source], environ: Mapping[str, str], run: Run | None) -> dict[Source, str]:
    wanted = dict.fromkeys(sources)
    missing = tuple(
        each.env for each in wanted if each.env is not None and not environ.get(each.env, "").strip()
    )
    if missing:
        raise MissingVariablesError(missing)
    return {each: environ[each.env] if each.env is not None else _output(each, run) for each in wanted}


def _output(source: Source, run: Run | None) -> str:
    """What the command prints, without the line end. Raises ApplyFileError if it prints nothing."""
    if run is None:
        raise ApplyFileError(f"the file runs {source}: allow it with --allow-commands if you trust the file")
    printed = run(source.command).rstrip("\r\n")
    if not printed.strip():
        raise ApplyFileError(f"{source} has printed nothing for a value of the file")
    return printed
