"""Executions by recurring job, counted by duckdb over the files of a day, one of which is on the disk at a time."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from shared.adapters.parquet.database import FETCHED_ROWS, literal, of_tenants, reported_errors
from shared.domain.archive.busiest import MOST_JOBS, DayJobs, JobCount

_SHOWN = "state <> 'moved'"
"""An execution that was moved counts at its new time."""
_TABLES = """
    CREATE TABLE jobs (tenant VARCHAR, job VARCHAR, ended BIGINT, failed BIGINT);
    CREATE TABLE totals (tenant VARCHAR, ended BIGINT)
"""
_SUMMED = """
    CREATE TABLE summed AS
    SELECT tenant, job, sum(ended)::BIGINT AS ended, sum(failed)::BIGINT AS failed FROM jobs GROUP BY tenant, job
"""
_OWN = f"""
    SELECT tenant, count(*) OVER own, job, ended, failed FROM summed
    WINDOW own AS (PARTITION BY tenant)
    QUALIFY row_number() OVER (PARTITION BY tenant ORDER BY ended DESC, job) <= {MOST_JOBS}
    ORDER BY tenant, ended DESC, job
"""
_OF_ALL = f"SELECT tenant, job, ended, failed FROM summed ORDER BY ended DESC, tenant, job LIMIT {MOST_JOBS}"


class ParquetTally:
    """Rows of all tenants count in the sum of the day, but for those that were moved, and the jobs of the tenants
    `without` are left out."""

    def __init__(self, db: Any, folder: Path, without: Collection[str]) -> None:
        self._db = db
        self._path = folder / "day.parquet"
        self._without = frozenset(without)
        self._kept = f" AND NOT {of_tenants(without)}" if without else ""
        db.execute(_TABLES)

    def file(self) -> BinaryIO:
        return self._path.open("wb")

    def add(self) -> None:
        source = f"read_parquet({literal(self._path)})"
        with reported_errors():
            self._db.execute(
                "INSERT INTO jobs SELECT tenant, job_id, count(*), count(*) FILTER (state = 'failed') "
                f"FROM {source} WHERE starts_with(job_id, 'job_r') AND {_SHOWN}{self._kept} GROUP BY tenant, job_id"
            )
            self._db.execute(
                f"INSERT INTO totals SELECT tenant, count(*) FROM {source} WHERE {_SHOWN} GROUP BY tenant"
            )

    def busiest(self, day: int) -> Iterator[DayJobs]:
        self._db.execute(_SUMMED)
        totals: dict[str, int] = dict(
            self._db.execute(
                "SELECT tenant, sum(ended)::BIGINT FROM totals GROUP BY tenant ORDER BY tenant"
            ).fetchall()
        )
        yield self._of_all(day, sum(totals.values()))
        own = {name: ended for name, ended in totals.items() if name not in self._without}
        for tenant, rows in groupby(self._rows(_OWN), key=itemgetter(0)):
            counted = list(rows)
            jobs = tuple(
                JobCount(tenant_id=tenant, job_id=row[2], ended=row[3], failed=row[4]) for row in counted
            )
            yield DayJobs(
                day=day, tenant_id=tenant, ended=own.pop(tenant), job_count=counted[0][1], jobs=jobs
            )
        for tenant, ended in own.items():
            yield DayJobs(day=day, tenant_id=tenant, ended=ended, job_count=0, jobs=())

    def _of_all(self, day: int, ended: int) -> DayJobs:
        (count,) = self._db.execute("SELECT count(*) FROM summed").fetchone()
        jobs = tuple(
            JobCount(tenant_id=tenant, job_id=job, ended=runs, failed=failed)
            for tenant, job, runs, failed in self._db.execute(_OF_ALL).fetchall()
        )
        return DayJobs(day=day, tenant_id=None, ended=ended, job_count=count, jobs=jobs)

    def _rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        found = self._db.execute(query)
        while rows := found.fetchmany(FETCHED_ROWS):
            yield from rows
