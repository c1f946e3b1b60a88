"""Capacity of the shared index of hot scopes (work waits there, or a destination is in trouble), by tenant.

The index is one item that every process reads: a scope and an instant until when it is hot. The last three
digits of the instant carry a hash of the tenant, so that a writer can count the entries of each tenant
without a table.
"""

from collections import Counter
from collections.abc import Mapping
from zlib import crc32

MAX_OF_TENANT = 50
MAX_HOT_SCOPES = 2_000
_TAGS = 1_000


def tag_with_tenant(until: int, tenant_id: str) -> int:
    """The instant, moved by less than a second, with the tag of a tenant; few tenants share a tag."""
    return until - until % _TAGS + crc32(tenant_id.encode()) % _TAGS


def within_capacity(new: Mapping[str, int], hot_scopes: Mapping[str, int]) -> dict[str, int]:
    """The new entries that may be written: updates of existing ones, and others while there is capacity."""
    of_tag = Counter(until % _TAGS for until in hot_scopes.values())
    size = len(hot_scopes)
    accepted: dict[str, int] = {}
    for scope, until in new.items():
        if scope not in hot_scopes:
            if size >= MAX_HOT_SCOPES or of_tag[until % _TAGS] >= MAX_OF_TENANT:
                continue
            size += 1
            of_tag[until % _TAGS] += 1
        accepted[scope] = until
    return accepted
