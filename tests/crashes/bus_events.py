"""Events on the queue of the event bus, and what was promised of them: each starts one run, which has the event."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from infra.local.clients import REGION
from shared.adapters.dynamodb.jobs.event_source_store import DynamoEventSourceStore
from shared.domain.triggers.event_source import EventRoute, EventSource
from tests.crashes.arrivals import Arrival
from tests.crashes.clients import Clients
from tests.crashes.deployment import TENANT, Deployment
from tests.crashes.event_source import Ask, deliver
from tests.crashes.lane import COUNTS
from tests.crashes.orders import ENDED, Order
from tests.crashes.reader import OK, TRIES, Reader, Send

ACCOUNT = "111122223333"
PREFIX, KIND = "com.crashes.", "paid"
STEP_SECONDS, STEPS = 20, 90


@dataclass(slots=True, kw_only=True)
class TriggeredJob:
    """A trigger that starts the job of an order, and the events that were sent for it."""

    order: Order
    name: str
    is_debounced: bool = False
    """Whether all its events come in one burst, which starts one run with the last of them."""
    sent: list[dict[str, Any]] = field(default_factory=list)
    """Each event as it reaches the call."""

    @property
    def source(self) -> str:
        """That of its events, and of no others."""
        return f"{PREFIX}{self.name}"

    @property
    def due(self) -> list[dict[str, Any]]:
        """The events that have runs, once all has come to rest."""
        return self.sent[-1:] if self.is_debounced else self.sent


class BusEvents(Reader):
    """The events of one account, all of them for the one tenant."""

    _numbers = itertools.count(1)

    def __init__(self, deployment: Deployment, clients: Clients, send: Send) -> None:
        super().__init__(send)
        self._clock, self._clients = deployment.engines.clock, clients
        self._sqs, self._queue = deployment.engines.others.client("sqs"), deployment.events
        self._dead = deployment.dead_events
        self._refused: list[str] = []
        store = DynamoEventSourceStore(deployment.engines.store.client("dynamodb"), deployment.tables.jobs)
        route = EventRoute(source_prefix=PREFIX, tenant_id=TENANT)
        store.put(EventSource(account=ACCOUNT, version=1, changed_at=1, routes=(route,)), None)
        self._jobs: list[TriggeredJob] = []

    def forget(self) -> None:
        """A new run: no trigger and no event is left."""
        for job in self._jobs:
            self._ask("DELETE", f"/v1/triggers/{job.name}")
        if self._jobs:
            self._sqs.purge_queue(QueueUrl=self._queue.url)
            self._sqs.purge_queue(QueueUrl=self._dead.url)
        self._jobs, self._refused = [], []

    def trigger(
        self, order: Order, *, debounce_seconds: int = 0, throttle: tuple[int, int] | None = None
    ) -> TriggeredJob:
        """Let events start the job of this order: with a throttle, only so many runs in so many seconds."""
        name = f"trigger-{next(self._numbers)}"
        job = TriggeredJob(order=order, name=name, is_debounced=debounce_seconds > 0)
        self._jobs.append(job)
        body = {"pattern": {"source": [job.source]}, "job_id": order.job_id}
        debounce = {"debounce_seconds": debounce_seconds} if debounce_seconds else {}
        few = {"throttle": {"count": throttle[0], "per_seconds": throttle[1]}} if throttle else {}
        self._ask("PUT", f"/v1/triggers/{name}", body | debounce | few)
        return job

    def send(self, job: TriggeredJob, *, times: int = 1) -> None:
        """EventBridge puts one more event into the queue, possibly several times."""
        number = len(job.sent)
        event = {
            "source": job.source,
            "type": KIND,
            "id": f"{job.name}-{number}",
            "data": {"number": number},
        }
        job.sent.append(event)
        envelope = {
            "version": "0",
            "id": event["id"],
            "account": ACCOUNT,
            "region": REGION,
            "source": event["source"],
            "detail-type": KIND,
            "detail": event["data"],
        }
        for _ in range(times):
            self._sqs.send_message(QueueUrl=self._queue.url, MessageBody=json.dumps(envelope))

    def send_refused(self) -> None:
        """EventBridge puts an event without a detail into the queue, which no repetition helps."""
        event = f"refused-{next(self._numbers)}"
        self._refused.append(event)
        envelope = {
            "id": event,
            "account": ACCOUNT,
            "source": f"{PREFIX}refused",
            "detail-type": KIND,
            "detail": None,
        }
        self._sqs.send_message(QueueUrl=self._queue.url, MessageBody=json.dumps(envelope))

    def deliver(self, ask: Ask) -> bool:
        """Hand over one batch; False where there was none."""
        return bool(self._jobs) and deliver(self._sqs, self._queue, ask)

    def settle(self, run: Callable[[float], None]) -> float:
        """Let every event be received, and its run end; how long that took, in seconds."""
        begun_ms = self._clock.now_ms()
        for _ in range(STEPS):
            if self._are_at_rest():
                break
            run(STEP_SECONDS)
        return (self._clock.now_ms() - begun_ms) / 1000

    def note_runs(self, history: dict[str, list[dict[str, Any]]]) -> None:
        """The runs that events have started are beside the schedules of their jobs."""
        for job in self._jobs:
            records = history[str(job.order.job_id)]
            job.order.triggered |= {record["id"] for record in records if record.get("event")}

    def faults(
        self, history: dict[str, list[dict[str, Any]]], calls: list[Arrival], *, must_succeed: bool
    ) -> Iterator[str]:
        """`must_succeed`: no worker was struck that makes calls."""
        if self._jobs and self._messages():
            yield "lost: events are delivered again and again"
        yield from self._faults_of_dead()
        for job in self._jobs:
            records = history[str(job.order.job_id)]
            yield from event_faults(job, records, calls, must_succeed=must_succeed)

    def _faults_of_dead(self) -> Iterator[str]:
        """A refused event is in the dead-letter queue with its reason, and no other event is."""
        found: dict[str, str] = {}
        while self._jobs and (messages := self._dead_messages()):
            for message in messages:
                reason = message.get("MessageAttributes", {}).get("punctual.reason", {})
                found[json.loads(message["Body"])["id"]] = reason.get("StringValue", "")
        for event in self._refused:
            if "detail" not in found.pop(event, ""):
                yield f"lost: {event} is not among the dead events with its reason"
        yield from (f"stray: {event} is among the dead events: {reason}" for event, reason in found.items())

    def _dead_messages(self) -> list[Any]:
        asked = {"MaxNumberOfMessages": 10, "MessageAttributeNames": ["All"]}
        return list(self._sqs.receive_message(QueueUrl=self._dead.url, **asked).get("Messages", []))

    def _are_at_rest(self) -> bool:
        return not self._jobs or (not self._messages() and all(map(self._is_at_rest, self._jobs)))

    def _is_at_rest(self, job: TriggeredJob) -> bool:
        records = self._clients.history(job.order)
        ended = {each["event"]["id"] for each in records if each.get("event") and each["state"] in ENDED}
        return {event["id"] for event in job.due} <= ended

    def _messages(self) -> int:
        """How many there are: visible, or being received."""
        asked = self._sqs.get_queue_attributes(QueueUrl=self._queue.url, AttributeNames=list(COUNTS))
        return sum(int(asked["Attributes"][name]) for name in COUNTS)

    def _ask(self, *request: Any) -> None:
        for _ in range(TRIES):
            answer = self._send(*request)
            if answer.is_final:
                break
        assert answer.status in (OK, 204, 404), f"{request} was answered with {answer}"


def event_faults(
    job: TriggeredJob, records: list[dict[str, Any]], calls: list[Arrival], *, must_succeed: bool
) -> Iterator[str]:
    """What is wrong with the runs that the events of one trigger have started."""
    order = job.order
    runs = [record for record in records if record.get("event")]
    for event in job.due:
        own = [record["id"] for record in runs if _names(record, event)]
        if not own:
            yield f"lost: {event['id']} has started no run of {order.path}"
        if len(own) > 1:
            yield f"doubled: {event['id']} has started the runs {own} of {order.path}"
    payload = order.versions[-1].payload
    bodies: list[dict[str, Any]] = [{"event": event, "body": payload} for event in job.due]
    for record in runs:
        body = next((each for each in bodies if _names(record, each["event"])), None)
        if body is None or record["event"]["trigger"] != job.name:
            yield f"stray: {order.path} has {record['id']}, of the event {record['event']}"
        if must_succeed and record["state"] != "succeeded":
            yield f"lost: {record['id']} of the event {record['event']} is {record['state']}"
        made = [call for call in calls if call.execution_id == record["id"]]
        yield from (f"event: {call} does not tell of {body}" for call in made if call.payload != body)
    started = {record["id"] for record in runs}
    for call in calls:
        if call.job_id == order.job_id and call.execution_id not in started and call.payload in bodies:
            yield f"stray: {call} tells of an event, and is in no history"


def _names(record: dict[str, Any], event: dict[str, Any]) -> bool:
    return (record["event"]["source"], record["event"]["id"]) == (event["source"], event["id"])
