"""What happens to a run that comes due while an earlier one of the same job has not ended."""

from enum import StrEnum


class OverlapPolicy(StrEnum):
    """The values are the API's words."""

    ALLOW = "allow"
    """It runs beside the other."""
    SKIP = "skip"
    """It is recorded as skipped."""
    QUEUE_ONE = "queue_one"
    """One waits for the other to end; whatever comes due meanwhile is recorded as skipped."""
