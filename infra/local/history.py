"""`make history SQL='...'`: query the archived executions of the running laptop stack.

python -m infra.local.history [--home DIR] [--from DAY] [--to DAY] SQL

The files of some days are downloaded from the emulator's bucket into a temporary directory. They are the table
`executions`, with the columns `cell`, `dt` and `hh` of their folders.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from infra.local.clients import REGION, Clients
from infra.local.deploy import describe
from infra.local.sockets import HOST, responds
from infra.local.state_dir import DEFAULT_STATE_DIR, LocalStackError, StateDir
from infra.stages import local_stage

PREFIX = "v1/executions/"
MOST_ROWS = 1_000
"""Lines that one query prints."""
USUAL_DAYS = 31
FROM_HELP = f"the first day in UTC, such as 2026-11-01; by default {USUAL_DAYS} days up to the last one"
TO_HELP = "the last day; by default today"


def main(arguments: list[str]) -> int:
    """Print each row as a line of JSON; returns 0, or 1 after an error."""
    parser = argparse.ArgumentParser(
        prog="python -m infra.local.history", description="Query archived executions."
    )
    parser.add_argument("--home", type=Path, default=DEFAULT_STATE_DIR, help="directory of the stack's state")
    parser.add_argument("--from", type=date.fromisoformat, dest="first", metavar="DAY", help=FROM_HELP)
    parser.add_argument("--to", type=date.fromisoformat, dest="last", metavar="DAY", help=TO_HELP)
    parser.add_argument("sql", help='such as "SELECT state, count(*) FROM executions GROUP BY state"')
    options = parser.parse_args(arguments)
    last = options.last or datetime.now(UTC).date()
    first = options.first or last - timedelta(days=USUAL_DAYS - 1)
    if first > last:
        parser.error(f"--from {first} is after --to {last}: exchange the two days")
    try:
        rows = history(StateDir(options.home), options.sql, first, last)
    except (LocalStackError, duckdb.Error) as error:
        print(error, file=sys.stderr)  # noqa: T201 - for the engineer at the laptop
        return 1
    for row in rows:
        print(json.dumps(row, default=_as_text))  # noqa: T201 - the answer
    return 0


def history(home: StateDir, sql: str, first: date, last: date) -> list[dict[str, Any]]:
    """The first rows of a query over some days. LocalStackError if the stack does not run or has no file of them."""
    clients = _clients(home)
    bucket = describe([f"{local_stage().prefix}-data"], clients).outputs["ArchiveBucketName"]
    with TemporaryDirectory(prefix="history-") as folder:
        if not _download(clients.client("s3"), bucket, _days(first, last), Path(folder)):
            raise LocalStackError(
                f"no hour from {first} to {last} is archived: name other days with --from and --to, or wait until a "
                "few minutes after the end of an hour"
            )
        return query(Path(folder), sql)


def query(folder: Path, sql: str) -> list[dict[str, Any]]:
    """The first rows of a query over the files below a folder, and over nothing else."""
    with duckdb.connect(":memory:", config={"threads": 1}) as db:
        files = f"{folder}/**/*.parquet"
        db.execute(f"SET allowed_directories = ['{folder}']")
        db.execute("SET enable_external_access = false")
        db.execute(
            f"CREATE VIEW executions AS SELECT * FROM read_parquet('{files}', union_by_name = true, "  # noqa: S608
            "hive_partitioning = true)"
        )
        found = db.execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchmany(MOST_ROWS)]


def _clients(home: StateDir) -> Clients:
    port = home.read("emulator.json").get("port")
    if port is None or not responds(int(port), "/_ministack/health"):
        raise LocalStackError(f"no stack with the state in {home.root} is running: start it with `make run`")
    return Clients(f"http://{HOST}:{port}")


def _days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _download(s3: Any, bucket: str, days: Iterator[date], folder: Path) -> int:
    """The number of files."""
    count = 0
    for day in days:
        prefix = f"{PREFIX}cell={REGION}/dt={day}/"
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            for found in page.get("Contents", ()):
                target = folder / found["Key"].removeprefix(PREFIX)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(s3.get_object(Bucket=bucket, Key=found["Key"])["Body"].read())
                count += 1
    return count


def _as_text(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
