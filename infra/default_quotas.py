"""The quotas of tenants that have none of their own."""

from dataclasses import dataclass

from shared.names import MAX_PAYLOAD_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultQuotas:
    """Default limits of a tenant, which an operator can override; the names match the API."""

    recurring_jobs: int = 1_000
    creates_per_second: int = 100
    requests_per_second: int = 300
    """All other requests; 100,000 means unlimited."""
    due_per_minute: int = 60_000
    payload_bytes: int = MAX_PAYLOAD_BYTES
    tags: int = 10
    api_keys: int = 10
    workflows: int = 1_000
    concurrency: int = 100_000
    """Here and in the following limits, which each call checks, 100,000 means unlimited at no cost."""
    calls_per_second: int = 100_000
    destination_concurrency: int = 100_000
    destination_calls_per_second: int = 100_000
