"""A filter that is empty is refused: it would select more than was meant."""

import pytest

from functions.api.http.filters import DEAD_LETTER_FILTERS, EXECUTION_FILTERS, JOB_FILTERS
from tests.support.api.api_world import ApiWorld, Request
from tests.support.api.job_requests import send

QUERIES = [
    *(("/v1/jobs", name) for name in (*JOB_FILTERS, "include", "cursor", "limit")),
    *(("/v1/executions", name) for name in (*EXECUTION_FILTERS, "cursor")),
    *(("/v1/dead-letters", name) for name in (*DEAD_LETTER_FILTERS, "cursor")),
    *(("/v1/stats", name) for name in ("job", "by", "from", "to")),
    *(("/v1/audit", name) for name in ("target", "from", "to")),
    *(("/v1/upcoming", name) for name in ("within", "from")),
]


@pytest.mark.parametrize(("path", "name"), QUERIES)
def test_empty_parameter_of_a_query_is_refused(path: str, name: str) -> None:
    world = ApiWorld()
    answer = world.handle(Request(method="GET", path=path, headers=world.credential, query={name: ""}))
    assert answer.problem == ("invalid-cursor" if name == "cursor" else "malformed-request")


@pytest.mark.parametrize("name", ["job", "tag", "reason", "status", "lane", "from", "to"])
def test_empty_filter_of_a_bulk_redrive_is_refused(name: str) -> None:
    refused = send(ApiWorld(), "POST", "/v1/dead-letters/redrive", {name: "", "dry_run": True})
    assert refused.problem == "validation-failed"
    assert [each["pointer"] for each in refused.json["errors"]] == [f"/{name}"]


@pytest.mark.parametrize("name", ["state", "tag", "q", "kind", "created_from", "created_to"])
def test_empty_filter_of_a_bulk_operation_is_refused(name: str) -> None:
    document = {"action": "pause", "filter": {name: ""}, "dry_run": True}
    refused = send(ApiWorld(), "POST", "/v1/jobs/bulk", document)
    assert refused.problem == "validation-failed"
    assert [each["pointer"] for each in refused.json["errors"]] == [f"/filter/{name}"]
