"""Runs a drill: break, see the signals, follow the page, see the signals end, account for each job."""

from collections.abc import Callable, Iterator
from typing import Protocol

from tests.drills.drill import Drill
from tests.drills.laptop import Laptop
from tests.drills.watch import Watch

BREAK_MINUTES = 15
"""Longest wait for the signals of a fault."""
HEAL_MINUTES = 20
"""Longest wait for the end of the signals, if the drill itself follows the page."""
ABANDONED_MINUTES = 24 * 60

Say = Callable[[str], None]


class Operator(Protocol):
    """Follows the pages of a drill: a person, or the drill itself."""

    minutes: int
    """For how long the drill waits for the operator."""

    def act(self, drill: Drill) -> None:
        """Do what the pages say, or tell a person to."""


def run(
    drill: Drill, laptop: Laptop, watch: Watch, operator: Operator, minutes: Iterator[int], say: Say
) -> list[str]:
    """Return what went wrong; an empty list if the fault was seen and is healed.

    `minutes` yields the number of each minute when it has ended, with its metrics collected.
    """
    say(f"BREAK  {drill.summary}")
    drill.break_stack(laptop)
    unseen = _await_signals(drill, watch, minutes)
    if unseen:
        return [f"{name} was not on within {BREAK_MINUTES} minutes" for name in unseen]
    drill.before_act(laptop)
    operator.act(drill)
    for count, _ in enumerate(minutes, start=1):
        watch.evaluate(drill.signals)
        left = what_is_left(drill, laptop, watch)
        if not left:
            say(f"HEALED after {count} min")
            return []
        if count >= operator.minutes:
            return [f"not healed after {count} minutes: {sentence}" for sentence in left]
    return ["the drill was left"]


def _await_signals(drill: Drill, watch: Watch, minutes: Iterator[int]) -> set[str]:
    unseen = set(drill.signals)
    for count, _ in enumerate(minutes, start=1):
        watch.evaluate(drill.signals)
        unseen -= {name for name in drill.signals if watch.is_on(name)}
        if not unseen or count >= BREAK_MINUTES:
            break
    return unseen


def what_is_left(drill: Drill, laptop: Laptop, watch: Watch) -> list[str]:
    """What is still broken, a sentence each."""
    left = [f"{name} is on" for name in drill.signals if watch.is_on(name)]
    overdue = [] if drill.leaves_jobs_overdue else laptop.overdue()
    return left + ([f"{len(overdue)} jobs are overdue"] if overdue else [])
