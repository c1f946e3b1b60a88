"""The jobs of a run: who creates them, when they are due, and how their receivers answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from random import Random
from typing import TYPE_CHECKING

from infra.sizing import figures
from shared.bootstrap.use_cases import UseCases
from shared.domain.bucket import MINUTE_MS, bucket_of, next_sweep_ms
from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.destination import DESTINATION_CONTEXT, destination_id, origin_of
from shared.domain.delivery.outcome_callbacks import (
    INHERIT,
    OUTCOME_CONTEXT,
    CallbackTarget,
    OutcomeCallbacks,
)
from shared.domain.delivery.request import Request, encode_request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import PunctualError
from shared.domain.executions.callback_token import CODE_CONTEXT, token_for
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import DEFAULT_CELL, ENTROPY_BITS, new_one_off_id, one_off_job_id, recurring_job_id
from shared.domain.jobs.job import Definition, Job, JobState
from shared.domain.schedules.catch_up import CatchUpPolicy
from shared.domain.schedules.schedule import Rate
from shared.names import Lane
from shared.ports.dispatch import SweptMark
from tests.scale.machines import Machine
from tests.scale.receivers import FAILING, LONG, QUICK, LongRun
from tests.scale.stage import START_MS
from tests.support.fakes.ledger import LedgerRow
from tests.support.fakes.scan import due_row

if TYPE_CHECKING:
    from tests.scale.world import ScaleWorld

LANES = ((Lane.CRITICAL, 0.2), (Lane.STANDARD, 0.6), (Lane.BULK, 0.2))
LEAD_MS = 240_000
"""One-off jobs of a batch are created this long before they are due, so that a watcher finds them."""
FIRST_DUE_MS = 75_000
"""The first tick of each watcher must have come before."""
BATCH = 25
TIMEOUT_MS = 30_000
SCANNED_MINUTES = 31
"""A shard with open rows is scanned for the last time after 30 minutes."""
LONG_DEADLINE_SECONDS = 4 * 3_600
RETIRE_AFTER_MINUTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """What the jobs are, as shares of all executions; the rest are one-off jobs that are created in batches."""

    soon: float = 0.2
    """One-off jobs that are due within a minute: the API sends their messages."""
    minutely: float = 0.2
    """Occurrences of jobs that run each minute: each files and sends its successor."""
    failing: float = 0.01
    """Fail in every attempt."""
    long: float = 0.001
    """Are accepted by their receivers and run for `long_minutes`."""
    long_minutes: int = 120


class Load:
    """Creates the jobs of a slice. `rate` is jobs a second of the whole stage at an instant."""

    def __init__(self, world: ScaleWorld, rate: Callable[[float], float], mix: Mix) -> None:
        self.world, self.mix = world, mix
        self.created = 0
        self.refused = 0
        self._rate = rate
        self._rng = Random(f"load {world.seed}")
        self._api: list[tuple[Machine, UseCases]] = []
        self.api_busy = 0
        self.api_most_busy = 0
        self._destination = cache(self._destination_of)

    def start(self) -> None:
        """Fill the tables as a stage that has run for hours, and begin to create jobs."""
        self._fill_ledger()
        self._fill_pending()
        self._fill_minutely()
        self.each(1_000, self._create_batches)
        self.each(1_000, self._create_soon)
        self.each(1_000, self._follow_long_runs)
        self.each(MINUTE_MS, self._retire)

    def rate_at(self, at_ms: float) -> float:
        """Jobs a second of the slice."""
        return self._rate(at_ms) / self.world.slice.factor

    def each(self, every_ms: int, act: Callable[[], None]) -> None:
        hub = self.world.hub

        def again() -> None:
            hub.spawn(again, int(hub.now_ms) + every_ms)
            act()

        hub.spawn(again)

    def _fill_pending(self) -> None:
        for second in range(FIRST_DUE_MS // 1000, LEAD_MS // 1000):
            for draft in self._batch_drafts(START_MS + second * 1000):
                self.world.table.insert(draft, None)

    def _batch_drafts(self, due_at: int) -> Iterator[Execution]:
        share = 1 - self.mix.soon - self.mix.minutely
        for _ in range(self.count(self.rate_at(due_at) * share)):
            yield self.draft(self.any_tenant(), due_at)

    def any_tenant(self) -> str:
        return self._rng.choice(self.world.names)

    def count(self, expected: float) -> int:
        """A whole number with this mean."""
        return int(expected + self._rng.random())

    def draft(
        self, tenant_id: str, due_at: int, host: str | None = None, outcome_host: str | None = None
    ) -> Execution:
        """A one-off job of a tenant; with a callback about its success, if there is an `outcome_host`."""
        world = self.world
        identity = new_one_off_id(
            due_at, world.slice.plan.counts_at(0), self._rng.getrandbits(ENTROPY_BITS), cell=DEFAULT_CELL
        )
        job_id = one_off_job_id(identity)
        return Execution(
            id=identity,
            tenant_id=tenant_id,
            job_id=job_id,
            revision=1,
            nominal_at=due_at,
            created_at=int(world.hub.now_ms),
            call=self._call(tenant_id, job_id, host or self._host(), outcome_host),
            fingerprint=bytes(16),
        )

    def _host(self) -> str:
        drawn = self._rng.random()
        if drawn < self.mix.failing:
            return FAILING
        return LONG if drawn < self.mix.failing + self.mix.long else QUICK

    def _call(self, tenant_id: str, job_id: str, host: str, outcome_host: str | None = None) -> CallSpec:
        world, url = self.world, host + "/hook"
        tenant = world.tenants.tenants[tenant_id]
        request = Request(method="POST", url=url, body=b"x" * 400)
        return CallSpec(
            lane=self._lane(),
            request=world.vault.seal(tenant, job_id, encode_request(request)),
            destination=self._destination(tenant_id, host),
            callbacks=self._callbacks(tenant_id, outcome_host) if outcome_host else INHERIT,
            retry=RetryPolicy(),
            timeout_ms=TIMEOUT_MS,
            async_policy=AsyncPolicy(deadline_seconds=LONG_DEADLINE_SECONDS),
        )

    def _callbacks(self, tenant_id: str, host: str) -> OutcomeCallbacks:
        tenant = self.world.tenants.tenants[tenant_id]
        sealed = self.world.vault.seal(tenant, OUTCOME_CONTEXT, (host + "/outcome").encode())
        target = CallbackTarget(sealed_url=sealed, destination=self._destination(tenant_id, host))
        return OutcomeCallbacks(on_success=target)

    def _destination_of(self, tenant_id: str, host: str) -> str:
        tenant = self.world.tenants.tenants[tenant_id]
        return destination_id(self.world.vault.code(tenant, DESTINATION_CONTEXT, origin_of(host)))

    def _lane(self) -> Lane:
        drawn = self._rng.random()
        for lane, share in LANES:
            drawn -= share
            if drawn < 0:
                return lane
        return Lane.BULK

    def _create_batches(self) -> None:
        due_at = int(self.world.hub.now_ms) // 1000 * 1000 + LEAD_MS
        drafts = list(self._batch_drafts(due_at))
        for start in range(0, len(drafts), BATCH):
            self.request(partial(self._file_batch, drafts=drafts[start : start + BATCH]))

    def _file_batch(self, cases: UseCases, drafts: list[Execution]) -> None:
        filed = cases.jobs.create_jobs.file_batch.execute(drafts)
        accepted = sum(isinstance(each, Execution) for each in filed)
        self.created += accepted
        self.refused += len(filed) - accepted

    def _create_soon(self) -> None:
        for _ in range(self.count(self.rate_at(self.world.hub.now_ms) * self.mix.soon)):
            due_at = int(self.world.hub.now_ms) // 1000 * 1000 + self._rng.randint(2, 60) * 1000
            draft = self.draft(self.any_tenant(), due_at)
            self.request(partial(self.file_one, draft=draft), self._rng.randint(0, 999))

    def file_one(self, cases: UseCases, draft: Execution) -> None:
        try:
            cases.core.file.execute(draft)
            self.created += 1
        except PunctualError:
            self.refused += 1

    def request(self, act: Callable[[UseCases], None], after_ms: int = 0) -> None:
        """One request to the API, on a machine that is free."""
        world = self.world

        def serve() -> None:
            if self._api:
                machine, cases = self._api.pop()
            else:
                machine = world.machine(world.slice.stage.memory.api)
                cases = world.use_cases(machine)
            self.api_busy += 1
            self.api_most_busy = max(self.api_most_busy, self.api_busy)
            act(cases)
            self.api_busy -= 1
            self._api.append((machine, cases))

        world.hub.spawn(serve, int(world.hub.now_ms) + after_ms)

    def _fill_minutely(self) -> None:
        for number in range(self.count(self.rate_at(START_MS) * self.mix.minutely * 60)):
            first_at = START_MS + MINUTE_MS + FIRST_DUE_MS + self._rng.randint(0, 59) * 1000
            tenant_id = self.any_tenant()
            self.add_recurring(number, tenant_id, first_at, 60_000, QUICK)

    def add_recurring(
        self,
        number: int,
        tenant_id: str,
        first_at: int,
        interval_ms: int,
        host: str,
        catch_up: CatchUpPolicy | None = None,
    ) -> Job:
        """A recurring job with its first occurrence, as if it had been created long ago."""
        world = self.world
        job_id = recurring_job_id(START_MS - MINUTE_MS, self._rng.getrandbits(80), cell=DEFAULT_CELL)
        definition = Definition(
            schedule=Rate(interval_ms=interval_ms, anchor=first_at), call=self._call(tenant_id, job_id, host)
        )
        if catch_up is not None:
            definition = replace(definition, catch_up=catch_up)
        job = Job(
            id=job_id,
            tenant_id=tenant_id,
            revision=1,
            state=JobState.ACTIVE,
            definition=definition,
            counts=world.slice.plan.counts_at(0),
            fingerprint=bytes(16),
            created_at=START_MS - MINUTE_MS,
            chain_from=first_at,
        )
        world.jobs._table.jobs[tenant_id, job_id] = job
        world.table.insert(job.occurrence(first_at, created_at=job.created_at), None)
        return job

    def _fill_ledger(self) -> None:
        """Past buckets: rows that have ended, and long runs that still go on."""
        world, now_bucket = self.world, bucket_of(START_MS)
        world.ledger.mark = SweptMark(bucket=now_bucket - 1, recorded=world.slice.plan.counts_at(0))
        example = due_row(self.draft(world.names[0], START_MS - MINUTE_MS))
        ended = replace(example, state=State.SUCCEEDED, claims=1, begun_at=START_MS - MINUTE_MS)
        for bucket in range(now_bucket - max(self.mix.long_minutes, SCANNED_MINUTES), now_bucket):
            age = now_bucket - bucket
            for shard in range(world.slice.shards):
                rows = world.table.shard(bucket, shard)
                if age <= SCANNED_MINUTES:
                    rows.example = ended
                    rows.ended = round(self.rate_at(START_MS) * 60 / world.slice.shards)
            runs = [self._long_run(bucket) for _ in range(self._long_runs(age))]
            for shard in range(world.slice.shards):
                keys = tuple(due_row(run).sort_key for run in runs if run.id.shard == shard)
                if keys or age <= 1:
                    next_at = next_sweep_ms(bucket, START_MS)
                    world.ledger.rows[bucket, shard] = LedgerRow(
                        next_pass_at=START_MS if keys and age > 1 else next_at,
                        version=START_MS,
                        is_scanned=True,
                        scan_began_at=(bucket - 2) * MINUTE_MS,
                        passes=0 if age <= 1 else 3,
                        open_rows=keys if age > 1 else None,
                        full_scan_at=next_at if 1 < age < SCANNED_MINUTES else None,
                    )

    def _long_runs(self, age_minutes: int) -> int:
        if age_minutes > self.mix.long_minutes:
            return 0
        return self.count(self.rate_at(START_MS) * 60 * self.mix.long * (1 - self.mix.minutely))

    def _long_run(self, bucket: int) -> Execution:
        """An attempt that its receiver accepted in an earlier bucket."""
        world, rng = self.world, self._rng
        due_at = bucket * MINUTE_MS + rng.randint(0, 59) * 1000
        tenant = world.tenants.tenants[rng.choice(world.names)]
        plain = self.draft(tenant.id, due_at, LONG)
        beat_ms = int(figures.HEARTBEAT_SECONDS.value * 1000)
        async_policy = plain.call.async_policy
        run = plain.progressed(
            state=State.RUNNING,
            claims=1,
            owner=f"{rng.getrandbits(64):016x}",
            lease_until=START_MS + async_policy.heartbeat_seconds * 1000 - rng.randint(0, beat_ms),
            async_until=due_at + async_policy.deadline_seconds * 1000,
        )
        world.table.insert(run, None)
        token = token_for(run, lambda data: world.vault.code(tenant, CODE_CONTEXT, data))
        ends_at = due_at + self.mix.long_minutes * MINUTE_MS
        world.receivers.accepted.append(LongRun(str(run.id), token, ends_at))
        return run

    def _follow_long_runs(self) -> None:
        """Receivers of long runs send heartbeats until the run is done, and then its outcome."""
        accepted, self.world.receivers.accepted = self.world.receivers.accepted, []
        for run in accepted:
            self._beat(run, self._rng.randint(1_000, int(figures.HEARTBEAT_SECONDS.value * 1000)))

    def _beat(self, run: LongRun, after_ms: int) -> None:
        hub, every_ms = self.world.hub, int(figures.HEARTBEAT_SECONDS.value * 1000)

        def act(cases: UseCases) -> None:
            try:
                if hub.now_ms >= run.ends_at:
                    cases.attempts.report_outcome.complete(run.execution_id, run.token)
                    return
                cases.attempts.heartbeat_execution.execute(run.execution_id, run.token)
            except PunctualError:
                self.refused += 1
            self._beat(run, every_ms)

        self.request(act, after_ms)

    def _retire(self) -> None:
        """Keep only the numbers of rows that have ended."""
        bucket = bucket_of(int(self.world.hub.now_ms)) - RETIRE_AFTER_MINUTES
        for shard in range(self.world.slice.shards):
            for old in range(bucket - 3, bucket + 1):
                self.world.table.count_ended(old, shard)
