"""Whoever pauses, resumes or updates the job, or finishes what another began: what he does next, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass

from shared.domain.executions.states import State
from shared.domain.jobs.job import CHANGING, JobState
from tests.models.chain_change_world import NEW, OLD, ChangedWorld, Changer, Changing, Flaw
from tests.models.chain_deletion import Deletion
from tests.models.chain_filing import FILED
from tests.models.chain_rules import Chain, Following
from tests.models.chain_world import NOWHERE, Deleter, Deleting, Row, World

Move = tuple[str, ChangedWorld, Changer]


def view(world: ChangedWorld, chain: int) -> World:
    """One chain as those see it who file in it: its job is active only while the chain is the present one."""
    is_active = world.job is JobState.ACTIVE and chain == world.chain
    return World(
        now=world.now,
        rows=world.chains[chain],
        filers=(),
        deleters=(),
        job=JobState.ACTIVE if is_active else JobState.DELETING,
        chain_from=world.chain_from if chain == world.chain else len(world.chains[chain]),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """Marks the job, ends its chain as a deletion does, and begins another where one is wanted."""

    chain: Chain
    kinds: tuple[JobState, ...]
    revisions: int
    flaw: Flaw | None

    @property
    def _last(self) -> int:
        return self.chain.instants - 1

    def begin(self, world: ChangedWorld) -> Iterator[Move]:
        """What somebody may do who has not begun anything."""
        may_begin = world.revision < self.revisions and not (world.chain == NEW and world.is_update)
        if world.job is JobState.ACTIVE and may_begin:
            for kind in self.kinds if world.chain == OLD else (JobState.PAUSING,):
                yield (
                    f"client sees the job: {kind.value}",
                    world,
                    Changer(Changing.DECIDING, kind, world.revision, world.chain),
                )
        if world.job in CHANGING:
            yield "reconciler finishes", world, self._probing(world, world.job, world.revision)
        if world.job is JobState.PAUSED and world.chain == OLD:
            yield "owner resumes", self._resumed(world), Changer()

    def move(self, world: ChangedWorld, mine: Changer) -> Move:
        """The next step of somebody who changes the job."""
        match mine.at:
            case Changing.DECIDING:
                return self._decide(world, mine)
            case Changing.PROBING:
                return (
                    "changer finds the head",
                    world,
                    mine._replace(at=Changing.ENDING, ending=self._head(world, mine)),
                )
            case Changing.ENDING:
                return self._end(world, mine)
            case _:
                return self._finalize(world, mine)

    def _probing(self, world: ChangedWorld, kind: JobState, seen: int) -> Changer:
        return Changer(Changing.PROBING, kind, seen, world.chain)

    def _decide(self, world: ChangedWorld, mine: Changer) -> Move:
        """Compare and swap."""
        is_seen = world.revision == mine.seen or self.flaw is Flaw.EDITED_WITHOUT_IF_MATCH
        if world.job is not JobState.ACTIVE or not is_seen:
            return "changer is refused", world, Changer()
        revision = world.revision + 1
        changed = (*world.changed, mine.seen)
        marked = world._replace(job=mine.kind, revision=revision, changed=changed)
        return f"changer begins: {mine.kind.value}", marked, self._probing(marked, mine.kind, revision)

    def _head(self, world: ChangedWorld, mine: Changer) -> Deleter:
        moment, rows = self.chain.moments()[world.now], world.chains[mine.chain]
        upper = min(moment.upper, self._last)
        lowest = world.begins if mine.chain == NEW else 0
        found = (number for number in range(upper, lowest - 1, -1) if rows[number].state is not None)
        far = moment.startable - 1 if self.flaw is Flaw.ONLY_DUE_ENTOMBED else upper
        return Deleter(Deleting.ENTOMBING, next(found, lowest), far=far)

    def _end(self, world: ChangedWorld, mine: Changer) -> Move:
        row = world.chains[mine.chain][mine.ending.position]
        is_over = row.passed_to != NOWHERE and row.ends_chain and self.flaw is not Flaw.RECORD_PASSED_BY
        is_due = mine.ending.position <= mine.ending.far
        if is_over or (self.flaw is Flaw.ONLY_DUE_ENTOMBED and not is_due):
            return "changer has ended the chain", world, mine._replace(at=Changing.CONCLUDING)
        label, after, ending = Deletion(self.chain, None).move(view(world, mine.chain), mine.ending)
        at = Changing.ENDING
        if ending.at in (Deleting.READING, Deleting.CONCLUDING):
            at, ending = Changing.CONCLUDING, Deleter(position=mine.ending.position)
        return label, world.with_rows(mine.chain, after.rows), mine._replace(at=at, ending=ending)

    def _finalize(self, world: ChangedWorld, mine: Changer) -> Move:
        """Compare and swap: only who finds the change still going on ends it."""
        if (world.job, world.revision) != (mine.kind, mine.seen):
            return "changer finds it done", world, Changer()
        rows, through = world.chains[mine.chain], mine.ending.position
        first = through + 1
        while first > 0 and rows[first - 1].ends_chain:
            first -= 1
        if mine.kind is JobState.PAUSING:
            paused = world._replace(job=JobState.PAUSED, ended_after=first - 1, ended_through=through)
            return "changer acknowledges the pause", paused, Changer()
        after = first - 1
        if self.flaw is Flaw.UPDATED_FROM_NOW:
            after = max(after, self.chain.moments()[world.now].passed - 1)
        if self.flaw is Flaw.UPDATED_FROM_THE_END:
            after = through
        return "changer acknowledges the update", self._restarted(world, after, is_update=True), Changer()

    def _resumed(self, world: ChangedWorld) -> ChangedWorld:
        """After now, and after whatever had begun; the one record goes where no tombstone stands."""
        now = self.chain.moments()[world.now].passed - 1
        after = max(world.ended_after, now)
        if self.flaw is Flaw.RESUMED_FROM_NOW_ALONE:
            after = now
        if self.flaw is Flaw.RESUMED_FROM_THE_END:
            after = world.ended_through
        place, rows = world.ended_through + 1, world.chains[OLD]
        while place <= after and rows[place].state is not None and self.flaw is not Flaw.RECORD_IN_ONE_PLACE:
            place += 1
        if place <= after and rows[place].state is not None:
            return world
        if place <= after and self.flaw is not Flaw.PAUSE_UNRECORDED:
            record = Row(State.SKIPPED, ends_chain=True, passed_to=after)
            world = world.with_row(OLD, place, record)
        return self._restarted(world._replace(revision=world.revision + 1), after, is_update=False)

    def _restarted(self, world: ChangedWorld, after: int, *, is_update: bool) -> ChangedWorld:
        """The new chain, with its first execution and, where that is late, the record of what it jumps over."""
        moment = self.chain.moments()[world.now]
        following: Following = moment.first if after == NOWHERE else moment.following[after]
        started = world._replace(
            job=JobState.ACTIVE, chain=NEW, begins=after + 1, chain_from=following.target, is_update=is_update
        )
        if following.target > self._last:
            return started._replace(job=JobState.COMPLETED)
        if following.target > following.immediate:
            record = Row(State.SKIPPED, passed_to=following.last_missed)
            started = started.with_row(NEW, following.immediate, record)
        return started.with_row(NEW, following.target, FILED)
