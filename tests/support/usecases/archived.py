"""Fill the archive in memory, with the sums of its hours."""

from collections.abc import Iterable

from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.statistics import sample_of, sums_by_tenant
from shared.domain.archive.unit import unit_of
from tests.support.fakes.archive_reader import FakeArchiveReader
from tests.support.fakes.history import FakeHistoryStore


def archive(reader: FakeArchiveReader, history: FakeHistoryStore, rows: Iterable[ArchiveRow]) -> None:
    """Add rows, and replace the sums of all units."""
    for row in rows:
        reader.keep(row)
    for unit in {unit_of(key) for key in reader.rows}:
        inside = (row for key, row in reader.rows.items() if unit_of(key) == unit)
        samples = ((row.tenant, sample_of(row)) for row in sorted(inside, key=lambda row: row.tenant))
        for sums in sums_by_tenant(unit, samples, {}):
            history.put(sums, version=1, etag=None, expires_at_s=0)
