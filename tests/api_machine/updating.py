"""PATCH jobs of both kinds: before, between and during attempts, with entity tags that are good or stale."""

from urllib.parse import urlsplit

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.api_machine import documents, patches
from tests.api_machine.changes import edit, update
from tests.api_machine.deployment import Deployment
from tests.api_machine.documents import Wish
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.history import as_recorded
from tests.api_machine.instants import milliseconds
from tests.api_machine.machine import ApiMachine, is_series, picks, some_job, some_job_goes_on
from tests.api_machine.observing import View, check_answer, check_unchanged, view
from tests.api_machine.pages import listed
from tests.api_machine.patches import Change
from tests.api_machine.sightings import SEEN
from tests.api_machine.tags import GOOD, MISSING, STALE, TOO_LATE, UNLAWFUL, Refusal, matches, tag_of
from tests.api_machine.terms import Terms


class Updating(ApiMachine):
    """PATCH /v1/jobs/{id}."""

    @some_job
    @rule(pick=picks, change=patches.changes, match=matches)
    def update(self, pick: int, change: Change, match: str | None) -> None:
        """While no attempt runs, and whatever has become of the job."""
        job = self.choose(pick, _can_be_updated, self.jobs)
        ask_to_update(self.deployment, job, change, match)

    @precondition(lambda self: any(_can_be_edited(job) for job in self.jobs))
    @rule(pick=picks, change=patches.changes_of_one_offs, match=matches)
    def update_before_it_runs(self, pick: int, change: Change, match: str | None) -> None:
        """A job that runs once, and has not."""
        job = self.choose(pick, _can_be_edited, self.jobs)
        ask_to_update(self.deployment, job, change, match)

    @precondition(lambda self: any(_can_be_edited(job) for job in self.jobs))
    @rule(pick=picks, wishes=st.lists(documents.once, min_size=1, max_size=3))
    def move(self, pick: int, wishes: list[Wish]) -> None:
        """To another time, and on to another one."""
        job = self.choose(pick, _can_be_edited, self.jobs)
        for wish in wishes:
            ask_to_update(self.deployment, job, {"wish": wish}, "current")

    @some_job_goes_on
    @rule(pick=picks, change=patches.changes, match=matches)
    def update_while_it_runs(self, pick: int, change: Change, match: str | None) -> None:
        """While the receiver works at the job's next attempt."""
        job = self.choose(pick, is_series, self.going_on)
        self.while_it_runs(job, lambda: ask_to_update(self.deployment, job, change, match))


def _can_be_edited(job: PromisedJob) -> bool:
    return job.state == ("pending", "queued")


def _can_be_updated(job: PromisedJob) -> bool:
    return job.state in (("active",), ("paused",))


def ask_to_update(deployment: Deployment, job: PromisedJob, change: Change, match: str | None) -> None:
    """Ask for it, and note what the answer promises."""
    before = view(deployment, job)
    url = f"https://{urlsplit(job.terms.request['url']).hostname}/{len(job.revisions)}"
    document = patches.patch_of(change, url, deployment.now_ms)
    refusal = _refusal(job, before, document, match)
    answer = deployment.send(job.tenant, "PATCH", job.path, document, **tag_of(job, match))
    if refusal is not None:
        assert (answer.status, answer.problem) == refusal, answer.text
        check_unchanged(deployment, job, before)
        SEEN[f"update refused: {refusal[0]}"] += 1
        return
    assert answer.status == 200, answer.text
    terms = job.terms.patched(document, deployment.now_ms)
    (update_recurring if job.is_recurring else _update_once)(deployment, job, terms, before)
    job.note_change(answer.json["revision"])
    check_answer(deployment, job, answer)


def _refusal(job: PromisedJob, before: View, document: Change, match: str | None) -> Refusal | None:
    """In the order in which faults are looked for."""
    if match is None:
        return MISSING
    if match not in GOOD:
        return STALE
    if patches.is_of_another_nature(document, is_recurring=job.is_recurring):
        return UNLAWFUL
    may_be = ("active", "paused") if job.is_recurring else ("pending", "queued")
    return None if before.shown["state"] in may_be else TOO_LATE


def _update_once(deployment: Deployment, job: PromisedJob, terms: Terms, before: View) -> None:
    """It keeps its id; at another time it is another execution, to which the old one leads."""
    is_moved = terms.timetable.due_at != job.timetable.due_at
    edit(job, terms, deployment.now_ms)
    (old,), (new,) = before.records, listed(deployment, job.tenant, job.history_path)
    assert milliseconds(new["scheduled_at"]) == terms.timetable.due_at
    assert (old["id"] != new["id"]) == is_moved
    standing = deployment.ask(job.tenant, "GET", f"/v1/executions/{old['id']}").json
    assert as_recorded(standing) == new
    SEEN["moved" if is_moved else "edited"] += 1


def update_recurring(deployment: Deployment, job: PromisedJob, terms: Terms, before: View) -> None:
    """A new name or tags touch no run; anything else begins another chain."""
    is_same_chain, is_paused = terms.runs_as(job.terms), job.chain.is_paused
    is_same_schedule = terms.instants == job.terms.instants
    update(job, terms, before.records, deployment.now_ms)
    if is_same_chain:
        renamed = [record | {"name": terms.document.get("name")} for record in before.records]
        assert listed(deployment, job.tenant, job.history_path) == renamed
    what = "name or tags" if is_same_chain else "what it does" if is_same_schedule else "when it runs"
    SEEN[f"updated {what}, {'paused' if is_paused else 'active'}"] += 1
