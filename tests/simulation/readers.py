"""Clients that read: the history of jobs and the dead letters, page by page, while the load is on and at rest."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import NotFoundError, PunctualError
from shared.domain.executions.execution import Execution
from shared.domain.executions.lateness import BEFORE_THE_CALL
from shared.domain.listings.filters import ExecutionFilter
from shared.domain.listings.position import END, IndexPosition, PositionRange
from shared.usecases.listings.list_executions import HistoryPosition
from tests.simulation.evidence import Arrival, Order, Outcome, Record, Sighting, StageTimes
from tests.simulation.requests import request
from tests.simulation.wiring import use_cases_of
from tests.simulation.world import TENANTS, World
from tests.support.usecases.shown import records as only_records

T = TypeVar("T")
PAGE = 50
LONG_PAGE = 500
"""Whole histories are read in fewer steps, for the sake of time."""
READS = 6
Histories = dict[str, list[Record]]


@dataclass(slots=True)
class Readers:
    """What was shown to whom."""

    world: World
    orders: list[Order]
    sightings: list[Sighting] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def start(self, from_ms: int, load_ms: int) -> None:
        """Read histories of jobs and lists of dead letters at some times of the load and a little later."""
        rng = self.world.weather.rng
        for order in list(self.orders):
            if rng.random() < 0.3:
                at_ms = order.asked_at + rng.randint(10, load_ms)
                request(self.world, "reader", partial(self._glance, order), at_ms)
        for _ in range(READS):
            at_ms = from_ms + rng.randint(0, 2 * load_ms)
            request(self.world, "reader", partial(self._list_dead_letters, rng.choice(TENANTS)), at_ms)

    def _glance(self, order: Order, cases: UseCases) -> None:
        if order.job_id is None:
            return
        asked_at = self.world.hub.now_ms
        records = self.history(cases, order.tenant, order.job_id)
        sighting = Sighting(tenant=order.tenant, job_id=order.job_id, asked_at=asked_at, records=records)
        self.sightings.append(sighting)

    def _list_dead_letters(self, tenant: str, cases: UseCases) -> None:
        """While the load is on the list may be behind, but what it shows is true."""
        asked_at = self.world.hub.now_ms
        shown: dict[str, list[Record]] = defaultdict(list)
        for record in self.dead_letters(cases, tenant):
            shown[record.job_id].append(record)
        for job_id, records in shown.items():
            self.sightings.append(
                Sighting(tenant=tenant, job_id=job_id, asked_at=asked_at, records=tuple(records))
            )

    def history(
        self, cases: UseCases, tenant: str, job_id: str, before_at: int | None = None, page_size: int = PAGE
    ) -> tuple[Record, ...] | None:
        """Every page of a job's history, up to `before_at` if given; None for a job that is not found."""
        records: list[Record] = []
        criteria = ExecutionFilter(
            span=PositionRange(before=END if before_at is None else IndexPosition(at=before_at))
        )
        position: HistoryPosition | None = None
        while True:
            try:
                page = cases.listings.list_executions.execute(
                    tenant, job_id, limit=page_size, criteria=criteria, position=position
                )
            except NotFoundError:
                return None
            records += map(record_of, only_records(page.executions))
            position = page.next_position
            if position is None:
                return tuple(records)

    def dead_letters(self, cases: UseCases, tenant: str) -> list[Record]:
        """Every page of a tenant's dead letters."""
        records: list[Record] = []
        before: IndexPosition | None = None
        while True:
            page = cases.dead_letters.list_dead_letters.execute(tenant, limit=PAGE, before=before)
            records += map(record_of, only_records(page.executions))
            before = page.next_before
            if before is None:
                return records

    def histories(self, before_at: int | None = None) -> Histories:
        """What every client is shown of its acknowledged jobs, in a world without faults. Takes virtual time."""
        shown: Histories = {}
        for order in self.orders:
            if order.acked_at is not None and order.job_id is not None:
                read = partial(
                    self.history,
                    tenant=order.tenant,
                    job_id=order.job_id,
                    before_at=before_at,
                    page_size=LONG_PAGE,
                )
                records = self._at_rest(read, order.job_id)
                shown[order.job_id] = list(records or ())
        return shown

    def foreign(self) -> list[Sighting]:
        """What every other tenant is shown of an acknowledged job."""
        asked_at = self.world.hub.now_ms
        return [
            Sighting(tenant=tenant, job_id=order.job_id, asked_at=asked_at, records=records)
            for order in self.orders
            if order.acked_at is not None and order.job_id is not None
            for tenant in TENANTS
            if tenant != order.tenant
            for records in [self._at_rest(partial(self.history, tenant=tenant, job_id=order.job_id), tenant)]
        ]

    def strays(self, calls: Sequence[Arrival]) -> list[Record]:
        """What is shown of executions that were called, and of whose jobs no client knows."""
        known = {order.job_id for order in self.orders if order.acked_at is not None}
        called = {
            (tenant, call.execution_id)
            for call in calls
            for tenant in TENANTS
            if call.job_id not in known and f"//{tenant}." in call.url
        }
        shown = (
            self._at_rest(partial(self._found, tenant=tenant, execution_id=one), one)
            for tenant, one in sorted(called)
        )
        return [record for record in shown if record is not None]

    def _found(self, cases: UseCases, tenant: str, execution_id: str) -> Record | None:
        try:
            return record_of(cases.core.find_execution.execute(tenant, execution_id))
        except NotFoundError:
            return None

    def all_dead_letters(self) -> Histories:
        """What every tenant is shown of its dead letters."""
        return {
            tenant: self._at_rest(partial(self.dead_letters, tenant=tenant), tenant) or []
            for tenant in TENANTS
        }

    def _at_rest(self, read: Callable[[UseCases], T], about: str) -> T | None:
        """Read in a process of its own; an answer that is none is remembered. Nothing fails at rest."""
        answers: list[T | None] = []

        def run() -> None:
            try:
                answers.append(read(use_cases_of(self.world, process)))
            except PunctualError as fault:
                self.broken.append(f"{type(fault).__name__} for a reader of {about}: {fault}")
                answers.append(None)

        process = self.world.process("reader")
        process.spawn(run)
        while not answers:
            self.world.hub.run_until(self.world.hub.now_ms + 1_000)
        return answers[0]


def record_of(execution: Execution) -> Record:
    """An execution as the API shows it."""
    missed, rules = execution.progress.missed, execution.recurrence
    told = rules.scheduled_at if rules is not None else int
    return Record(
        execution_id=str(execution.id),
        job_id=execution.job_id,
        nominal_at=execution.scheduled_at,
        state=execution.state.value,
        attempt=execution.attempt,
        refunded=execution.progress.refunded,
        outcomes=tuple(
            Outcome(
                attempt=one.attempt,
                status=one.status,
                reason=one.reason.name.lower(),
                started_at=one.started_at,
            )
            for one in execution.progress.outcomes
        ),
        missed=(told(missed.first_at), told(missed.last_at)) if missed is not None else None,
        count=missed.count if missed is not None else 0,
        reason=execution.progress.end_reason.value if execution.progress.end_reason is not None else None,
        redrive_of=(str(execution.redrive_of.original), execution.redrive_of.number)
        if execution.redrive_of
        else None,
        due_at=execution.id.dispatch_at,
        created_at=execution.created_at,
        next_attempt_at=execution.progress.next_attempt_at,
        first=_stage_times(execution, 1),
        latest=_stage_times(execution, execution.attempt),
    )


def _stage_times(execution: Execution, attempt: int) -> StageTimes | None:
    if execution.progress.stages is None:
        return None
    stages = execution.progress.stages.of(attempt)
    durations = [stages.duration_ms(stage) for stage in BEFORE_THE_CALL]
    known = tuple(duration for duration in durations if duration is not None)
    cause = stages.cause.word if stages.cause else None
    return StageTimes(before_call_ms=known, cause=cause) if len(known) == len(durations) else None
