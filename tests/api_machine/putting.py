"""PUT jobs by keys of their owners: again and again, with descriptions that are the same or others."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.api_machine import documents
from tests.api_machine.creating import accepted
from tests.api_machine.documents import Wish
from tests.api_machine.executions import Behaviour
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import MOST_JOBS, ApiMachine, picks, tenants
from tests.api_machine.observing import check_unchanged, shown, view, without_run
from tests.api_machine.sightings import SEEN
from tests.api_machine.tags import GOOD, NEW, conditions_of, put_matches
from tests.api_machine.terms import Terms
from tests.api_machine.updating import update_recurring
from tests.support.api.api_world import Answer

KEYS = ("nightly", "billing.daily")
"""Few, so that both tenants use the same ones, and again."""


class Putting(ApiMachine):
    """PUT /v1/jobs/by-key/{key}."""

    @rule(
        tenant=tenants,
        key=st.sampled_from(KEYS),
        wish=documents.recurring,
        details=documents.details,
        behaviour=documents.behaviours,
        is_dry_run=st.booleans(),
        match=put_matches,
    )
    def put(
        self,
        tenant: str,
        key: str,
        wish: Wish,
        details: dict[str, Any],
        behaviour: Behaviour,
        is_dry_run: bool,
        match: str | None,
    ) -> None:
        """A description that the job of the key, if there is one, has hardly ever."""
        standing = self.keyed.get((tenant, key))
        if standing is not None and standing.ended_at is None and not self._is_completed(standing):
            url = str(standing.terms.request["url"])
            document = documents.document(wish, details, url, self.now_ms)
            self._change(standing, key, document, is_dry_run=is_dry_run, match=match)
        elif len(self.jobs) < MOST_JOBS:
            url = f"https://{tenant}-{len(self.jobs)}.receiver.example/"
            document = documents.document(wish, details, url, self.now_ms)
            if match in (None, NEW):
                self._put_new(tenant, key, document, behaviour, is_dry_run=is_dry_run, match=match)
            else:
                self._put_over_nothing(tenant, key, document, is_dry_run=is_dry_run)

    @precondition(lambda self: self.keyed)
    @rule(pick=picks, is_dry_run=st.booleans(), match=put_matches)
    def put_again(self, pick: int, is_dry_run: bool, match: str | None) -> None:
        """The description that the job of a key has at present, paused or not."""
        tenant, key = sorted(self.keyed)[pick % len(self.keyed)]
        job = self.keyed[tenant, key]
        if job.ended_at is None:
            self._change(job, key, job.terms.document, is_dry_run=is_dry_run, match=match)

    def _is_completed(self, job: PromisedJob) -> bool:
        return view(self.deployment, job).shown["state"] == "completed"

    def _put_new(
        self,
        tenant: str,
        key: str,
        document: dict[str, Any],
        behaviour: Behaviour,
        *,
        is_dry_run: bool,
        match: str | None,
    ) -> None:
        before, conditions = self.deployment.stored_jobs(), conditions_of(None, match)
        answer = self._put(tenant, key, document, conditions, is_dry_run=is_dry_run)
        assert (answer.json["change"], answer.json["fields"]) == ("created", [])
        if is_dry_run:
            assert (answer.json["job"], self.deployment.stored_jobs()) == (None, before)
            return
        job = accepted(answer.json["job"]["id"], tenant, document, behaviour, self.now_ms)
        self.promise(job)
        SEEN["put again by a key that was free" if (tenant, key) in self.keyed else "put by a new key"] += 1
        SEEN["put that must create"] += match == NEW
        self.keyed[tenant, key] = job
        self._check(job, key, answer)

    def _put_over_nothing(self, tenant: str, key: str, document: dict[str, Any], *, is_dry_run: bool) -> None:
        """A condition on a job that the key does not have, or no longer."""
        standing, before = self.keyed.get((tenant, key)), self.deployment.stored_jobs()
        if standing is not None and standing.ended_at is None:
            return  # It has ended by its schedule, and may be replaced at the revision that it has.
        answer = self._put(tenant, key, document, {"if-match": "*"}, is_dry_run=is_dry_run, status=412)
        assert (answer.problem, self.deployment.stored_jobs()) == ("precondition-failed", before)
        assert "ETag" not in answer.headers
        SEEN["put refused: no job"] += 1

    def _change(
        self, job: PromisedJob, key: str, document: dict[str, Any], *, is_dry_run: bool, match: str | None
    ) -> None:
        before, present = view(self.deployment, job), job.terms.document
        terms = Terms.of(_in_phase(document, present), self.now_ms)
        change = "unchanged" if terms.document == present else "updated"
        conditions = conditions_of(job, match)
        if change == "updated" and match not in GOOD:
            answer = self._put(job.tenant, key, document, conditions, is_dry_run=is_dry_run, status=412)
            assert answer.problem == ("already-exists" if match == NEW else "precondition-failed")
            assert answer.headers["ETag"] == f'"{job.revisions[-1]}"'
            SEEN["put refused: a job stands" if match == NEW else "put refused: 412"] += 1
            check_unchanged(self.deployment, job, before)
            return
        answer = self._put(job.tenant, key, document, conditions, is_dry_run=is_dry_run)
        assert answer.json["change"] == change, (answer.text, terms.document, present)
        assert bool(answer.json["fields"]) == (change == "updated")
        SEEN[f"put {change}, {before.shown['state']}{', dry run' if is_dry_run else ''}"] += 1
        if is_dry_run or change == "unchanged":
            check_unchanged(self.deployment, job, before)
            return
        update_recurring(self.deployment, job, terms, before)
        job.note_change(answer.json["job"]["revision"])
        self._check(job, key, answer)

    def _check(self, job: PromisedJob, key: str, answer: Answer) -> None:
        """The answer, and what the key leads to, is the job as it stands."""
        standing = shown(self.deployment, job)
        assert without_run(answer.json["job"]) == without_run(standing)
        assert self.deployment.ask(job.tenant, "GET", f"/v1/jobs/by-key/{key}").json == standing

    def _put(
        self,
        tenant: str,
        key: str,
        document: dict[str, Any],
        conditions: Mapping[str, str],
        *,
        is_dry_run: bool,
        status: int = 200,
    ) -> Answer:
        query = {"dry_run": "true"} if is_dry_run else {}
        path = f"/v1/jobs/by-key/{key}"
        answer = self.deployment.put(tenant, path, document, conditions, **query)
        assert answer.status == status, answer.text
        return answer


def _in_phase(document: dict[str, Any], present: dict[str, Any]) -> dict[str, Any]:
    """With the start of the present rate, if the interval is the same and the document names none."""
    own, standing = document["schedule"], present["schedule"]
    is_same = "rate_seconds" in own and own["rate_seconds"] == standing.get("rate_seconds")
    if not is_same or "start_at" in own:
        return document
    return document | {"schedule": own | {"start_at": standing["start_at"]}}
