"""The index of live items in memory: strongly consistent, in the order of its keys."""

from zlib import crc32

from shared.domain.jobs.job import ENDED, Job
from shared.names import LIVE_SEGMENTS
from shared.ports.jobs import LargeRequest, LiveItem
from tests.support.fakes.table import FakeTable


class FakeLiveItems:
    """Searches all definitions and large requests."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def page(self, segment: int, *, after: str | None, limit: int) -> tuple[list[LiveItem], str | None]:
        items = [LiveItem(cursor=_cursor(each), content=each) for each in self._live()]
        inside = [item for item in items if segment_of(item.cursor.split("|")[0]) == segment]
        ordered = sorted(inside, key=lambda item: item.cursor)
        page = [item for item in ordered if after is None or item.cursor > after][:limit]
        return page, page[-1].cursor if len(page) == limit else None

    def count(self, tenant_id: str, at_most: int) -> int:
        jobs = [each for each in self._live() if isinstance(each, Job) and each.tenant_id == tenant_id]
        return min(at_most, len(jobs))

    def _live(self) -> list[Job | LargeRequest]:
        requests = [
            LargeRequest(
                tenant_id=key[0], payload_id=key[1], stored_at=self._table.payload_stored_at.get(key, 0)
            )
            for key in self._table.payloads
            if key not in self._table.payload_expires_at_s
        ]
        return [*(job for job in self._table.jobs.values() if job.state not in ENDED), *requests]


def segment_of(tenant_id: str) -> int:
    """The segment of a tenant."""
    return crc32(tenant_id.encode()) % LIVE_SEGMENTS


def _cursor(item: Job | LargeRequest) -> str:
    if isinstance(item, Job):
        return f"{item.tenant_id}|job#{item.id}"
    return f"{item.tenant_id}|payload#{item.payload_id}"
