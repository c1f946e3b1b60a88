"""What everybody who acts on a shard has in common: the moment, and what a change does to those who read before."""

from dataclasses import dataclass

from tests.models import bucket_rules as rules
from tests.models.bucket_rules import Clocks, Moment
from tests.models.filing_world import UNKNOWN, Flaw, Row, Shard, Sweeping, World


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who follows the rules, or has a flaw."""

    clocks: Clocks
    flaw: Flaw | None

    def moment(self, world: World) -> Moment:
        """What is thought of the bucket now."""
        return rules.moment(self.now_ms(world), self.clocks)

    def now_ms(self, world: World) -> int:
        """True time."""
        return rules.instants(self.clocks)[world.now]

    def reopened(self, world: World) -> World:
        """The shard is open, and whoever read it before has read another version."""
        shard = world.shard or Shard()
        if self.flaw is Flaw.VERSION_ANEW:
            return world._replace(shard=shard._replace(version=shard.version + 1))
        return self.forgotten(world._replace(shard=shard))

    def forgotten(self, world: World) -> World:
        """No version that a sweeper has read can be met again."""
        if self.flaw is Flaw.VERSION_ANEW:
            return world
        stale = tuple(
            sweeper._replace(version=UNKNOWN) if sweeper.at >= Sweeping.LISTED else sweeper
            for sweeper in world.sweepers
        )
        return world._replace(sweepers=stale)


def sent(world: World, number: int) -> World:
    """The same with a message for a row in its lane."""
    row: Row = world.rows[number]
    return world.with_row(number, row._replace(sent=True, in_lane=row.is_open))
