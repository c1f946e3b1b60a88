"""Message bodies: what is written is read back, and anything else is refused with a reason."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.adapters.sqs.messages import decode_wakeup, encode_wakeup
from shared.domain.delivery.destination import DESTINATION
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.errors import InvalidValueError, NewerMessageError
from shared.domain.ids import ExecutionId
from shared.names import Lane, QueueName
from tests.support.builders import DUE_AT, execution_id, wakeup

GOOD: dict[str, Any] = json.loads(encode_wakeup(wakeup()))
KEY = str(execution_id())

IDS = st.builds(
    ExecutionId,
    cell=st.sampled_from("09az"),
    dispatch_at=st.integers(0, (1 << 50) - 1),
    shard=st.integers(0, 32_767),
    entropy=st.integers(0, (1 << 80) - 1),
)
DESTINATIONS = st.just("") | st.from_regex(DESTINATION, fullmatch=True)


@st.composite
def wakeups(draw: st.DrawFn) -> Wakeup:
    keys = draw(st.lists(IDS, min_size=1, max_size=10, unique=True))
    each = st.lists(DESTINATIONS, min_size=len(keys), max_size=len(keys))
    return Wakeup(
        lane=draw(st.sampled_from(Lane)),
        tenant_id=draw(st.from_regex(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True)),
        keys=tuple(keys),
        not_before=draw(st.integers(0, 1 << 50)),
        destinations=tuple(draw(st.just([]) | each)),
        via=draw(st.none() | st.sampled_from(QueueName)),
        waited=draw(st.integers(0, 1_000_000)),
        ends_at=draw(st.none() | st.integers(0, 1 << 50)),
    )


@settings(deadline=None)
@given(sent=wakeups())
def test_encoded_wakeup_is_decoded_unchanged(sent: Wakeup) -> None:
    assert decode_wakeup(encode_wakeup(sent)) == sent


def test_a_key_that_is_named_twice_counts_once() -> None:
    body = json.dumps(GOOD | {"keys": [KEY, KEY]})
    assert decode_wakeup(body).keys == (execution_id(),)
    body = json.dumps(GOOD | {"keys": [KEY, KEY], "to": ["0123456789", "9876543210"]})
    assert decode_wakeup(body).destinations == ("0123456789",)


def test_a_message_of_the_first_version_is_read_and_knows_no_destinations() -> None:
    assert decode_wakeup(json.dumps(GOOD | {"v": 1})) == wakeup()


OF_NEWER_RELEASES = {"a later version", "an unknown lane", "a queue that is none"}
HOSTILE: dict[str, str] = {
    "nothing": "",
    "no JSON": "wake up!",
    "cut short": json.dumps(GOOD)[:-1],
    "two documents": json.dumps(GOOD) * 2,
    "a list": json.dumps([GOOD]),
    "a text": json.dumps(json.dumps(GOOD)),
    "null": "null",
    "a number": "1",
    "NaN": json.dumps(GOOD).replace(str(DUE_AT), "NaN"),
    "infinity": json.dumps(GOOD).replace(str(DUE_AT), "1e400"),
    "half a character": json.dumps(GOOD).replace("acme", "\\ud800"),
    "100,000 brackets": "[" * 100_000,
    "brackets in a field": json.dumps(GOOD).replace(f'["{KEY}"]', "[" * 50_000 + "]" * 50_000),
    "a megabyte": json.dumps(GOOD | {"tenant": "a" * 1_000_000}),
    "a number of 5,000 digits": json.dumps(GOOD).replace(str(DUE_AT), "9" * 5_000),
    "a later version": json.dumps(GOOD | {"v": 3}),
    "version 1 with a field of version 2": json.dumps(GOOD | {"v": 1, "waited": 1}),
    "fewer destinations than keys": json.dumps(GOOD | {"to": []}),
    "more destinations than keys": json.dumps(GOOD | {"to": ["0123456789", ""]}),
    "a host for a destination": json.dumps(GOOD | {"to": ["example.com"]}),
    "a destination with a line's end": json.dumps(GOOD | {"to": ["0123456789\n"]}),
    "a destination in capitals": json.dumps(GOOD | {"to": ["ABCDEFGHJK"]}),
    "a destination that is a number": json.dumps(GOOD | {"to": [1234567890]}),
    "a queue that is none": json.dumps(GOOD | {"via": "express"}),
    "a wait in text": json.dumps(GOOD | {"waited": "1"}),
    "a wait before any": json.dumps(GOOD | {"waited": -1}),
    "a wait beyond counting": json.dumps(GOOD | {"waited": 10**7}),
    "an end before time": json.dumps(GOOD | {"ends_at": -1}),
    "a fractional end": json.dumps(GOOD | {"ends_at": 1.5}),
    "an earlier version": json.dumps(GOOD | {"v": 0}),
    "a version in text": json.dumps(GOOD | {"v": "1"}),
    "a true version": json.dumps(GOOD | {"v": True}),
    "a fractional version": json.dumps(GOOD | {"v": 1.5}),
    "one field more": json.dumps(GOOD | {"url": "https://example.com"}),
    "an unknown lane": json.dumps(GOOD | {"lane": "express"}),
    "a lane that is none": json.dumps(GOOD | {"lane": None}),
    "no tenant's name": json.dumps(GOOD | {"tenant": ""}),
    "a tenant too long": json.dumps(GOOD | {"tenant": "a" * 41}),
    "a tenant that is a number": json.dumps(GOOD | {"tenant": 7}),
    "no keys": json.dumps(GOOD | {"keys": []}),
    "eleven keys": json.dumps(GOOD | {"keys": [str(execution_id(number)) for number in range(11)]}),
    "keys in text": json.dumps(GOOD | {"keys": KEY}),
    "a key that is a number": json.dumps(GOOD | {"keys": [7]}),
    "a key without its prefix": json.dumps(GOOD | {"keys": [KEY[4:]]}),
    "a job's id": json.dumps(GOOD | {"keys": ["job_" + KEY[4:]]}),
    "a key of a later version": json.dumps(GOOD | {"keys": ["exe_2" + KEY[5:]]}),
    "a key cut short": json.dumps(GOOD | {"keys": [KEY[:-1]]}),
    "a key too long": json.dumps(GOOD | {"keys": [KEY + "0"]}),
    "a key in capitals": json.dumps(GOOD | {"keys": [KEY.upper()]}),
    "a key with a line's end": json.dumps(GOOD | {"keys": [KEY + "\n"]}),
    "one bad key of two": json.dumps(GOOD | {"keys": [KEY, "exe_"]}),
    "a time before time": json.dumps(GOOD | {"not_before": -1}),
    "a fractional time": json.dumps(GOOD | {"not_before": 1.5}),
    "a time in text": json.dumps(GOOD | {"not_before": str(DUE_AT)}),
    "a true time": json.dumps(GOOD | {"not_before": True}),
    "no time": json.dumps(GOOD | {"not_before": None}),
    **{f"without {field}": json.dumps({k: v for k, v in GOOD.items() if k != field}) for field in GOOD},
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_message_is_refused_with_a_short_reason_that_repeats_no_content(kind: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        decode_wakeup(HOSTILE[kind])
    reason = str(raised.value)
    assert 0 < len(reason) < 200
    assert "example.com" not in reason


@pytest.mark.parametrize(
    "body",
    [
        GOOD | {"v": 3},
        GOOD | {"v": 4, "lane": "express", "keys": {}, "more": None},
        GOOD | {"v": 3, "via": "express", "waited": "1"},
        {"v": 10**9},
        GOOD | {"lane": "express"},
        GOOD | {"via": "express"},
    ],
)
def test_a_newer_version_is_told_from_what_nobody_can_read(body: dict[str, Any]) -> None:
    with pytest.raises(NewerMessageError) as raised:
        decode_wakeup(json.dumps(body))
    assert "express" not in str(raised.value)


@pytest.mark.parametrize("kind", sorted(HOSTILE.keys() - OF_NEWER_RELEASES))
def test_unreadable_message_is_not_taken_for_a_newer_version(kind: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        decode_wakeup(HOSTILE[kind])
    assert not isinstance(raised.value, NewerMessageError)


@settings(deadline=None)
@given(body=st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_arbitrary_text_is_refused_as_a_message(body: str) -> None:
    with pytest.raises(InvalidValueError):
        decode_wakeup(body)
