"""The shared index of hot scopes: work waits there, or a destination is in trouble.

The index has `HOT_SCOPE_PARTS` items; the name of a scope selects one. An entry is a scope and an instant until
when it is hot. The last three digits of the instant carry a hash of the tenant, so that a writer can count the
entries of each tenant in a part without a table.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from zlib import crc32

HOT_SCOPE_PARTS = 16
MAX_IN_PART = 125
"""An entry has some 25 bytes, so that a part costs half a read unit and at most four write units."""
SHARE_DIVISOR = 16
"""A tenant may hold this fraction of the free capacity of a part, so that no tenant fills it."""
_TAGS = 1_000


def part_of(scope: str) -> int:
    return crc32(scope.encode()) % HOT_SCOPE_PARTS


def by_part(scopes: Iterable[str]) -> dict[int, list[str]]:
    """The scopes of each part that has any."""
    parts: dict[int, list[str]] = {}
    for scope in scopes:
        parts.setdefault(part_of(scope), []).append(scope)
    return parts


def tag_with_tenant(until: int, tenant_id: str, part: int) -> int:
    """The instant, moved by less than a second, with the tag of a tenant.

    Few tenants share a tag, and tenants with equal tags in one part have different tags in other parts.
    """
    return until - until % _TAGS + crc32(f"{part}#{tenant_id}".encode()) % _TAGS


def within_capacity(new: Mapping[str, int], hot_scopes: Mapping[str, int]) -> dict[str, int]:
    """The new entries that may be written to a part: updates of existing ones, and a fair share of others.

    A tenant with entries gets more of them only while much is free. The last places go to tenants without an
    entry.
    """
    of_tag = Counter(until % _TAGS for until in hot_scopes.values())
    free = MAX_IN_PART - len(hot_scopes)
    accepted: dict[str, int] = {}
    for scope, until in new.items():
        if scope not in hot_scopes:
            share = max(1, free // SHARE_DIVISOR)
            if free <= 0 or of_tag[until % _TAGS] >= share:
                continue
            free -= 1
            of_tag[until % _TAGS] += 1
        accepted[scope] = until
    return accepted
