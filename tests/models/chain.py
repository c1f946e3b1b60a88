"""The chain of a recurring job: successors filed many times, jumps over missed instants, and its deletion.

Whoever acts may stand still between any two steps, or die; messages come again; deletions overlap and are repeated.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.executions.states import NOT_STARTED, State, Transition
from shared.domain.jobs.job import JobState
from tests.models.chain_deletion import Deletion
from tests.models.chain_filing import Succession
from tests.models.chain_rules import Chain, Moment
from tests.models.chain_world import NOWHERE, Deleter, Deleting, Filer, Filing, Flaw, Row, World


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainModel:
    """A few instants. Without `retries` an execution has succeeded as soon as it has started."""

    instants: int = 4
    filers: int = 2
    deleters: int = 1
    retries: bool = False
    audits: bool = False
    counts_messages: bool = False
    """Whether a message that is done with is gone; otherwise any may come again, and be done with, at any time."""
    flaw: Flaw | None = None

    @property
    def _chain(self) -> Chain:
        return Chain(self.instants, from_now=self.flaw is Flaw.NEXT_FROM_NOW)

    def initial(self) -> Iterator[World]:
        """The job was created with its first execution."""
        for state in sorted(NOT_STARTED):
            yield World(
                now=0,
                rows=(Row(state, owed=True), *(Row(),) * (self.instants - 1)),
                filers=(Filer(),) * self.filers,
                deleters=(Deleter(),) * self.deleters,
            )

    def is_at_rest(self, world: World) -> bool:
        """Whether the chain has come to its last instant, or somebody has begun to end it."""
        return world.job is not JobState.ACTIVE or world.rows[-1].state is not None

    def steps(self, world: World) -> Iterator[tuple[str, World]]:
        """Everybody's next steps; of two in the same place, one's."""
        chain = self._chain
        succession = Succession(chain, self.counts_messages, self.flaw)
        for number, row in enumerate(world.rows):
            yield from self._execute(world, number, row, chain.moments()[world.now])
        for place, filer in enumerate(world.filers):
            if place and filer == world.filers[place - 1]:
                continue
            others = (*world.filers[:place], *world.filers[place + 1 :])
            if filer.at is Filing.IDLE:
                moves = list(self._begin_filing(world, succession))
            else:
                moves = [succession.move(world, filer), ("fault: a filer dies", world, Filer())]
            for label, after, mine in moves:
                yield label, after._replace(filers=tuple(sorted((*others, mine))))
        yield from self._deletions(world, Deletion(chain, self.flaw))
        if world.now + 1 < len(chain.moments()):
            yield "time passes", world._replace(now=world.now + 1)

    def _execute(self, world: World, number: int, row: Row, moment: Moment) -> Iterator[tuple[str, World]]:
        if row.state in NOT_STARTED:
            if number < moment.startable:
                started = State.RUNNING if self.retries else State.SUCCEEDED
                yield f"worker starts {number}", world.with_row(number, row._replace(state=started))
        elif row.state is State.RUNNING:
            retry = Transition.FAIL if row.stop else Transition.RETRY
            for transition in (Transition.SUCCEED, retry):
                ended = row._replace(state=transition.target)
                yield f"worker records {number}: {transition.value[0]}", world.with_row(number, ended)
        elif row.state is State.WAITING and not row.stop:
            is_gone = world.job is not JobState.ACTIVE and self.flaw is not Flaw.RETRIES_NOT_ASKED
            state, label = (State.FAILED, "finds the job gone at") if is_gone else (State.RUNNING, "retries")
            yield f"worker {label} {number}", world.with_row(number, row._replace(state=state))
        if row.has_started and not row.owed:
            yield "fault: a message comes again", world.with_row(number, row._replace(owed=True))

    def _begin_filing(self, world: World, succession: Succession) -> Iterator[tuple[str, World, Filer]]:
        for number, row in enumerate(world.rows):
            is_taken_on = row.has_started or (row.ends_chain and self.flaw is Flaw.SUCCESSOR_OF_TOMBSTONE)
            if row.owed and is_taken_on:
                yield succession.begin(world, number)
            has_ended = row.state is not None and row.has_started and row.state.is_terminal
            if self.audits and world.job is JobState.ACTIVE and has_ended:
                label, after, mine = succession.begin_audit(world, number)
                yield f"fault: {label}", after, mine

    def _deletions(self, world: World, deletion: Deletion) -> Iterator[tuple[str, World]]:
        for place, deleter in enumerate(world.deleters):
            if place and deleter == world.deleters[place - 1]:
                continue
            others = (*world.deleters[:place], *world.deleters[place + 1 :])
            if deleter.at is Deleting.IDLE:
                moves = [deletion.begin(world)] if world.job is not JobState.DELETED else []
            else:
                moves = [deletion.move(world, deleter), ("fault: a deleter dies", world, Deleter())]
            for label, after, mine in moves:
                yield label, after._replace(deleters=tuple(sorted((*others, mine))))

    def broken(self, before: World, label: str, after: World) -> str | None:
        """What is promised of each instant, and of a deletion."""
        if label.startswith(("worker starts", "worker retries")) and before.job is JobState.DELETED:
            return "after an acknowledged deletion nothing starts"
        for old, new in zip(before.rows, after.rows, strict=True):
            if old.state is not None and old.state.is_terminal and old.state is not new.state:
                return "a terminal state never changes"
        return _broken_filing(before, after) or _broken_gap(after)


def _broken_filing(before: World, after: World) -> str | None:
    is_behind_tombstone = False
    for old, new in zip(before.rows, after.rows, strict=True):
        if old.state is None and new.state in NOT_STARTED and is_behind_tombstone:
            return "nothing is filed behind a tombstone"
        is_behind_tombstone = is_behind_tombstone or old.ends_chain
    return None


def _broken_gap(after: World) -> str | None:
    """Up to the head each instant has its execution, or lies in a recorded gap that has none."""
    head = max(
        (number for number, row in enumerate(after.rows) if row.state and not row.ends_chain), default=0
    )
    passed_to = NOWHERE
    for number, row in enumerate(after.rows[:head]):
        if number <= passed_to:
            if row.state is not None and not row.ends_chain:
                return "what a jump passed over is not executed"
        elif row.state is None:
            return "each instant has an execution, or lies in a recorded gap"
        passed_to = max(passed_to, row.passed_to)
    return None
