"""How far the archive is rid of a deleted tenant."""

from shared.dataclass import dataclass

FORGET_AFTER_MS = 3_600_000
"""From the end of the deletion. A pass of the archiver that began before it ends within a quarter of an hour, and a
pass that begins later leaves the tenant out."""

RESTORABLE_MS = 36 * 86_400_000
"""From the instant at which the archive is rid of a tenant. Point-in-time recovery reaches 35 days back, so that a
restored table may have rows of the tenant: passes leave it out for this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """The statistics of the tenant go first, and then its rows, hour by hour."""

    hour: int = 0
    """No file of an earlier hour has a row of the tenant."""
    has_statistics: bool = True
    """Whether sums of the tenant may be left."""
    rows: int = 0
    """Archived executions that the deleted sums counted. A run that crashed may have deleted more."""
    looked_at: int = 0
    """Files whose manifests were read."""
    rewritten: int = 0
    """Files that were replaced, each for all tenants that waited."""
    ended_at: int | None = None
