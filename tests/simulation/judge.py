"""The judge: reads the receiver's log, what was acknowledged to clients, and the history that the API shows.

It shares no rule with the product: instants of recurring jobs are counted out here, attempts are counted here,
and lateness is measured against virtual time.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from shared.domain.delivery import Reason
from shared.domain.execution import Execution
from shared.domain.new_job import Every
from tests.simulation.clients import Clients, Ordered
from tests.simulation.faults import FaultMix
from tests.simulation.receiver import Arrival

CALM_LAG_MS = 3_000
MILD_LAG_MS = 40_000
"""Where calls of the stores are throttled, a message comes back after 15 s, maybe twice."""
CATCH_UP_MS = 30_000
CLAIM_TO_CALL_MS = 5_000
"""A worker that was frozen between claim and call still calls if its lease covers the timeout: 5 s at most."""
WAIT_MS = 2_600
"""The longest that a worker waits in the lease: 1.5 s early, a second of the pack, 0.1 s of latencies."""


@dataclass(slots=True)
class Judge:
    """One verdict: a list of broken promises, each with the execution that shows it."""

    clients: Clients
    history: dict[str, list[Execution]]
    """By job id, as the API lists it after everything has come to rest."""
    mix: FaultMix
    faults: list[str] = field(default_factory=list)

    @property
    def calm(self) -> bool:
        """Whether nothing of ours went wrong."""
        return self.mix.is_calm

    def verdict(self) -> list[str]:
        """Everything that is broken; empty if every promise held."""
        calls: dict[str, list[Arrival]] = defaultdict(list)
        for arrival in self.clients.world.receiver.log:
            calls[arrival.job_id].append(arrival)
        known = {order.job_id: order for order in self.clients.orders if order.job_id is not None}
        for order in known.values():
            self._judge(order, calls.get(str(order.job_id), []))
        for job_id, arrivals in calls.items():
            self._attempts(arrivals, known.get(job_id))
        return self.faults

    @property
    def _lag_ms(self) -> int:
        return (CALM_LAG_MS if self.calm else MILD_LAG_MS) + self.mix.skew_ms

    def _fault(self, text: str, arrival: Arrival | None = None) -> None:
        self.faults.append(f"{text}{f' [{arrival.execution_id}]' if arrival else ''}")

    def _judge(self, order: Ordered, calls: list[Arrival]) -> None:
        if order.acked_at is None:
            return
        records = self.history.get(str(order.job_id), [])
        if not records:
            self._fault(f"lost: {order.job_id} was acknowledged and has no record")
        for record in records:
            self._record(order, record, [call for call in calls if call.execution_id == str(record.id)])
        if order.is_recurring:
            self._series(order, records, calls)
        else:
            self._one_off(order, records, calls)

    def _record(self, order: Ordered, record: Execution, calls: list[Arrival]) -> None:
        """One execution: it ended, and its record tells what the receiver saw."""
        name = f"{record.id}"
        if not record.state.is_terminal:
            self._fault(f"lost: {name} never ended, it is {record.state}")
        answered = [call for call in calls if call.ended_at is not None and call.status == 200]
        if record.state == "succeeded" and not answered:
            self._fault(f"history: {name} is a success that the receiver did not see")
        if record.state == "failed" and record.attempt == 0:
            self._fault(f"history: {name} failed without an attempt")
        if len(record.outcomes) > record.attempt or record.attempt > order.new.retry.max_attempts:
            self._fault(f"history: {name} has {len(record.outcomes)} outcomes of {record.attempt} attempts")
        made = [outcome for outcome in record.outcomes if outcome.reason is not Reason.STOPPED]
        if self.calm and not len(record.outcomes) == record.attempt == len(calls) + len(
            record.outcomes
        ) - len(made):
            self._fault(f"history: {name} is incomplete though nothing failed")
        recorded = {outcome.attempt for outcome in record.outcomes}
        if record.state == "succeeded" and max(recorded, default=0) != record.attempt:
            self._fault(f"history: the final attempt of {name} left no outcome")
        if record.state in ("cancelled", "skipped") and record.attempt == 0 and calls:
            self._fault(f"history: {name} is {record.state} and was called")
        if self.mix.is_mild:
            self._retries(order, calls)

    def _retries(self, order: Ordered, calls: list[Arrival]) -> None:
        """Where no message is lost, the next attempt comes after its backoff, and not with a sweep."""
        most_ms = order.new.retry.cap_seconds * 1000 + MILD_LAG_MS
        for earlier, later in pairwise(sorted(calls, key=lambda call: call.attempt)):
            if later.began_at - (earlier.ended_at or earlier.began_at) > most_ms:
                self._fault("late: a retry", later)

    def _attempts(self, arrivals: list[Arrival], order: Ordered | None) -> None:
        by_execution: dict[str, list[Arrival]] = defaultdict(list)
        for arrival in arrivals:
            by_execution[arrival.execution_id].append(arrival)
            if order is not None and order.tenant not in arrival.url:
                self._fault("leak: a job of one tenant called another's receiver", arrival)
            if arrival.caller_began_at < _ms(arrival.scheduled_at):
                self._fault("early: a call began before its time", arrival)
        for calls in by_execution.values():
            self._one_execution(calls, order)

    def _one_execution(self, calls: list[Arrival], order: Ordered | None) -> None:
        numbers = [call.attempt for call in calls]
        if len(set(numbers)) != len(numbers):
            self._fault(f"doubled: attempts {numbers}", calls[0])
        if order is not None and max(numbers) > order.new.retry.max_attempts:
            self._fault(f"attempts: {max(numbers)} of {order.new.retry.max_attempts}", calls[0])
        ordered = sorted(calls, key=lambda call: call.attempt)
        for earlier, later in pairwise(ordered):
            lease_ms = (order.new.timeout_seconds if order else 0) * 1000 + CLAIM_TO_CALL_MS
            slack_ms = WAIT_MS + CLAIM_TO_CALL_MS + 2 * self.mix.skew_ms
            overlaps = earlier.ended_at is None or later.began_at < earlier.ended_at
            if overlaps and later.began_at < earlier.began_at + lease_ms - slack_ms:
                self._fault("overlap: two calls of one execution within one lease", later)
            if earlier.status == 200 and self.calm:
                self._fault("doubled: called again after a success", later)

    def _one_off(self, order: Ordered, records: list[Execution], calls: list[Arrival]) -> None:
        if order.cancelled and order.cancel_acked_at is not None:
            late = [call for call in calls if call.began_at > order.cancel_acked_at]
            if late:
                self._fault("cancel: called after the acknowledgement", late[0])
            if records and records[0].state != "cancelled":
                self._fault(f"cancel: acknowledged, and {order.job_id} is {records[0].state}")
            return
        if records and records[0].state == "cancelled" and order.cancel_asked_at is None:
            self._fault(f"lost: {order.job_id} was cancelled by nobody")
        if self.mix.is_mild and order.cancel_asked_at is None:
            due_at = max(order.due_at or 0, order.acked_at or 0)
            if not calls or calls[0].began_at - due_at > self._lag_ms:
                self._fault(f"late: {order.job_id}")

    def _series(self, order: Ordered, records: list[Execution], calls: list[Arrival]) -> None:
        """Each instant between creation and deletion has a record or lies in a recorded gap, and no other has."""
        due = _instants(order, self.clients.world.hub.now_ms)
        seen = {record.nominal_at for record in records}
        if not seen <= set(due):
            self._fault(f"instants: {order.job_id} ran at {sorted(seen - set(due))[:3]}")
        if len(seen) < len(records):
            self._fault(f"doubled: {order.job_id} has two executions of one instant")
        gaps = [record.missed for record in records if record.missed is not None]
        end = order.cancel_asked_at or 0
        for instant in due:
            covered = instant in seen or any(gap.first_at <= instant <= gap.last_at for gap in gaps)
            if instant + self.mix.skew_ms < end and not covered:
                self._fault(f"lost: {order.job_id} has no record for {instant}")
                break
        if order.cancel_acked_at is not None:
            grace_ms = CLAIM_TO_CALL_MS + WAIT_MS + 2 * self.mix.skew_ms
            late = [call for call in calls if call.began_at > order.cancel_acked_at + grace_ms]
            if late:
                self._fault("cancel: a deleted job was called", late[0])
        if self.mix.is_mild:
            # Until the acknowledgement the job was promised to nobody; then it may have to catch up.
            from_at = (order.acked_at or 0) + CATCH_UP_MS
            firsts = [call for call in calls if call.attempt == 1 and _ms(call.scheduled_at) >= from_at]
            slow = [call for call in firsts if call.began_at - _ms(call.scheduled_at) > self._lag_ms]
            if slow:
                self._fault("late: an occurrence", slow[0])


def _instants(order: Ordered, until_ms: int) -> list[int]:
    """Counted out one by one."""
    created_at = order.created_at or 0
    if isinstance(order.new.timing, Every):
        step, instant = order.new.timing.rate_seconds * 1000, created_at - created_at % 1000
    else:
        step, instant = 60_000, created_at - created_at % 60_000
    instants = []
    while instant <= until_ms + 600_000:
        instant += step
        if instant > created_at:
            instants.append(instant)
    return instants


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)
