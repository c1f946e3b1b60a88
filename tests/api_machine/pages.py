"""Lists that the API gives page by page."""

from dataclasses import dataclass, field
from typing import Any

from tests.api_machine.deployment import Deployment
from tests.api_machine.instants import milliseconds

DEAD_LETTERS = "/v1/dead-letters"


@dataclass(slots=True, kw_only=True)
class Listing:
    """A list that a client goes through; whatever stood in it at the beginning is owed to it."""

    tenant: str
    path: str
    owed: list[str] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)
    cursor: str | None = None
    pages: int = 0

    def turn_page(self, deployment: Deployment, limit: int) -> None:
        """Ask for the next page."""
        query = {"limit": str(limit)} | ({"cursor": self.cursor} if self.cursor else {})
        answer = deployment.ask(self.tenant, "GET", self.path, **query)
        assert answer.status == 200, answer.text
        page = answer.json["executions"]
        assert len(page) <= limit
        self.pages += 1
        self.seen += page
        self.cursor = answer.json["next_cursor"]
        self._check()

    def _check(self) -> None:
        instants = [milliseconds(record["scheduled_at"]) for record in self.seen]
        assert instants == sorted(instants, reverse=True), "newest first"
        seen = {record["id"] for record in self.seen}
        assert len(seen) == len(self.seen), "each once"
        assert self.cursor is not None or seen.issuperset(self.owed), "the whole list"


def listed(deployment: Deployment, tenant: str, path: str, limit: int = 100) -> list[dict[str, Any]]:
    """The whole list."""
    listing = Listing(tenant=tenant, path=path)
    listing.turn_page(deployment, limit)
    while listing.cursor is not None:
        listing.turn_page(deployment, limit)
    return listing.seen
