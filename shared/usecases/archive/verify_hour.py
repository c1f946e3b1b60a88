"""Compare the sealed files of an hour with another source: the index of executions by tenant.

Tenants with rows in the files are compared, and some without, chosen at random.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from shared.dataclass import dataclass
from shared.domain.archive.manifest import Manifest
from shared.domain.archive.unit import DAY_MS, ArchiveUnit, hour_end_ms
from shared.domain.errors import UnreadableItemError
from shared.ports.archive import IndexCounts, LatePuts
from shared.ports.runtime import Clock, Entropy, Spread
from shared.ports.tenancy import TenantStore
from shared.usecases.archive.manifests import Manifests

MOST_OTHERS = 100
"""Tenants without a row in the files that are looked up for an hour."""
NAMES_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CountMismatch:
    """A tenant of whose executions the files have too few or too many."""

    hour: int
    tenant_id: str
    archived: int
    indexed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyHour:
    """Reads alone. A record that has expired has left the index, so that the files may have more rows.

    The rows of executions that ended with an attempt cannot have expired within a day of the pass.
    """

    manifests: Manifests
    counts: IndexCounts
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
        names = [*sorted(archived), *self._others(archived)]
        indexed = self.spread(lambda name: self._indexed(name, hour), names)
        mismatches = [
            CountMismatch(hour=hour, tenant_id=name, archived=archived[name], indexed=count)
            for name, count in zip(names, indexed, strict=True)
            if count is not None and not lasting[name] <= count <= archived[name]
        ]
        # After another put, the counts belong to another pass.
        return mismatches if self.late_puts.counter(hour) == counter else []

    def _others(self, archived: Collection[str]) -> list[str]:
        """At most `MOST_OTHERS` of the tenants that the files have no row of."""
        others: list[str] = []
        after: str | None = None
        while names := self.tenants.ids(after=after, limit=NAMES_AT_ONCE):
            others += [name for name in names if name not in archived]
            after = names[-1]
        start = int(self.entropy.draw() * len(others))
        return [*others[start:], *others[:start]][:MOST_OTHERS]

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
