"""API keys."""

from typing import Any

from functions.api.examples import NOW, Examples
from shared.domain.tenancy.tenant import OPERATOR

KEY: dict[str, Any] = {
    "id": "mfs9rrrpq58f4h2n",
    "name": "ci",
    "scopes": ["read"],
    "state": "live",
    "created_at": NOW,
    "expires_at": "2025-05-20T21:10:12.345Z",
    "last_used_at": None,
}
API_KEY = f"pk_{KEY['id']}_{'0' * 32}"
KEY_IN: Examples = {
    "for_ninety_days": {"scopes": ["read"], "name": "ci", "expires_in_seconds": 7776000},
    "for_a_client": {"scopes": ["read", "write"]},
}
KEY_ROTATION_IN: Examples = {"one_hour_of_overlap": {"overlap_seconds": 3600}}
KEY_OUT: Examples = {"live": KEY, "revoked": {**KEY, "state": "revoked"}}
NEW_KEY_OUT: Examples = {"shown_this_once": {**KEY, "api_key": API_KEY}}
WHOAMI_OUT: Examples = {
    "key_of_a_client": {
        "tenant": "acme",
        "is_operator": False,
        "key_id": KEY["id"],
        "scopes": KEY["scopes"],
        "expires_at": KEY["expires_at"],
    },
    "key_of_an_operator": {
        "tenant": OPERATOR,
        "is_operator": True,
        "key_id": "cymqrse1wp1e5sk2",
        "scopes": ["admin"],
        "expires_at": None,
    },
}
KEYS_OUT: Examples = {"one": {"keys": [KEY]}}
