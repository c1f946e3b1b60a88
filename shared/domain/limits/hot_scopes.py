"""Who has a place on the board of the scopes in which something waits or is in trouble: no tenant may fill it.

The board is one item that every process reads. Each instant on it says by its last three digits, which matter to
nobody, whose scope it is: so whoever would add to it counts what a tenant has there already.
"""

from collections import Counter
from collections.abc import Mapping
from zlib import crc32

MAX_OF_TENANT = 50
MAX_HOT_SCOPES = 2_000
_MARKS = 1_000


def tag_with_tenant(until: int, tenant_id: str) -> int:
    """An instant less than a second away that bears the mark of a tenant; few tenants have the same."""
    return until - until % _MARKS + crc32(tenant_id.encode()) % _MARKS


def within_capacity(new: Mapping[str, int], hot_scopes: Mapping[str, int]) -> dict[str, int]:
    """Those of the marked instants whose scopes stand on the board already or find a place there."""
    of_mark = Counter(until % _MARKS for until in hot_scopes.values())
    taken = len(hot_scopes)
    placed: dict[str, int] = {}
    for scope, until in new.items():
        if scope not in hot_scopes:
            if taken >= MAX_HOT_SCOPES or of_mark[until % _MARKS] >= MAX_OF_TENANT:
                continue
            taken += 1
            of_mark[until % _MARKS] += 1
        placed[scope] = until
    return placed
