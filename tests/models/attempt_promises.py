"""What is promised of one execution, whatever happens."""

from dataclasses import dataclass

from shared.domain.executions.states import State
from tests.models.attempt_rules import MAX_REFUNDS, Item
from tests.models.attempt_worker import CALLS, RECORDS
from tests.models.attempt_world import IDLE, Phase, Seen, Worker, World


@dataclass(frozen=True, slots=True)
class Promises:
    """`excuses_the_dead`: a call that begins after the end of its lease is let pass. `nobody_dies`: not a worker."""

    most: int
    excuses_the_dead: bool
    nobody_dies: bool

    def broken(self, before: World, label: str, after: World) -> str | None:
        """Which promise a step breaks."""
        if before.item.state.is_terminal and after.item != before.item:
            return "a terminal state never changes"
        if after.item.attempt - after.item.refunded > self.most:
            return "no more attempts than max_attempts"
        if (
            label.startswith(RECORDS)
            and int(label.removeprefix(RECORDS).partition(":")[0]) < before.item.attempt
        ):
            return "the completion of an attempt that was overtaken changes nothing"
        if label.startswith(CALLS):
            broken = self._broken_call(before, int(label.removeprefix(CALLS)), after)
            if broken:
                return broken
        owners = [worker for worker in after.workers if worker.phase.trusts_its_lease and worker.left >= 0]
        if any(not _is_owner(worker, after.item) for worker in owners):
            return "whoever holds a live lease owns the execution, alone"
        if after.item.state is State.SUCCEEDED and after.seen[after.item.attempt] is not Seen.ANSWERED_OK:
            return "a success is the last attempt's, and the receiver saw it"
        is_over = after.item.state.is_terminal and set(after.workers) == {IDLE}
        if self.nobody_dies and is_over and Seen.NOTHING in after.seen[1 : after.item.attempt + 1]:
            return "where no worker dies no attempt is counted for nothing"
        if label.startswith(RECORDS) and _costs_an_attempt(before, after):
            return "a claim without a call costs no attempt"
        return None

    def _broken_call(self, before: World, attempt: int, after: World) -> str | None:
        """The receiver's view of the beginning of a call."""
        if before.seen[attempt] is not Seen.NOTHING:
            return "each attempt's number is used for one call at most"
        callers = [worker for worker in after.workers if worker.phase is Phase.CALLING]
        if self.excuses_the_dead:
            callers = [worker for worker in callers if worker.left >= 0]
        if 0 <= before.last < attempt and attempt in [worker.attempt for worker in callers]:
            return "no call begins after an acknowledged cancel"
        return "one call at a time" if len(callers) > 1 else None


def _costs_an_attempt(before: World, after: World) -> bool:
    """Whether a worker that made no call recorded an attempt; one that is stopped, or overtaken, has no choice."""
    recorded_unsent = any(worker.phase is Phase.UNSENT and worker.owns for worker in before.workers)
    is_refundable = before.item.refunded < MAX_REFUNDS and not before.item.stop
    is_counted = after.item.attempt - after.item.refunded >= before.item.attempt - before.item.refunded
    return recorded_unsent and is_refundable and is_counted


def _is_owner(worker: Worker, item: Item) -> bool:
    return item.state is State.RUNNING and worker.owns
