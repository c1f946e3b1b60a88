"""The executions of the archive's scale run: each once, in pages, and as many of a tenant as are counted."""

import os
from collections import Counter
from unittest.mock import patch

from shared.domain.archive.unit import HOUR_MS, MINUTES_PER_HOUR
from shared.domain.executions.execution import Execution
from tests.scale.archive import archive_page, run_archive
from tests.scale.archive_traffic import ArchiveTraffic, GeneratedCounts, GeneratedExecutions

TRAFFIC = ArchiveTraffic("test", one_offs_per_minute=7, tenants=5, shards=3, hours=2)


def rows_of(hour: int, limit: int) -> list[Execution]:
    """All rows of an hour, in pages of at most `limit`."""
    found: list[Execution] = []
    store = GeneratedExecutions(TRAFFIC)
    for bucket in range(hour * MINUTES_PER_HOUR, (hour + 1) * MINUTES_PER_HOUR):
        for shard in range(TRAFFIC.shards):
            after: str | None = None
            while True:
                page = store.read_shard(bucket, shard, after=after, limit=limit)
                assert all(row.id.bucket == bucket and row.id.shard == shard for row in page.executions)
                found += page.executions
                after = page.next_after
                if after is None:
                    break
    return found


def test_execution_is_generated_once_whatever_the_page() -> None:
    hour = TRAFFIC.span.start
    rows = rows_of(hour, 1_000)
    assert len({row.id for row in rows}) == len(rows) == TRAFFIC.rows_per_hour
    assert [row.id for row in rows_of(hour, 2)] == [row.id for row in rows]
    assert all(row.state.is_terminal for row in rows)


def test_hours_outside_the_traffic_are_empty() -> None:
    assert rows_of(TRAFFIC.span.start - 1, 1_000) == rows_of(TRAFFIC.span.stop, 1_000) == []


def test_index_counts_what_is_generated() -> None:
    hour, counts = TRAFFIC.span.start + 1, GeneratedCounts(TRAFFIC)
    found = Counter(row.tenant_id for row in rows_of(hour, 1_000))
    wanted = {
        name: counts.due_between(name, 1, hour * HOUR_MS, (hour + 1) * HOUR_MS) for name in TRAFFIC.names
    }
    assert found == wanted


def test_runs_of_a_job_have_the_ids_that_its_history_computes() -> None:
    hour = TRAFFIC.span.start
    runs = [row for row in rows_of(hour, 1_000) if row.recurrence is not None]
    ids = {job.id: job.chain(hour * HOUR_MS + HOUR_MS).id_at(job.chain_from) for job in TRAFFIC.jobs}
    assert {row.job_id: row.id for row in runs} == ids


def test_archive_of_some_hours_answers_every_question_and_has_a_price() -> None:
    with patch.dict(os.environ):  # Readers point the clients of their process at the emulator.
        run = run_archive(TRAFFIC, in_time=True)
    # Two processes with an hour each: neither goes on into that of the other.
    assert (run.found.faults, run.found.rows) == ([], TRAFFIC.hours * TRAFFIC.rows_per_hour)
    assert run.found.sealed == TRAFFIC.hours
    page = archive_page([run])
    assert page.count("| test |") == 7
    assert "| **all** | **" in page
