"""Lists the AWS calls of a deployed function of the laptop stack, with the write units that AWS would bill.

`listening_path` makes a folder for the functions' import path. Each of their processes then appends a line to a file
of that folder for every call that it makes. The emulator counts no units of statements, so that they follow from
the items before and after each write, by the rules that a conformance test compares with DynamoDB Local.
"""

import json
import os
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shared.adapters.aws.http_call import HttpCall
from shared.names import PROJECTED, Env
from tests.bench.units import IndexShape, Item, place_of, write_units
from tests.support.conformance.tables import INDEXES
from tests.support.sources import ROOT

LISTED = "calls.jsonl"
SITE = """import os, sys
if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    sys.path.append({root!r})
    from tests.bench.function_calls import listen
    listen({file!r})
"""
TABLES = {Env.EXECUTIONS_TABLE: "executions", Env.JOBS_TABLE: "jobs"}
"""The tables with indexes, by the variables that name them."""
Location = tuple[str, dict[str, Any]]
Original = Callable[[HttpCall, str, Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCall:
    """One call of AWS. `units` are those of the tables by their short names; other tables are `""`."""

    function: str
    process: int
    service: str
    operation: str
    units: Mapping[str, float]
    refused: Mapping[str, float]
    """How many writes changed nothing, by table."""
    is_claim: bool
    ms: float
    """As long as the function waited, with the reads of this list."""
    cpu_s: float
    """Processor time of the process so far."""


def listening_path(folder: Path) -> Path:
    """Prepare a folder for the variable PYTHONPATH of the functions."""
    file = folder / LISTED
    (folder / "sitecustomize.py").write_text(SITE.format(root=str(ROOT), file=str(file)))
    return folder


def listed_calls(folder: Path) -> list[ListedCall]:
    """All calls so far, in the order in which they ended."""
    file = folder / LISTED
    return [ListedCall(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def listen(file: str) -> None:
    """List the calls of this process from now on."""
    own = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    original: Original = HttpCall.__call__

    def call(transport: HttpCall, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        began = time.perf_counter()
        locations = list(_written(operation, params)) if transport.service.name == "dynamodb" else []
        before = [_stored(original, transport, location) for location in locations]
        try:
            return original(transport, operation, params)
        finally:
            after = [_stored(original, transport, location) for location in locations]
            units, refused = _units(locations, before, after)
            line = ListedCall(
                function=os.environ["AWS_LAMBDA_FUNCTION_NAME"],
                process=os.getpid(),
                service=transport.service.name,
                operation=operation,
                units=units,
                refused=refused,
                is_claim=any("RETURNING" in each["Statement"] for each in params.get("Statements", ())),
                ms=(time.perf_counter() - began) * 1_000,
                cpu_s=time.process_time(),
            )
            # One short write is never mixed with those of other processes.
            os.write(own, json.dumps(asdict(line)).encode() + b"\n")

    HttpCall.__call__ = call  # type: ignore[method-assign, assignment]


def _written(operation: str, params: Mapping[str, Any]) -> Iterator[Location]:
    """The table and the key of each write of a call."""
    if operation == "BatchExecuteStatement":
        yield from map(place_of, params["Statements"])
    elif operation == "TransactWriteItems":
        for member in params["TransactItems"]:
            for kind, request in member.items():
                if kind != "ConditionCheck":
                    yield _location(request)
    elif operation in ("PutItem", "UpdateItem", "DeleteItem"):
        yield _location(params)


def _location(request: Mapping[str, Any]) -> Location:
    key = request.get("Key") or {name: request["Item"][name] for name in ("pk", "sk")}
    return request["TableName"], dict(key)


def _stored(original: Original, transport: HttpCall, location: Location) -> Item | None:
    table, key = location
    answer = original(transport, "GetItem", {"TableName": table, "Key": key, "ConsistentRead": True})
    item = answer.get("Item")
    return None if item is None else {name: _plain(value) for name, value in item.items()}


def _plain(value: Mapping[str, Any]) -> Mapping[str, Any]:
    ((kind, raw),) = value.items()
    return {kind: b64decode(raw)} if kind == "B" and isinstance(raw, str) else value


def _units(
    locations: Sequence[Location], before: Sequence[Item | None], after: Sequence[Item | None]
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The units of the writes that changed something, by table, and how many changed nothing."""
    named = {os.environ.get(variable): table for variable, table in TABLES.items()}
    units: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for (name, _), old, new in zip(locations, before, after, strict=True):
        table = named.get(name, "")
        shapes = [IndexShape(key, PROJECTED[index]) for index, key in INDEXES.get(table, {}).items()]
        if old == new:
            refused[table] += 1
        else:
            units[table] += write_units(old, new, shapes)
    return dict(units), dict(refused)
