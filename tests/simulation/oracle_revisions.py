"""Checks the answers to changes: of two that began with the same revision, one is made."""

from collections.abc import Iterator

from tests.simulation.evidence import Order
from tests.simulation.habits import Habits
from tests.simulation.verdicts import Fault, Verdict


def check_revisions(order: Order, habits: Habits) -> Iterator[Fault]:
    """Every acknowledged change of one job. Two pauses of the same moment are one and the same, whoever made it."""
    made: dict[int, str] = {}
    for change in habits.changes:
        if change.made_from is None:
            continue
        if change.made_from in made and {made[change.made_from], change.verb} != {"pause"}:
            text = (
                f"{made[change.made_from]} and {change.verb} were both made from revision {change.made_from}"
            )
            yield Fault(verdict=Verdict.UPDATE, text=text, job_id=order.job_id)
        made[change.made_from] = change.verb
