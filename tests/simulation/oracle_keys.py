"""Checks jobs with keys of their owners: a key has one job, and each answer is true to its description."""

from collections.abc import Iterator

from tests.simulation.evidence import Evidence, Order
from tests.simulation.habits import Change, Habits, OwnKey
from tests.simulation.verdicts import Fault, Verdict


def check_keys(evidence: Evidence) -> Iterator[Fault]:
    """Every key, whether or not a client ever learned of its job."""
    for order in evidence.orders:
        if order.own_key is not None and order.habits is not None:
            yield from _one_job(evidence, order, order.own_key)
            yield from _answers(order, order.habits)


def _one_job(evidence: Evidence, order: Order, key: OwnKey) -> Iterator[Fault]:
    """A request that is still under way when the job is deleted may create it anew, and no other may."""
    called = {call.job_id for call in evidence.calls if call.url == order.url}
    anew_from = None
    if order.cancel_asked_at is not None:
        anew_from = order.cancel_asked_at - 2 * evidence.weather.clock_error_ms
    jobs = {
        job_id
        for job_id in called | key.answered_with | key.stored.keys()
        if job_id == order.job_id or anew_from is None or key.stored.get(job_id, 0) < anew_from
    }
    if len(jobs) > 1:
        yield _fault(Verdict.DOUBLED, f"one key has the jobs {sorted(jobs)}", order)


def _answers(order: Order, habits: Habits) -> Iterator[Fault]:
    """A revision has one description, and the answer to a request shows its own, or what came right behind it."""
    answered = [change for change in habits.acked("pause", "resume", "update") if change.revision]
    described: dict[int, int] = {}
    for change in answered:
        if described.setdefault(change.revision, change.shown) != change.shown:
            text = f"revision {change.revision} was shown as {described[change.revision]} and {change.shown}"
            yield _fault(Verdict.UPDATE, text, order)
    for change in answered:
        if not change.is_absolute:
            continue
        if change.shown not in change.versions and not _was_overtaken(change):
            yield _fault(Verdict.UPDATE, f"{change.versions} was put, and {change.shown} answered", order)
        if change.made_from is not None and described.get(change.made_from) in change.versions:
            text = f"{change.versions} changed revision {change.made_from}, which was described so"
            yield _fault(Verdict.UPDATE, text, order)


def _was_overtaken(change: Change) -> bool:
    return change.made_from is not None and change.revision > change.made_from + 1


def _fault(verdict: Verdict, text: str, order: Order) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=order.job_id)
