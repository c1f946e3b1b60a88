"""Executions of weeks ago on the deployed stack: the API asks the function that reads the archive."""

import time

import pytest

from infra.local.clients import REGION
from infra.local.stack import LocalStack
from shared.adapters.dynamodb.archive.history import DynamoHistoryStore
from shared.adapters.parquet.files import ParquetFiles
from shared.domain.archive.row import row_of
from shared.domain.archive.statistics import sums_by_tenant
from shared.domain.archive.unit import DAY_MS, unit_of
from shared.domain.executions.states import State
from shared.names import Env
from tests.support.builders import in_state, one_off, with_changes

pytestmark = pytest.mark.integration
ROWS = 5


def test_old_executions_are_listed_and_shown_from_the_archive(stack: LocalStack) -> None:
    tenant = stack.create_tenant("archived")
    due_at = round(time.time() * 1_000) - 30 * DAY_MS
    ended = [
        with_changes(in_state(one_off(number, due_at=due_at), State.SUCCEEDED), tenant_id="archived")
        for number in range(ROWS)
    ]
    rows = [row_of(each) for each in ended]
    unit = unit_of(ended[0].id)
    environment = stack.environment("archiver")
    with ParquetFiles().draft(unit) as draft:
        draft.add(rows)
        content = draft.merge(has_old=False).content.read()
        samples = list(draft.samples())
    bucket, key = environment[Env.ARCHIVE_BUCKET], unit.file_key(REGION)
    stack.client("s3").put_object(Bucket=bucket, Key=key, Body=content)
    history = DynamoHistoryStore(stack.client("dynamodb"), environment[Env.HISTORY_TABLE], REGION)
    for sums in sums_by_tenant(unit, samples, {}):
        assert history.put(sums, version=1, etag=None, expires_at_s=2_000_000_000)

    api = stack.api(tenant.api_key)
    listed = api.request("GET", "/v1/executions").json()
    assert [each["id"] for each in listed["executions"]] == sorted((row.id for row in rows), reverse=True)
    assert {each["archived"] for each in listed["executions"]} == {True}
    shown = api.request("GET", f"/v1/executions/{rows[0].id}").json()
    assert (shown["archived"], shown["state"]) == (True, "succeeded")
    other = stack.api(stack.create_tenant("not-archived").api_key)
    assert other.request("GET", f"/v1/executions/{rows[0].id}").status == 404
