"""What those who file successors and those who delete the job do next, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.execution import NOT_STARTED, State, Transition
from shared.domain.job import JobState
from tests.models.chain_rules import Chain, Moment
from tests.models.chain_world import NOWHERE, Deleter, Deleting, Filer, Filing, Flaw, Row, World

STOP_TRIES = 4
"""Twice each: stop the retries, or cancel."""
TOMBSTONE = Row(Transition.END_CHAIN.target, ends_chain=True)
FILED = Row(State.QUEUED, owed=True)


@dataclass(frozen=True, slots=True)
class Actors:
    """The rules of everybody, with or without a flaw."""

    chain: Chain
    flaw: Flaw | None

    def moment(self, world: World) -> Moment:
        """What is thought now."""
        return self.chain.moments()[world.now]

    # --- whoever files a successor

    def begin_filing(self, world: World, number: int) -> tuple[str, World, Filer]:
        """A message of an execution that has started is at work: look at the clock, and judge lateness."""
        following = self.moment(world).following[number]
        if following.immediate >= self.chain.instants:
            return f"filer of {number} is at the end", self._done(world, number), Filer()
        early = self.flaw is Flaw.DONE_TOO_EARLY
        at = Filing.LOOKING if following.target > following.immediate else Filing.FOLLOWING
        filer = Filer(at, number, following.immediate, following.target)
        return f"filer of {number} looks at the clock", self._done(world, number) if early else world, filer

    def begin_audit(self, world: World, number: int) -> tuple[str, World, Filer]:
        """The reconciler found this execution ended and nothing behind it; a late chain it leaves to a filer."""
        label, after, filer = self.begin_filing(world, number)
        at = Filing.AUDITING if filer.at is Filing.FOLLOWING else filer.at
        return label.replace("filer", "auditor"), after, filer._replace(at=at)

    def file(self, world: World, filer: Filer) -> tuple[str, World, Filer]:
        """The next step of one filer."""
        immediate = world.rows[filer.immediate]
        match filer.at:
            case Filing.LOOKING:
                is_there = immediate.state is not None and self.flaw is not Flaw.JUMP_UNCONTESTED
                at = Filing.FOLLOWING if is_there else Filing.JUMPING
                return "filer looks for the immediate successor", world, filer._replace(at=at)
            case Filing.JUMPING:
                if not self._may_jump(world, filer):
                    return "filer may not jump", world, filer._replace(at=Filing.FOLLOWING)
                return "filer jumps", self._done(self._jumped(world, filer), filer.number), Filer()
            case Filing.AUDITING:
                may = world.job is JobState.ACTIVE and immediate.state is None
                filed = world.with_row(filer.immediate, FILED) if may else world
                return "auditor files the next", filed, Filer()
            case _:
                return self._follow(world, filer)

    def _follow(self, world: World, filer: Filer) -> tuple[str, World, Filer]:
        """Put if absent; what stands there is as good, be it an execution, a jump's record or a tombstone."""
        standing = world.rows[filer.immediate]
        behind = filer.immediate + 1
        if standing.state is None:
            world = world.with_row(filer.immediate, FILED)
        elif standing.resumed != NOWHERE and self.flaw is Flaw.GAP_REFILLED:
            return "filer goes on behind the record", world, filer._replace(immediate=behind)
        return f"filer files {filer.immediate}", self._done(world, filer.number), Filer()

    def _may_jump(self, world: World, filer: Filer) -> bool:
        is_active = world.job is JobState.ACTIVE or self.flaw is Flaw.JUMP_UNGUARDED
        is_free = world.rows[filer.immediate].state is None or self.flaw is Flaw.JUMP_UNCONTESTED
        return (
            is_active
            and is_free
            and world.rows[filer.target].state is None
            and world.chain_from < filer.target
        )

    def _jumped(self, world: World, filer: Filer) -> World:
        record = Row(State.SKIPPED, resumed=filer.target)
        if world.rows[filer.immediate].state is None and self.flaw is not Flaw.JUMP_UNRECORDED:
            world = world.with_row(filer.immediate, record)
        return world.with_row(filer.target, FILED)._replace(chain_from=filer.target)

    def _done(self, world: World, number: int) -> World:
        return world.with_row(number, world.rows[number]._replace(owed=False))

    # --- whoever deletes the job

    def delete(self, world: World, deleter: Deleter) -> tuple[str, World, Deleter]:
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

    def begin_delete(self, world: World) -> tuple[str, World, Deleter]:
        """A client asks for it: mark the job first, then find where its chain ends."""
        moment, last = self.moment(world), self.chain.instants - 1
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

    def _probe(self, world: World, deleter: Deleter) -> tuple[str, World, Deleter]:
        """Newest first, by strong reads, down to where the chain has no gap any more."""
        is_found = world.rows[deleter.position].state is not None or deleter.position <= deleter.chain_from
        if not is_found:
            return "deleter probes", world, deleter._replace(position=deleter.position - 1)
        at = Deleting.BEGINNING if self.flaw is Flaw.PROBED_TOO_EARLY else Deleting.ENTOMBING
        return "deleter finds the head", world, deleter._replace(at=at)

    def _entomb(self, world: World, deleter: Deleter) -> tuple[str, World, Deleter]:
        standing = world.rows[deleter.position]
        if standing.state is None:
            put = world.with_row(deleter.position, TOMBSTONE)
            return f"deleter puts a tombstone at {deleter.position}", put, self._go_on(world, deleter, True)
        if standing.state in NOT_STARTED:
            return "deleter meets an execution", world, deleter._replace(at=Deleting.ENDING)
        return "deleter goes on", world, self._go_on(world, deleter, standing.ends_chain)

    def _end(self, world: World, deleter: Deleter) -> tuple[str, World, Deleter]:
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
            begun = self.moment(world).begun
            return Deleter(Deleting.READING, begun - 1) if begun else Deleter(Deleting.CONCLUDING)
        return deleter._replace(at=Deleting.ENTOMBING, position=deleter.position + 1, stuck=stuck)

    def _stop(self, world: World, deleter: Deleter) -> tuple[str, World, Deleter]:
        """Stop the retries of what runs, or cancel what waits: one write, refused where it does not apply."""
        row = world.rows[deleter.position]
        if deleter.tries % 2 == 0 and row.state in Transition.FAIL.sources:
            after = world.with_row(deleter.position, row._replace(stop=True))
            return "deleter stops the retries", after, _read_on(deleter)
        if deleter.tries % 2 and row.state in Transition.CANCEL.sources:
            after = world.with_row(deleter.position, row._replace(state=Transition.CANCEL.target))
            return "deleter cancels", after, _read_on(deleter)
        tries = deleter.tries + 1
        return "deleter is refused", world, (
            _read_on(deleter) if tries == STOP_TRIES else deleter._replace(tries=tries)
        )


def _marked(world: World) -> World:
    return world._replace(job=JobState.DELETING) if world.job is JobState.ACTIVE else world


def _read_on(deleter: Deleter) -> Deleter:
    if deleter.position == 0:
        return Deleter(Deleting.CONCLUDING)
    return Deleter(Deleting.READING, deleter.position - 1)
