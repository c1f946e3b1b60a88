"""The oracle: one verdict on a run, from what receivers, clients and readers of the API saw.

It shares no rule with the product: instants of recurring jobs are counted out one by one, attempts are counted
here, and lateness is measured against virtual time. Each concern has a module: `check_calls`, `check_records`,
`check_one_offs`, `check_series`, `check_backfills`, `check_reports`, `check_redrives`, `check_patience`,
`check_no_retry`, `check_notifications`, `check_alerts`, `check_readers`, `check_limits`, `check_outcomes`,
`check_stages`, `check_statistics`, `check_identities`, `check_keys`, and for jobs that are changed `check_changes`,
`check_pauses`, `verify_instants`, `check_overlap`, `check_edits`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator

from tests.simulation.evidence import Arrival, Evidence, Order, Record
from tests.simulation.oracle_alerts import check_alerts
from tests.simulation.oracle_backfills import check_backfill, check_origins
from tests.simulation.oracle_calls import check_calls
from tests.simulation.oracle_changes import check_changed
from tests.simulation.oracle_edits import check_edited
from tests.simulation.oracle_identities import check_identities, orders_by_url
from tests.simulation.oracle_keys import check_keys
from tests.simulation.oracle_limits import check_limits
from tests.simulation.oracle_no_retry import check_no_retry
from tests.simulation.oracle_notifications import check_notifications
from tests.simulation.oracle_one_offs import check_one_off
from tests.simulation.oracle_outcomes import check_outcomes
from tests.simulation.oracle_patience import check_patience
from tests.simulation.oracle_readers import check_readers
from tests.simulation.oracle_records import check_records
from tests.simulation.oracle_redrives import beside_of, check_redrives
from tests.simulation.oracle_reports import check_reports
from tests.simulation.oracle_series import check_series
from tests.simulation.oracle_stages import check_stages
from tests.simulation.oracle_statistics import check_statistics
from tests.simulation.verdicts import Fault, Verdict


def verdict(evidence: Evidence) -> list[Fault]:
    """Everything that is broken; empty if every promise held."""
    return list(_faults(evidence))


def _judge_of(order: Order) -> Callable[[Evidence, Order, list[Record], list[Arrival]], Iterator[Fault]]:
    if order.backfill is not None:
        return check_backfill
    if order.habits is not None:
        return check_changed if order.rhythm is not None else check_edited
    return check_series if order.rhythm is not None else check_one_off


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
        yield from check_records(evidence, order, records, calls[job_id])
        yield from check_outcomes(evidence, order, records, calls[job_id])
        yield from check_stages(evidence, order, records, calls[job_id])
        yield from check_reports(evidence, order, records, calls[job_id])
        yield from check_redrives(evidence, order, records, calls[job_id])
        yield from check_patience(evidence, order, records, calls[job_id], beside)
        yield from check_no_retry(evidence, order, records, calls[job_id], beside)
        own = [record for record in records if record.execution_id not in beside]
        made = [call for call in calls[job_id] if call.execution_id not in beside]
        yield from _judge_of(order)(evidence, order, own, made)
    by_url = orders_by_url(evidence)
    for job_id, arrivals in calls.items():
        yield from check_calls(evidence, known.get(job_id) or by_url.get(arrivals[0].url), arrivals, beside)
    yield from check_identities(evidence, known)
    yield from check_keys(evidence)
    yield from check_notifications(evidence, known)
    yield from check_alerts(evidence, known)
    yield from check_limits(evidence)
    yield from check_origins(evidence, known)
    yield from check_readers(evidence, known)
    yield from check_statistics(evidence)
    yield from (Fault(verdict=Verdict.BROKEN, text=text) for text in evidence.broken)
