"""Receivers that work on: each may be heard of, report, or fall silent, whatever has become of its attempt."""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.executions.states import Transition
from tests.models import attempt_rules as rules
from tests.models.attempt_rules import LEASE_TICKS, RETRY_TICKS
from tests.models.attempt_worker import returned
from tests.models.attempt_world import IDLE, Flaw, Seen, World


@dataclass(frozen=True, slots=True)
class Receivers:
    """What they send counts only while their own attempt runs."""

    most: int
    messages: int
    flaw: Flaw | None

    def steps(self, world: World) -> Iterator[tuple[str, World]]:
        """What they may send now, and what it leads to."""
        for attempt, seen in enumerate(world.seen):
            if seen is Seen.WORKS and self._counts(world, attempt):
                yield from self._reports(world, attempt)

    def _counts(self, world: World, attempt: int) -> bool:
        is_own = world.item.attempt == attempt or self.flaw is Flaw.REPORT_UNFENCED
        return is_own and world.item.state in Transition.EXTEND.sources

    def _reports(self, world: World, attempt: int) -> Iterator[tuple[str, World]]:
        item = world.item
        heard = item.after(Transition.EXTEND, left=LEASE_TICKS, goes_on=True)
        yield f"receiver of attempt {attempt} is heard of", world._replace(item=heard)
        done = world.saw(attempt, Seen.ANSWERED_OK)
        yield f"receiver reports attempt {attempt} done", done._replace(item=item.after(Transition.SUCCEED))
        failed = world.saw(attempt, Seen.ENDED)
        label = f"receiver reports attempt {attempt} failed"
        if not rules.has_attempts_left(item, self.most):
            yield label, failed._replace(item=item.after(Transition.FAIL))
            return
        waiting = failed._replace(item=item.after(Transition.RETRY, due_in=RETRY_TICKS))
        yield f"fault: {label}, and its message is lost", waiting
        held = sum(worker != IDLE for worker in world.workers)
        if world.messages + held < self.messages:
            yield label, returned(waiting)
