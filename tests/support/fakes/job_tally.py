"""Executions by recurring job, counted in memory."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, BinaryIO

from shared.domain.archive.busiest import MOST_JOBS, DayJobs, JobCount


class KeptBytes(BytesIO):
    """Readable after it was closed."""

    def close(self) -> None:
        return


@dataclass
class FakeTally:
    without: frozenset[str]
    rows_in: Callable[[bytes], list[dict[str, Any]]]
    rows: list[dict[str, Any]] = field(default_factory=list)
    downloaded: KeptBytes = field(default_factory=KeptBytes)

    def file(self) -> BinaryIO:
        self.downloaded = KeptBytes()
        return self.downloaded

    def add(self) -> None:
        self.rows += [row for row in self.rows_in(self.downloaded.getvalue()) if row["state"] != "moved"]

    def busiest(self, day: int) -> Iterator[DayJobs]:
        counted = [row for row in self.rows if row["tenant"] not in self.without]
        yield day_jobs(day, None, counted, ended=len(self.rows))
        for tenant in sorted({row["tenant"] for row in counted}):
            own = [row for row in counted if row["tenant"] == tenant]
            yield day_jobs(day, tenant, own, ended=len(own))


def day_jobs(day: int, tenant: str | None, rows: list[dict[str, Any]], *, ended: int) -> DayJobs:
    runs = Counter((row["tenant"], row["job_id"]) for row in rows if row["job_id"].startswith("job_r"))
    failed = Counter((row["tenant"], row["job_id"]) for row in rows if row["state"] == "failed")
    busiest = sorted(runs, key=lambda key: (-runs[key], key))[:MOST_JOBS]
    jobs = tuple(
        JobCount(tenant_id=key[0], job_id=key[1], ended=runs[key], failed=failed[key]) for key in busiest
    )
    return DayJobs(day=day, tenant_id=tenant, ended=ended, job_count=len(runs), jobs=jobs)
