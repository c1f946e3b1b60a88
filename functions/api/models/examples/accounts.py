"""Tenants, keys, signing secrets, usage and the audit trail. No key or secret of these is good anywhere."""

from typing import Any

from functions.api.models.examples.executions import CURSOR
from functions.api.models.examples.jobs import JOB_ID, Examples

_NOW = "2025-02-19T21:10:12.345Z"
_KEY: dict[str, Any] = {
    "id": "mfs9rrrpq58f4h2n",
    "name": "ci",
    "scopes": ["read"],
    "state": "live",
    "created_at": _NOW,
    "expires_at": "2025-05-20T21:10:12.345Z",
    "last_used_at": None,
}
_API_KEY = f"pk_{_KEY['id']}_{'0' * 32}"
_SECRET: dict[str, Any] = {
    "id": "sec_tetx6arp",
    "state": "current",
    "created_at": _NOW,
    "ends_at": None,
}
_OLD_SECRET = {
    **_SECRET,
    "id": "sec_4d42d1kk",
    "state": "overlapping",
    "ends_at": "2025-02-20T21:10:12.345Z",
}
_SIGNING_SECRET = f"whsec_{'A' * 43}="
_LIMITS = {
    "recurring_jobs": 1000,
    "creates_per_second": 100,
    "due_per_minute": 60000,
    "payload_bytes": 262144,
    "tags": 10,
    "api_keys": 10,
    "concurrency": 100,
    "calls_per_second": 100_000,
    "destination_concurrency": 100_000,
    "destination_calls_per_second": 100_000,
}
_USED = {"recurring_jobs": 1, "creates_per_second": 3, "due_per_minute": 0, "api_keys": 1}
_TENANT: dict[str, Any] = {
    "id": "acme",
    "state": "active",
    "created_at": _NOW,
    "revision": 1,
    "weight": 1,
    "index_shards": 1,
    "quotas": _LIMITS,
    "own_quotas": [],
    "on_success": None,
    "on_failure": None,
}
KEY_IN: Examples = {
    "for_ninety_days": {"scopes": ["read"], "name": "ci", "expires_in_seconds": 7776000},
    "for_a_client": {"scopes": ["read", "write"]},
}
KEY_ROTATION_IN: Examples = {"an_hour_of_both": {"overlap_seconds": 3600}}
KEY_OUT: Examples = {"live": _KEY, "revoked": {**_KEY, "state": "revoked"}}
NEW_KEY_OUT: Examples = {"shown_this_once": {**_KEY, "api_key": _API_KEY}}
KEYS_OUT: Examples = {"one": {"keys": [_KEY]}}
SECRET_ROTATION_IN: Examples = {"an_hour_of_both": {"overlap_seconds": 3600}}
SECRET_OUT: Examples = {"retired": {**_OLD_SECRET, "state": "retired", "ends_at": _NOW}}
NEW_SECRET_OUT: Examples = {"shown_this_once": {**_SECRET, "signing_secret": _SIGNING_SECRET}}
SECRETS_OUT: Examples = {"one_after_a_rotation": {"signing_secrets": [_SECRET, _OLD_SECRET]}}
TENANT_IN: Examples = {"a_client": {"id": "globex"}, "with_a_manager": {"id": "shop", "scopes": ["admin"]}}
TENANT_PATCH: Examples = {
    "suspended": {"state": "suspended"},
    "told_of_failures": {"on_failure": "https://example.com/hooks/failures", "on_success": None},
    "more_jobs_and_default_tags": {"weight": 2, "quotas": {"recurring_jobs": 5000, "tags": None}},
}
TENANT_OUT: Examples = {"active": _TENANT}
NEW_TENANT_OUT: Examples = {
    "shown_this_once": {
        "tenant": _TENANT,
        "key": {**_KEY, "name": None, "scopes": ["read", "write"], "expires_at": None},
        "api_key": _API_KEY,
        "signing_secret": _SIGNING_SECRET,
    }
}
TENANT_PAGE: Examples = {"the_last": {"tenants": [_TENANT], "next_cursor": None}}
USAGE_OUT: Examples = {
    "of_a_morning": {
        "tenant": "acme",
        "weight": 1,
        "quotas": {
            name: {
                "limit": limit,
                "used": _USED.get(name),
                "is_enforced": limit < 100_000 or not name.endswith(("concurrency", "calls_per_second")),
            }
            for name, limit in _LIMITS.items()
        },
    }
}
AUDIT_PAGE: Examples = {
    "one_of_more": {
        "records": [
            {
                "id": "aud_nwcxke572kk1mh0w",
                "at": _NOW,
                "actor": "tenant",
                "key_id": "cymqrse1wp1e5sk2",
                "operation": "pauseJob",
                "target": JOB_ID,
                "before": "edb064968a895ddb40918024e314cf2e043d8993fb10c5e90106ef624bc75776",
                "after": "b00d4900de33eaa880c8411163e2fd300d56acf36e88af864b1a3ad591e920ca",
                "request_id": "4fe87409-1eee-4a0a-bec8-a864ab623f42",
            }
        ],
        "next_cursor": CURSOR,
    }
}
