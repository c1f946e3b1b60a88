"""Whoever deletes the job: what the deletion does next, step by step."""

from dataclasses import dataclass

from shared.domain.executions.states import NOT_STARTED, State, Transition
from shared.domain.jobs.job import JobState
from tests.models.chain_rules import Chain
from tests.models.chain_world import Deleter, Deleting, Flaw, Row, World

STOP_TRIES = 4
"""Twice each: stop the retries, or cancel."""
TOMBSTONE = Row(Transition.END_CHAIN.target, ends_chain=True)
Move = tuple[str, World, Deleter]


@dataclass(frozen=True, slots=True)
class Deletion:
    """Marks the job, finds the head, puts tombstones from there, stops what had started, acknowledges."""

    chain: Chain
    flaw: Flaw | None

    def move(self, world: World, deleter: Deleter) -> Move:
        """The next step of one deletion."""
        match deleter.at:
            case Deleting.PROBING:
                return self._probe(world, deleter)
            case Deleting.BEGINNING:
                return "deleter marks the job", _marked(world), deleter._replace(at=Deleting.ENTOMBING)
            case Deleting.ENTOMBING:
                return self._entomb(world, deleter)
            case Deleting.ENDING:
                return self._end(world, deleter)
            case Deleting.READING:
                is_open = world.rows[deleter.position].state in (State.RUNNING, State.WAITING)
                found = deleter._replace(at=Deleting.STOPPING, tries=0)
                return "deleter reads", world, found if is_open else _read_on(deleter)
            case Deleting.STOPPING:
                return self._stop(world, deleter)
            case _:
                deleted = JobState.DELETED if world.job is JobState.DELETING else world.job
                return "deleter acknowledges", world._replace(job=deleted), Deleter()

    def begin(self, world: World) -> Move:
        """A client asks for it: mark the job first, then find where its chain ends."""
        moment, last = self.chain.moments()[world.now], self.chain.instants - 1
        head = Deleter(
            Deleting.PROBING, min(moment.upper, last), world.chain_from, far=min(moment.upper, last)
        )
        if self.flaw is Flaw.ACKNOWLEDGED_TOO_EARLY:
            return "client deletes", world._replace(job=JobState.DELETED), head
        if self.flaw is Flaw.PROBED_TOO_EARLY:
            return "client deletes", world, head
        if self.flaw is Flaw.HEAD_COUNTED:
            head = head._replace(at=Deleting.ENTOMBING, position=max(0, moment.startable - 1))
        return "client deletes", _marked(world), head

    def _probe(self, world: World, deleter: Deleter) -> Move:
        """Newest first, by strong reads, down to where the chain has no gap any more."""
        is_found = world.rows[deleter.position].state is not None or deleter.position <= deleter.chain_from
        if not is_found:
            return "deleter probes", world, deleter._replace(position=deleter.position - 1)
        at = Deleting.BEGINNING if self.flaw is Flaw.PROBED_TOO_EARLY else Deleting.ENTOMBING
        return "deleter finds the head", world, deleter._replace(at=at)

    def _entomb(self, world: World, deleter: Deleter) -> Move:
        standing = world.rows[deleter.position]
        if standing.state is None:
            put = world.with_row(deleter.position, TOMBSTONE)
            return f"deleter puts a tombstone at {deleter.position}", put, self._go_on(world, deleter, True)
        if standing.state in NOT_STARTED:
            return "deleter meets an execution", world, deleter._replace(at=Deleting.ENDING)
        return "deleter goes on", world, self._go_on(world, deleter, standing.ends_chain)

    def _end(self, world: World, deleter: Deleter) -> Move:
        standing = world.rows[deleter.position]
        if standing.state in Transition.END_CHAIN.sources:
            ended = standing._replace(state=Transition.END_CHAIN.target, ends_chain=True)
            after = world.with_row(deleter.position, ended)
            return f"deleter ends the chain at {deleter.position}", after, self._go_on(world, deleter, True)
        return "deleter is too late", world, self._go_on(world, deleter, standing.ends_chain)

    def _go_on(self, world: World, deleter: Deleter, sticks: bool) -> Deleter:
        """Until a tombstone has stuck and they reach far enough; then stop what had started."""
        stuck = deleter.stuck or sticks
        is_enough = stuck and deleter.position >= deleter.far
        last = self.chain.instants - 1
        if is_enough or deleter.position == last or self.flaw is Flaw.ONE_TOMBSTONE:
            begun = self.chain.moments()[world.now].begun
            return Deleter(Deleting.READING, begun - 1) if begun else Deleter(Deleting.CONCLUDING)
        return deleter._replace(at=Deleting.ENTOMBING, position=deleter.position + 1, stuck=stuck)

    def _stop(self, world: World, deleter: Deleter) -> Move:
        """Stop the retries of what runs, or cancel what waits: one write, refused where it does not apply."""
        row = world.rows[deleter.position]
        if deleter.tries % 2 == 0 and row.state in Transition.FAIL.sources:
            after = world.with_row(deleter.position, row._replace(stop=True))
            return "deleter stops the retries", after, _read_on(deleter)
        if deleter.tries % 2 and row.state in Transition.CANCEL.sources:
            after = world.with_row(deleter.position, row._replace(state=Transition.CANCEL.target))
            return "deleter cancels", after, _read_on(deleter)
        tries = deleter.tries + 1
        return (
            "deleter is refused",
            world,
            (_read_on(deleter) if tries == STOP_TRIES else deleter._replace(tries=tries)),
        )


def _marked(world: World) -> World:
    return world._replace(job=JobState.DELETING) if world.job is JobState.ACTIVE else world


def _read_on(deleter: Deleter) -> Deleter:
    if deleter.position == 0:
        return Deleter(Deleting.CONCLUDING)
    return Deleter(Deleting.READING, deleter.position - 1)
