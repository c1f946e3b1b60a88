"""Parquet files through duckdb: rows that are merged, and the samples and the sums of a file."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import orjson

from shared.adapters.parquet.database import (
    FETCHED_ROWS,
    duck,
    literal,
    of_tenants,
    open_database,
    reported_errors,
)
from shared.adapters.parquet.schema import COLUMNS
from shared.adapters.parquet.tally import ParquetTally
from shared.domain.archive.row import ArchiveRow
from shared.domain.archive.statistics import Sample
from shared.domain.archive.summary import ROW_GROUP, FileSummary, rows_by_shard, summarise
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.errors import UnreadableItemError
from shared.ports.archive import MergedFile

FORGOTTEN = "forgotten"
"""The name of the counts of forgotten rows in the description of a file."""
_SAMPLED = """
    tenant, epoch_ms(due_at), state, end_reason, coalesce(len(outcomes) > 0, false), status, attempts,
    CASE WHEN outcomes[1].attempt = 1
        THEN greatest(0, epoch_ms(outcomes[1].started_at) - epoch_ms({first_due_at})) END,
    queue_ms, wait_ms, outcomes[-1].duration_ms
"""
"""The tenant and the fields of a `Sample`, as `sample_of` takes them from a row. Lists begin with 1."""
_FIRST_DUE_AT = "coalesce(greatest(due_at, postponed_to), due_at)"
_WORKFLOW = "CASE WHEN task IS NOT NULL THEN job_id END"


class ParquetFiles:
    """`root` is where the temporary directories are made; None for the system's."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root

    @contextmanager
    def draft(self, unit: ArchiveUnit) -> Iterator["ParquetDraft"]:
        with TemporaryDirectory(prefix="archive-", dir=self._root) as folder, ExitStack() as exits:
            yield ParquetDraft(unit, Path(folder), exits)

    @contextmanager
    def tally(self, *, without: Collection[str]) -> Iterator[ParquetTally]:
        with TemporaryDirectory(prefix="archive-", dir=self._root) as folder, duck(Path(folder)) as db:
            yield ParquetTally(db, Path(folder), without)


class ParquetDraft:
    """Rows wait as lines of JSON, so that a pass over a large unit needs no memory for them."""

    def __init__(self, unit: ArchiveUnit, folder: Path, exits: ExitStack) -> None:
        self._unit = unit
        self._folder = folder
        self._exits = exits
        self._lines = self._open("rows.json", "wb")
        self._missing: Any = None
        self._database: Any = None

    def _open(self, name: str, mode: str) -> Any:
        return self._exits.enter_context((self._folder / name).open(mode))

    @contextmanager
    def _duck(self) -> Iterator[Any]:
        """One database for the whole draft: to open one takes 20 ms of processor time."""
        if self._database is None:
            self._database = self._exits.enter_context(closing(open_database(self._folder)))
        with reported_errors(), closing(self._database.cursor()) as cursor:
            yield cursor

    def old(self) -> BinaryIO:
        file: BinaryIO = self._open("old.parquet", "wb")
        return file

    def copy(self) -> BinaryIO:
        file: BinaryIO = self._open("copy.parquet", "wb")
        return file

    def add(self, rows: Sequence[ArchiveRow]) -> None:
        self._lines.write(b"".join(_line(row) for row in rows))

    def add_missing(self, rows: Sequence[ArchiveRow]) -> None:
        if self._missing is None:
            self._missing = self._open("missing.json", "wb")
        self._missing.write(b"".join(_line(row) for row in rows))

    def merge(self, *, has_old: bool, without: Collection[str] = ()) -> MergedFile:
        self._lines.flush()
        path, old = self._folder / "new.parquet", self._folder / "old.parquet"
        with self._duck() as db:
            db.execute(f"CREATE VIEW hot AS {_hot(self._folder / 'rows.json')}")
            rows = "SELECT * FROM hot"
            forgotten: Counter[str] = Counter()
            if has_old:
                rows += f" UNION ALL BY NAME {_old(db, old, without)}"
                forgotten = Counter(_forgotten(db, old)) + _dropped(db, old, without)
            if self._missing is not None:
                self._missing.flush()
                rows += (
                    f" UNION ALL BY NAME {_filling(self._folder / 'missing.json', old if has_old else None)}"
                )
            db.execute(
                f"COPY ({rows} ORDER BY tenant, due_at, id) TO {literal(path)} "
                f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}{_note(forgotten)})"
            )
        return MergedFile(self._open(path.name, "rb"), self._summary(path))

    def samples(self) -> Iterator[tuple[str, Sample]]:
        return self._samples("new.parquet")

    def samples_of_copy(self) -> Iterator[tuple[str, Sample]]:
        return self._samples("copy.parquet")

    def _samples(self, name: str) -> Iterator[tuple[str, Sample]]:
        with self._duck() as db:
            source = f"read_parquet({literal(self._folder / name)})"
            columns = _columns(db, source)
            # A file of an earlier release may lack the column.
            workflow = _WORKFLOW if "task" in columns else "NULL"
            sampled = _SAMPLED.format(first_due_at=_FIRST_DUE_AT if "postponed_to" in columns else "due_at")
            found = db.execute(f"SELECT {sampled}, {workflow} FROM {source}")
            while rows := found.fetchmany(FETCHED_ROWS):
                for tenant, due_at, state, end_reason, has_outcome, status, attempts, lag, *others in rows:
                    queue_ms, wait_ms, duration_ms, workflow_id = others
                    yield (
                        tenant,
                        Sample(
                            due_at=due_at,
                            state=state,
                            end_reason=end_reason,
                            has_outcome=has_outcome,
                            status=status,
                            attempts=attempts,
                            lag_ms=lag,
                            queue_ms=queue_ms,
                            wait_ms=wait_ms,
                            duration_ms=duration_ms,
                            workflow_id=workflow_id,
                        ),
                    )

    def summary_of_old(self) -> FileSummary:
        return self._summary(self._folder / "old.parquet")

    def summary_of_copy(self) -> FileSummary:
        return self._summary(self._folder / "copy.parquet")

    def _summary(self, path: Path) -> FileSummary:
        with path.open("rb") as file:
            digest = sha256()
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        with self._duck() as db:
            return summarise(
                self._unit,
                _ids(db, path),
                file_hash=digest.hexdigest(),
                size=path.stat().st_size,
                forgotten=_forgotten(db, path),
            )


def _line(row: ArchiveRow) -> bytes:
    return orjson.dumps(row, default=_base64, option=orjson.OPT_APPEND_NEWLINE)


def _base64(value: object) -> str:
    """JSON has no bytes."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    raise TypeError


def _hot(path: Path) -> str:
    columns = ", ".join(f"{column.name}: {literal(column.json_type)}" for column in COLUMNS)
    selected = ", ".join(f"{column.from_json} AS {column.name}" for column in COLUMNS)
    source = f"read_json({literal(path)}, format = 'newline_delimited', columns = {{{columns}}})"
    return f"SELECT {selected} FROM {source}"


def _old(db: Any, path: Path, without: Collection[str]) -> str:
    """The rows of an earlier file that no hot row replaces, but for those of some tenants.

    A file of an earlier release may lack columns. Those that only a later release knows are kept as they are.
    """
    source = f"read_parquet({literal(path)})"
    known = _columns(db, source)
    casts = ", ".join(
        f"CAST({column.name} AS {column.file_type}) AS {column.name}"
        for column in COLUMNS
        if column.name in known
    )
    kept = f" AND NOT {of_tenants(without)}" if without else ""
    return f"SELECT * REPLACE ({casts}) FROM {source} WHERE id NOT IN (SELECT id FROM hot){kept}"


def _columns(db: Any, source: str) -> set[str]:
    return {name for name, *_ in db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}


def _filling(path: Path, old: Path | None) -> str:
    """The rows of a restored table that neither the hot rows nor the earlier file have."""
    in_old = f" AND id NOT IN (SELECT id FROM read_parquet({literal(old)}))" if old is not None else ""
    return f"SELECT * FROM ({_hot(path)}) WHERE id NOT IN (SELECT hot.id FROM hot){in_old}"


def _dropped(db: Any, path: Path, tenants: Collection[str]) -> Counter[str]:
    """The rows of tenants by shard."""
    if not tenants:
        return Counter()
    source = f"read_parquet({literal(path)})"
    found = db.execute(f"SELECT id FROM {source} WHERE {of_tenants(tenants)}")
    dropped: Counter[str] = Counter()
    while rows := found.fetchmany(FETCHED_ROWS):
        dropped += rows_by_shard(text for (text,) in rows)
    return dropped


def _note(forgotten: Mapping[str, int]) -> str:
    """The option of COPY that writes the counts into the description at the end of the file."""
    if not forgotten:
        return ""
    return f", KV_METADATA {{{FORGOTTEN}: {literal(json.dumps(forgotten, sort_keys=True))}}}"


def _forgotten(db: Any, path: Path) -> dict[str, int]:
    """The counts in the description of a file; none in most files."""
    found = db.execute(
        f"SELECT decode(value) FROM parquet_kv_metadata({literal(path)}) WHERE decode(key) = '{FORGOTTEN}'"
    )
    row = found.fetchone()
    try:
        return {str(key): int(rows) for key, rows in json.loads(row[0]).items()} if row is not None else {}
    except (ValueError, TypeError, AttributeError) as error:
        raise UnreadableItemError("a file of the archive counts forgotten rows in another form") from error


def _ids(db: Any, path: Path) -> Iterator[tuple[str, str]]:
    """Tenant and id of each row, in the order of the file."""
    found = db.execute(f"SELECT tenant, id FROM read_parquet({literal(path)})")
    while rows := found.fetchmany(FETCHED_ROWS):
        yield from rows
