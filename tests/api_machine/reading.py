"""Lists that are read page by page while the world goes on, and cursors where they do not belong."""

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, MultipleResults, consumes, multiple, rule

from tests.api_machine.machine import SEEN, ApiMachine, jobs, tenants
from tests.api_machine.pages import DEAD_LETTERS, Listing, listed
from tests.api_machine.promised import PromisedJob

listings: Bundle[Listing] = Bundle("listings")
limits = st.sampled_from([1, 2, 3, 7, 100])


class Reading(ApiMachine):
    """GET /v1/jobs/{id}/executions and /v1/dead-letters."""

    @rule(target=listings, job=jobs, limit=limits)
    def begin_history(self, job: PromisedJob, limit: int) -> Listing | MultipleResults[Listing]:
        """The first page of a history."""
        return self._begin(job.tenant, job.history_path, limit)

    @rule(target=listings, tenant=tenants, limit=limits)
    def begin_dead_letters(self, tenant: str, limit: int) -> Listing | MultipleResults[Listing]:
        """The first page of the dead letters."""
        return self._begin(tenant, DEAD_LETTERS, limit)

    @rule(target=listings, listing=consumes(listings), limit=limits)
    def turn_page(self, listing: Listing, limit: int) -> Listing | MultipleResults[Listing]:
        """The next page, whatever happened since the last one."""
        listing.turn_page(self.deployment, limit)
        return self._goes_on(listing)

    @rule(listing=consumes(listings), limit=limits)
    def read_to_the_end(self, listing: Listing, limit: int) -> None:
        """All further pages."""
        while listing.cursor is not None:
            listing.turn_page(self.deployment, limit)
        SEEN["read to the end"] += 1

    def _begin(self, tenant: str, path: str, limit: int) -> Listing | MultipleResults[Listing]:
        owed = [record["id"] for record in listed(self.deployment, tenant, path)]
        listing = Listing(tenant=tenant, path=path, owed=owed)
        listing.turn_page(self.deployment, limit)
        return self._goes_on(listing)

    def _goes_on(self, listing: Listing) -> Listing | MultipleResults[Listing]:
        if listing.cursor is None:
            return multiple()
        SEEN[f"page {min(listing.pages, 3)} of {'dead letters' if listing.path == DEAD_LETTERS else 'history'}"] += 1
        return listing

    @rule(listing=listings, job=jobs, tenant=tenants, damage=st.sampled_from(["", "A", "=", "%00"]))
    def misuse_cursor(self, listing: Listing, job: PromisedJob, tenant: str, damage: str) -> None:
        """A cursor for another tenant or question, or one that was tampered with."""
        assert listing.cursor is not None
        cursor = listing.cursor[len(damage) :] + damage
        for path in (job.history_path, DEAD_LETTERS):
            if (tenant, path, damage) == (listing.tenant, listing.path, ""):
                continue
            answer = self.deployment.ask(tenant, "GET", path, cursor=cursor)
            assert (answer.status, answer.problem) == (400, "invalid-cursor")
            SEEN["cursor misused"] += 1
