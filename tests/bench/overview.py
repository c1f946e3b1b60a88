"""What it costs to open the console's overview with 100,000 jobs and a year of history, on DynamoDB Local."""

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from infra.local.clients import REGION
from shared.adapters.dynamodb.codec.failure_index import failure_entry
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.job_items import job_item
from shared.domain.archive.statistics import MinuteSums, Sums, UnitSums
from shared.domain.archive.unit import HOUR_MS, ArchiveUnit, hour_of
from shared.domain.bucket import MINUTE_MS
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import Job, JobState
from shared.domain.schedules.schedule import Rate
from shared.names import Env
from shared.ports.history import PassedMark
from tests.bench.cell import Cell
from tests.bench.tables import markdown
from tests.support.api import console_modules
from tests.support.api.api_world import Request
from tests.support.builders import in_state, job, one_off

TENANT = "bench-0"
RECURRING, PAUSED = 1_000, 30
ONE_OFF = 99_000
"""Due in the next two weeks."""
ENDED_AN_HOUR = 2_000
"""In the two hours that the archive has not counted yet; one of a hundred has failed."""
HOURS = 365 * 24
WRITERS = 8
"""Threads that fill the tables."""
SAVED = Path(__file__).with_name("overview.json")
RANGES = ("1h", "24h", "14d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One request of the page."""

    name: str
    read_units: float
    dynamodb: float
    """Requests to DynamoDB."""
    processor_ms: float
    """Of the API's process. No other figure depends on the machine."""


def fill(cell: Cell) -> None:
    """Give the tenant its jobs, executions and statistics."""
    _fill(cell, cell.clock.now_ms())


def opened(cell: Cell) -> list[Opened]:
    """Send each request that the page sends for a tenant that is filled."""
    now = cell.clock.now_ms()
    rows = [_ask(cell, "whoami", "/v1/whoami", {})]
    rows += [
        _ask(cell, f"statistics, {name}", "/v1/stats", _query("statsQuery", name, now)) for name in RANGES
    ]
    rows.append(_ask(cell, "latest failures", "/v1/dead-letters", _query("failuresQuery", "24h", now)))
    rows.append(_ask(cell, "next six hours", "/v1/upcoming/density", _query("densityQuery", now)))
    rows.append(_ask(cell, "paused jobs among 1,000", "/v1/jobs", {"state": "paused", "limit": "100"}))
    return rows


def save(rows: Iterable[Opened]) -> None:
    SAVED.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


def saved() -> list[Opened]:
    return [Opened(**row) for row in json.loads(SAVED.read_text())]


def overview_table(rows: Iterable[Opened]) -> str:
    cells = [
        [row.name, f"{row.read_units:.1f}", f"{row.dynamodb:.0f}", f"{row.processor_ms:.0f}"] for row in rows
    ]
    return markdown(
        ["a request of the overview", "read units", "requests to DynamoDB", "processor ms"], cells
    )


def _query(function: str, *arguments: Any) -> dict[str, str]:
    """What the page itself asks for."""
    found: Mapping[str, Any] = console_modules.result("lib/overview.js", function, *arguments)
    return {key: str(value) for key, value in found.items()}


def _ask(cell: Cell, name: str, path: str, query: Mapping[str, str]) -> Opened:
    request = Request(method="GET", path=path, headers=cell.headers(), query=dict(query))
    # The first request opens connections and reads the tenant, which the process then remembers.
    cell.respond(request)
    before, begun = cell.bill(), time.process_time()
    cell.respond(request)
    spent_ms = (time.process_time() - begun) * 1_000
    bill = cell.bill().less(before, 1)
    return Opened(name=name, read_units=bill.read_units, dynamodb=bill.dynamodb, processor_ms=round(spent_ms))


def _fill(cell: Cell, now: int) -> None:
    history = cell.cases.core.ports.history
    with ThreadPoolExecutor(WRITERS) as writers:
        write = partial(_write, writers, cell.meter.raw)
        write(os.environ[Env.JOBS_TABLE], (job_item(each) for each in _jobs(now)))
        write(os.environ[Env.EXECUTIONS_TABLE], _items(now))
        put = partial(history.put, version=1, etag=None, expires_at_s=2**40)
        assert all(writers.map(put, map(_sums, range(hour_of(now) - HOURS, hour_of(now) - 1))))
    history.note_passed(PassedMark(since=hour_of(now) - HOURS, before=hour_of(now) - 1), now)


def _jobs(now: int) -> Iterator[Job]:
    for number in range(RECURRING):
        state = JobState.PAUSED if number < PAUSED else JobState.ACTIVE
        schedule = Rate(interval_ms=HOUR_MS, anchor=now + number * 3_600)
        yield job(number, tenant_id=TENANT, state=state, schedule=schedule, name=f"job {number}")


def _items(now: int) -> Iterator[dict[str, Any]]:
    for number in range(ONE_OFF):
        due_at = now + 1_000 + number * 14 * 24 * HOUR_MS // ONE_OFF
        yield execution_item(one_off(number, due_at=due_at, tenant_id=TENANT), REGION)
    for number in range(2 * ENDED_AN_HOUR):
        due_at = now - 1_000 - number * HOUR_MS // ENDED_AN_HOUR
        yield from _ended(one_off(number, due_at=due_at, tenant_id=TENANT), is_failed=number % 100 == 0)


def _ended(execution: Execution, *, is_failed: bool) -> Iterator[dict[str, Any]]:
    if is_failed:
        failed = in_state(execution, State.FAILED, end_reason=EndReason.ATTEMPTS_USED_UP)
        entry = failure_entry(State.FAILED, TENANT, failed.id)
        yield execution_item(failed, REGION) | {name: {"S": key} for name, key in entry.items()}
    else:
        yield execution_item(in_state(execution, State.SUCCEEDED), REGION)


def _sums(hour: int) -> UnitSums:
    """Ten runs in each minute of an hour, with lags of a dozen lengths."""
    sums = Sums()
    for minute in range(60):
        counted = MinuteSums(ended=10, failed=minute % 20 == 0)
        for each in range(10):
            counted.lag.add(10 + 7 * each * each)
        sums.minutes[hour * HOUR_MS // MINUTE_MS + minute] = counted
    sums.states.update({State.SUCCEEDED: 597, State.FAILED: 3})
    sums.end_reasons.update({EndReason.ATTEMPTS_USED_UP: 3})
    sums.statuses.update({"2xx": 597, "5xx": 3})
    for each in range(600):
        for histogram in (sums.queue, sums.wait, sums.duration):
            histogram.add(each % 90)
    return UnitSums(unit=ArchiveUnit(hour=hour, group=0), tenant_id=TENANT, sums=sums)


def _write(writers: Executor, client: Any, table: str, items: Iterable[Mapping[str, Any]]) -> None:
    def put(batch: Sequence[Mapping[str, Any]]) -> bool:
        puts = [{"PutRequest": {"Item": item}} for item in batch]
        return not client.batch_write_item(RequestItems={table: puts})["UnprocessedItems"]

    rest = iter(items)
    while batches := [batch for _ in range(4 * WRITERS) if (batch := list(islice(rest, 25)))]:
        assert all(writers.map(put, batches))
