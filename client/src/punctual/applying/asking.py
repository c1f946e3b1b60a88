"""Asks the API what an application of a file would change. Nothing is changed by that."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from punctual.applying.hiding import shown_fields, without_secrets
from punctual.applying.named_entries import named_answer, of_set, standing_named
from punctual.applying.parallel import each
from punctual.applying.plan import (
    CALENDAR,
    CREATED,
    JOB,
    TRIGGER,
    UNCHANGED,
    UPDATED,
    WORKFLOW,
    Answer,
    Change,
    Conflict,
    Dangling,
    Deletion,
    Kind,
    NextRun,
    Plan,
    Refusal,
    concerns_one_job,
    plan_of,
)
from punctual.applying.starting import KnownWorkflows, compared, known_jobs, known_workflows, pruned
from punctual.applying.wanted import WantedJob
from punctual.client import Punctual
from punctual.errors import PunctualError
from punctual.models import Job, JobPut, JobSummary, WorkflowPut, WorkflowSummary
from punctual.problems import ApiError

ENDED = frozenset({"deleted", "completed"})
_HELD = frozenset({"paused", "pausing"})
_PAGE = 100


def make_plan(
    client: Punctual, set_name: str, jobs: Sequence[WantedJob], *, prune: bool, workers: int
) -> Plan:
    """Compare the entries of a file with those of the API; the API compares, since it shows no sealed value.

    With `prune`, those of the set that are not in the file are to be deleted. Raises RequestError, but for refusals
    of single ones, which are part of the plan.
    """
    named: dict[Kind, list[WantedJob]] = {
        kind: [job for job in jobs if job.kind == kind] for kind in (CALENDAR, TRIGGER)
    }
    present = {kind: standing_named(client, kind) if wanted else {} for kind, wanted in named.items()}
    nothing = KnownWorkflows({}, frozenset())

    def answer_of(wanted: WantedJob, known: KnownWorkflows) -> Answer:
        return named_answer(client, set_name, wanted, present[wanted.kind].get(wanted.key), known)

    calendars = each(lambda wanted: answer_of(wanted, nothing), named[CALENDAR], workers)
    own = [job for job in jobs if job.kind == WORKFLOW]
    found = each(lambda workflow: _workflow_answer(client, set_name, workflow), own, workers)
    ids = {workflow.key: known for workflow, (_, known) in zip(own, found, strict=True)}
    answers = {(WORKFLOW, workflow.key): told for workflow, (told, _) in zip(own, found, strict=True)}
    starting = [job for job in jobs if job.kind == JOB]
    known = known_workflows(client, ids, starting, workers, calendars=_changes(calendars))
    looked_at = each(lambda job: _answer(client, set_name, job, known), starting, workers)
    answers |= {(JOB, job.key): answer for job, (answer, _) in zip(starting, looked_at, strict=True)}
    job_ids = {job.key: found_id for job, (_, found_id) in zip(starting, looked_at, strict=True)}
    started = known_jobs(client, job_ids, named[TRIGGER], workers)
    triggers = each(lambda wanted: answer_of(wanted, started), named[TRIGGER], workers)
    of_named = zip((*named[CALENDAR], *named[TRIGGER]), (*calendars, *triggers), strict=True)
    answers |= {(one.kind, one.key): answer for one, answer in of_named}
    standing = [*_standing(client, set_name)] if prune else []
    for kind in named if prune else ():
        standing += of_set(kind, set_name, present[kind] or standing_named(client, kind))
    deletions = tuple(each for each in standing if (each.kind, each.key) not in answers)
    dangling = pruned([*starting, *named[TRIGGER]], known, started, deletions)
    in_order = [answers[job.kind, job.key] for job in jobs]
    return plan_of(
        set_name, [*in_order, *dangling], deletions, standing, known.ids, _named_by(named[TRIGGER], started)
    )


def _named_by(triggers: Sequence[WantedJob], known: KnownWorkflows) -> dict[str, str]:
    """The ids of the jobs that exist, by the keys that triggers name."""
    keys = {each.starts for each in triggers if each.starts is not None}
    return {key: found for key, found in known.ids.items() if key in keys}


def _changes(answers: Sequence[Answer]) -> dict[str, str]:
    """What is done with the calendars of the file that do not stay as they are."""
    return {answer.key: answer.change for answer in answers if isinstance(answer, Change)}


def _standing(client: Punctual, set_name: str) -> Iterator[Deletion]:
    """The jobs of a set, and then its workflows, each by their keys."""
    for job in standing_jobs(client, set_name):
        yield Deletion(str(job.key), job.id, job.revision)
    for workflow in standing_workflows(client, set_name):
        yield Deletion(str(workflow.key), workflow.id, workflow.revision, WORKFLOW)


def standing_jobs(client: Punctual, set_name: str) -> list[JobSummary]:
    """The jobs of a set that have not ended, by their keys. Backfills belong to their jobs."""
    found = client.jobs.iterate(set=set_name, limit=_PAGE)
    return sorted(
        (job for job in found if job.key and job.set == set_name and job.state not in ENDED),
        key=lambda job: str(job.key),
    )


def standing_workflows(client: Punctual, set_name: str) -> list[WorkflowSummary]:
    """The workflows of a set, by their keys."""
    found = client.workflows.iterate(set=set_name, limit=_PAGE)
    return sorted(
        (each for each in found if each.key and each.set == set_name), key=lambda each: str(each.key)
    )


def _answer(
    client: Punctual, set_name: str, job: WantedJob, known: KnownWorkflows
) -> tuple[Answer, str | None]:
    """The answer, and the id of the job if it exists and stays."""
    if known.misses(job):
        return Dangling(job.key, job.starts_line, str(job.starts)), None
    try:
        answer = compared(client, job, known)
        before = answer.job
        stays = before.id if before is not None and answer.change != CREATED else None
        if answer.change == UNCHANGED:
            return None, stays
        if before is not None and before.set not in (None, set_name):
            return Conflict(job.key, job.line, before.set), stays
        return _change(client, job, answer, is_shifted=job.calendar in known.calendars), stays
    except PunctualError as error:
        return _refusal(error, job), None


def _refusal(error: PunctualError, job: WantedJob) -> Refusal:
    """The refusal of one job or workflow; raises any other error."""
    shown = without_secrets(error, job)
    if isinstance(shown, ApiError) and concerns_one_job(shown):
        return Refusal(job.key, job.line, shown, job.kind)
    raise shown from None


def _workflow_answer(client: Punctual, set_name: str, wanted: WantedJob) -> tuple[Answer, str | None]:
    """The answer, and the id of the workflow if it exists."""
    try:
        answer = client.workflows.put(wanted.key, dry_run=True, **wanted.body)
    except PunctualError as error:
        return _refusal(error, wanted), None
    before = answer.workflow
    return _workflow_change(set_name, wanted, answer), before.id if before is not None else None


def _workflow_change(set_name: str, wanted: WantedJob, answer: WorkflowPut) -> Answer:
    before = answer.workflow
    if answer.change == UNCHANGED:
        return None
    if before is not None and before.set not in (None, set_name):
        return Conflict(wanted.key, wanted.line, before.set, WORKFLOW)
    return Change(
        wanted.key,
        answer.change,
        shown_fields(answer.fields, wanted),
        {},
        revision=before.revision if before is not None else None,
        kind=WORKFLOW,
        tasks=len(wanted.body["tasks"]),
    )


def _change(client: Punctual, job: WantedJob, answer: JobPut, *, is_shifted: bool) -> Change:
    """With `is_shifted`, the file creates or changes the calendar of the job: its next run is not known yet."""
    schedule: Mapping[str, Any] = job.body["schedule"]
    if answer.change == CREATED or answer.job is None:
        starts = job.starts or str(job.body.get("workflow", ""))
        first = NextRun(None, _first_run(client, schedule)) if not is_shifted else None
        return Change(job.key, CREATED, (), schedule, first, starts=starts)
    is_paused = answer.job.state in _HELD
    next_run = None
    if not (is_paused or is_shifted) and any(
        field.pointer.startswith("/schedule/") for field in answer.fields
    ):
        upcoming = client.jobs.upcoming(answer.job, count=1).runs
        after = _first_run(client, _in_phase(schedule, answer.job))
        next_run = NextRun(upcoming[0].local if upcoming else None, after)
    fields = shown_fields(answer.fields, job)
    return Change(job.key, UPDATED, fields, schedule, next_run, is_paused, answer.job.revision)


def _first_run(client: Punctual, schedule: Mapping[str, Any]) -> str | None:
    runs = client.schedules.preview(**schedule).runs
    return runs[0].local if runs else None


def _in_phase(schedule: Mapping[str, Any], job: Job) -> Mapping[str, Any]:
    """The schedule as the API takes it: the same rate without a start keeps the phase of the job."""
    own = job.schedule
    is_same = own.rate_seconds is not None and schedule.get("rate_seconds") == own.rate_seconds
    return {**schedule, "start_at": own.start_at} if is_same and "start_at" not in schedule else schedule
