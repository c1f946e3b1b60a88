"""The key of the audit trail's progress in the leases table."""


def trail_progress_key(region: str, bucket: str) -> tuple[str, str]:
    """The progress in one bucket: the trail begins anew in another one."""
    return f"{region}#audit-trail", bucket
