"""Clients of triggers: they create jobs and triggers, change and delete them, and send events, alone and in bursts."""

from collections.abc import Callable
from functools import partial
from random import Random

from shared.bootstrap.use_cases import UseCases
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import ONE_ATTEMPT, RetryPolicy
from shared.domain.errors import InvalidValueError, NotFoundError
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import Every
from shared.domain.triggers.event import Event
from shared.domain.triggers.pattern import encode_pattern
from shared.domain.triggers.trigger import Throttle, Trigger
from shared.domain.workflows.graph import OnFailure
from shared.domain.workflows.new_workflow import NewTask, NewWorkflow
from shared.usecases.triggers.matches import Match
from tests.simulation.requests import request
from tests.simulation.trigger_evidence import (
    Acknowledged,
    Answer,
    Ask,
    Change,
    EventLog,
    JobLog,
    MatchShown,
    Spec,
    TriggerLog,
)
from tests.simulation.world import TENANTS, World

SECOND_MS, MINUTE_MS = 1_000, 60_000
LOAD_MS = 12 * MINUTE_MS
JOBS, TRIGGERS, BURSTS = 3, 5, 9
WORKFLOW = 2
"""The number of the job that starts a workflow."""
KINDS = ("a", "b", "c")
ATTEMPTS = 5
SETTLED_MS = 40 * SECOND_MS
"""So long after its latest ask, an acknowledged request is not sent again."""
PAUSED, DELETED = 0.4, 0.3
OF_BUS, FUTURE, REPEATED = 0.2, 0.15, 0.3
PREFIX = "com.example."


class TriggerClients:
    """Every request is repeated until it is answered."""

    def __init__(self, world: World, rng: Random, to_bus: Callable[[EventLog, int], None]) -> None:
        self.world, self.rng, self._to_bus = world, rng, to_bus
        self.jobs: list[JobLog] = []
        self.triggers: list[TriggerLog] = []
        self.events: list[EventLog] = []
        self._put: dict[str, Spec | None] = {}
        for tenant in TENANTS:
            self.jobs += [self._new_job(tenant, number) for number in range(JOBS)]
            self.triggers += [TriggerLog(tenant=tenant, name=f"t{number}") for number in range(TRIGGERS)]

    def start_load(self) -> None:
        """Triggers come, change and go while events come in bursts, and jobs may be deleted."""
        start_ms = self.world.hub.now_ms
        for log in self.triggers:
            self._plan_changes(log, start_ms)
        for tenant in TENANTS:
            for number in range(BURSTS):
                self._plan_burst(tenant, number, start_ms + self.rng.randint(10_000, LOAD_MS))
        for job in self.jobs:
            if self.rng.random() < DELETED:
                at_ms = start_ms + self.rng.randint(LOAD_MS // 2, LOAD_MS)
                self._ask(job.deletion, partial(self._delete_job, job), at_ms)

    def _new_job(self, tenant: str, number: int) -> JobLog:
        """The body of some is too large to stand in the item of an execution."""
        own = None if number == WORKFLOW else f'{{"own":"{"y" * (0, 5_000)[number]}"}}'
        url = f"https://{tenant}.example.com/{'task' if own is None else number}"
        job = JobLog(tenant=tenant, number=number, url=url, own_body=own)
        request(self.world, "client", partial(self._create_job, job), self.world.start_ms)
        if self.rng.random() < PAUSED:
            request(self.world, "client", partial(self._pause, job), self.world.start_ms + 20 * SECOND_MS)
        return job

    def _create_job(self, job: JobLog, cases: UseCases) -> None:
        tenant, retry = self.world.tenant(job.tenant), RetryPolicy(max_attempts=ATTEMPTS, base_seconds=1)
        if job.own_body is None:
            task = NewTask(
                key="task", takes_input=True, request=Request(method="POST", url=job.url), retry=retry
            )
            graph = NewWorkflow(tasks=(task,), on_failure=OnFailure.FAIL_FAST, deadline_seconds=86_400)
            workflow, _ = cases.workflows.put_workflow.create(tenant, graph, "workflow")
            call, retry = Request(workflow_id=workflow.id), ONE_ATTEMPT
        else:
            call = Request(method="POST", url=job.url, body=job.own_body.encode())
        # Nothing but events starts the job before the end of the run.
        timing = Every(86_400, start_at=self.world.start_ms + 30 * 24 * 60 * MINUTE_MS)
        new = NewJob(timing=timing, request=call, retry=retry)
        created = cases.jobs.create_job.execute(tenant, new, f"job{job.number}").job
        assert isinstance(created, Job)
        job.job_id = created.id

    def _pause(self, job: JobLog, cases: UseCases) -> None:
        """A paused job is started by events like any other."""
        cases.core.lifecycle.pause.execute(job.tenant, job.job_id)

    def _delete_job(self, job: JobLog, cases: UseCases) -> None:
        cases.core.cancel_job.execute(job.tenant, job.job_id)
        if job.deletion.acked_at is None:
            rows = (row.execution for row in self.world.table.executions.values())
            job.running = {str(each.id): each.attempt for each in rows if each.state is State.RUNNING}

    def _plan_changes(self, log: TriggerLog, start_ms: int) -> None:
        """One change after the other: each waits until the one before can have no effect any more."""
        at_ms = start_ms + self.rng.choice((0, 0, 0, self.rng.randint(0, LOAD_MS // 2)))
        planned: list[tuple[int, Spec | None]] = [(at_ms, self._drawn())]
        while self.rng.random() < 0.45:
            at_ms += self.rng.randint(SETTLED_MS, LOAD_MS // 2)
            before = planned[-1][1]
            drawn = None if before is not None and self.rng.random() < 0.4 else self._drawn()
            if drawn != before:
                planned.append((at_ms, drawn))

        def go_on() -> None:
            now_ms = self.world.hub.now_ms
            latest = log.changes[-1] if log.changes else None
            if latest is not None and not _is_settled(latest, now_ms):
                self.world.hub.spawn(go_on, now_ms + 5 * SECOND_MS)
                return
            due_ms, spec = planned.pop(0)
            change = Change(spec=spec)
            log.changes.append(change)
            act = partial(self._delete, log) if spec is None else partial(self._put_trigger, log, spec)
            self._ask(change, act, max(now_ms, due_ms))
            if planned:
                self.world.hub.spawn(go_on, max(now_ms, due_ms) + SETTLED_MS)

        self.world.hub.spawn(go_on, planned[0][0])

    def _drawn(self) -> Spec:
        rng = self.rng
        kinds = tuple(sorted(rng.sample(KINDS, rng.randint(1, len(KINDS)))))
        debounce = rng.choice((0, 0, 5, 20, 40))
        return Spec(
            kinds=kinds,
            job=rng.randrange(JOBS),
            delay_seconds=0 if debounce else rng.choice((0, 0, 30, 90)),
            debounce_seconds=debounce,
            debounce_max_seconds=debounce * rng.choice((1, 2, 3)),
            throttle=rng.choice((None, None, (1, 30), (2, 60), (3, 120))),
        )

    def _put_trigger(self, log: TriggerLog, spec: Spec, cases: UseCases) -> None:
        job = next(job for job in self.jobs if (job.tenant, job.number) == (log.tenant, spec.job))
        pattern = {"source": [{"prefix": f"{PREFIX}{log.tenant}"}], "data": {"kind": list(spec.kinds)}}
        wanted = Trigger(
            name=log.name,
            version=0,
            changed_at=0,
            pattern=encode_pattern(pattern),
            job_id=job.job_id,
            delay_seconds=spec.delay_seconds,
            debounce_seconds=spec.debounce_seconds,
            debounce_max_seconds=spec.debounce_max_seconds or None,
            throttle=Throttle(count=spec.throttle[0], per_seconds=spec.throttle[1])
            if spec.throttle
            else None,
        )
        try:
            cases.triggers.triggers.put(log.tenant, wanted)
        except InvalidValueError:
            # Its job has been deleted. The trigger stays as it was.
            log.changes[-1].spec = log.changes[-2].spec if len(log.changes) > 1 else None

    def _delete(self, log: TriggerLog, cases: UseCases) -> None:
        try:
            cases.triggers.triggers.delete(log.tenant, log.name)
        except NotFoundError:
            return

    def _plan_burst(self, tenant: str, number: int, at_ms: int) -> None:
        """One event or several in succession. Some are sent again when they have long been answered."""
        rng = self.rng
        for place in range(rng.choice((1, 1, 2, 4, 6))):
            at_ms += rng.choice((0, 50, 1_000, 4_000, 15_000))
            is_of_bus = rng.random() < OF_BUS
            is_of_future = not is_of_bus and rng.random() < FUTURE
            event = EventLog(
                tenant=tenant,
                id=f"{tenant}-{number}-{place}",
                source=f"{PREFIX}{tenant}",
                kind=rng.choice(KINDS),
                padding=rng.choice((0, 0, 300, 2_000)),
                deliver_at=at_ms + rng.randint(1_000, 20 * MINUTE_MS) if is_of_future else None,
                is_of_bus=is_of_bus,
            )
            self.events.append(event)
            if is_of_bus:
                self.world.hub.spawn(partial(self._to_bus, event, 1 + (rng.random() < REPEATED)), at_ms)
                continue
            self._ask(event, partial(self._send, event), at_ms)
            while rng.random() < REPEATED:
                at_again_ms = at_ms + rng.randint(SECOND_MS, 3 * MINUTE_MS)
                self._ask(event, partial(self._send, event), at_again_ms)

    def _send(self, event: EventLog, cases: UseCases) -> None:
        ask = event.asks[-1]
        sent = event_of(event)
        try:
            matches = cases.triggers.receive_event.execute(self.world.tenant(event.tenant), sent)
        except InvalidValueError:
            event.refusals.append(ask)  # The instant of the event has passed.
            return
        event.answers.append(Answer(ask, tuple(self._shown(match) for match in matches)))

    def _shown(self, match: Match) -> MatchShown:
        return MatchShown(
            trigger=match.trigger.name,
            job_id=match.trigger.job_id,
            outcome=match.outcome.value,
            execution_id=None if match.execution_id is None else str(match.execution_id),
            due_at=match.due_at,
            throttled_until=match.throttled_until,
            is_durable=match.execution_id is None or match.execution_id in self.world.table.executions,
        )

    def _ask(self, log: Acknowledged, act: Callable[[UseCases], None], at_ms: int) -> None:
        request(self.world, "client", partial(self._tracked, log, act), at_ms)

    def _tracked(self, log: Acknowledged, act: Callable[[UseCases], None], cases: UseCases) -> None:
        tracked(self.world, log, lambda: act(cases))


def tracked(world: World, log: Acknowledged, act: Callable[[], None]) -> None:
    """Note when an ask begins and ends, by its answer or by the death of its process."""
    ask = Ask(world.hub.now_ms)
    log.asks.append(ask)
    try:
        act()
        log.acked_at = log.acked_at or world.hub.now_ms
    finally:
        ask.ended_at = world.hub.now_ms


def event_of(event: EventLog) -> Event:
    """As the API reads it."""
    document = event.document
    data = document["data"]
    assert isinstance(data, dict)
    return Event(source=event.source, type="happened", id=event.id, data=data, deliver_at=event.deliver_at)


def _is_settled(change: Change, now_ms: int) -> bool:
    begun = [ask.begun_at for ask in change.asks]
    is_over = bool(begun) and all(ask.ended_at is not None for ask in change.asks)
    return is_over and change.acked_at is not None and now_ms - max(begun) > SETTLED_MS
