"""Subscriptions to alerts: what they may name together, and their stored form."""

from typing import Any

import pytest

from shared.domain.delivery.alerts import ALERTS_DISABLED, AlertEvent, AlertFormat, AlertRules, Alerts
from shared.domain.delivery.request import Request, decode_request, encode_request
from shared.domain.errors import InvalidValueError, UnreadableItemError

FAILED, LATE, RECOVERED = AlertEvent.FAILED, AlertEvent.LATE, AlertEvent.RECOVERED


def rules(*events: AlertEvent, late_after_seconds: int | None = None) -> AlertRules:
    return AlertRules(events=frozenset(events), late_after_seconds=late_after_seconds)


def test_subscription_without_a_choice_announces_failures() -> None:
    assert AlertRules() == rules(FAILED)


@pytest.mark.parametrize(
    ("refused", "path"),
    [
        (dict[str, Any](events=frozenset()), "events"),
        ({"events": frozenset({RECOVERED})}, "events"),
        ({"events": frozenset({LATE})}, "late_after_seconds"),
        ({"events": frozenset({FAILED}), "late_after_seconds": 60}, "late_after_seconds"),
        ({"events": frozenset({LATE}), "late_after_seconds": 0}, "late_after_seconds"),
        ({"events": frozenset({LATE}), "late_after_seconds": 86_401}, "late_after_seconds"),
    ],
)
def test_rules_that_contradict_each_other_are_refused(refused: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        AlertRules(**refused)
    assert raised.value.path == (path,)


@pytest.mark.parametrize(
    "alerts",
    [
        None,
        ALERTS_DISABLED,
        Alerts(url="https://told.example/a?b=c"),
        Alerts(url="https://told.example/", rules=rules(*AlertEvent, late_after_seconds=1)),
        Alerts(url="https://told.example/", rules=AlertRules(format=AlertFormat.SLACK)),
    ],
)
def test_subscription_is_a_part_of_the_stored_request(alerts: Alerts | None) -> None:
    request = Request(method="POST", url="https://r.example/", alerts=alerts)
    assert decode_request(encode_request(request)) == request


def test_request_without_a_subscription_is_stored_as_before() -> None:
    """Fingerprints of requests that were accepted before stay equal."""
    stored = encode_request(Request(method="POST", url="https://r.example/"))
    assert stored == b'{"m":"POST","u":"https://r.example/","h":[],"t":""}'


def test_events_in_any_order_are_one_subscription() -> None:
    one = Alerts(url="https://told.example/", rules=rules(FAILED, RECOVERED))
    other = Alerts(url="https://told.example/", rules=rules(RECOVERED, FAILED))
    encoded = [encode_request(Request(method="POST", url="https://r/", alerts=each)) for each in (one, other)]
    assert encoded[0] == encoded[1]


@pytest.mark.parametrize(
    "alerts",
    ['{"u":"https://t/"}', '{"u":"https://t/","e":["moon"]}', '{"u":"https://t/","e":[]}', "[]", "7"],
)
def test_broken_subscription_makes_a_request_unreadable(alerts: str) -> None:
    with pytest.raises(UnreadableItemError):
        decode_request(f'{{"m":"POST","u":"https://r/","h":[],"t":"","a":{alerts}}}'.encode())
