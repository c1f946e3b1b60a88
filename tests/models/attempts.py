"""Claim, lease and completion of one execution, by workers that crash, stand still and lose answers.

Messages are counted, not told apart. A worker that is not idle holds one; a crash puts it back into the lane.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.dispatch.sweep import SweepAction
from shared.domain.executions.states import State, Transition
from shared.usecases.attempts.claim_keys import CLAIM_TRIES
from tests.models import attempt_rules as rules
from tests.models.attempt_promises import Promises
from tests.models.attempt_receivers import Receivers
from tests.models.attempt_rules import MAX_REFUNDS, Item
from tests.models.attempt_worker import ANSWER_LOST, Executor, returned
from tests.models.attempt_world import IDLE, Flaw, Phase, Seen, Worker, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """The protocol of one execution. Messages are lost only where a sweeper may make that good."""

    workers: int = 2
    most: int = 2
    messages: int = 2
    sweeps: bool = True
    stalls: bool = False
    """Workers may stand still between the look at their lease and the call."""
    excuses_the_dead: bool = True
    """A call that begins after the end of its lease breaks no promise: it is the duplicate that is admitted."""
    only_lost_answers: bool = False
    """Nothing goes wrong but the answers to claims, and fewer of those than a worker asks for."""
    async_accepted: bool = False
    """Receivers may answer that they work on, and report later, or never."""
    flaw: Flaw | None = None

    def initial(self) -> Iterator[World]:
        """Filed, and sent for."""
        for state in (State.PENDING, State.QUEUED):
            yield World(
                Item(state), (IDLE,) * self.workers, 1, (Seen.NOTHING,) * (self.most + MAX_REFUNDS + 1)
            )

    def is_at_rest(self, world: World) -> bool:
        """Whether it has its outcome."""
        return world.item.state.is_terminal

    def steps(self, world: World) -> Iterator[tuple[str, World]]:
        """Everybody's next steps; of two workers in the same place, one's."""
        executor = Executor(self.most, self.flaw, self.async_accepted)
        for number, worker in enumerate(world.workers):
            if number and worker == world.workers[number - 1]:
                continue
            others = (*world.workers[:number], *world.workers[number + 1 :])
            for label, after, mine in executor.moves(world, worker):
                if label == ANSWER_LOST and self.only_lost_answers and after.answers_lost == CLAIM_TRIES:
                    continue
                yield label, self._with(after, mine, others)
            if worker.phase is not Phase.IDLE and not self.only_lost_answers:
                yield "fault: a worker crashes", self._with(self._crashed(world, worker), IDLE, others)
        yield from self._around(world)
        yield from Receivers(self.most, self.messages, self.flaw).steps(world)

    def _with(self, world: World, mine: Worker, others: tuple[Worker, ...]) -> World:
        """Workers in order, since it does not matter which is which; the item carries one token at most."""
        if mine.owns:
            others = tuple(other._replace(owns=False) for other in others)
        counted = world.answers_lost if self.only_lost_answers else 0
        return world._replace(workers=tuple(sorted((*others, mine))), answers_lost=counted)

    def _crashed(self, world: World, worker: Worker) -> World:
        """Its message comes back, when it was not deleted; a worker that gives up asking leaves the same behind."""
        is_deleted = self.flaw is Flaw.DELETED_BEFORE_COMPLETION and worker.phase is not Phase.GOT
        return world if is_deleted else returned(world)

    def _around(self, world: World) -> Iterator[tuple[str, World]]:
        """The lane, the sweeper, the client, and time."""
        item, messages = world.item, world.messages
        held = sum(worker.phase is not Phase.IDLE for worker in world.workers)
        can_send = messages + held < self.messages
        if can_send and messages and not self.only_lost_answers:
            yield "fault: a message is doubled", returned(world)
        if self.sweeps:
            if messages and not self.only_lost_answers:
                yield "fault: a message is lost", world._replace(messages=messages - 1)
            seen = self._as_swept(item)
            action = rules.swept(seen, self.most)
            if action is SweepAction.RESEND and can_send:
                yield "sweeper sends again", returned(world)
            if action is SweepAction.GIVE_UP and rules.may_give_up(seen, self.most):
                yield "sweeper gives up", world._replace(item=item.after(Transition.GIVE_UP))
        if item.state in Transition.CANCEL.sources:
            yield "client cancels", world._replace(item=item.after(Transition.CANCEL), last=0)
        elif item.state in Transition.FAIL.sources and not item.stop:
            stopped = item._replace(stop=True)
            yield "client stops the retries", world._replace(item=stopped, last=item.attempt)
        if not any(self._holds_up_time(worker) for worker in world.workers):
            yield "time passes", _later(world)

    def _as_swept(self, item: Item) -> Item:
        is_blind = self.flaw is Flaw.LIVE_ATTEMPT_GIVEN_UP and item.state is State.RUNNING
        return item._replace(left=-1) if is_blind else item

    def _holds_up_time(self, worker: Worker) -> bool:
        """A call is aborted at the end of its lease; only a stalled worker lets time go by between look and call."""
        match worker.phase:
            case Phase.GOT:
                return self.only_lost_answers
            case Phase.READY:
                return not self.stalls
            case Phase.CALLING:
                return worker.left == 0 and self.flaw is not Flaw.NO_LEASE_CHECK
        return False

    def broken(self, before: World, label: str, after: World) -> str | None:
        """What is promised of every step."""
        excused = self.stalls and self.excuses_the_dead
        promises = Promises(self.most, excused, self.only_lost_answers)
        return promises.broken(before, label, after)


def _later(world: World) -> World:
    item = world.item
    if item.state is State.RUNNING:
        item = item._replace(left=max(-1, item.left - 1))
    if item.state is State.WAITING:
        item = item._replace(due_in=max(-1, item.due_in - 1))
    workers = (
        worker._replace(left=max(-1, worker.left - 1)) if worker.phase.trusts_its_lease else worker
        for worker in world.workers
    )
    return world._replace(item=item, workers=tuple(sorted(workers)))
