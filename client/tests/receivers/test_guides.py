"""The code of the guides that uses the SDK, run with calls as the server signs them."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
import httpx
import pytest
from moto import mock_aws

from client.tests.support import django_project
from client.tests.support.calls import FOREIGN, NEW, TOKEN, headers_of
from client.tests.support.frameworks import function_url_event
from client.tests.support.long_work import Api, beaten, eventually, instant
from tests.support.documents.blocks import blocks_of
from tests.support.documents.snippets import run_snippet, uses_the_sdk
from tests.support.sources import ROOT

VERIFY, LONG = ROOT / "docs/guides/verify-calls.md", ROOT / "docs/guides/long-running-calls.md"
README = ROOT / "client" / "README.md"
ENVIRONMENT = {
    "SECRET": NEW,
    "PUNCTUAL": "https://punctual.example",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "a",
    "AWS_SECRET_ACCESS_KEY": "b",
}
BODY = b'{"kind": "nightly", "table": "invoices", "invoice": 4711}'


@pytest.fixture
def code(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Any]]:
    """All names of the guide's snippets that use the SDK, in a folder of its own and with tables of DynamoDB."""
    monkeypatch.chdir(tmp_path)
    django_project.migrate()
    namespace: dict[str, Any] = {}
    with mock_aws(), patch.dict(os.environ, ENVIRONMENT):
        boto3.client("dynamodb").create_table(
            TableName="seen-calls",
            KeySchema=[{"AttributeName": "call_id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "call_id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        for block in blocks_of(request.param):
            if block.language == "python" and uses_the_sdk(block.text):
                run_snippet(block.text, namespace)
        yield namespace
    django_project.close()


def now() -> int:
    return int(datetime.now(timezone.utc).timestamp())


def twice(send: Callable[[Mapping[str, str]], int]) -> list[int]:
    """What is answered to a call, to its repetition and to a forged call."""
    genuine, forged = headers_of(BODY, at=now()), headers_of(BODY, FOREIGN, at=now())
    return [send(genuine), send(genuine), send(forged)]


def post_to(app: Any, path: str, headers: Mapping[str, str]) -> httpx.Response:
    """One request to an ASGI application."""

    async def exchange() -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://receiver"
        ) as client:
            return await client.post(path, headers=dict(headers), content=BODY)

    return asyncio.run(exchange())


verify_calls = pytest.mark.parametrize("code", [VERIFY], ids=["guide"], indirect=True)
long_running_calls = pytest.mark.parametrize("code", [LONG], ids=["guide"], indirect=True)


@verify_calls
def test_each_receiver_is_complete(code: dict[str, Any]) -> None:
    """A reader pastes the section of one framework, and none of the others."""
    receivers = [block.text for block in blocks_of(VERIFY) if uses_the_sdk(block.text)]
    assert len(receivers) == 5
    for text in receivers:
        run_snippet(text, {})


@verify_calls
def test_receiver_in_fastapi_does_the_work_once(code: dict[str, Any]) -> None:
    done: list[object] = []

    async def write_report(kind: str, scheduled_at: datetime) -> None:
        done.append((kind, scheduled_at.year))

    code["write_report"] = write_report
    assert twice(lambda headers: post_to(code["app"], "/hooks/report", headers).status_code) == [
        200,
        200,
        401,
    ]
    assert done == [("nightly", 2027)]


@pytest.mark.parametrize("code", [README], ids=["readme"], indirect=True)
def test_receiver_of_the_readme_does_the_work_once(
    code: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert twice(lambda headers: post_to(code["app"], "/hooks/report", headers).status_code) == [
        200,
        200,
        401,
    ]
    assert capsys.readouterr().out.count("nightly") == 1


@verify_calls
def test_receiver_in_flask_does_the_work_once(code: dict[str, Any]) -> None:
    done: list[object] = []
    code["write_row"] = lambda kind, row: done.append((kind, row["kind"]))
    client = code["flask_app"].test_client()
    assert twice(lambda headers: client.post("/hooks/daily", headers=headers, data=BODY).status_code) == [
        200,
        200,
        401,
    ]
    assert done == [("daily", "nightly")]


@verify_calls
def test_receiver_in_django_does_the_work_once(code: dict[str, Any]) -> None:
    from django.test import RequestFactory

    done: list[int] = []
    code["write_invoice"] = done.append

    def send(headers: Mapping[str, str]) -> int:
        request = RequestFactory().generic("POST", "/", BODY, "application/json", headers=dict(headers))
        return int(code["invoice"](request).status_code)

    assert twice(send) == [200, 200, 401]
    assert done == [4711]


@verify_calls
def test_receiver_in_lambda_does_the_work_once(code: dict[str, Any]) -> None:
    done: list[str] = []
    code["write_row"] = lambda kind, row: done.append(kind)

    def send(headers: Mapping[str, str]) -> int:
        event = function_url_event("POST", headers, BODY) | {"pathParameters": None}
        return int(code["handler"](event, None)["statusCode"])

    assert twice(send) == [200, 200, 401]
    assert done == ["lambda"]


@verify_calls
def test_own_receiver_verifies_only(code: dict[str, Any]) -> None:
    assert twice(lambda headers: int(code["respond"](headers, BODY))) == [200, 200, 401]


@verify_calls
def test_stores_of_the_guide_exist(code: dict[str, Any]) -> None:
    from punctual.receivers import MemorySeen, SqliteSeen
    from punctual.receivers.seen import django, dynamodb, redis

    text = VERIFY.read_text(encoding="utf-8")
    for store in (MemorySeen, SqliteSeen, django.DjangoSeen, dynamodb.DynamoSeen, redis.RedisSeen):
        assert f"{store.__name__}(" in text


class Work:
    """Pages that are written, and an API that records the reports."""

    def __init__(self, code: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
        self.api = Api(heartbeat=[beaten()])
        self.api.heartbeat = [httpx.Response(200, json={"lease_until": instant(now() + 60)})]
        self.pages: list[bytes] = []
        client = self.api.client()
        monkeypatch.setattr(httpx, "Client", lambda **_: client)
        code["pages_of"] = lambda table: [table.encode(), b"2"]
        code["write"] = self.pages.append

    def is_complete(self) -> bool:
        return self.api.kinds == ["heartbeat", "complete"]


@long_running_calls
def test_receiver_answers_202_and_completes_in_the_background(
    code: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(code, monkeypatch)
    answer = post_to(code["app"], "/hooks/export", headers_of(BODY, at=now()))
    assert (answer.status_code, answer.headers["X-Punctual-Async"]) == (202, "true")
    eventually(work.is_complete)
    assert work.pages == [b"invoices", b"2"]
    eventually(lambda: post_to(code["app"], "/hooks/export", headers_of(BODY, at=now())).status_code == 200)


@long_running_calls
def test_work_goes_on_in_a_queue(code: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    work, queue = Work(code, monkeypatch), list[Any]()
    code["enqueue"] = lambda *job: queue.append(job)
    answer = post_to(code["app"], "/hooks/import", headers_of(BODY, at=now()))
    assert (answer.status_code, work.api.sent) == (202, [])
    [(function, *arguments)] = queue
    function(*arguments)
    assert work.is_complete()
    assert work.pages == [b"invoices", b"2"]


@long_running_calls
def test_work_goes_on_in_a_second_function_of_lambda(
    code: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    work, invoked = Work(code, monkeypatch), list[dict[str, Any]]()

    class Client:
        def invoke(self, **arguments: Any) -> None:
            invoked.append(arguments)

    code["client"] = Client()
    event = function_url_event("POST", headers_of(BODY, at=now()), BODY) | {"pathParameters": None}
    answer = code["accepting_function"](event, None)
    assert (answer["statusCode"], answer["headers"]["X-Punctual-Async"]) == (202, "true")
    payload = json.loads(invoked[0]["Payload"])
    assert payload["token"] == TOKEN
    code["working_function"](payload, None)
    assert work.is_complete()
