"""When archived files become cold: rules of the bucket's lifecycle that the sizing shares."""

COLD_AFTER_DAYS = 60
LEAST_COLD_DAYS = 90
"""Glacier Instant Retrieval bills at least this time."""


def is_cold(archive_days: int) -> bool:
    """Whether files move to Glacier Instant Retrieval: only if they stay there for as long as it bills."""
    return archive_days >= COLD_AFTER_DAYS + LEAST_COLD_DAYS
