"""Compares the calendars and triggers of a file with those of the API.

A dry run shows what the API would store, and nothing of it is hidden, so the differences are found here.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from punctual.applyfile.named import MODELS
from punctual.applying.plan import (
    CALENDAR,
    CREATED,
    TRIGGER,
    UPDATED,
    Answer,
    Change,
    Conflict,
    Dangling,
    Deletion,
    Kind,
    Refusal,
    concerns_one_job,
)
from punctual.applying.starting import KnownWorkflows
from punctual.applying.wanted import WantedJob
from punctual.client import Punctual
from punctual.models import Calendar, FieldChange, Trigger
from punctual.problems import ApiError

NO_JOB: Final = f"job_r{27 * '0'}"
"""The job of a trigger in a dry run, in place of one that the file creates first."""
_JOB_ID: Final = "job_id"
_NOT_SHOWN: Final = (_JOB_ID, "set")
_REFUSED: Final = 422


def standing_named(client: Punctual, kind: Kind) -> dict[str, Calendar | Trigger]:
    """All calendars of the tenant itself, or all triggers, by their names: the API has at most 50 of each."""
    found: tuple[Calendar | Trigger, ...]
    found = client.calendars.list().calendars if kind == CALENDAR else client.triggers.list().triggers
    return {each.name: each for each in found}


def of_set(kind: Kind, set_name: str, standing: Mapping[str, Calendar | Trigger]) -> Iterator[Deletion]:
    """Those of a set."""
    for name, each in standing.items():
        if each.set == set_name:
            yield Deletion(name, name, each.version, kind)


def named_answer(
    client: Punctual,
    set_name: str,
    wanted: WantedJob,
    before: Calendar | Trigger | None,
    jobs: KnownWorkflows,
) -> Answer:
    """What a calendar or a trigger needs. Raises PunctualError, but for a refusal of this one alone."""
    if wanted.kind == TRIGGER and jobs.misses(wanted):
        return Dangling(wanted.key, wanted.starts_line, str(wanted.starts), kind=TRIGGER, names="job")
    try:
        after = _dry_run(client, wanted, jobs)
    except ApiError as error:
        if not concerns_one_job(error):
            raise
        return Refusal(wanted.key, wanted.line, error, wanted.kind)
    if before is None:
        shown = {name: each for name, each in wanted.body.items() if name not in _NOT_SHOWN}
        starts = wanted.starts or str(wanted.body.get(_JOB_ID, ""))
        return Change(wanted.key, CREATED, (), {}, kind=wanted.kind, starts=starts, members=shown)
    if not (fields := tuple(_differences(wanted, before, after))):
        return None
    if before.set not in (None, set_name):
        return Conflict(wanted.key, wanted.line, str(before.set), wanted.kind)
    return Change(wanted.key, UPDATED, fields, {}, revision=before.version, kind=wanted.kind)


def _dry_run(client: Punctual, wanted: WantedJob, jobs: KnownWorkflows) -> Mapping[str, Any]:
    """The members that the API would store. For a trigger whose job does not exist yet, those of the file: the API
    checks the job last, so it has refused nothing else."""
    if wanted.kind == CALENDAR:
        return _members(client.calendars.put(wanted.key, dry_run=True, **wanted.body))
    if not jobs.awaits(wanted):
        return _members(client.triggers.put(wanted.key, dry_run=True, **wanted.body_with(jobs.ids)))
    body: dict[str, Any] = {**wanted.body, _JOB_ID: NO_JOB}
    try:
        return _members(client.triggers.put(wanted.key, dry_run=True, **body))
    except ApiError as error:
        if error.status != _REFUSED or error.pointers != (f"/{_JOB_ID}",):
            raise
        return body


def _members(shown: Calendar | Trigger) -> Mapping[str, Any]:
    found: Mapping[str, Any] = msgspec.to_builtins(shown)
    return found


def _differences(
    wanted: WantedJob, before: Calendar | Trigger, after: Mapping[str, Any]
) -> Iterator[FieldChange]:
    """By the names of the API, and by the key of a job that the file names by its key."""
    old = _members(before)
    for name in sorted(MODELS[wanted.kind].__struct_encode_fields__):
        if name not in after or old.get(name) == after[name]:
            continue
        new = wanted.starts if name == _JOB_ID and wanted.starts else after[name]
        yield FieldChange(pointer=f"/{name}", before=old.get(name), after=new, hidden=False)
