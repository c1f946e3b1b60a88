"""Checks the limits of tenants by what receivers saw: how many calls at once, and how many in ten seconds.

Where the store of limits fails, or a worker stands still or dies, calls are made without them: nothing is checked then.
Nor is a limit whose table throttles for minutes: after half a minute without an answer work goes on without it.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from tests.simulation.evidence import Arrival, Evidence
from tests.simulation.verdicts import Fault, Verdict

WINDOW_MS = 10_000
SLACK_SECONDS = 4
"""A call may begin up to 2.5 s after it was let through, and a window of the clock has one second more."""
AT_ONCE = ("concurrency", "destination_concurrency")
IN_TIME = ("calls_per_second", "destination_calls_per_second")


def check_limits(evidence: Evidence) -> Iterator[Fault]:
    """Every tenant that has any. Its HTTP calls go to one destination, and each target is one of its own."""
    weather = evidence.weather
    if any((weather.throttle, weather.lose_answer, weather.crash, weather.freeze, weather.clock_error_ms)):
        return
    made = [*evidence.calls, *evidence.told, *evidence.alerts]
    for tenant, limits in evidence.limits.items():
        calls = [call for call in made if urlsplit(call.url).netloc.split(".")[0] == tenant]
        places = sorted({call.destination for call in calls})
        of_places = [[call for call in calls if call.destination == place] for place in places]
        yield from (
            fault
            for name, groups in zip(AT_ONCE, ([calls], of_places), strict=True)
            if name in limits and "LimitStore" not in evidence.hot_places
            for group in groups
            for fault in _at_once(tenant, limits[name], group)
        )
        yield from (
            fault
            for name, groups in zip(IN_TIME, ([calls], of_places), strict=True)
            if name in limits and "BudgetStore" not in evidence.hot_places
            for group in groups
            for fault in _in_time(tenant, limits[name], group)
        )


def _at_once(tenant: str, limit: int, calls: list[Arrival]) -> Iterator[Fault]:
    changes = [(call.began_at, 1, number) for number, call in enumerate(calls)]
    changes += [(call.ended_at, -1, number) for number, call in enumerate(calls) if call.ended_at is not None]
    going_on = 0
    for at_ms, change, number in sorted(changes):
        going_on += change
        if going_on > limit:
            yield _fault(f"{going_on} calls of {tenant} at once at {at_ms}, not {limit}", calls[number])
            return


def _in_time(tenant: str, limit: int, calls: list[Arrival]) -> Iterator[Fault]:
    begun = sorted(calls, key=lambda call: call.began_at)
    most = limit * (WINDOW_MS // 1000 + SLACK_SECONDS)
    for first, call in zip(begun, begun[most:], strict=False):
        if call.began_at - first.began_at < WINDOW_MS:
            yield _fault(f"over {most} calls of {tenant} in ten seconds", call)
            return


def _fault(text: str, call: Arrival) -> Fault:
    return Fault(verdict=Verdict.LIMIT, text=text, job_id=call.job_id, execution_id=call.execution_id)
