"""Lists that are read page by page while the world goes on, filters, and cursors where they do not belong."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, MultipleResults, consumes, multiple, rule

from tests.api_machine.deployment import TENANTS
from tests.api_machine.machine import ApiMachine, picks, some_job
from tests.api_machine.observing import shown
from tests.api_machine.pages import DEAD_LETTERS, Listing, listed
from tests.api_machine.sightings import SEEN

FREED = ("job_paused", "job_updated")
Begun = Listing | MultipleResults[Listing]
listings: Bundle[Listing] = Bundle("listings")
limits = st.sampled_from([1, 2, 3, 7])
QUERIES = (
    {"tag": "billing"},
    {"tag": "a"},
    {"q": "nightly"},
    {"q": "other"},
    {"kind": "once"},
    {"kind": "once", "tag": "b"},
    {"state": "failed"},
)
TAMPERED: dict[str, Callable[[str], str]] = {
    "not": lambda cursor: cursor,
    "cut": lambda cursor: cursor[:-4],
    "changed": lambda cursor: cursor[:8] + ("A" if cursor[8] != "A" else "B") + cursor[9:],
    "longer": lambda cursor: cursor + "AAAA",
    "empty bytes": lambda cursor: "AAAA",
}


class Reading(ApiMachine):
    """GET /v1/jobs, /v1/jobs/{id}/executions and /v1/dead-letters."""

    @some_job
    @rule(target=listings, pick=picks, limit=limits)
    def begin_history(self, pick: int, limit: int) -> Begun:
        """The first page of a history."""
        job = self.jobs[pick % len(self.jobs)]
        return self._begin(job.tenant, job.history_path, limit)

    @some_job
    @rule(target=listings, pick=picks, limit=limits)
    def begin_dead_letters(self, pick: int, limit: int) -> Begun:
        """The first page of the dead letters of a job's tenant."""
        return self._begin(self.jobs[pick % len(self.jobs)].tenant, DEAD_LETTERS, limit)

    def _begin(self, tenant: str, path: str, limit: int) -> Begun:
        owed = [record["id"] for record in listed(self.deployment, tenant, path) if _stays(record)]
        return self._read(Listing(tenant=tenant, path=path, owed=owed), limit, 1)

    @rule(target=listings, listing=consumes(listings), limit=limits, pages=st.sampled_from([1, 1_000]))
    def read_on(self, listing: Listing, limit: int, pages: int) -> Begun:
        """The next page or all of them, whatever happened since the last one."""
        return self._read(listing, limit, pages)

    def _read(self, listing: Listing, limit: int, pages: int) -> Begun:
        last_page = listing.pages + pages
        listing.turn_page(self.deployment, limit)
        while listing.cursor is not None and listing.pages < last_page:
            listing.turn_page(self.deployment, limit)
        SEEN[
            f"{'dead letters' if listing.path == DEAD_LETTERS else 'history'}: {min(listing.pages, 3)} pages"
        ] += 1
        return multiple() if listing.cursor is None else listing

    @some_job
    @rule(pick=picks, query=st.sampled_from(QUERIES), limit=limits)
    def filter_jobs(self, pick: int, query: dict[str, str], limit: int) -> None:
        """Every job that matches a filter now is listed once, and no other job."""
        tenant = self.jobs[pick % len(self.jobs)].tenant
        jobs = [shown(self.deployment, job) for job in self.jobs if job.tenant == tenant]
        matching = [job["id"] for job in jobs if _matches(job, query)]
        found: list[str] = []
        cursor: dict[str, str] = {}
        while not cursor or cursor["cursor"]:
            answer = self.deployment.ask(tenant, "GET", "/v1/jobs", limit=str(limit), **query, **cursor)
            assert answer.status == 200, answer.text
            found += [job["id"] for job in answer.json["jobs"]]
            cursor = {"cursor": answer.json["next_cursor"]}
        assert sorted(found) == sorted(matching)
        SEEN[f"jobs filtered: {', '.join(query)}, {'some' if matching else 'none'}"] += 1

    @rule(listing=listings, tampered=st.sampled_from(sorted(TAMPERED)))
    def misuse_cursor(self, listing: Listing, tampered: str) -> None:
        """A cursor for every other question of either tenant, or one that was tampered with."""
        if listing.cursor is None:
            return
        cursor = TAMPERED[tampered](listing.cursor)
        questions = [(tenant, DEAD_LETTERS) for tenant in TENANTS]
        questions += [(tenant, job.history_path) for tenant in TENANTS for job in self.jobs]
        for tenant, path in questions:
            if cursor == listing.cursor and (tenant, path) == (listing.tenant, listing.path):
                continue
            answer = self.deployment.ask(tenant, "GET", path, cursor=cursor)
            assert (answer.status, answer.problem) == (400, "invalid-cursor"), answer.text
            SEEN["cursor misused"] += 1


def _matches(job: dict[str, Any], query: dict[str, str]) -> bool:
    return (
        query.get("tag", "") in ("", *job["tags"])
        and (job["name"] or "").startswith(query.get("q", ""))
        and query.get("kind", job["kind"]) == job["kind"]
        and query.get("state", job["state"]) == job["state"]
    )


def _stays(record: dict[str, Any]) -> bool:
    """What has not begun goes where the job is changed, and so do the tombstones of a pause when that is over."""
    is_tombstone = record["state"] == "cancelled" and record["end_reason"] in FREED
    return not is_tombstone and record["state"] not in ("pending", "queued")
