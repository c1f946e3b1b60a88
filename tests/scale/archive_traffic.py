"""Executions that have ended, computed from their minute and shard: nothing stores them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shared.domain.archive.unit import HOUR_MS, MINUTES_PER_HOUR, hour_of
from shared.domain.bucket import MINUTE_MS, ShardCounts, bucket_start_ms
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.progress import Progress
from shared.domain.executions.stages import AttemptStages, Stages, code_of
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job
from shared.domain.schedules.schedule import Rate
from shared.ports.executions import ExecutionPage
from tests.support.builders import execution_id, job, one_off

START_HOUR = 490_896
"""1 January 2026, 00:00 UTC."""
_MIXED = 2_654_435_761
"""Spreads consecutive numbers: Knuth's multiplicative hash."""
FAILED_OF = 33
"""One execution in so many has failed."""
_CODES = AttemptStages(bytes(code_of(ms) for ms in (120, 0, 9, 4, 0, 35)))
_STAGES = Stages(number=1, first=_CODES, latest=_CODES)


@dataclass(frozen=True)
class ArchiveTraffic:
    """A number of one-off jobs an hour, of tenants of which each has an hourly job as well."""

    name: str
    one_offs_per_minute: int
    tenants: int
    shards: int
    hours: int

    @property
    def counts(self) -> ShardCounts:
        return ShardCounts(normal=self.shards, quarter=self.shards, midnight=self.shards)

    @property
    def span(self) -> range:
        """The hours with executions."""
        return range(START_HOUR, START_HOUR + self.hours)

    @property
    def rows_per_hour(self) -> int:
        return self.one_offs_per_minute * MINUTES_PER_HOUR + self.tenants

    @cached_property
    def names(self) -> list[str]:
        return [f"tenant-{number:05}" for number in range(self.tenants)]

    @cached_property
    def jobs(self) -> list[Job]:
        """One of each tenant, at a minute of its own."""
        return [
            job(
                number + 1,
                tenant_id=name,
                schedule=Rate(interval_ms=HOUR_MS, anchor=START_HOUR * HOUR_MS + number % 60 * MINUTE_MS),
                chain_from=START_HOUR * HOUR_MS + number % 60 * MINUTE_MS,
                counts=self.counts,
            )
            for number, name in enumerate(self.names)
        ]

    def tenant_of(self, number: int) -> int:
        """Of the one-off with this number."""
        return (number * _MIXED >> 12) % self.tenants

    def numbers(self, bucket: int) -> range:
        """Of the one-offs of a minute; no number is used twice."""
        return range(bucket * self.one_offs_per_minute, (bucket + 1) * self.one_offs_per_minute)

    def due_between(self, tenant: int, from_at: int, until_at: int) -> int:
        """The executions of a tenant in an hour, counted without making them."""
        assert until_at - from_at == HOUR_MS
        return self._hourly(hour_of(from_at))[tenant]

    def _hourly(self, hour: int) -> Counter[int]:
        if self._counted[0] != hour:
            first = hour * MINUTES_PER_HOUR
            one_offs = range(self.numbers(first).start, self.numbers(first + MINUTES_PER_HOUR - 1).stop)
            counted = Counter(map(self.tenant_of, one_offs))
            counted.update(range(self.tenants))
            self._counted[:] = hour, counted
        found: Counter[int] = self._counted[1]
        return found

    @cached_property
    def _counted(self) -> list[Any]:
        return [-1, Counter()]


class GeneratedExecutions:
    """What the archiver and readers ask of the executions table. `gone_before`: records before it have expired."""

    def __init__(self, traffic: ArchiveTraffic) -> None:
        self._traffic = traffic
        self._template = one_off()
        self.gone_before = 0

    def read_shard(self, bucket: int, shard: int, *, after: str | None, limit: int) -> ExecutionPage:
        """In order of the ids, as DynamoDB has them."""
        rows = sorted(self._rows(bucket, shard), key=lambda each: str(each.id))
        left = [each for each in rows if after is None or str(each.id) > after]
        page = left[:limit]
        return ExecutionPage(
            executions=tuple(page),
            unreadable=(),
            next_after=str(page[-1].id) if len(left) > limit else None,
        )

    def get(self, execution_id: Any) -> Execution | None:
        """Everything has expired before readers come."""
        return self.get_many([execution_id]).get(execution_id)

    def get_many(self, execution_ids: Any) -> dict[Any, Execution]:
        assert all(each.dispatch_at < self.gone_before for each in execution_ids)
        return {}

    def _rows(self, bucket: int, shard: int) -> Iterator[Execution]:
        traffic = self._traffic
        if bucket // MINUTES_PER_HOUR not in traffic.span:
            return
        step_ms = MINUTE_MS // traffic.one_offs_per_minute
        for place, number in enumerate(traffic.numbers(bucket)):
            if number % traffic.shards == shard:
                due_at = bucket_start_ms(bucket) + place * step_ms
                yield self._one_off(number, due_at, shard)
        for tenant in range(bucket % 60, traffic.tenants, 60):
            of = traffic.jobs[tenant]
            run = of.occurrence(bucket_start_ms(bucket), created_at=bucket_start_ms(bucket) - 60_000)
            if run.id.shard == shard:
                yield replace(run, progress=_ended(run.id.dispatch_at, tenant + bucket))

    def _one_off(self, number: int, due_at: int, shard: int) -> Execution:
        identity = execution_id(number, dispatch_at=due_at, shard=shard)
        return replace(
            self._template,
            id=identity,
            tenant_id=self._traffic.names[self._traffic.tenant_of(number)],
            job_id=f"job_{identity.body}",
            nominal_at=due_at,
            created_at=due_at - 600_000,
            progress=_ended(due_at, number),
        )


def _ended(due_at: int, number: int) -> Progress:
    """One attempt, whose lag and duration depend on the number."""
    has_failed = number % FAILED_OF == 0
    outcome = AttemptOutcome(
        attempt=1,
        started_at=due_at + number % 300,
        duration_ms=20 + number % 97,
        status=500 if has_failed else 200,
        reason=Reason.HTTP_STATUS if has_failed else Reason.OK,
    )
    return Progress(
        state=State.FAILED if has_failed else State.SUCCEEDED,
        claims=1,
        outcomes=(outcome,),
        last_body=b"upstream connect error" if has_failed else b"",
        end_reason=EndReason.ATTEMPTS_USED_UP if has_failed else None,
        stages=_STAGES,
    )


class GeneratedCounts:
    """What the index of executions by tenant would count."""

    def __init__(self, traffic: ArchiveTraffic) -> None:
        self._traffic = traffic

    def due_between(self, tenant_id: str, shards: int, from_at: int, until_at: int) -> int:
        return self._traffic.due_between(int(tenant_id.removeprefix("tenant-")), from_at, until_at)
