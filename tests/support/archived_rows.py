"""Put archived executions of weeks ago into a running stack."""

import time

from infra.local.clients import REGION
from infra.local.stack import LocalStack
from shared.adapters.dynamodb.archive.history import DynamoHistoryStore
from shared.adapters.parquet.files import ParquetFiles
from shared.domain.archive.row import ArchiveRow, row_of
from shared.domain.archive.statistics import sums_by_tenant
from shared.domain.archive.unit import DAY_MS, unit_of
from shared.domain.executions.states import State
from shared.names import Env
from tests.support.builders import in_state, one_off, with_changes

ROWS = 5


def archive_on(stack: LocalStack, tenant: str) -> list[ArchiveRow]:
    """A file with rows of one instant, newest last, and the statistics of its hour."""
    due_at = round(time.time() * 1_000) - 30 * DAY_MS
    ended = [
        with_changes(in_state(one_off(number, due_at=due_at), State.SUCCEEDED), tenant_id=tenant)
        for number in range(ROWS)
    ]
    unit = unit_of(ended[0].id)
    environment = stack.environment("archiver")
    with ParquetFiles().draft(unit) as draft:
        draft.add([row_of(each) for each in ended])
        content = draft.merge(has_old=False).content.read()
        samples = list(draft.samples())
    stack.client("s3").put_object(
        Bucket=environment[Env.ARCHIVE_BUCKET], Key=unit.file_key(REGION), Body=content
    )
    history = DynamoHistoryStore(stack.client("dynamodb"), environment[Env.HISTORY_TABLE], REGION)
    for sums in sums_by_tenant(unit, samples, {}):
        assert history.put(sums, version=1, etag=None, expires_at_s=2_000_000_000)
    return [row_of(each) for each in ended]
