"""Keys of tenants' own calendars in the jobs table."""


def calendar_key(tenant_id: str, name: str) -> tuple[str, str]:
    """Beside the definitions of the tenant, so that a deletion of the tenant finds it."""
    return tenant_id, f"calendar#{name}"


def calendar_mark_key(tenant_id: str) -> tuple[str, str]:
    """The mark above the versions of a tenant's deleted calendars; not among the calendars."""
    return tenant_id, "calendar-mark"


def calendar_prefix(tenant_id: str) -> tuple[str, str]:
    """The partition and the prefix of a tenant's calendars."""
    return calendar_key(tenant_id, "")
