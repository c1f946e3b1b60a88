"""Entry point of the reader of the archive, which is invoked for rows that have left the tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from shared.bootstrap.archive_reader import archive_reader
from shared.domain.archive.questions import answer_of, read_filter, read_span, read_units
from shared.domain.ids import parse_execution_id
from shared.observability import metrics
from shared.settings import ArchiveReaderSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = ArchiveReaderSettings.from_env(os.environ)
reader = archive_reader(settings)


@metrics.log_metrics
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """The answer to one question of `shared.domain.archive.questions`. An error ends the invocation."""
    tenant_id = event["tenant"]
    if "ids" in event:
        return answer_of(
            reader.by_ids(tenant_id, [parse_execution_id(text) for text in event["ids"]]).values()
        )
    page = reader.newest(
        tenant_id, read_units(event), read_span(event), only=read_filter(event), limit=event["limit"]
    )
    return answer_of(page.rows, page.edge)
