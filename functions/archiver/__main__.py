"""Merge a restored table of executions into the archive, with the credentials of an administrator.

python -m functions.archiver --function <ArchiverFunctionName of the stack> --table <restored table> --from … --to …
"""

import argparse
import os
import sys
from collections.abc import Iterable
from typing import Any

import orjson

from shared.bootstrap.aws import function_environment
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.restored_table import restored_executions
from shared.bootstrap.use_cases import use_cases
from shared.domain.archive.unit import HOUR_MS
from shared.domain.errors import InvalidValueError, PunctualError, ScheduleError
from shared.domain.schedules.schedule import format_instant, parse_instant
from shared.settings import ArchiverSettings
from shared.usecases.archive.merge_table import MergedUnit, MergeEnd, MergeTable

MOST_NAMED = 20
"""Units and rows that the document names; all are counted."""


def merge_table_of(function: str, table: str) -> MergeTable:
    """The use case over the tables and the bucket of a deployed archiver."""
    environment = function_environment(function, os.environ.get("AWS_REGION") or None)
    settings = ArchiverSettings.from_env(environment)
    restored = restored_executions(settings, table)
    return use_cases(dynamo_ports(settings), settings).archive.merge_table(restored)


def main(arguments: list[str]) -> int:
    """The exit status is 0 if each unit is merged, and 1 otherwise. A refusal is one line on stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m functions.archiver",
        description="Merge a restored table of executions into the archive.",
    )
    parser.add_argument("--function", required=True, help="the archiver: the output ArchiverFunctionName")
    parser.add_argument("--table", required=True, help="a table that was restored from the executions table")
    parser.add_argument(
        "--from", required=True, dest="from_", help="the first hour, such as 2026-01-31T00:00:00Z"
    )
    parser.add_argument("--to", required=True, help="the end of the last hour, at least twelve days ago")
    parser.add_argument(
        "--dry-run", action="store_true", help="count what would be added, and change nothing"
    )
    given = parser.parse_args(arguments)
    try:
        hours = range(_hour("--from", given.from_), _hour("--to", given.to))
        merge = merge_table_of(given.function, given.table)
        document = _document(merge.execute(hours, dry_run=given.dry_run), is_dry=given.dry_run)
    except PunctualError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n")
    return int(bool(document["left"] or document["damaged"] or document["unreadable"]))


def _hour(name: str, text: str) -> int:
    try:
        instant = parse_instant(text, None)
    except ScheduleError as error:
        raise InvalidValueError(f"{name} is an instant such as 2026-01-31T00:00:00Z") from error
    if instant % HOUR_MS:
        raise InvalidValueError(f"{name} is the beginning of an hour: the archive has a file for each hour")
    return instant // HOUR_MS


def _document(merged: Iterable[MergedUnit], *, is_dry: bool) -> dict[str, Any]:
    """`left` and `damaged` name units; a line on stderr shows each unit with rows as soon as it is done."""
    units = rows = restored = unended = added = unreadable = 0
    named: dict[MergeEnd, list[str]] = {MergeEnd.LEFT: [], MergeEnd.DAMAGED: []}
    unreadable_rows: list[str] = []
    for each in merged:
        units, rows, restored = units + 1, rows + each.rows, restored + each.restored
        unended, added = unended + each.unended_when_restored, added + (each.added or 0)
        unreadable += len(each.unreadable)
        unreadable_rows += each.unreadable
        name = f"{format_instant(each.unit.start_ms)} group {each.unit.group}"
        if each.end in named:
            named[each.end].append(name)
        if each.restored:
            sys.stderr.write(f"{name}: {each.end}, {each.rows} rows\n")
    return {
        "dry_run": is_dry,
        "files": units,
        "rows": rows,
        "restored": restored,
        **({"added": added} if is_dry else {}),
        "unended_when_restored": unended,
        "unreadable": unreadable,
        "unreadable_rows": unreadable_rows[:MOST_NAMED],
        "left": len(named[MergeEnd.LEFT]),
        "left_files": named[MergeEnd.LEFT][:MOST_NAMED],
        "damaged": len(named[MergeEnd.DAMAGED]),
        "damaged_files": named[MergeEnd.DAMAGED][:MOST_NAMED],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
