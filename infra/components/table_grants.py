"""The form of a function's grants on tables."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TableGrants:
    """DynamoDB actions on each table and index, and the use of tenants' data keys."""

    executions: tuple[str, ...] = ()
    failed_index: tuple[str, ...] = ()
    tenant_index: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    live_index: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    leases: tuple[str, ...] = ()
    audit: tuple[str, ...] = ()
    """Append and read only: an INSERT refuses a key that exists, so no function can change or delete a record."""
    history: tuple[str, ...] = ()
    reads_queue_depth: bool = False
    """Reads the backlog of each lane."""
    reads_alarms: bool = False
    decrypts: bool = False
    makes_data_keys: bool = False
