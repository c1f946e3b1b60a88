"""Tenants."""

from typing import Any

from functions.api.examples import NOW, Examples
from functions.api.resources.keys.examples import API_KEY, KEY
from functions.api.resources.signing_secrets.examples import SIGNING_SECRET
from functions.api.resources.usage.examples import LIMITS

_TENANT: dict[str, Any] = {
    "id": "acme",
    "state": "active",
    "effective_at": None,
    "created_at": NOW,
    "revision": 1,
    "weight": 1,
    "index_shards": 1,
    "quotas": LIMITS,
    "own_quotas": [],
    "target_roles": [],
    "target_external_id": None,
    "on_success": None,
    "on_failure": None,
    "alerts": None,
}
TENANT_IN: Examples = {
    "a_client": {"id": "globex"},
    "that_manages_its_own_keys": {"id": "shop", "scopes": ["admin"]},
}
TENANT_PATCH: Examples = {
    "failure_notifications": {"on_failure": "https://example.com/hooks/failures", "on_success": None},
    "more_jobs_and_default_tags": {"weight": 2, "quotas": {"recurring_jobs": 5000, "tags": None}},
    "suspended": {"state": "suspended"},
    "targets_in_an_account": {"target_roles": ["arn:aws:iam::111122223333:role/punctual/acme"]},
}
TENANT_OUT: Examples = {
    "active": _TENANT,
    "suspended_in_a_minute": {
        **_TENANT,
        "state": "suspended",
        "effective_at": "2025-02-19T21:11:12.345Z",
        "revision": 2,
    },
    "with_a_target_role": {
        **_TENANT,
        "revision": 2,
        "target_roles": ["arn:aws:iam::111122223333:role/punctual/acme"],
        "target_external_id": "7j2k9qhd0s6v4m1xw8z5c3bn6r0ty2ga",
    },
}
NEW_TENANT_OUT: Examples = {
    "shown_this_once": {
        "tenant": _TENANT,
        "key": {**KEY, "name": None, "scopes": ["read", "write"], "expires_at": None},
        "api_key": API_KEY,
        "signing_secret": SIGNING_SECRET,
    }
}
TENANT_PAGE: Examples = {"the_last": {"tenants": [_TENANT], "next_cursor": None}}
DELETION_IN: Examples = {"a_ticket": {"confirm": "acme", "asked_by": "ticket 7"}}
_WAITING: dict[str, Any] = {
    "tenant": "acme",
    "state": "waiting",
    "asked_at": NOW,
    "asked_by": "ticket 7",
    "begins_at": "2025-02-19T22:11:12.345Z",
    "began_at": None,
    "ended_at": None,
    "deleted": {},
}
DELETION_OUT: Examples = {
    "waiting": _WAITING,
    "ended": {
        **_WAITING,
        "state": "ended",
        "begins_at": None,
        "began_at": "2025-02-19T22:11:58.001Z",
        "ended_at": "2025-02-19T22:29:20.113Z",
        "deleted": {"executions": 48213, "jobs": 12, "payloads": 3, "tenants": 1},
    },
}
