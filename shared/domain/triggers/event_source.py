"""Which tenant the events of an account of AWS are for."""

import re
from dataclasses import replace
from typing import Final

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.tenancy.tenant import RESERVED_IDS, TENANT_ID

ACCOUNT: Final = r"^[0-9]{12}$"
MAX_EVENT_SOURCES: Final = 200
"""The most accounts that have tenants."""
MAX_ROUTES: Final = 50
MAX_PREFIX: Final = 256
"""Characters, as many as a source of EventBridge has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRoute:
    """The tenant of all events whose source begins with a prefix. InvalidValueError."""

    source_prefix: str
    tenant_id: str

    def __post_init__(self) -> None:
        if not 1 <= len(self.source_prefix) <= MAX_PREFIX or not self.source_prefix.isprintable():
            raise InvalidValueError(
                f"must have 1 to {MAX_PREFIX} printable characters", path=("source_prefix",)
            )
        if not re.fullmatch(TENANT_ID, self.tenant_id) or self.tenant_id in RESERVED_IDS:
            raise InvalidValueError("must be the ID of a tenant", path=("tenant_id",))


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSource:
    """The routes of one account. InvalidValueError for an account or for routes that cannot be."""

    account: str
    version: int
    """Grows with each change, from 1."""
    changed_at: int
    routes: tuple[EventRoute, ...]

    def __post_init__(self) -> None:
        if not re.fullmatch(ACCOUNT, self.account):
            raise InvalidValueError("must be an account of AWS: 12 digits", path=("account",))
        if not 1 <= len(self.routes) <= MAX_ROUTES:
            raise InvalidValueError(f"must have 1 to {MAX_ROUTES} routes", path=("routes",))
        prefixes = [route.source_prefix for route in self.routes]
        for index, prefix in enumerate(prefixes):
            if prefix in prefixes[:index]:
                raise InvalidValueError(
                    f"the prefix {prefix!r} has a tenant already: remove one of the two",
                    path=("routes", str(index), "source_prefix"),
                )

    def has_content_of(self, other: "EventSource") -> bool:
        return replace(other, version=self.version, changed_at=self.changed_at) == self

    def tenant_of(self, source: str) -> str | None:
        """The tenant of the longest prefix; None for an event that is for no tenant."""
        matching = [route for route in self.routes if source.startswith(route.source_prefix)]
        return max(matching, key=lambda route: len(route.source_prefix)).tenant_id if matching else None
