"""The oracle: reads what was acknowledged, what arrived, and the history that the API shows.

It shares no rule with the product: attempts and instants are counted out here. What excuses what: a process that was
killed or stopped may cost an execution one attempt of which nothing is known, and may make a receiver see one more
attempt after a success; a process that was told that a connection broke may only record an attempt without a call.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.crashes.arrivals import Arrival, instant_ms
from tests.crashes.behaviours import GONE
from tests.crashes.bulk_redrives import Bulk, bulk_faults
from tests.crashes.calls import call_faults
from tests.crashes.cancellations import cancel_faults
from tests.crashes.editions import edition_faults, series_edition_faults
from tests.crashes.limits import Limits, limit_faults
from tests.crashes.long_runs import long_run_faults
from tests.crashes.notifications import as_order, notification_faults
from tests.crashes.orders import ENDED, Order
from tests.crashes.own_keys import own_key_faults
from tests.crashes.redrives import own_records, redrive_faults
from tests.crashes.reports import Report, Verb
from tests.crashes.run_locks import turn_faults
from tests.crashes.series import series_faults

UNCALLED = frozenset(
    {"lease_too_short", "request_unreadable", "signing_secret_gone", "stopped", "unavailable"}
)
"""Reasons of attempts that ended before the receiver was called."""
UNSURE = frozenset({"timeout", "connect_failed", "protocol_error"})
"""Reasons of attempts that a receiver may not have seen, if their worker stood still in them."""


@dataclass(slots=True, kw_only=True)
class Oracle:
    """One verdict: a list of broken promises, each with the job that shows it."""

    orders: list[Order]
    history: dict[str, list[dict[str, Any]]]
    """By job id, after everything has come to rest."""
    arrivals: list[Arrival]
    blows: int
    """How often a process was killed, stopped, or told that a connection broke."""
    deaths: int
    """How often it was killed or stopped."""
    reports: list[Report] = field(default_factory=list)
    """Of receivers that worked on."""
    grace_ms: int = 0
    """How long after a recurring job was changed a worker that was stopped in mid-attempt may still call."""
    notifications: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Those that tell of executions, by the ids of these."""
    bulks: list[Bulk] = field(default_factory=list)
    limits: Limits | None = None
    """None where a worker was told that the store does not answer: then there are none."""
    faults: list[str] = field(default_factory=list)

    def verdict(self) -> list[str]:
        """Everything that is broken; empty if every promise held."""
        by_path: dict[str, list[Arrival]] = defaultdict(list)
        for arrival in self.arrivals:
            by_path[arrival.path].append(arrival)
        for order in self.orders:
            calls = by_path.pop(order.path, [])
            for refusal in order.refusals:
                self.faults.append(f"answer: a client of {order.path} got {refusal}")
            # AWS's answer to a message may be lost, as that to any other call of AWS.
            self.faults += call_faults(order, calls, self.blows if order.has_target else self.deaths)
            self.faults += own_key_faults(order, calls)
            if order.acked_at is not None:
                self._order(order, [call for call in calls if call.job_id == order.job_id])
                self._told(order, calls, {path: by_path.pop(path, []) for path in order.told.values()})
            else:
                self.faults.append(f"answer: {order.path} was never acknowledged")
        for path in by_path:
            self.faults.append(f"stray: {path} was called, whose job had come to rest")
        for bulk in self.bulks:
            self.faults += bulk_faults(bulk, list(self.history.values()), self.arrivals)
        if self.limits is not None:
            self.faults += limit_faults(self.limits, self.arrivals)
        return self.faults

    def _order(self, order: Order, calls: list[Arrival]) -> None:
        records = self.history.get(str(order.job_id), [])
        if not records:
            self.faults.append(f"lost: {order.path} was acknowledged and has no record")
        for record in records:
            self._record(order, record, [call for call in calls if call.execution_id == record["id"]])
        undone = any(bulk.is_undone for bulk in self.bulks)
        self.faults += redrive_faults(order, records, calls, bulks=len(self.bulks), undone=undone)
        redrives = {record["id"] for record in records if record.get("redrive_of")}
        records, calls = own_records(records), [call for call in calls if call.execution_id not in redrives]
        if order.is_recurring:
            self.faults += series_faults(order, records, calls, self.grace_ms)
            self.faults += series_edition_faults(order, calls, self.grace_ms)
            self.faults += turn_faults(order, records, calls, self.reports)
        elif records:
            self.faults += edition_faults(order, records, calls)
            self.faults += cancel_faults(order, records[0], calls)

    def _told(self, order: Order, calls: list[Arrival], told: dict[str, list[Arrival]]) -> None:
        """Whoever is told of outcomes is called like anybody else, and told the truth once."""
        records = self.history.get(str(order.job_id), [])
        heard = [call for each in told.values() for call in each]
        self.faults += notification_faults(order, records, calls, heard, self.notifications)
        for path, made in told.items():
            self.faults += call_faults(as_order(path, order), made, self.deaths)
        for record in records:
            notification = self.notifications.get(record["id"])
            if notification:
                own = [call for call in heard if call.execution_id == notification["id"]]
                self._record(as_order("a notification", order), notification, own)

    def _record(self, order: Order, record: dict[str, Any], calls: list[Arrival]) -> None:
        """One execution: it ended, and its record tells what the receiver saw."""
        name, begun, state = f"{order.path} {record['id']}", record["attempts_begun"], record["state"]
        if state not in ENDED:
            self.faults.append(f"lost: {name} never ended, it is {state}")
        if begun > order.max_attempts:
            self.faults.append(f"attempts: {name} has begun {begun}")
        arrived = {call.attempt for call in calls}
        recorded = {attempt["number"]: attempt for attempt in record["attempts"]}
        unknown = begun - len(arrived | recorded.keys())
        uncalled = sum(
            attempt["reason"] in UNCALLED - {"stopped"}
            or (attempt["reason"] in UNSURE and number not in arrived)
            for number, attempt in recorded.items()
        )
        if unknown > self.deaths or unknown + uncalled > self.blows:
            self.faults.append(
                f"lost: {name} has {unknown} attempts without a trace, {uncalled} without a call"
            )
        if any(number > begun for number in arrived):
            self.faults.append(f"history: {name} was called with an attempt that it never began")
        for number, attempt in recorded.items():
            if attempt["reason"] not in UNCALLED | UNSURE and number not in arrived:
                self.faults.append(f"history: {name} tells of attempt {number}, which nobody saw")
        reports = [report for report in self.reports if report.execution_id == record["id"]]
        self.faults += long_run_faults(name, record, calls, reports)
        succeeded = {call.attempt for call in calls if call.status == 200}
        succeeded |= {report.attempt for report in reports if report.verb is Verb.COMPLETE}
        if state == "succeeded" and (begun not in succeeded or recorded.get(begun, {}).get("reason") != "ok"):
            self.faults.append(f"history: {name} is a success that the receiver did not see")
        if state == "failed" and not self._may_fail(order, record, calls, reports):
            self.faults.append(f"lost: {name} failed ({record['end_reason']}) after {begun} attempts")
        if state == "skipped" and not order.is_recurring and not _may_be_skipped(order, record):
            self.faults.append(f"lost: {name} was skipped ({record['end_reason']})")
        if state in ("cancelled", "skipped") and begun == 0 and calls:
            self.faults.append(f"history: {name} is {state} and was called")

    def _may_fail(
        self, order: Order, record: dict[str, Any], calls: list[Arrival], reports: list[Report]
    ) -> bool:
        """Attempts used up, or made the last by a client or by whoever was called."""
        if record["end_reason"] == "not_retryable":
            return any(call.status == GONE for call in calls) or any(
                report.verb is Verb.GIVE_UP for report in reports
            )
        if record["end_reason"] in ("attempts_used_up", "worker_lost"):
            if record["attempts_begun"] == order.max_attempts:
                return True
        elif record["end_reason"] not in ("stopped", "job_deleted"):
            return False
        return order.cancel_asked_at is not None and record["attempts_begun"] > 0


def _may_be_skipped(order: Order, record: dict[str, Any]) -> bool:
    """Only a job that was due while its tenant was suspended, and that does not ask to run afterwards."""
    is_due_meanwhile = instant_ms(record["scheduled_at"]) in order.suspended
    return record["end_reason"] == "suspended" and is_due_meanwhile and order.when_suspended != "run"
