"""Executions of weeks ago on the deployed stack: the API asks the function that reads the archive."""

import pytest

from infra.local.stack import LocalStack
from tests.support.archived_rows import archive_on

pytestmark = pytest.mark.integration


def test_old_executions_are_listed_and_shown_from_the_archive(stack: LocalStack) -> None:
    api = stack.api(stack.create_tenant("archived").api_key)
    rows = archive_on(stack, "archived")
    listed = api.request("GET", "/v1/executions").json()
    assert [each["id"] for each in listed["executions"]] == sorted((row.id for row in rows), reverse=True)
    assert {each["archived"] for each in listed["executions"]} == {True}
    shown = api.request("GET", f"/v1/executions/{rows[0].id}").json()
    assert (shown["archived"], shown["state"]) == (True, "succeeded")
    other = stack.api(stack.create_tenant("not-archived").api_key)
    assert other.request("GET", f"/v1/executions/{rows[0].id}").status == 404
