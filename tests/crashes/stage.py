"""A run that the test drives step by step: time passes, ticks come and messages are delivered when it says so."""

from typing import Any

from shared.names import QueueName
from tests.crashes.archived_rows import ArchivedRows
from tests.crashes.arrivals import ArrivalLog
from tests.crashes.bulk_operations import Operations
from tests.crashes.bus_events import BusEvents
from tests.crashes.clients import Clients
from tests.crashes.crash_points import CrashPoint
from tests.crashes.dated_jobs import DatedJobs, is_dated
from tests.crashes.deployment import Deployment
from tests.crashes.exported_records import ExportedRecords
from tests.crashes.gateway import NOBODY, Answer, answer_of, http_event
from tests.crashes.lane import LaneQueues
from tests.crashes.leavers import Leavers
from tests.crashes.limit_alerts import LimitAlerts, is_alert
from tests.crashes.limits import Limits
from tests.crashes.marks import MarkedWorkers, executor_of
from tests.crashes.oracle import Oracle
from tests.crashes.orders import ENDED, Order
from tests.crashes.parked_messages import Parking
from tests.crashes.payloads import Payloads
from tests.crashes.printed import Printed, findings
from tests.crashes.quotas import OwnQuotas
from tests.crashes.redriver import Redriver
from tests.crashes.reports import Receivers
from tests.crashes.searches import Searches
from tests.crashes.settling import UNTIL_RECONCILABLE_SECONDS, Settling
from tests.crashes.tampering import Tampering
from tests.crashes.target_queue import TargetQueue
from tests.crashes.workflow_runs import WorkflowRuns, is_task

MINUTE_MS = 60_000
RECONCILER_MINUTES = 15
ARCHIVER_TICK_SECONDS, ARCHIVER_TICKS = 300, 12
AUDITOR_TICKS = 3
JUST_DUE_MS = 5_000
"""An order that came due this recently comes due in the suspension that begins."""


class Stage:
    """One deployment for one run after the other."""

    def __init__(self, deployment: Deployment, log: ArrivalLog) -> None:
        self.deployment = deployment
        self.log = log
        self.clock = deployment.engines.clock
        self.lane = LaneQueues(deployment)
        self.workers = MarkedWorkers(deployment)
        self.tampering = Tampering(deployment)
        self.clients = Clients(self.clock, log.url, self.request)
        self.events = BusEvents(deployment, self.clients, self.request)
        self.receivers = Receivers(self.clock, self.request)
        self.redriver = Redriver(self.clock, self.request)
        self.operations = Operations(self.clock, self.request)
        self.searches = Searches(self.clock, self.request)
        self.parked_messages = Parking(deployment)
        self.archived_rows = ArchivedRows(deployment)
        self.exported_records = ExportedRecords(deployment)
        self.leavers = Leavers(deployment)
        self._payloads = Payloads(deployment)
        self.limits = Limits()
        self.limit_alerts = LimitAlerts(log.url, self.request)
        self.workflow_runs = WorkflowRuns(deployment, log.url, self.request)
        self.dated_jobs = DatedJobs(self.clock, log.url, self.request)
        self.target_queue = TargetQueue(deployment)
        self._quotas = OwnQuotas(deployment)
        self._queues = [QueueName.STANDARD]
        self.faults: list[str] = []
        self._point: CrashPoint | None = None
        self._ticked_at = self._reconciled_at = 0
        self._reconciler_log = Printed(deployment.process_pool.log("reconciler"))

    def begin(self, point: CrashPoint | None) -> None:
        """A new run: nothing is left over but what has ended, and the clock is at a minute's second second."""
        self.lane.lose()
        self.lane.lose_dead()
        self.events.forget()
        self.log.clear()
        self.workers.forget()
        self.tampering.forget()
        self.clients.orders, self.receivers.reports = [], []
        self.faults, self._point = [], point
        self.limits, self._queues = Limits(), [QueueName.STANDARD]
        if self._quotas.take_back():
            self.workers.renew()
        self.wait_until_second(0)
        self.run(2)
        asked = (self.redriver, self.operations, self.searches, self.parked_messages, self.workflow_runs)
        kept = (self.archived_rows, self.exported_records, self.leavers, self.limit_alerts, self._payloads)
        for part in (*asked, *kept, self.dated_jobs):
            part.forget()

    def limit(self, **limits: Any) -> None:
        """Give the tenant these limits in this run, of which every worker knows."""
        self._quotas.give(limits)
        self.workers.renew()
        self.limits = Limits(**limits)

    def allow(self, **quotas: int) -> None:
        """Give the tenant these quotas in this run, which limit no call; every worker knows of it."""
        self._quotas.give(quotas)
        self.workers.renew()

    def suspend(self, seconds: int) -> None:
        """Suspend the tenant, since a moment ago and for these seconds; every worker knows of it."""
        now_ms = self.clock.now_ms()
        span = range(now_ms - JUST_DUE_MS, now_ms + seconds * 1000)
        self._quotas.suspend(span.start, span.stop)
        self.workers.renew()
        for order in self.clients.orders:
            order.suspended = span

    def open(self, queue: QueueName) -> None:
        """In this run there are workers for this queue, too."""
        self._queues.append(queue)

    def mark(self, function: str) -> None:
        """The next invocation of this function is the one that the run is about."""
        self.workers.mark(function, self._point)

    def break_next(self, function: str, point: CrashPoint) -> None:
        """Prepare a situation: the next invocation of this function breaks at this point."""
        self.workers.mark(function, point)

    def request(self, *request: Any) -> Answer:
        """One request of a client."""
        response = self.workers.ask("api", http_event(self.clock, self.deployment.api_key, *request))
        self.deployment.api_log.ship()
        return NOBODY if response is None else answer_of(response)

    def watch(self) -> None:
        """A tick of the watcher."""
        self.workers.ask("watcher", {"range": {"index": 0, "of": 1}})

    def sweep(self) -> None:
        """A tick of the sweeper."""
        self.workers.ask("sweeper", {"range": {"index": 0, "of": 1}})

    def redrive(self) -> None:
        """A tick of the redriver."""
        self.workers.ask("redriver", {})

    def archive(self) -> None:
        """A tick of the archiver."""
        self.workers.ask("archiver", {"range": {"index": 0, "of": 1}})

    def audit(self) -> None:
        """A tick of the auditor."""
        self.workers.ask("auditor", {})

    def reconcile(self) -> None:
        """Both ticks of the reconciler."""
        self._reconciled_at = self.clock.now_ms() // MINUTE_MS
        self.reconcile_definitions()
        self.reconcile_minutes()

    def reconcile_definitions(self) -> None:
        """A tick of the reconciler for the definitions."""
        self.workers.ask("reconciler", {"range": {"index": 0, "of": 1}})

    def reconcile_minutes(self) -> Any:
        """A tick of the reconciler for the minutes that have settled, and its answer."""
        return self.workers.ask("reconciler", {})

    def execute(self, queue: QueueName = QueueName.STANDARD) -> bool:
        """A batch of a queue."""
        self.log.next_batch(queue)
        return self.lane.deliver(lambda event: self.workers.ask(executor_of(queue), event), queue)

    def rescue(self) -> bool:
        """A batch of dead letters."""
        return self.lane.deliver_dead(lambda event: self.workers.ask("dead_letter", event))

    def receive(self) -> bool:
        """A batch of events of the event bus."""
        return self.events.deliver(lambda event: self.workers.ask("event_receiver", event))

    def work(self) -> None:
        """Deliver all that is visible."""
        while sum(self.execute(queue) for queue in self._queues) or self.rescue() or self.receive():
            continue

    def expect_messages(self) -> None:
        """Whatever has not ended has a message of its own, however it waits: the sweep need not find it."""
        open_runs = sum(
            record["state"] not in ENDED
            for order in self.clients.orders
            for record in self.clients.history(order)
        )
        messages = self.lane.messages()
        if messages < open_runs:
            self.faults.append(f"lost: {open_runs} executions wait, and {messages} messages")

    def wait(self, seconds: float) -> None:
        """Time passes, and nothing else happens."""
        self.clock.advance(seconds)

    def wait_until_second(self, second: float) -> None:
        """Go on to this second of a minute."""
        self.wait((second * 1000 - self.clock.now_ms()) % MINUTE_MS / 1000)

    def run(self, seconds: float) -> None:
        """Time passes in one step, and everything runs as it does when nothing breaks."""
        self.wait(seconds)
        minute = self.clock.now_ms() // MINUTE_MS
        if minute != self._ticked_at:
            self._ticked_at = minute
            self.watch()
            self.sweep()
            self.redrive()
        self.work()
        if minute >= self._reconciled_at + RECONCILER_MINUTES:
            self.reconcile()

    def settle(self) -> float:
        """Let everything come to rest; how long events and jobs took to end, in seconds."""
        events_took_seconds = self.events.settle(self.run)
        settling = Settling(self.clock, self.clients, self.run, self._others_are_at_rest)
        settling.settle(self.clients.orders)
        self.faults += settling.faults
        self.wait(UNTIL_RECONCILABLE_SECONDS)
        self.reconcile()
        self._seal_archive()
        for _ in range(AUDITOR_TICKS):
            if not self.exported_records.are_exported():
                self.audit()
        return events_took_seconds + settling.took_seconds

    def _seal_archive(self) -> None:
        """Let the archiver finish its hours, which a lease may hold back for a quarter of an hour, and forget."""
        for _ in range(ARCHIVER_TICKS):
            if self.archived_rows.are_sealed() and self.leavers.are_forgotten():
                return
            self.wait(ARCHIVER_TICK_SECONDS)
            self.sweep()
            self.archive()

    def _others_are_at_rest(self) -> bool:
        """Bulk tasks, and alerts."""
        return (
            self.redriver.bulks_are_at_rest()
            and self.operations.are_at_rest()
            and self.searches.are_at_rest()
            and self.limit_alerts.are_at_rest(self.log.arrivals())
            and self.workflow_runs.are_at_rest(self.log.arrivals())
            and self.dated_jobs.are_at_rest()
        )

    def verdict(self) -> list[str]:
        """What the oracle says of this run."""
        history = {str(order.job_id): self.clients.history(order) for order in self.clients.orders}
        records = [record for each in history.values() for record in each]
        self.faults += self._payloads.faults(records)
        arrivals = self.log.arrivals() + self.target_queue.arrivals(self.clients.orders)
        self.events.note_runs(history)
        beside = self.dated_jobs.faults(arrivals)
        oracle = Oracle(
            orders=self.clients.orders,
            history=history,
            arrivals=[call for call in arrivals if not (is_alert(call) or is_task(call) or is_dated(call))],
            blows=self.workers.blows,
            deaths=self.workers.deaths,
            reports=self.receivers.reports,
            notifications=self._notifications(history),
            bulks=self.redriver.bulks,
            limits=None if self.workers.unanswered else self.limits,
        )
        told = self.tampering.faults(findings(self._reconciler_log.new_lines()))
        bulk = [*self.redriver.faults(), *self.operations.faults(), *self.searches.faults(records)]
        kept = [*self.archived_rows.faults(records), *self.exported_records.faults()]
        kept += self.archived_rows.faults_of_deleted(self.leavers.archived)
        beside += self.parked_messages.faults() + self.leavers.faults()
        beside += self.limit_alerts.faults(arrivals, self.workers.blows)
        beside += self.workflow_runs.faults(arrivals)
        beside += self.events.faults(history, arrivals, must_succeed=True)
        return self.faults + self.workers.errors + oracle.verdict() + told + bulk + kept + beside

    def check_payloads(self) -> None:
        """Every large request lasts as long as the work that needs it, and none for ever."""
        records = [record for order in self.clients.orders for record in self.clients.history(order)]
        self.faults += self._payloads.faults(records)

    def _notifications(self, history: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
        """The executions that tell of others, by the ids of those."""
        return {
            record["id"]: self.clients.execution(record["notification"]["id"])
            for records in history.values()
            for record in records
            if record["notification"]
        }

    def wakeup_of(self, order: Order, *, ended: bool = False, not_before: int | None = None) -> str:
        """A copy of the message that woke, or wakes, the oldest execution of a job that has or has not ended."""
        records = [record for record in self.clients.history(order) if (record["state"] in ENDED) == ended]
        return self.lane.wakeup(records[-1], not_before=not_before)

    def damage(self, order: Order) -> None:
        """Break the row of a one-off job, about which nothing is promised from then on."""
        (record,) = self.clients.history(order)
        self.clients.orders.remove(order)
        self.tampering.damage(record)

    def bereave(self, order: Order) -> None:
        """Take away the row of a one-off job; that it is told of is all that can be promised."""
        (record,) = self.clients.history(order)
        self.clients.orders.remove(order)
        self.tampering.bereave(str(order.job_id), record)

    def break_off(self, order: Order) -> None:
        """Take away the latest execution of a recurring job."""
        self.tampering.break_off(str(order.job_id), self.clients.history(order)[0])
