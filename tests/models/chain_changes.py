"""A recurring job that is paused, resumed and updated while it runs: an old chain ends, a new one begins.

Whoever acts may stand still between any two steps, or die; messages come again; changes overlap.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.executions.states import NOT_STARTED, State
from shared.domain.jobs.job import JobState
from tests.models.chain_change_steps import Change, view
from tests.models.chain_change_world import NEW, OLD, ChangedWorld, Changer, Changing, Flaw
from tests.models.chain_filing import Succession
from tests.models.chain_rules import Chain
from tests.models.chain_world import NOWHERE, Filer, Filing, Row
from tests.models.chain_world import Flaw as FlawOfChain


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeModel:
    """A few instants; an execution has succeeded as soon as it has started, and its message may come at any time."""

    instants: int = 3
    changers: int = 1
    kinds: tuple[JobState, ...] = (JobState.PAUSING, JobState.UPDATING)
    revisions: int = 4
    """No change begins that would lead to a later one."""
    audits: bool = False
    works: bool = True
    """Whether there are executors; without them nothing ever starts, and time may pass for long."""
    flaw: Flaw | None = None

    @property
    def _chain(self) -> Chain:
        return Chain(self.instants)

    def initial(self) -> Iterator[ChangedWorld]:
        """The job was created with its first execution."""
        empty = (Row(),) * self.instants
        first = (Row(State.QUEUED, owed=True), *empty[1:])
        yield ChangedWorld(now=0, chains=(first, empty), changers=(Changer(),) * self.changers)

    def is_at_rest(self, world: ChangedWorld) -> bool:
        """Whether the job has come to its last instant, is paused for good, or has ended."""
        if world.job is JobState.ACTIVE:
            return world.chains[world.chain][-1].state is not None or not self.works
        return world.job is JobState.COMPLETED or (world.job is JobState.PAUSED and world.chain == NEW)

    def steps(self, world: ChangedWorld) -> Iterator[tuple[str, ChangedWorld]]:
        """Everybody's next steps."""
        if self.works:
            yield from self._start(world)
            yield from self._file(world)
        yield from self._change(world)
        if world.now + 1 < len(self._chain.moments()):
            yield "time passes", world._replace(now=world.now + 1)

    def _start(self, world: ChangedWorld) -> Iterator[tuple[str, ChangedWorld]]:
        startable = self._chain.moments()[world.now].startable
        for chain in (OLD, NEW):
            for number, row in enumerate(world.chains[chain][:startable]):
                if row.state in NOT_STARTED:
                    started = row._replace(state=State.SUCCEEDED)
                    yield f"worker starts {number} of {chain}", world.with_row(chain, number, started)

    def _file(self, world: ChangedWorld) -> Iterator[tuple[str, ChangedWorld]]:
        is_careless = self.flaw is Flaw.SUCCESSOR_OF_TOMBSTONE
        succession = Succession(
            self._chain,
            counts_messages=False,
            flaw=FlawOfChain.SUCCESSOR_OF_TOMBSTONE if is_careless else None,
        )
        if world.filer.at is not Filing.IDLE:
            yield "fault: a filer dies", world._replace(filer=Filer(), filed_in=OLD)
            yield self._move_filer(world, succession)
            return
        for chain in (OLD, NEW):
            for number, row in enumerate(world.chains[chain]):
                if row.has_started or (row.ends_chain and is_careless):
                    label, _, filer = succession.begin(view(world, chain), number)
                    yield label, world._replace(filer=filer, filed_in=chain)
                    if (
                        self.audits
                        and row.has_started
                        and world.job is JobState.ACTIVE
                        and chain == world.chain
                    ):
                        label, _, filer = succession.begin_audit(view(world, chain), number)
                        yield f"fault: {label}", world._replace(filer=filer, filed_in=chain)

    def _move_filer(self, world: ChangedWorld, succession: Succession) -> tuple[str, ChangedWorld]:
        seen = view(world, world.filed_in)
        label, after, filer = succession.move(seen, world.filer)
        moved = world.with_rows(world.filed_in, after.rows)._replace(filer=filer)
        if after.chain_from != seen.chain_from:
            moved = moved._replace(chain_from=after.chain_from)
        return label, moved if filer.at is not Filing.IDLE else moved._replace(filed_in=OLD)

    def _change(self, world: ChangedWorld) -> Iterator[tuple[str, ChangedWorld]]:
        change = Change(self._chain, self.kinds, self.revisions, self.flaw)
        for place, changer in enumerate(world.changers):
            if place and changer == world.changers[place - 1]:
                continue
            others = (*world.changers[:place], *world.changers[place + 1 :])
            if changer.at is Changing.IDLE:
                moves = list(change.begin(world))
            else:
                moves = [change.move(world, changer), ("fault: a changer dies", world, Changer())]
            for label, after, mine in moves:
                yield label, after._replace(changers=tuple(sorted((*others, mine))))

    def broken(self, before: ChangedWorld, label: str, after: ChangedWorld) -> str | None:
        """What is promised of each instant, of a pause and of an update."""
        if label.startswith("worker starts") and before.job in (JobState.PAUSED, JobState.COMPLETED):
            return "after an acknowledged pause nothing starts"
        passed = self._chain.moments()[after.now].passed
        if label == "owner resumes" and any(row.state in NOT_STARTED for row in after.chains[NEW][:passed]):
            return "a resumption starts strictly after now"
        if len(set(after.changed)) < len(after.changed):
            return "of two changes of one revision one is made"
        old, new = after.chains
        for number in range(self.instants):
            if old[number].has_started and new[number].has_started:
                return "no instant starts twice"
        if any(row.state in NOT_STARTED for row in old) and after.chain == NEW:
            return "nothing is left to start of a chain that has ended"
        return self._broken_account(after)

    def _broken_account(self, world: ChangedWorld) -> str | None:
        """Each instant is told of once: by the old chain, or from `begins` on by the new one up to its head."""
        old, new = world.chains
        if world.chain == NEW:
            for number in range(world.begins):
                if _told(old, 0, number) != 1:
                    return "each instant before the new chain has exactly one record in the old one"
                if world.is_update and old[number].ends_chain:
                    return "an update passes over no instant"
        rows = world.chains[world.chain]
        begins = world.begins if world.chain == NEW else 0
        head = max((n for n, row in enumerate(rows) if row.state and not row.ends_chain), default=NOWHERE)
        if any(_told(rows, begins, number) != 1 for number in range(begins, head + 1)):
            return "each instant up to the head has exactly one record"
        if any(row.state is not None for row in new[: world.begins]):
            return "a new chain has nothing before its beginning"
        return None


def _told(rows: tuple[Row, ...], begins: int, number: int) -> int:
    gaps = sum(row.passed_to >= number for row in rows[begins:number])
    return gaps + (rows[number].state is not None)
