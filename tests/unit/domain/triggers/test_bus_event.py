"""Events of EventBridge, and which tenant they are for."""

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.triggers.bus_event import read_bus_event
from shared.domain.triggers.event import Event
from shared.domain.triggers.event_source import EventRoute, EventSource

ENVELOPE: dict[str, Any] = {
    "version": "0",
    "id": "17793124-05d4-b198-2fde-7ededc63b103",
    "detail-type": "Object Created",
    "source": "aws.s3",
    "account": "111122223333",
    "time": "2021-11-12T00:00:00Z",
    "region": "ca-central-1",
    "resources": ["arn:aws:s3:::amzn-s3-demo-bucket1"],
    "detail": {
        "version": "0",
        "bucket": {"name": "amzn-s3-demo-bucket1"},
        "object": {
            "key": "example-key",
            "size": 5,
            "etag": "b1946ac92492d2347c6235b4d2611184",
            "version-id": "IYV3p45BT0ac8hjHg1houSdS1a.Mro8e",
            "sequencer": "617f08299329d189",
        },
        "request-id": "N4N7GDK58NMKJ12R",
        "requester": "123456789012",
        "source-ip-address": "1.2.3.4",
        "reason": "PutObject",
    },
}
"""The example of the user guide of S3."""


def read(**changes: Any) -> Event:
    return read_bus_event(json.dumps(ENVELOPE | changes)).event()


def test_event_of_the_bus_has_the_members_that_patterns_know() -> None:
    received = read_bus_event(json.dumps(ENVELOPE | {"source": "com.acme.shop", "detail-type": "paid"}))
    assert received.account == "111122223333"
    assert received.event() == Event(
        source="com.acme.shop", type="paid", id=ENVELOPE["id"], data=ENVELOPE["detail"]
    )


def test_event_about_an_object_has_the_same_id_when_s3_sends_it_twice() -> None:
    first, second = read(), read(id="another")
    assert first == second
    assert first.id.startswith("s3-")
    detail = ENVELOPE["detail"]
    for changed in ({"key": "k"}, {"sequencer": "617f08299329d18a"}, {"version-id": "v"}):
        assert read(detail=detail | {"object": detail["object"] | changed}).id != first.id
    assert read(detail=detail | {"bucket": {"name": "other"}}).id != first.id


def test_events_of_two_types_about_an_object_have_two_ids() -> None:
    kinds = ("Object Created", "Object Tags Added", "Object Deleted")
    assert len({read(**{"detail-type": kind}).id for kind in kinds}) == 3


@pytest.mark.parametrize(
    "detail",
    [
        {},
        {"bucket": "b", "object": {"key": "k", "sequencer": "1"}},
        {"bucket": {"name": "b"}, "object": {"key": "k"}},
        {"bucket": {"name": "b"}, "object": {"key": "k", "sequencer": 1}},
    ],
)
def test_event_of_s3_without_a_sequencer_keeps_the_id_of_the_bus(detail: dict[str, Any]) -> None:
    assert read(detail=detail).id == ENVELOPE["id"]


def test_only_s3_itself_names_objects() -> None:
    assert read(source="com.acme.s3").id == ENVELOPE["id"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        ("[]", ()),
        ("[" * 100_000, ()),
        (json.dumps(ENVELOPE | {"account": "1"}), ("account",)),
        (json.dumps(ENVELOPE | {"account": 1}), ("account",)),
        (json.dumps(ENVELOPE | {"detail": []}), ("detail",)),
        (json.dumps(ENVELOPE | {"detail": {"a": "\ud800"}}), ("detail",)),
        (json.dumps(ENVELOPE | {"detail": {"a": float("inf")}}), ("detail",)),
        (json.dumps(ENVELOPE | {"detail": {"a": "ä" * 40_000}}), ("data",)),
        (json.dumps(ENVELOPE | {"detail-type": None}), ("detail-type",)),
        (json.dumps(ENVELOPE | {"detail-type": ""}), ("type",)),
        (json.dumps(ENVELOPE | {"source": "a\nb"}), ("source",)),
        (json.dumps({"Records": []}), ("account",)),
    ],
)
def test_message_that_is_no_event_is_refused_with_the_path_of_its_fault(
    text: str, path: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidValueError) as refused:
        read_bus_event(text).event()
    assert refused.value.path == path


SOURCE = EventSource(
    account="111122223333",
    version=1,
    changed_at=0,
    routes=(
        EventRoute(source_prefix="com.acme.", tenant_id="acme"),
        EventRoute(source_prefix="com.acme.shop", tenant_id="shop"),
    ),
)


@pytest.mark.parametrize(
    ("source", "tenant"),
    [
        ("com.acme.shop", "shop"),
        ("com.acme.shop.eu", "shop"),
        ("com.acme.x", "acme"),
        ("com.acme", None),
        ("aws.s3", None),
    ],
)
def test_longest_prefix_names_the_tenant(source: str, tenant: str | None) -> None:
    assert SOURCE.tenant_of(source) == tenant


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"account": "1234"}, ("account",)),
        ({"account": "111122223333\n"}, ("account",)),
        ({"routes": ()}, ("routes",)),
        ({"routes": (SOURCE.routes[0],) * 2}, ("routes", "1", "source_prefix")),
    ],
)
def test_event_source_that_cannot_be_is_refused(changes: dict[str, Any], path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidValueError) as refused:
        replace(SOURCE, **changes)
    assert refused.value.path == path


@pytest.mark.parametrize("tenant", ["", "Acme", "operator", "a" * 41])
def test_route_to_a_tenant_that_cannot_be_is_refused(tenant: str) -> None:
    with pytest.raises(InvalidValueError):
        EventRoute(source_prefix="a", tenant_id=tenant)
