"""Compare the sealed files of an hour with another source: the index of executions by tenant.

Tenants with rows in the files are compared, and some without: each hour the next ones in the order of ids, from the
first on again after the last. Any `N / FEWEST_OTHERS` comparisons, rounded up, look up each of N tenants at least once.
How many an hour looks up is drawn, so that no tenant is looked up at the same hours of the day alone.
"""

from collections import Counter
from collections.abc import Container, Sequence

from shared.dataclass import dataclass
from shared.domain.archive.manifest import Manifest
from shared.domain.archive.unit import DAY_MS, ArchiveUnit, hour_end_ms
from shared.domain.errors import UnreadableItemError
from shared.ports.archive import ArchiveUnits, IndexCounts, LatePuts
from shared.ports.runtime import Clock, Entropy, Spread
from shared.ports.tenancy import TenantStore
from shared.usecases.archive.manifests import Manifests

FEWEST_OTHERS, MOST_OTHERS = 50, 150
"""Tenants without a row in the files that are looked up for an hour, as far as there are so many."""
MOST_IDS = 1_000
"""Ids that an hour reads to find them, in two queries at most. If nearly all have rows, it looks up fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountMismatch:
    """A tenant of whose executions the files have too few or too many."""

    hour: int
    tenant_id: str
    archived: int
    indexed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyHour:
    """Reads alone, but for the tenant from which the next comparison goes on.

    A record that has expired has left the index, so that the files may have more rows.

    The rows of executions that ended with an attempt cannot have expired within a day of the pass.
    """

    manifests: Manifests
    counts: IndexCounts
    units: ArchiveUnits
    tenants: TenantStore
    late_puts: LatePuts
    clock: Clock
    spread: Spread
    entropy: Entropy

    def execute(self, units: Sequence[ArchiveUnit]) -> list[CountMismatch]:
        """`units` are all units of one hour. UnavailableError; UnreadableItemError for a broken manifest."""
        hour = units[0].hour
        counter = self.late_puts.counter(hour)
        manifests = [found for unit in units if (found := self._manifest(unit)) is not None]
        archived: Counter[str] = Counter()
        lasting: Counter[str] = Counter()
        for manifest in manifests:
            archived.update(manifest.file.tenants)
            lasting.update(manifest.lasting)
        passed_at = min((manifest.passed_at for manifest in manifests), default=0)
        if self.clock.now_ms() - passed_at >= DAY_MS:
            lasting.clear()
        after = self.units.looked_up_to()
        others, last = self._others(archived, after)
        names = [*sorted(archived), *others]
        indexed = self.spread(lambda name: self._indexed(name, hour), names)
        mismatches = [
            CountMismatch(hour=hour, tenant_id=name, archived=archived[name], indexed=count)
            for name, count in zip(names, indexed, strict=True)
            if count is not None and not lasting[name] <= count <= archived[name]
        ]
        if self.late_puts.counter(hour) != counter:
            # After another put, the counts belong to another pass.
            return []
        if last is not None:
            self.units.note_looked_up(last, after=after)
        return mismatches

    def _others(self, archived: Container[str], after: str | None) -> tuple[list[str], str | None]:
        """The next tenants that the files have no row of, and the last tenant on the way to them."""
        most = FEWEST_OTHERS + int(self.entropy.draw() * (MOST_OTHERS - FEWEST_OTHERS + 1))
        others: list[str] = []
        last = None
        for last in self._next_ids(after):
            if last not in archived:
                others.append(last)
            if len(others) == most:
                break
        return others, last

    def _next_ids(self, after: str | None) -> list[str]:
        """At most `MOST_IDS` ids, each once: those after `after`, and then from the first on."""
        ids = self.tenants.ids(after=after, limit=MOST_IDS)
        if after is None or len(ids) == MOST_IDS:
            return ids
        first = self.tenants.ids(after=None, limit=MOST_IDS - len(ids))
        return [*ids, *(each for each in first if each <= after)]

    def _manifest(self, unit: ArchiveUnit) -> Manifest | None:
        stored = self.manifests.read(unit)
        if stored is not None and not stored.manifest.sealed:
            raise UnreadableItemError(f"the manifest of {unit} is not sealed")
        return stored.manifest if stored is not None else None

    def _indexed(self, tenant_id: str, hour: int) -> int | None:
        """None for a tenant that is gone."""
        tenant = self.tenants.get(tenant_id)
        if tenant is None:
            return None
        until_at = hour_end_ms(hour)
        return self.counts.due_between(tenant_id, tenant.index_shards, hour_end_ms(hour - 1), until_at)
