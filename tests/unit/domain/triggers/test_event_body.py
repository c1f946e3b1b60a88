"""The body with which an event reaches a call."""

import json
from typing import Any

import pytest

from shared.domain.delivery.aws_target import AwsTarget, TargetKind
from shared.domain.delivery.request import Request
from shared.domain.delivery.target_rules import target_errors
from shared.domain.errors import InvalidStateError, InvalidValueError
from shared.domain.triggers.event import MAX_DATA_BYTES, Event, with_event

PAID = Event(source="shop", type="order.paid", id="order-1", data={"größe": 1.5})
URL = "https://receiver.example/hook"


def body_of(request: Request) -> Any:
    return json.loads(with_event(request, PAID).body)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"", {"body": None}),
        (b'{"n": [1, null]}', {"body": {"n": [1, None]}}),
        (b"plain text", {"body": "plain text"}),
        (b"NaN", {"body": "NaN"}),
        (b"[1e999]", {"body": "[1e999]"}),
        (rb'{"a": "\ud800"}', {"body": r'{"a": "\ud800"}'}),
        (b"[" * 100_000, {"body": "[" * 100_000}),
        (b"\xff\x00", {"body_base64": "/wA="}),
    ],
    ids=["none", "json", "text", "no json", "too large a number", "half a pair", "too deep", "bytes"],
)
def test_event_stands_beside_the_body_of_the_job(body: bytes, shown: dict[str, Any]) -> None:
    sent = body_of(Request(method="POST", url=URL, body=body))
    assert sent == {"event": PAID.document, **shown}


def test_body_with_an_event_has_the_media_type_json() -> None:
    headers = (("content-TYPE", "text/plain"), ("X-Own", "1"))
    sent = with_event(Request(method="PUT", url=URL, headers=headers, body=b"a"), PAID)
    assert sent.headers == (("X-Own", "1"), ("Content-Type", "application/json"))


def test_message_with_an_event_is_one_that_the_queue_takes() -> None:
    target = AwsTarget(kind=TargetKind.SQS, arn="arn:aws:sqs:eu-west-1:111122223333:orders")
    texts = {"note": "".join(map(chr, [*range(0x21), 0x7F, 0xFFFE, 0xFFFF, 0x1F600]))}
    event = Event(source="shop", type="order.paid", id="order-1", data=texts)
    sent = with_event(Request(body=b"plain", target=target), event)
    assert (sent.headers, sent.target) == ((), target)
    assert json.loads(sent.body) == {"event": event.document, "body": "plain"}
    assert list(target_errors(target, sent.body)) == []


def test_start_of_a_workflow_has_the_event_as_its_input() -> None:
    request = Request(workflow_id="wfl_1")
    informed = with_event(request, PAID)
    assert (informed.workflow_id, json.loads(informed.body)) == ("wfl_1", PAID.document)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_request_without_a_body_stays_as_it_is(method: str) -> None:
    request = Request(method=method, url=URL)
    assert with_event(request, PAID) is request


def test_event_that_does_not_fit_beside_the_body_is_refused() -> None:
    request = Request(method="POST", url=URL, body=b"a" * (200 * 1024 - 60))
    with pytest.raises(InvalidStateError, match="at most 204800 are sent"):
        with_event(request, PAID)


@pytest.mark.parametrize(
    ("member", "value"),
    [("source", ""), ("type", "a\nb"), ("id", "a" * 257), ("data", {"a": "ä" * (MAX_DATA_BYTES // 2)})],
)
def test_event_that_cannot_be_is_refused_with_the_path_of_its_fault(member: str, value: Any) -> None:
    members = {"source": "s", "type": "t", "id": "i", "data": {}} | {member: value}
    with pytest.raises(InvalidValueError) as refused:
        Event(**members)
    assert refused.value.path == (member,)
