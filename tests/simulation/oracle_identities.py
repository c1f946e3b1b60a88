"""Checks ids over all jobs: an execution is of one job and has one record, and a key makes one job of an order."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from tests.simulation.evidence import Evidence, Order
from tests.simulation.verdicts import Fault, Verdict


def orders_by_url(evidence: Evidence) -> dict[str, Order]:
    """Whose calls go where; a backfill calls the URL of its job."""
    return {order.url: order for order in evidence.orders if order.backfill is None}


def check_identities(evidence: Evidence, known: Mapping[str, Order]) -> Iterator[Fault]:
    """Every call, of jobs whose answers reached no client as well."""
    by_url = orders_by_url(evidence)
    job_of: dict[str, str] = {}
    jobs_at: dict[str, set[str]] = defaultdict(set)
    for call in [*evidence.calls, *evidence.told, *evidence.alerts]:
        if job_of.setdefault(call.execution_id, call.job_id) != call.job_id:
            yield _fault(Verdict.DOUBLED, "one webhook-id for two jobs", call.job_id, call.execution_id)
    for call in evidence.calls:
        order = by_url.get(call.url)
        if order is None:
            yield _fault(Verdict.LEAK, f"{call.url} was called, which no client ordered", call.job_id)
            continue
        if call.job_id not in known and evidence.weather.is_calm:
            yield _fault(Verdict.HISTORY, "called, and every answer reached its client", call.job_id)
        if call.backfill_of is None:
            jobs_at[call.url].add(call.job_id)
    for url, job_ids in jobs_at.items():
        if by_url[url].key is not None and len(job_ids) > 1:
            text = f"one idempotency key made {len(job_ids)} jobs"
            yield _fault(Verdict.DOUBLED, text, by_url[url].job_id or min(job_ids))
    shown = [record for records in evidence.history.values() for record in records]
    times = Counter(record.execution_id for record in [*shown, *evidence.strays])
    for record in shown:
        if times[record.execution_id] > 1:
            text = "one webhook-id in two records"
            yield _fault(Verdict.DOUBLED, text, record.job_id, record.execution_id)


def _fault(verdict: Verdict, text: str, job_id: str, execution_id: str | None = None) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=job_id, execution_id=execution_id)
