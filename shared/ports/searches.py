"""Searches of executions, and the files of their results."""

from typing import Protocol

from shared.domain.archive.search_task import SearchTask
from shared.ports.bulk import ListedTasks


class SearchTasks(ListedTasks[SearchTask], Protocol):
    """A tenant may have several open searches."""


class SearchFiles(Protocol):
    """Files by tenant, search and number. UnavailableError."""

    def put(self, tenant_id: str, search_id: str, number: int, content: bytes) -> None: ...

    def get(self, tenant_id: str, search_id: str, number: int) -> bytes | None: ...

    def url(self, tenant_id: str, search_id: str, number: int, *, seconds: int) -> str:
        """A URL that reads this file, and nothing else, for this time. No request is made."""
        ...

    def delete_some(self, tenant_id: str) -> int:
        """Delete one page of the files of a tenant for good; how many. 0 if nothing is left."""
        ...
