"""Signing secrets."""

from typing import Any

from functions.api.examples import NOW, Examples

_SECRET: dict[str, Any] = {
    "id": "sec_tetx6arp",
    "name": None,
    "state": "current",
    "created_at": NOW,
    "ends_at": None,
}
_OLD_SECRET = {
    **_SECRET,
    "id": "sec_4d42d1kk",
    "state": "overlapping",
    "ends_at": "2025-02-20T21:10:12.345Z",
}
SIGNING_SECRET = f"whsec_{'A' * 43}="
_NAMED = {**_SECRET, "id": "sec_9x0pq7bm", "name": "billing"}
SECRET_ROTATION_IN: Examples = {
    "one_hour_of_overlap": {"overlap_seconds": 3600},
    "for_one_endpoint": {"name": "billing"},
}
SECRET_OUT: Examples = {"retired": {**_OLD_SECRET, "state": "retired", "ends_at": NOW}}
NEW_SECRET_OUT: Examples = {"shown_this_once": {**_SECRET, "signing_secret": SIGNING_SECRET}}
SECRETS_OUT: Examples = {
    "one_after_a_rotation": {"signing_secrets": [_SECRET, _OLD_SECRET]},
    "one_with_a_name": {"signing_secrets": [_SECRET, _NAMED]},
}
