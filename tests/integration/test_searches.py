"""Searches on the deployed stack: records and archived rows in files that a signed URL reads."""

import gzip
import json
import time
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from infra.local.api import Api
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack
from tests.support.archived_rows import archive_on

pytestmark = pytest.mark.integration

PATIENCE = 120


def finished(stack: LocalStack, api: Api, body: dict[str, Any]) -> Any:
    started = api.request("POST", "/v1/executions/search", body)
    assert started.status == 202, started.body
    path, until = started.headers["location"], time.monotonic() + PATIENCE
    while True:
        stack.tick()
        shown = api.request("GET", path).json()
        if shown["state"] != "running":
            return shown
        assert time.monotonic() < until, shown


def lines(shown: Any) -> list[Any]:
    found: list[Any] = []
    for file in shown["files"]:
        with urlopen(file["url"], timeout=30) as answer:
            content = answer.read()
        assert len(content) == file["bytes"]
        rows = [json.loads(line) for line in gzip.decompress(content).splitlines()]
        assert len(rows) == file["rows"]
        found += rows
    return found


def test_search_finds_records_and_archived_rows_and_signs_their_urls(stack: LocalStack) -> None:
    tenant = stack.create_tenant("searching")
    api, other = stack.api(tenant.api_key), stack.api(stack.create_tenant("searching-not").api_key)
    rows = archive_on(stack, "searching")
    with Receiver(secret=tenant.signing_secret) as receiver:
        job = {"schedule": {"delay_seconds": 0}, "request": {"url": f"{receiver.url}/searched"}}
        created = api.request("POST", "/v1/jobs", {**job, "name": "searched", "tags": ["fresh"]}).json()
        receiver.wait_for(1)
    until = time.monotonic() + PATIENCE
    while api.request("GET", f"/v1/jobs/{created['id']}").json()["state"] != "succeeded":
        assert time.monotonic() < until
    time.sleep(1)

    everything = finished(stack, api, {"from": "2020-01-01T00:00:00Z"})
    found = lines(everything)
    assert (everything["state"], everything["found"]) == ("finished", len(rows) + 1)
    listed = api.request("GET", "/v1/executions").json()["executions"]
    assert [each["archived"] for each in found] == [False] + [True] * len(rows)
    assert found[0] == {name: value for name, value in listed[0].items() if name != "last_response_body"}
    assert {each["id"] for each in found[1:]} == {row.id for row in rows}

    fresh = finished(stack, api, {"from": "2020-01-01T00:00:00Z", "filter": {"tag": "fresh"}})
    assert [each["name"] for each in lines(fresh)] == ["searched"]
    old = finished(stack, api, {"from": "2020-01-01T00:00:00Z", "filter": {"job": rows[0].job_id}})
    assert [each["id"] for each in lines(old)] == [rows[0].id]

    path = f"/v1/searches/{everything['id']}"
    assert other.request("GET", path).status == 404
    theirs = finished(stack, other, {"from": "2020-01-01T00:00:00Z"})
    assert (theirs["found"], theirs["files"]) == (0, [])
    (url,) = {file["url"] for file in everything["files"]}
    forged = url.replace("searching/", "searching-not/")
    with pytest.raises(HTTPError):
        urlopen(forged, timeout=30)
