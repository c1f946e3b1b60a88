"""What the deletion of a tenant uses: its rows in the tables, its statistics, and the files of the archive."""

from dataclasses import dataclass

from infra.components.function_specs import ARCHIVER_MEMORY_MB
from infra.config import StageConfig
from infra.sizing import figures
from infra.sizing.archive import HOURS_PER_DAY, units_per_hour
from infra.sizing.usage import MB_PER_GB, Usage

KB_PER_READ = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaver:
    """A tenant that is deleted alone: tenants that are deleted about the same time share the files."""

    executions: float
    """With a record: those of the last two weeks, and those to come."""
    hours: float
    """Hours of the archive in which it has executions, in each group of shards."""
    rows: float
    """Rows of a file of the archive, of all tenants."""


def table_usage(leaver: Leaver) -> Usage:
    """Of the redriver: each execution is listed by the index of its tenant, read, and deleted with its entry."""
    entry_reads = figures.INDEX_ENTRY_BYTES.value / 1_024 / KB_PER_READ / 2
    return Usage(
        table_writes=leaver.executions * figures.DELETED_EXECUTION_WRITES.value,
        table_reads=leaver.executions * (figures.DELETED_EXECUTION_READS.value + entry_reads),
    )


def archive_usage_of(leaver: Leaver, stage: StageConfig) -> Usage:
    """Of the archiver: it looks at each manifest, replaces files, and counts the jobs of their days again."""
    if not stage.archivers:
        return Usage()
    files = leaver.hours * units_per_hour(stage)
    days = leaver.hours / HOURS_PER_DAY
    units = stage.archive_days * HOURS_PER_DAY * units_per_hour(stage)
    request_ms = figures.latency("s3") * (units + files * figures.FORGOTTEN_FILE_GETS.value + 2 * files)
    return Usage(
        write_units=files * figures.FORGOTTEN_FILE_WRITES.value + days * (1 + figures.DAY_ITEM_UNITS.value),
        read_units=files,
        object_puts=files * figures.FORGOTTEN_FILE_PUTS.value,
        object_gets=units + files * figures.FORGOTTEN_FILE_GETS.value + files,
        gb_seconds=(files * leaver.rows * figures.FORGOTTEN_ROW_MS.value + request_ms)
        / 1_000
        * ARCHIVER_MEMORY_MB
        / MB_PER_GB,
    )
