"""Quotas: the limits of a tenant, from the deployment's defaults or overrides of its own."""

from collections.abc import Mapping
from dataclasses import fields, replace
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.names import MAX_PAYLOAD_BYTES


class Quota(StrEnum):
    """The values are the API's names."""

    RECURRING_JOBS = "recurring_jobs"
    CREATES_PER_SECOND = "creates_per_second"
    REQUESTS_PER_SECOND = "requests_per_second"
    DUE_PER_MINUTE = "due_per_minute"
    PAYLOAD_BYTES = "payload_bytes"
    TAGS = "tags"
    API_KEYS = "api_keys"
    WORKFLOWS = "workflows"
    CONCURRENCY = "concurrency"
    CALLS_PER_SECOND = "calls_per_second"
    DESTINATION_CONCURRENCY = "destination_concurrency"
    DESTINATION_CALLS_PER_SECOND = "destination_calls_per_second"


MAY_BE_UNLIMITED = frozenset(
    {
        Quota.REQUESTS_PER_SECOND,
        Quota.CONCURRENCY,
        Quota.CALLS_PER_SECOND,
        Quota.DESTINATION_CONCURRENCY,
        Quota.DESTINATION_CALLS_PER_SECOND,
    }
)
"""Quotas whose highest limit means no limit: nothing is counted or written."""
UNLIMITED = 100_000

BOUNDS: Mapping[Quota, tuple[int, int]] = {
    Quota.RECURRING_JOBS: (0, 1_000_000),
    Quota.CREATES_PER_SECOND: (0, 100_000),
    Quota.REQUESTS_PER_SECOND: (1, UNLIMITED),
    Quota.DUE_PER_MINUTE: (0, 10_000_000),
    Quota.PAYLOAD_BYTES: (0, MAX_PAYLOAD_BYTES),
    Quota.TAGS: (0, 10),
    Quota.API_KEYS: (2, 50),
    Quota.WORKFLOWS: (0, 100_000),
    Quota.CONCURRENCY: (1, UNLIMITED),
    Quota.CALLS_PER_SECOND: (1, UNLIMITED),
    Quota.DESTINATION_CONCURRENCY: (1, UNLIMITED),
    Quota.DESTINATION_CALLS_PER_SECOND: (1, UNLIMITED),
}
"""Minimum and maximum of each limit. At least two keys: a rotation needs both for a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    recurring_jobs: int
    """Recurring jobs that have not ended. Paused jobs count: otherwise a pause would make room for more."""
    creates_per_second: int
    due_per_minute: int
    """Jobs that are due in the same minute, counted when they are created."""
    payload_bytes: int
    """Of the body of a job's request."""
    tags: int
    """Of one job."""
    api_keys: int
    """Live keys at the same time."""
    workflows: int = 1_000
    """Workflows that are not deleted. One stores 256 KB at most: the body of the request that creates it."""
    requests_per_second: int = UNLIMITED
    """Requests other than creations; reports of receivers and refused keys are counted apart."""
    concurrency: int = UNLIMITED
    """Concurrent calls."""
    calls_per_second: int = UNLIMITED
    destination_concurrency: int = UNLIMITED
    """Concurrent calls to one scheme, host and port."""
    destination_calls_per_second: int = UNLIMITED

    def checked(self) -> "Quotas":
        """Return these limits; InvalidValueError for a limit out of bounds.

        Settings call this once. Construction does not, so that `overridden_by` validates nothing again.
        """
        for field in fields(self):
            check_limit(Quota(field.name), getattr(self, field.name))
        return self

    def limit_for(self, quota: Quota) -> int:
        limit: int = getattr(self, quota.value)
        return limit

    def overridden_by(self, overrides: Mapping[Quota, int]) -> "Quotas":
        """These limits, with a tenant's own limits in place of some. The tenant has validated its own."""
        return (
            replace(self, **{quota.value: limit for quota, limit in overrides.items()}) if overrides else self
        )


def check_limit(quota: Quota, limit: int) -> None:
    """InvalidValueError where a limit is out of bounds."""
    least, most = BOUNDS[quota]
    if not least <= limit <= most:
        raise InvalidValueError(f"{quota.value} must be {least} to {most}", path=("quotas", quota.value))
