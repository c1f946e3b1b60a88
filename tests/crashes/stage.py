"""A run that the test drives step by step: time passes, ticks come and messages are delivered when it says so."""

import json
from typing import Any

from infra.local.clients import REGION
from shared.adapters.dynamodb.keys import execution_key, item_key
from shared.domain.ids import parse_execution_id
from shared.names import Lane
from tests.crashes.arrivals import ArrivalLog
from tests.crashes.crash_points import CrashPoint
from tests.crashes.deployment import Deployment, Worker
from tests.crashes.event_source import deliver
from tests.crashes.gateway import NOBODY, Answer, answer_of, http_event
from tests.crashes.judge import ENDED, Judge
from tests.crashes.nursery import SandboxDiedError
from tests.crashes.orders import Clients, Order

MINUTE_MS = 60_000
AFTER_VISIBILITY_SECONDS = 460
STEPS = ((20, 9), (120, 20), (300, 48))
"""Seconds of a step and how many of them: three minutes closely, then a while, then four hours."""


class Stage:
    """One deployment with a worker for each function; a function may be marked to be hit at its next invocation."""

    def __init__(self, deployment: Deployment, log: ArrivalLog) -> None:
        self.deployment = deployment
        self.log = log
        self.clock = deployment.engines.clock
        self.sqs = deployment.engines.others.client("sqs")
        self.lane, self.dead = deployment.lanes[Lane.STANDARD], deployment.dead[Lane.STANDARD]
        self.workers = {
            "api": deployment.worker("api"),
            "watcher": deployment.worker("watcher"),
            "sweeper": deployment.worker("sweeper"),
            "executor": deployment.worker("executor", Lane.STANDARD),
            "dead_letter": deployment.worker("dead_letter"),
        }
        self.clients = Clients(self.clock, log.url, self.request)
        self.blows = 0
        self.calls: list[str] = []
        """The AWS calls of the invocation that was marked, where it lived to tell."""
        self.struck = False
        self.point: CrashPoint | None = None
        self._marked: tuple[Worker, CrashPoint | None] | None = None
        self._ticked_at = 0

    def mark(self, function: str) -> None:
        """The next invocation of this function is the one that the run is about; it meets a fresh process."""
        self._mark(function, self.point)

    def break_next(self, function: str, point: CrashPoint) -> None:
        """Prepare a situation: the next invocation of this function breaks at this point."""
        self._mark(function, point)

    def _mark(self, function: str, point: CrashPoint | None) -> None:
        self.workers[function].renew()
        self._marked = (self.workers[function], point)
        self.blows += point is not None
        self.struck, self.calls = False, []

    def _ask(self, function: str, event: Any) -> Any:
        worker = self.workers[function]
        marked, point = self._marked is not None and self._marked[0] is worker, None
        if marked and self._marked is not None:
            point, self._marked = self._marked[1], None
        # No two things happen at the same instant, though the clock stands.
        self.clock.advance(0.001)
        try:
            invocation = worker.invoke(event, point)
        except SandboxDiedError:
            self.struck = self.struck or marked
            return None
        if marked:
            self.calls, self.struck = invocation.calls, invocation.struck
        return invocation.answer

    def request(self, *request: Any) -> Answer:
        """One request of a client."""
        response = self._ask("api", http_event(self.clock, self.deployment.api_key, *request))
        return NOBODY if response is None else answer_of(response)

    def watch(self) -> None:
        """A tick of the watcher."""
        self._ask("watcher", {"range": {"index": 0, "of": 1}})

    def sweep(self) -> None:
        """A tick of the sweeper."""
        self._ask("sweeper", {})

    def rescue(self) -> bool:
        """A batch of dead letters."""
        return deliver(self.sqs, self.dead, lambda event: self._ask("dead_letter", event))

    def execute(self) -> bool:
        """A batch of the lane."""
        return deliver(self.sqs, self.lane, lambda event: self._ask("executor", event))

    def work(self) -> None:
        """Deliver all that is visible."""
        while self.execute() or self.rescue():
            continue

    def wait(self, seconds: float) -> None:
        """Time passes, and nothing else happens."""
        self.clock.advance(seconds)

    def wait_until_second(self, second: float) -> None:
        """Go on to this second of a minute."""
        self.wait((second * 1000 - self.clock.now_ms()) % MINUTE_MS / 1000)

    def run(self, seconds: float) -> None:
        """Time passes in one step, and everything runs as it does when nothing breaks."""
        self.clock.advance(seconds)
        minute = self.clock.now_ms() // MINUTE_MS
        if minute != self._ticked_at:
            self._ticked_at = minute
            self.watch()
            self.sweep()
        self.work()

    def send(self, body: str, *, dead: bool = False) -> None:
        """Put a message into the lane, or into its dead-letter queue."""
        self.sqs.send_message(QueueUrl=(self.dead if dead else self.lane).url, MessageBody=body)

    def receive_in_vain(self) -> None:
        """Somebody took the lane's message and gave it back at once."""
        (message,) = self.sqs.receive_message(QueueUrl=self.lane.url)["Messages"]
        self.sqs.change_message_visibility(
            QueueUrl=self.lane.url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
        )

    def purge_lane(self) -> None:
        """Lose the lane's messages."""
        self.sqs.purge_queue(QueueUrl=self.lane.url)

    def purge(self) -> None:
        """Lose every message."""
        self.purge_lane()
        self.sqs.purge_queue(QueueUrl=self.dead.url)

    def damage(self, order: Order) -> None:
        """Break the item of a one-off job, about which nothing is promised from then on."""
        (record,) = self.clients.history(order)
        self.clients.orders.remove(order)
        location = parse_execution_id(record["id"])
        pk, sk = execution_key(REGION, location)
        self.deployment.engines.store.client("dynamodb").update_item(
            TableName=self.deployment.tables.executions,
            Key=item_key(pk, sk),
            UpdateExpression="REMOVE fp",
        )

    def begin(self, point: CrashPoint | None) -> None:
        """A new run on the same stage."""
        self.purge()
        self.log.clear()
        self.clients.orders, self.blows, self.point, self._marked = [], 0, point, None
        self.struck, self.calls = False, []
        self.wait_until_second(0)
        self.run(2)

    def settle(self) -> float:
        """Run until every job has ended, and on until late messages are back; how long the jobs took, in seconds.

        Recurring jobs get three minutes and are deleted then.
        """
        begun_ms = self.clock.now_ms()
        recurring = [order for order in self.clients.orders if order.is_recurring]
        if any(order.cancel_asked_at is None for order in recurring):
            for _ in range(9):
                self.run(20)
        for order in recurring:
            self.clients.cancel(order)
        for seconds in (step for step, times in STEPS for _ in range(times)):
            if all(self._has_ended(order) for order in self.clients.orders):
                break
            self.run(seconds)
        took_ms = self.clock.now_ms() - begun_ms
        self.run(AFTER_VISIBILITY_SECONDS)
        return took_ms / 1000

    def _has_ended(self, order: Order) -> bool:
        return all(record["state"] in ENDED for record in self.clients.history(order))

    def verdict(self) -> list[str]:
        """What the judge says of this run."""
        history = {str(order.job_id): self.clients.history(order) for order in self.clients.orders}
        judge = Judge(
            orders=self.clients.orders,
            history=history,
            arrivals=self.log.arrivals(),
            blows=self.blows,
        )
        return judge.verdict()

    def wakeup_of(self, order: Order, *, ended: bool = False, not_before: int | None = None) -> str:
        """A copy of the message that woke, or wakes, the oldest execution of a job that has or has not ended."""
        records = [record for record in self.clients.history(order) if (record["state"] in ENDED) == ended]
        body = {
            "v": 1,
            "lane": "standard",
            "tenant": "acme",
            "keys": [records[-1]["id"]],
            "not_before": not_before or self.clock.now_ms(),
        }
        return json.dumps(body)

    @property
    def parked(self) -> int:
        """How many messages wait for a person."""
        found = self.deployment.engines.store.client("dynamodb").query(
            TableName=self.deployment.tables.leases,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": f"{REGION}#parked"}},
        )
        return int(found["Count"])
