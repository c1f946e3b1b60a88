"""A deployment with two tenants: requests in, and time that passes, with ticks each minute and messages in between."""

from collections.abc import Mapping
from typing import Any

import orjson

from shared.domain.bucket import ShardRange
from shared.domain.dead_letters.parked_message import park
from shared.domain.delivery.aws_target import TargetCall
from shared.names import QueueName
from tests.api_machine.instants import MINUTE_MS
from tests.api_machine.receiver import Receiver
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.usecases.lanes import Lanes

TENANTS = ("acme", "globex")
WORKFLOWS_TENANT = "initech"
"""Has workflows, and the jobs that start them."""
EVENTS_TENANT = "hooli"
"""Has triggers that do not start a run for each event, and the jobs that they start."""
APART = (WORKFLOWS_TENANT, EVENTS_TENANT)
"""Of their jobs, the model of the other jobs knows nothing."""
OPERATOR = "operator"
"""Asks like a tenant, with an operator's key."""
TICK_AT_MS = 13_000
"""Where in each minute the ticks come."""
RECOVERY_MS = 5 * MINUTE_MS
"""So long after a standstill everything that was due meanwhile has been called."""


class Deployment:
    """The API over the fakes; executors, watcher and sweeper on the same clock."""

    def __init__(self) -> None:
        self._api = ApiWorld()
        self._world = self._api.world
        self._lanes = Lanes(self._world)
        self._everything = ShardRange(index=0, of=1)
        self.receiver = Receiver(self._world.clock)
        self._world.sender.answer_to = self.receiver
        keys = {TENANTS[0]: self._world.credentials.api_key}
        keys[TENANTS[1]] = self._world.create_tenant.execute(TENANTS[1]).api_key
        keys |= {name: self._world.create_tenant.execute(name).api_key for name in APART}
        keys[OPERATOR] = self._world.create_tenant.operator().api_key
        self._credentials = {name: {"authorization": f"Bearer {key}"} for name, key in keys.items()}

    @property
    def now_ms(self) -> int:
        """The time."""
        return self._world.clock.now_ms()

    @property
    def target_calls(self) -> list[TargetCall]:
        """The messages to targets, as they were sent."""
        return [sent.call for sent in self._world.targets.calls]

    @property
    def signed_roles(self) -> list[str]:
        """The role of each request that was signed for AWS."""
        return [call.role_arn for call in self._world.signed_sender.calls]

    def ask(self, tenant: str, method: str, path: str, **query: str) -> Answer:
        """One request without a body."""
        return self._api.handle(
            Request(method=method, path=path, headers=self._credentials[tenant], query=query)
        )

    def send(self, tenant: str, method: str, path: str, document: Any = None, **headers: str) -> Answer:
        """One request with a JSON document, with bytes as they are, or with no body at all."""
        is_plain = document is None or isinstance(document, bytes)
        body = document if is_plain else orjson.dumps(document)
        media = {} if document is None else {"content-type": "application/json"}
        spelt = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = self._credentials[tenant] | media | spelt
        return self._api.handle(Request(method=method, path=path, headers=sent, body=body))

    def put(
        self, tenant: str, path: str, document: Any, conditions: Mapping[str, str], **query: str
    ) -> Answer:
        """A PUT of a JSON document. The conditions are values of headers by name, in lower case."""
        sent = self._credentials[tenant] | {"content-type": "application/json"} | dict(conditions)
        body = orjson.dumps(document)
        return self._api.handle(Request(method="PUT", path=path, headers=sent, query=query, body=body))

    def park(self, message_id: str, lane: QueueName, body: str, reason: str) -> str:
        """The handler of dead messages keeps one that it cannot handle; the id that operators see."""
        message = park(message_id, lane, body, reason, self.now_ms)
        self._world.parked_messages.park(message)
        return message.id

    def stored_jobs(self) -> set[str]:
        """The ids of all jobs that left anything in the tables, but for those of the tenants that stand apart."""
        executions = [row.execution for row in self._world.table.executions.values()]
        stored = {(each.tenant_id, each.job_id) for each in executions} | set(self._world.table.jobs)
        return {job_id for tenant, job_id in stored if tenant not in APART}

    def pass_time(self, milliseconds: int) -> None:
        """Everything runs: messages as they become visible, ticks as they are due."""
        end_ms = self.now_ms + milliseconds
        while self.now_ms < end_ms:
            next_tick_ms = (self.now_ms - TICK_AT_MS) // MINUTE_MS * MINUTE_MS + MINUTE_MS + TICK_AT_MS
            self._lanes.until(min(end_ms, next_tick_ms))
            if self.now_ms >= next_tick_ms:
                self._world.watch.execute(self._everything)
                self._world.sweep.execute()

    def begin_later(self, milliseconds: int) -> None:
        """Nothing is there yet, and time passes."""
        self._world.clock.time_ms += milliseconds

    def stand_still(self, milliseconds: int) -> None:
        """No executor, watcher or sweeper runs."""
        from_ms = self.now_ms
        self._world.clock.time_ms += milliseconds
        self.receiver.excused.append((from_ms, self.now_ms + RECOVERY_MS))
