"""Checks what receivers reported after their calls: an acknowledged report is the outcome, and nothing else is."""

from collections.abc import Iterator

from tests.simulation.evidence import Arrival, Evidence, Order, Record, Report
from tests.simulation.verdicts import Fault, Verdict

REASONS = {"complete": "ok", "fail": "receiver_failed"}


def check_reports(
    evidence: Evidence, order: Order, records: list[Record], calls: list[Arrival]
) -> Iterator[Fault]:
    """Every execution of one acknowledged job whose receiver works on."""
    if not order.async_accepted:
        return
    for record in records:
        reports = [
            one for one in evidence.reports if one.execution_id == record.execution_id and one.verb in REASONS
        ]
        own = [call for call in calls if call.execution_id == record.execution_id]
        for report in reports:
            yield from _one_report(evidence, record, report, own)
        yield from _unreported(record, reports)


def _one_report(evidence: Evidence, record: Record, report: Report, calls: list[Arrival]) -> Iterator[Fault]:
    if report.acked_at is None:
        if report.refused_at is not None and evidence.weather.is_calm:
            yield _fault(Verdict.LOST, f"{report.verb} was refused though it came in time", record)
        return
    recorded = {outcome.attempt: outcome.reason for outcome in record.outcomes}.get(report.attempt)
    if recorded != REASONS[report.verb]:
        yield _fault(Verdict.LOST, f"{report.verb} was acknowledged, and {recorded} is recorded", record)
    if report.verb == "fail":
        return
    if record.state != "succeeded":
        yield _fault(Verdict.LOST, f"completion was acknowledged, and it is {record.state}", record)
    if any(call.attempt > report.attempt for call in calls):
        yield _fault(Verdict.DOUBLED, "called again, and an earlier attempt was completed", record)


def _unreported(record: Record, reports: list[Report]) -> Iterator[Fault]:
    """What a receiver has only begun is no success."""
    for outcome in record.outcomes:
        verbs = {
            report.verb
            for report in reports
            if report.attempt == outcome.attempt and report.asked_at is not None
        }
        if outcome.status == 202 and not verbs & _verbs(outcome.reason):
            yield _fault(Verdict.HISTORY, f"{outcome.reason}, which its receiver did not report", record)


def _verbs(reason: str) -> set[str]:
    return {verb for verb, said in REASONS.items() if said == reason}


def _fault(verdict: Verdict, text: str, record: Record) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=record.job_id, execution_id=record.execution_id)
