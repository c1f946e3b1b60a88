"""The judge: one verdict on a run, from what receivers, clients and readers of the API saw.

It shares no rule with the product: instants of recurring jobs are counted out one by one, attempts are counted
here, and lateness is measured against virtual time. Each concern has a module: `judge_calls`, `judge_records`,
`judge_one_offs`, `judge_series`, `judge_backfills`, `judge_reports`, `judge_redrives`, `judge_patience`,
`judge_no_retry`, `judge_notifications`, `judge_readers`, `judge_limits`, and for jobs that are changed
`judge_changes`, `judge_pauses`, `judge_instants`, `judge_overlap`, `judge_edits`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator

from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.judge_backfills import judge_backfill, judge_origins
from tests.simulation.judge_calls import judge_calls
from tests.simulation.judge_changes import judge_changed
from tests.simulation.judge_edits import judge_edited
from tests.simulation.judge_limits import judge_limits
from tests.simulation.judge_no_retry import judge_no_retry
from tests.simulation.judge_notifications import judge_notifications
from tests.simulation.judge_one_offs import judge_one_off
from tests.simulation.judge_patience import judge_patience
from tests.simulation.judge_readers import judge_readers
from tests.simulation.judge_records import judge_records
from tests.simulation.judge_redrives import beside_of, judge_redrives
from tests.simulation.judge_reports import judge_reports
from tests.simulation.judge_series import judge_series
from tests.simulation.verdicts import Fault, Verdict


def verdict(evidence: Evidence) -> list[Fault]:
    """Everything that is broken; empty if every promise held."""
    return list(_faults(evidence))


def _judge_of(order: Order) -> Callable[[Evidence, Order, list[Record], list[Arrival]], Iterator[Fault]]:
    if order.backfill is not None:
        return judge_backfill
    if order.habits is not None:
        return judge_changed if order.rhythm is not None else judge_edited
    return judge_series if order.rhythm is not None else judge_one_off


def _faults(evidence: Evidence) -> Iterator[Fault]:
    calls: dict[str, list[Arrival]] = defaultdict(list)
    for arrival in evidence.calls:
        calls[arrival.job_id].append(arrival)
    beside = beside_of(evidence)
    known = {order.job_id: order for order in evidence.orders if order.job_id is not None}
    for job_id, order in known.items():
        if order.acked_at is None:
            continue
        records = evidence.history.get(job_id, [])
        yield from judge_records(evidence, order, records, calls[job_id])
        yield from judge_reports(evidence, order, records, calls[job_id])
        yield from judge_redrives(evidence, order, records, calls[job_id])
        yield from judge_patience(evidence, order, records, calls[job_id], beside)
        yield from judge_no_retry(evidence, order, records, calls[job_id], beside)
        own = [record for record in records if record.execution_id not in beside]
        made = [call for call in calls[job_id] if call.execution_id not in beside]
        yield from _judge_of(order)(evidence, order, own, made)
    for job_id, arrivals in calls.items():
        yield from judge_calls(evidence, known.get(job_id), arrivals, beside)
    yield from judge_notifications(evidence, known)
    yield from judge_limits(evidence)
    yield from judge_origins(evidence, known)
    yield from judge_readers(evidence, known)
    yield from (Fault(verdict=Verdict.BROKEN, text=text) for text in evidence.broken)
