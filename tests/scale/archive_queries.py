"""How long readers of the archive wait, without the invocation between the API and the reader."""

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from infra.local.clients import REGION
from shared.bootstrap.archive_reader import parquet_reader
from shared.domain.archive.stat_window import StatWindow, Step
from shared.domain.archive.unit import DAY_MS, HOUR_MS
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import IndexPosition, PositionRange
from shared.usecases.listings.list_by_time import TimePage
from tests.scale.archive_cell import ArchiveCell, ArchiveStorage, counting
from tests.scale.archive_traffic import ArchiveTraffic
from tests.support.aws_steps import around_aws_calls

PAGE = 50
TIMES = 40
"""How often each question is asked, each time of a random tenant at a random instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One question, asked several times. Means of requests and bytes; ms sorted."""

    name: str
    ms: list[float]
    reads: float
    megabytes: float
    history_units: float

    def at(self, share: float) -> float:
        return self.ms[min(len(self.ms) - 1, int(len(self.ms) * share))]


class Questions:
    """What the API asks, over a cell whose records have expired."""

    def __init__(self, traffic: ArchiveTraffic, storage: ArchiveStorage) -> None:
        self.traffic, self.rng = traffic, random.Random(7)
        self.hours = traffic.span
        self.cell = ArchiveCell(traffic, storage, self.hours.start)
        self.cell.fakes.clock.time_ms = self.hours.stop * HOUR_MS + 20 * DAY_MS
        self.cell.executions.gone_before = self.hours.stop * HOUR_MS
        self.cell.ports.archive_reader = parquet_reader(REGION, storage.bucket)
        self.cases: Any = self.cell.use_cases(archive_reader="reader")

    def ask(self) -> list[Timed]:
        return [
            self._timed("a page of a tenant, newest first", self._page),
            self._timed("a page of a tenant, failed ones alone", self._failed),
            self._timed("a page of a job", self._job),
            self._timed("one execution", self._one),
            self._timed("statistics of a tenant, a day by hour", self._statistics),
        ]

    def _timed(self, name: str, question: Callable[[int, int], int]) -> Timed:
        spent, counted = [], Counter[str]()
        question(*self._drawn())
        with around_aws_calls(counting(counted)):
            for _ in range(TIMES):
                tenant, at = self._drawn()
                begun = time.perf_counter()
                found = question(tenant, at)
                spent.append((time.perf_counter() - begun) * 1000)
                assert found, f"{name}: nothing was found for tenant {tenant} before {at}"
        return Timed(
            name=name,
            ms=sorted(spent),
            reads=counted["GetObject"] / TIMES,
            megabytes=counted["bytes read"] / TIMES / 1e6,
            history_units=counted["history bytes"] / TIMES / 8_192,
        )

    def _drawn(self) -> tuple[int, int]:
        """A tenant, and an instant in the later half of the traffic."""
        hours = self.hours
        middle = (hours.start + hours.stop) // 2
        return self.rng.randrange(self.traffic.tenants), self.rng.randrange(
            middle * HOUR_MS, hours.stop * HOUR_MS
        )

    def _page(self, tenant: int, at: int) -> int:
        return len(self._listed(tenant, ExecutionFilter(), at).executions)

    def _failed(self, tenant: int, at: int) -> int:
        page = self._listed(tenant, ExecutionFilter(state=State.FAILED), at)
        return 1 + len(page.executions)  # an older page may have none

    def _listed(self, tenant: int, criteria: ExecutionFilter, at: int) -> TimePage:
        page: TimePage = self.cases.listings.list_by_time.execute(
            self.cell.tenant(tenant), limit=PAGE, criteria=criteria, before=IndexPosition(at=at)
        )
        return page

    def _job(self, tenant: int, at: int) -> int:
        job = self.traffic.jobs[tenant]
        span = PositionRange(before=IndexPosition(at=at))
        page = self.cases.listings.list_executions.execute(
            job.tenant_id, job.id, limit=PAGE, criteria=ExecutionFilter(span=span)
        )
        return len(page.executions)

    def _one(self, tenant: int, at: int) -> int:
        job = self.traffic.jobs[tenant]
        start = job.chain_from + (at - job.chain_from) // HOUR_MS * HOUR_MS
        identity: ExecutionId = job.chain(start).id_at(start)
        shown = self.cases.listings.find_shown.execute(job.tenant_id, str(identity))
        return int(str(shown.id) == str(identity))

    def _statistics(self, tenant: int, at: int) -> int:
        until = at - at % HOUR_MS
        window = StatWindow(from_at=until - DAY_MS, until_at=until, step=Step.HOUR)
        report = self.cases.archive.read_statistics.execute(self.cell.tenant(tenant), window)
        return sum(bucket.sums.states.total() for bucket in report.buckets)
