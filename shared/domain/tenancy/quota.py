"""Quotas: how much of everything one tenant may have, by the deployment's defaults or by limits of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from shared.domain.errors import InvalidValueError


class Quota(StrEnum):
    """What is limited. The values are the API's words."""

    RECURRING_JOBS = "recurring_jobs"
    CREATES_PER_SECOND = "creates_per_second"
    DUE_PER_MINUTE = "due_per_minute"
    PAYLOAD_BYTES = "payload_bytes"
    TAGS = "tags"
    API_KEYS = "api_keys"
    CONCURRENCY = "concurrency"
    CALLS_PER_SECOND = "calls_per_second"
    DESTINATION_CONCURRENCY = "destination_concurrency"
    DESTINATION_CALLS_PER_SECOND = "destination_calls_per_second"


AT_DISPATCH = frozenset(
    {
        Quota.CONCURRENCY,
        Quota.CALLS_PER_SECOND,
        Quota.DESTINATION_CONCURRENCY,
        Quota.DESTINATION_CALLS_PER_SECOND,
    }
)
"""What makes jobs that are due wait; all others are asked when something is created."""
UNLIMITED = 100_000
"""The highest limit of what is asked at each dispatch means that there is none: nothing is counted or written."""

BOUNDS: Mapping[Quota, tuple[int, int]] = {
    Quota.RECURRING_JOBS: (0, 1_000_000),
    Quota.CREATES_PER_SECOND: (0, 100_000),
    Quota.DUE_PER_MINUTE: (0, 10_000_000),
    Quota.PAYLOAD_BYTES: (0, 262_144),
    Quota.TAGS: (0, 10),
    Quota.API_KEYS: (2, 50),
    Quota.CONCURRENCY: (1, UNLIMITED),
    Quota.CALLS_PER_SECOND: (1, UNLIMITED),
    Quota.DESTINATION_CONCURRENCY: (1, UNLIMITED),
    Quota.DESTINATION_CALLS_PER_SECOND: (1, UNLIMITED),
}
"""The least and the most that each may be. Two keys at least: a rotation needs both for a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """One limit for each quota: the deployment's, which `checked` validates where settings are read."""

    recurring_jobs: int
    """Recurring jobs that have not ended. Paused ones count: otherwise a pause would make room for more."""
    creates_per_second: int
    due_per_minute: int
    """Jobs that are due in the same minute, counted when they are created."""
    payload_bytes: int
    """Of the body of a job's request."""
    tags: int
    """Of one job."""
    api_keys: int
    """Keys that are good at the same time."""
    concurrency: int = UNLIMITED
    """Of calls at once."""
    calls_per_second: int = UNLIMITED
    destination_concurrency: int = UNLIMITED
    """Of calls at once to one scheme, host and port."""
    destination_calls_per_second: int = UNLIMITED

    def checked(self) -> "Quotas":
        """The same; InvalidValueError where a limit is out of bounds."""
        for field in fields(self):
            check_limit(Quota(field.name), getattr(self, field.name))
        return self

    def limit_for(self, quota: Quota) -> int:
        """The limit of one quota."""
        limit: int = getattr(self, quota.value)
        return limit

    def overridden_by(self, own: Mapping[Quota, int]) -> "Quotas":
        """These, except where a tenant has limits of its own. A `Tenant` has validated its own limits already."""
        return replace(self, **{quota.value: limit for quota, limit in own.items()})


def check_limit(quota: Quota, limit: int) -> None:
    """InvalidValueError where a limit is out of bounds."""
    least, most = BOUNDS[quota]
    if not least <= limit <= most:
        raise InvalidValueError(f"{quota.value} must be {least} to {most}")
