"""What one executor does next, step by step. Between any two steps others act, time passes, or it dies."""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.executions.states import State, Transition
from tests.models import attempt_rules as rules
from tests.models.attempt_rules import LEASE_TICKS, MAX_REFUNDS, RETRY_TICKS
from tests.models.attempt_world import IDLE, Flaw, Phase, Seen, Worker, World

Move = tuple[str, World, Worker]
CALLS = "worker calls attempt "
RECORDS = "worker records attempt "
ANSWER_LOST = "fault: worker claims, and the answer is lost"


@dataclass(frozen=True, slots=True)
class Executor:
    """The rules of a worker, with or without a flaw."""

    most: int
    flaw: Flaw | None
    async_accepted: bool = False
    """Receivers may answer that they work on."""

    def moves(self, world: World, worker: Worker) -> Iterator[Move]:
        """What this worker may do now: a label, the world after it, and the worker after it."""
        match worker.phase:
            case Phase.IDLE:
                if world.messages:
                    taken = world._replace(messages=world.messages - 1)
                    yield "worker receives", taken, Worker(Phase.GOT)
            case Phase.GOT:
                yield from self._ask(world, worker)
            case Phase.CLAIMED:
                yield from self._look_at_lease(world, worker)
            case Phase.READY:
                begun = world.saw(worker.attempt, Seen.BEGUN)
                yield f"{CALLS}{worker.attempt}", begun, worker._replace(phase=Phase.CALLING)
            case Phase.CALLING:
                for label, seen, phase in (*_ANSWERS, *([_WORKS_ON] if self.async_accepted else [])):
                    ended = worker._replace(phase=phase, left=0)
                    yield label, world.saw(worker.attempt, seen), ended
            case Phase.WORKED | Phase.FAILED | Phase.UNSENT:
                yield from self._complete(world, worker)
            case Phase.HEARD:
                yield self._let_it_go_on(world, worker)
            case Phase.RECORDED:
                yield "worker sends for the retry", returned(world), IDLE
            case Phase.FOUND_LOST:
                yield "worker gives up the lost attempt", self._given_up(world, worker), IDLE

    def _ask(self, world: World, worker: Worker) -> Iterator[Move]:
        """Claim, first; a refusal that shows one's own token is a grant."""
        item = world.item
        if self.flaw is Flaw.NO_CLAIM and not item.state.is_terminal:
            yield "worker goes ahead", world, Worker(Phase.CLAIMED, 1, LEASE_TICKS, owns=True)
        elif self._may_claim(world):
            counted = item.attempt + (self.flaw is not Flaw.COUNTED_AFTER)
            claimed = item.after(Transition.CLAIM, attempt=counted, left=LEASE_TICKS)
            granted = Worker(Phase.CLAIMED, item.attempt + 1, LEASE_TICKS, owns=True)
            yield f"worker claims attempt {item.attempt + 1}", world._replace(item=claimed), granted
            unknown = world._replace(item=claimed, answers_lost=world.answers_lost + 1)
            yield ANSWER_LOST, unknown, worker._replace(owns=True)
        elif worker.owns and item.state is State.RUNNING and self.flaw is not Flaw.OWN_CLAIM_UNKNOWN:
            yield (
                "worker sees its own claim",
                world,
                worker._replace(phase=Phase.CLAIMED, attempt=item.attempt, left=item.left),
            )
        else:
            yield self._settle(world)

    def _may_claim(self, world: World) -> bool:
        item = world.item
        if self.flaw is Flaw.NO_LIMIT:
            return rules.may_claim(item._replace(attempt=min(item.attempt, self.most - 1)), self.most)
        if self.flaw is Flaw.LIVE_LEASE_TAKEN and item.state is State.RUNNING:
            return rules.may_claim(item._replace(left=-1), self.most)
        return rules.may_claim(item, self.most)

    def _settle(self, world: World) -> Move:
        """What a refused claim means for the message."""
        item = world.item
        dropped = "worker drops the message", world, IDLE
        kept = "worker returns the message", returned(world), IDLE
        if item.state.is_terminal:
            return dropped
        if item.state is State.WAITING:
            return dropped if self.flaw is Flaw.EARLY_RETRY_DROPPED else kept
        if rules.may_give_up(item, self.most) and not rules.has_attempts_left(item, self.most):
            return "worker finds a lost attempt", world, Worker(Phase.FOUND_LOST, item.attempt)
        if item.goes_on:
            return dropped
        return dropped if self.flaw is Flaw.DROPPED_WHILE_LEASED else kept

    def _look_at_lease(self, world: World, worker: Worker) -> Iterator[Move]:
        """One that is too short is prolonged, if the store answers and nobody has taken over."""
        if rules.covers_the_call(worker.left) or self.flaw is Flaw.NO_LEASE_CHECK:
            yield "worker looks at its lease", world, worker._replace(phase=Phase.READY)
            return
        if self._may_run_on(world, worker) and not world.item.stop:
            prolonged = world.item._replace(left=LEASE_TICKS)
            ready = worker._replace(phase=Phase.READY, left=LEASE_TICKS)
            yield "worker prolongs its lease", world._replace(item=prolonged), ready
        too_short = world.saw(worker.attempt, Seen.NEVER_TO_BE)
        yield "worker finds its lease too short", too_short, worker._replace(phase=Phase.UNSENT, left=0)

    def _may_run_on(self, world: World, worker: Worker) -> bool:
        is_own = worker.owns and world.item.attempt == worker.attempt
        is_own = is_own or self.flaw is Flaw.LEASE_OF_ANOTHER_PROLONGED
        return is_own and world.item.state in Transition.EXTEND.sources

    def _let_it_go_on(self, world: World, worker: Worker) -> Move:
        """From then on there is no message."""
        if not self._may_run_on(world, worker):
            return "worker is fenced", world, IDLE
        going_on = world.item.after(Transition.EXTEND, left=LEASE_TICKS, goes_on=True)
        return "worker lets the attempt go on", world._replace(item=going_on), IDLE

    def _complete(self, world: World, worker: Worker) -> Iterator[Move]:
        """Write the outcome, on condition of one's own attempt and token; a refusal that shows it is a success."""
        transition = self._transition(world, worker)
        item = world.item
        if self._may_complete(world, worker, transition):
            is_refund = transition is Transition.REFUND
            attempt = worker.attempt if self.flaw in _UNCOUNTED else item.attempt
            attempt -= is_refund and self.flaw is Flaw.REFUND_LOWERS_THE_FENCE
            due_in = RETRY_TICKS if transition in _TO_WAITING else 0
            refunded = item.refunded + (is_refund and self.flaw is not Flaw.REFUND_LOWERS_THE_FENCE)
            after = item.after(transition, attempt=attempt, due_in=due_in, refunded=refunded)
            recorded = world._replace(item=after)
            yield f"{RECORDS}{worker.attempt}: {transition.value[0]}", recorded, _recorded(transition, worker)
            yield (
                "fault: worker records an outcome, and the answer is lost",
                recorded,
                worker._replace(owns=False),
            )
        elif item.attempt == worker.attempt and item.state is transition.target:
            yield "worker sees its own outcome", world, _recorded(transition, worker)
        else:
            yield "worker is fenced", world, IDLE

    def _transition(self, world: World, worker: Worker) -> Transition:
        if worker.phase is Phase.WORKED:
            return Transition.SUCCEED
        item = world.item
        is_stopped = item.stop and worker.owns and self.flaw is not Flaw.STOP_IGNORED
        if is_stopped:
            return Transition.FAIL
        is_refundable = item.refunded < MAX_REFUNDS and self.flaw is not Flaw.NOT_REFUNDED
        if worker.phase is Phase.UNSENT and is_refundable:
            return Transition.REFUND
        return Transition.FAIL if worker.attempt - item.refunded >= self.most else Transition.RETRY

    def _may_complete(self, world: World, worker: Worker, transition: Transition) -> bool:
        is_own = worker.owns and (world.item.attempt == worker.attempt or self.flaw in _UNCOUNTED)
        return world.item.state in transition.sources and (is_own or self.flaw is Flaw.NO_FENCE)

    def _given_up(self, world: World, worker: Worker) -> World:
        is_same = world.item.attempt == worker.attempt
        if is_same and rules.may_give_up(world.item, self.most):
            return world._replace(item=world.item.after(Transition.GIVE_UP))
        return world


_UNCOUNTED = (Flaw.COUNTED_AFTER, Flaw.NO_CLAIM)
_TO_WAITING = (Transition.RETRY, Transition.REFUND)
_ANSWERS = (
    ("receiver is content", Seen.ANSWERED_OK, Phase.WORKED),
    ("receiver fails, or the call is aborted", Seen.ENDED, Phase.FAILED),
)
_WORKS_ON = ("receiver works on", Seen.WORKS, Phase.HEARD)


def _recorded(transition: Transition, worker: Worker) -> Worker:
    return Worker(Phase.RECORDED, worker.attempt) if transition in _TO_WAITING else IDLE


def returned(world: World) -> World:
    """The same with one message more in the lane: one that was held, or a fresh one in its place."""
    return world._replace(messages=world.messages + 1)
