"""The archive of a small cell for a year and of a large cell for a day, as Markdown: time, questions, and cost."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.components.function_specs import ARCHIVER_MEMORY_MB
from infra.local.clients import Clients
from infra.local.emulator import Emulator
from infra.local.state_dir import StateDir
from infra.sizing.batches import core_share
from infra.sizing.bill import bill
from infra.sizing.prices import DEFAULT_REGION, prices_of
from infra.sizing.usage import GB, MB_PER_GB, Usage
from tests.scale.archive_cell import Archived, ArchiveStorage, archive_hours
from tests.scale.archive_queries import Questions, Timed
from tests.scale.archive_traffic import ArchiveTraffic
from tests.support.conformance.tables import create_tables

WORKERS = 2
BUCKET = "archive-scale"
SMALL = ArchiveTraffic("small cell, a year", 2, 10, 4, 365 * 24)
LARGE = ArchiveTraffic("large cell, a day", 6_944, 1_000, 16, 24)
"""10 million one-offs a day."""
ITEM_BYTES = 539
"""Of an execution that has ended."""
PASSES = 2
"""Of an hour whose executions end in time; a run of a cell may have made only one of them."""
MONTHS = 12


@dataclass(slots=True)
class ArchiveRun:
    """One cell: what was archived, in which time, and how long readers wait."""

    traffic: ArchiveTraffic
    found: Archived = field(default_factory=Archived)
    seconds: float = 0.0
    questions: list[Timed] = field(default_factory=list)

    @property
    def passes_of_a_row(self) -> float:
        return self.found.passes / self.found.sealed


@contextmanager
def archive_storage() -> Iterator[ArchiveStorage]:
    """An emulator with a bucket and a table, which are deleted at the end."""
    with TemporaryDirectory() as root:
        emulator = Emulator(StateDir(Path(root)))
        emulator.start()
        try:
            clients = Clients(emulator.endpoint)
            clients.client("s3").create_bucket(Bucket=BUCKET)
            tables = create_tables(clients.client("dynamodb"))
            yield ArchiveStorage(endpoint=emulator.endpoint, bucket=BUCKET, history=tables.history)
        finally:
            emulator.stop()


def run_archive(traffic: ArchiveTraffic, *, in_time: bool) -> ArchiveRun:
    """Archive all hours in two processes, then ask. `in_time`: as `archive_hours` takes it."""
    run = ArchiveRun(traffic)
    with archive_storage() as storage:
        begun = time.monotonic()
        with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
            parts = [
                pool.submit(archive_hours, traffic, storage, hours, in_time=in_time)
                for hours in _halves(traffic.span)
            ]
            for part in parts:
                run.found.add(part.result())
        run.seconds = time.monotonic() - begun
        run.questions = Questions(traffic, storage).ask()
    return run


def archive_runs() -> list[ArchiveRun]:
    """The two cells, one after the other."""
    return [run_archive(SMALL, in_time=True), run_archive(LARGE, in_time=False)]


def _halves(hours: range) -> list[range]:
    middle = (hours.start + hours.stop) // 2
    return [range(hours.start, middle), range(middle, hours.stop)]


def archive_page(runs: Sequence[ArchiveRun]) -> str:
    """Three tables."""
    return "\n\n".join([_time_table(runs), _question_table(runs), _cost_table(runs)])


def _time_table(runs: Sequence[ArchiveRun]) -> str:
    head = "| cell | executions | files | passes | minutes | processor ms a row and pass | bytes a row | faults |"
    lines = []
    for run in runs:
        found, passed_rows = run.found, run.found.rows * run.passes_of_a_row
        size = found.counted["file bytes"] / passed_rows
        lines.append(
            f"| {run.traffic.name} | {found.rows:,} | {found.sealed:,} | {found.passes:,} | {run.seconds / 60:.1f} "
            f"| {found.cpu_seconds * 1000 / passed_rows:.3f} | {size:.0f} | {len(found.faults)} |"
        )
    return "\n".join([head, "|---" * 8 + "|", *lines])


def _question_table(runs: Sequence[ArchiveRun]) -> str:
    head = "| question | cell | p50 | p99 | reads of S3 | MB | read units |"
    lines = [
        f"| {asked.name} | {run.traffic.name.split(',')[0]} | {asked.at(0.5):.0f} ms | {asked.at(0.99):.0f} ms "
        f"| {asked.reads:.1f} | {asked.megabytes:.2f} | {asked.history_units:.1f} |"
        for run in runs
        for asked in run.questions
    ]
    return "\n".join([head, "|---" * 7 + "|", *lines])


def _cost_table(runs: Sequence[ArchiveRun]) -> str:
    """Dollars for a million executions, with two passes of each hour."""
    parts = {run.traffic.name: _dollars(run) for run in runs}
    names = list(next(iter(parts.values())))
    lines = [
        f"| {name} | " + " | ".join(f"{parts[run.traffic.name][name]:.3f}" for run in runs) + " |"
        for name in names
    ]
    total = (
        "| **all** | " + " | ".join(f"**{sum(parts[run.traffic.name].values()):.3f}**" for run in runs) + " |"
    )
    head = "| $ for a million executions | " + " | ".join(run.traffic.name for run in runs) + " |"
    return "\n".join([head, "|---" * (len(runs) + 1) + "|", *lines, total])


def _dollars(run: ArchiveRun) -> dict[str, float]:
    prices, found = prices_of(DEFAULT_REGION), run.found
    million, again = 1e6 / found.rows, PASSES / run.passes_of_a_row
    row_bytes = found.counted["file bytes"] / found.rows / run.passes_of_a_row
    usages = {
        "reads of executions": Usage(read_units=PASSES * _read_units_of_a_row(run.traffic) * 1e6),
        "Lambda": Usage(
            gb_seconds=found.cpu_seconds / core_share(ARCHIVER_MEMORY_MB) * ARCHIVER_MEMORY_MB / MB_PER_GB
        )
        * (million * again),
        "statistics": Usage(write_units=found.counted["history units"]) * (million * again),
        "requests of S3": Usage(
            object_puts=found.counted["PutObject"], object_gets=found.counted["GetObject"]
        )
        * (million * again),
        "S3 for a year": Usage(object_storage=row_bytes * 1e6 / GB * MONTHS),
    }
    return {name: sum(bill(usage, prices).values()) for name, usage in usages.items()}


def _read_units_of_a_row(traffic: ArchiveTraffic) -> float:
    """A pass has a strong query for each minute and shard, which takes one unit at least."""
    rows = traffic.rows_per_hour / 60 / traffic.shards
    return max(1.0, rows * ITEM_BYTES / 4_096) / rows
