"""Keys of the archive in the leases table, of statistics, and of counts in the index by tenant."""

from shared.domain.archive.unit import ArchiveUnit

ARCHIVE_UNITS, LATE_PUTS = "unit#", "dirty#"
ALL_TENANTS = "*"
"""In place of the id of a tenant, which has no such character."""


def archive_planned_key(region: str) -> tuple[str, str]:
    """The last hour whose units are listed."""
    return f"{region}#archive", "planned"


def looked_up_key(region: str) -> tuple[str, str]:
    """The last tenant that the comparisons of hours have looked up."""
    return f"{region}#archive", "looked-up"


def archive_unit_key(region: str, unit: ArchiveUnit) -> tuple[str, str]:
    """A unit of the archive that is not sealed; the units sort by hour."""
    return f"{region}#archive", f"{ARCHIVE_UNITS}{unit.hour:07d}#{unit.group:05d}"


def late_puts_key(region: str, hour: int) -> tuple[str, str]:
    """The counter of late puts into an hour."""
    return f"{region}#archive#late", f"{LATE_PUTS}{hour:07d}"


def sealed_counter_key(region: str, unit: ArchiveUnit) -> tuple[str, str]:
    """The counter with which a unit was sealed, beside the counters of late puts."""
    return f"{region}#archive#late", archive_unit_key(region, unit)[1]


def parse_archive_sk(sk: str) -> ArchiveUnit:
    """The unit of a sort key of `archive_unit_key`; ValueError for any other text."""
    hour, group = sk.removeprefix(ARCHIVE_UNITS).split("#")
    return ArchiveUnit(hour=int(hour), group=int(group))


def due_between_keys(from_at: int, until_at: int) -> tuple[str, str]:
    """The first and the last sort key, both inclusive, of the positions in [from_at, until_at)."""
    return f"{from_at:015d}", f"{until_at - 1:015d}#~"


def hour_sums_key(
    region: str, tenant_id: str | None, unit: ArchiveUnit, workflow_id: str | None = None
) -> tuple[str, str]:
    """The statistics of a tenant in a unit, or of all tenants for None; they sort by hour.

    Those of the tasks of a workflow are beside them, so that a tenant is forgotten by one partition.
    """
    kind = "h" if workflow_id is None else f"w#{workflow_id}"
    return f"{region}#{tenant_id or ALL_TENANTS}", f"{kind}#{unit.hour:07d}#{unit.group:05d}"


def parse_hour_sums_sk(sk: str) -> ArchiveUnit:
    """The unit of a sort key of `hour_sums_key`; ValueError for any other text."""
    *_, hour, group = sk.split("#")
    return ArchiveUnit(hour=int(hour), group=int(group))


def is_of_workflow(sk: str) -> bool:
    """Whether a sort key is that of the statistics of a workflow."""
    return sk.startswith("w#")


def day_jobs_key(region: str, tenant_id: str | None, day: int) -> tuple[str, str]:
    """The busiest jobs of a tenant in a day, or of all tenants for None."""
    return f"{region}#{tenant_id or ALL_TENANTS}", f"d#{day:05d}"


def passed_key(region: str) -> tuple[str, str]:
    """Which hours the archive has passed."""
    return f"{region}#{ALL_TENANTS}", "passed"
