"""Whoever files the successor of an execution: what he does next, step by step."""

from dataclasses import dataclass

from shared.domain.executions.states import State
from shared.domain.jobs.job import JobState
from tests.models.chain_rules import Chain
from tests.models.chain_world import NOWHERE, Filer, Filing, Flaw, Row, World

FILED = Row(State.QUEUED, owed=True)
Move = tuple[str, World, Filer]


@dataclass(frozen=True, slots=True)
class Succession:
    """Looks at the clock, and jumps over what was missed or files what is next."""

    chain: Chain
    counts_messages: bool
    flaw: Flaw | None

    def begin(self, world: World, number: int) -> Move:
        """A message of an execution that has started is at work: look at the clock, and judge lateness."""
        following = self.chain.moments()[world.now].following[number]
        if following.immediate >= self.chain.instants:
            return f"filer of {number} is at the end", self._done(world, number), Filer()
        early = self.flaw is Flaw.DONE_TOO_EARLY
        at = Filing.LOOKING if following.target > following.immediate else Filing.FOLLOWING
        filer = Filer(at, number, *following)
        return f"filer of {number} looks at the clock", self._done(world, number) if early else world, filer

    def begin_audit(self, world: World, number: int) -> Move:
        """The reconciler found this execution ended and nothing behind it; a late chain it leaves to a filer."""
        label, after, filer = self.begin(world, number)
        at = Filing.AUDITING if filer.at is Filing.FOLLOWING else filer.at
        return label.replace("filer", "auditor"), after, filer._replace(at=at)

    def move(self, world: World, filer: Filer) -> Move:
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

    def _follow(self, world: World, filer: Filer) -> Move:
        """Put if absent; what stands there is as good, be it an execution, a jump's record or a tombstone."""
        standing = world.rows[filer.immediate]
        behind = filer.immediate + 1
        if standing.state is None:
            world = world.with_row(filer.immediate, FILED)
        elif standing.passed_to != NOWHERE and self.flaw is Flaw.GAP_REFILLED:
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
        record = Row(State.SKIPPED, passed_to=filer.last_missed)
        if world.rows[filer.immediate].state is None and self.flaw is not Flaw.JUMP_UNRECORDED:
            world = world.with_row(filer.immediate, record)
        return world.with_row(filer.target, FILED)._replace(chain_from=filer.target)

    def _done(self, world: World, number: int) -> World:
        """Its message is done with; where messages are not counted, it may come again at any time."""
        if not self.counts_messages:
            return world
        return world.with_row(number, world.rows[number]._replace(owed=False))
