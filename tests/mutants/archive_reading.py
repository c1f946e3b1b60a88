"""Reading the archive: row groups that were not downloaded, order, the hot range, and rows of other tenants."""

from tests.mutants.mutant import Mutant

_READER = "shared/adapters/parquet/reader.py"
_FILE = "shared/adapters/parquet/remote_file.py"
_ROWS = "shared/usecases/reading/archived_rows.py"
_FILES_TEST = "tests/unit/adapters/test_parquet_reader.py"
_ROWS_TEST = "tests/unit/usecases/reading/test_archived_rows.py"
_API_TEST = "tests/unit/api/test_archived_executions.py"

ARCHIVE_READING = (
    Mutant(
        name="page of the archive that reads row groups which were not downloaded",
        file=_READER,
        old='f"due_at > make_timestamp_ms({after_at})"',
        new='f"due_at >= make_timestamp_ms({after_at})"',
        killer=_FILES_TEST,
    ),
    Mutant(
        name="row groups of several tenants not downloaded",
        file=_READER,
        old="    file.download(shared)\n",
        new="",
        killer=_FILES_TEST,
    ),
    Mutant(
        name="rows of the archive by ids of another tenant",
        file=_READER,
        old='f"tenant = {literal(tenant_id)} AND due_at = make_timestamp_ms({instant})',
        new='f"due_at = make_timestamp_ms({instant})',
        killer=_FILES_TEST,
    ),
    Mutant(
        name="text of a tenant that ends its quotes in a query",
        file="shared/adapters/parquet/database.py",
        old="""replace("'", "''")""",
        new="""replace('"', '""')""",
        killer=_FILES_TEST,
    ),
    Mutant(
        name="edge of a group of shards forgotten, where another group goes on",
        file=_READER,
        old="    edge = max(edges, default=None)\n",
        new="    edge = min(edges, default=None)\n",
        killer=_FILES_TEST,
    ),
    Mutant(
        name="part of an archived file read from whichever version is there",
        file="shared/adapters/s3/object_store.py",
        old='f"bytes={first}-{first + length - 1}", IfMatch=etag)',
        new='f"bytes={first}-{first + length - 1}")',
        killer="tests/conformance/test_object_store.py",
    ),
    Mutant(
        name="description of an archived file longer than its tail",
        file=_FILE,
        old="        self._fetch(size - described, self._known_from)\n",
        new="",
        killer=_FILES_TEST,
    ),
    Mutant(
        name="execution in tables and archive listed twice",
        file=_ROWS,
        old="groupby(both, lambda each: (each.position, each.is_end))",
        new="groupby(both, lambda each: object())",
        killer=_ROWS_TEST,
    ),
    Mutant(
        name="rest of the archive dropped after two answers of the reader",
        file=_ROWS,
        old="            if is_open or not batch.units:\n",
        new="            if not batch.units:\n",
        killer=_ROWS_TEST,
    ),
    Mutant(
        name="archived hours listed to their bound and no further",
        file=_ROWS,
        old="                yield _Batch([], hour * HOUR_MS)\n",
        new="",
        killer=_ROWS_TEST,
    ),
    Mutant(
        name="first page of a list that waits for the archive",
        file=_ROWS,
        old="        elif has_hot:\n",
        new="        elif has_hot and not rest:\n",
        killer=_ROWS_TEST,
    ),
    Mutant(
        name="row of the archive shown in place of its record",
        file=_ROWS,
        old="return {**{each: rows[each] for each in ids if each in rows}, **read_readable(self.store, ids)}",
        new="return {**read_readable(self.store, ids), **{each: rows[each] for each in ids if each in rows}}",
        killer=_ROWS_TEST,
    ),
    Mutant(
        name="moved execution shown at its old place in the archive",
        file="shared/usecases/reading/find_shown.py",
        old="            if row.moved_to is None:\n",
        new="            if row.moved_to is None or row.state:\n",
        killer=_ROWS_TEST,
    ),
    Mutant(
        name="cancelled job whose record expires before its hour is archived",
        file="shared/domain/executions/retention.py",
        old="return self.expires_at_s(max(due_at, now_ms))",
        new="return self.expires_at_s(now_ms)",
        killer="tests/unit/usecases/jobs/test_cancel.py",
    ),
)
