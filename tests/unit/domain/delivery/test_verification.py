"""Verification of calls, held to the library of Standard Webhooks."""

from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook

from shared.domain.delivery.signing import new_secret, sign
from shared.domain.delivery.verification import is_genuine

SECRET, OLDER = new_secret(bytes(range(32))), new_secret(bytes(32))
NOW_S = 1_800_000_000
BODY = b'{"canary":"watched"}'


def _headers(signature: str, timestamp_s: int = NOW_S) -> dict[str, str]:
    return {
        "webhook-id": "exe_1",
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": signature,
    }


def test_signature_of_the_standards_library_is_genuine() -> None:
    signature = Webhook(SECRET).sign("exe_1", datetime.fromtimestamp(NOW_S, UTC), BODY.decode())
    assert is_genuine(_headers(signature), BODY, SECRET, NOW_S * 1000)


def test_signature_among_several_is_enough_during_a_rotation() -> None:
    both = sign(message_id="exe_1", timestamp_s=NOW_S, body=BODY, secrets=[OLDER, SECRET])
    assert is_genuine(_headers(both), BODY, SECRET, NOW_S * 1000)
    assert is_genuine(_headers(both), BODY, OLDER, NOW_S * 1000)
    assert not is_genuine(_headers(both), BODY, new_secret(bytes([9] * 32)), NOW_S * 1000)


@pytest.mark.parametrize(("age_s", "is_accepted"), [(300, True), (301, False), (-300, True), (-301, False)])
def test_call_is_accepted_within_five_minutes_of_its_timestamp(age_s: int, is_accepted: bool) -> None:
    signature = sign(message_id="exe_1", timestamp_s=NOW_S - age_s, body=BODY, secrets=[SECRET])
    headers = _headers(signature, NOW_S - age_s)
    assert is_genuine(headers, BODY, SECRET, NOW_S * 1000) is is_accepted
