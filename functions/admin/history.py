"""The command that copies archived executions to a file."""

from argparse import Namespace
from dataclasses import asdict
from typing import Any, BinaryIO

import orjson

from functions.admin.actions import Document
from functions.admin.instants import instant
from functions.admin.new_file import new_file
from shared.bootstrap.use_cases import UseCases
from shared.domain.archive.row import ArchiveRow
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.tenant import Tenant

_INSTANTS = frozenset(
    {"due_at", "scheduled_at", "created_at", "started_at", "ended_at", "first_at", "last_at"}
)


def restore_history(cases: UseCases, given: Namespace) -> Document:
    """Write a new file; one that exists is left alone. `missing` counts executions that no file has."""
    now_ms = cases.core.ports.clock.now_ms()
    from_at, until_at = instant("--from", vars(given)["from"], 0), instant("--to", given.to, now_ms)
    if from_at >= until_at:
        raise InvalidValueError("--from is before --to")
    tenant = cases.tenancy.find_tenant.execute(given.tenant)
    try:
        file = new_file(given.file)
    except OSError as error:
        raise InvalidValueError(
            f"--file is a file that does not exist yet, in an existing folder: {error}"
        ) from error
    with file:
        report = cases.archive.restore.execute(
            given.tenant, from_at, until_at, lambda row: _write(file, row, _body(cases, tenant, row))
        )
    return {"file": given.file, "rows": report.rows, "files": report.files, "missing": report.missing}


def _write(file: BinaryIO, row: ArchiveRow, body: str | None) -> None:
    columns = _texts({name: value for name, value in asdict(row).items() if name != "body"})
    file.write(orjson.dumps({**columns, "last_response_body": body}, option=orjson.OPT_APPEND_NEWLINE))


def _texts(value: Any) -> Any:
    """Instants as the API spells them, wherever they are."""
    if isinstance(value, dict):
        return {
            name: format_instant(each) if name in _INSTANTS and each is not None else _texts(each)
            for name, each in value.items()
        }
    return [_texts(each) for each in value] if isinstance(value, list | tuple) else value


def _body(cases: UseCases, tenant: Tenant, row: ArchiveRow) -> str | None:
    """None where the tenant's present key does not open it."""
    if row.body is None:
        return None
    try:
        return cases.core.ports.vault.unseal(tenant, row.id, row.body).decode(errors="replace")
    except UnreadableItemError:
        return None
