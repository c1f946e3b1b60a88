"""Jobs and workflows of a file as they are sent: with the values that it leaves to the environment and to commands.

Such a value is never empty or white space alone. Pipelines pass a secret that they do not have as an empty variable,
and it would replace the token that a job has.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from punctual.applyfile import ApplyFile, ApplyFileError, Job, MissingVariablesError, Source, Workflow
from punctual.applying.plan import JOB, WORKFLOW, Kind

Run = Callable[[Sequence[str]], str]
"""Runs a command, and returns what it prints. Raises ConfigurationError."""


@dataclass(frozen=True, slots=True)
class WantedJob:
    """A job or a workflow of the file: its key in the API, its line in the file, and the body of the PUT by its key."""

    key: str
    line: int
    body: Mapping[str, Any] = field(repr=False)
    hidden: frozenset[str] = frozenset()
    """The JSON pointers of members that the API shows, and whose values come from outside the file."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """All values from outside the file."""
    kind: Kind = JOB
    starts: str | None = None
    """The key in the API of the workflow that a job names by its key; `body` then has no `workflow`."""
    workflow_line: int = 0

    def body_with(self, ids: Mapping[str, str]) -> Mapping[str, Any]:
        """The body with the id of its workflow. KeyError for a workflow that `ids` does not have."""
        return self.body if self.starts is None else {**self.body, "workflow": ids[self.starts]}


def wanted_jobs(file: ApplyFile, environ: Mapping[str, str], run: Run | None) -> tuple[WantedJob, ...]:
    """Return all jobs of the file, in its order, and then all workflows. Nothing is sent.

    Each command runs once; `run` None means that the file may have none. Raises MissingVariablesError with all
    variables that are not set or blank, ApplyFileError, and what `run` raises.
    """
    entries: tuple[Job | Workflow, ...] = (*file.jobs, *file.workflows)
    values = _values((source for entry in entries for source in entry.sources()), environ, run)
    return tuple(_wanted(file, entry, values) for entry in entries)


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
