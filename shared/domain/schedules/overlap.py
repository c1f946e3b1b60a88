"""Overlap policy: what happens to a run that is due while an earlier run of the same job is still active."""

from enum import StrEnum


class OverlapPolicy(StrEnum):
    """What happens to a run that is due while an earlier run is active."""

    ALLOW = "allow"
    """Both runs are active at the same time."""
    SKIP = "skip"
    """The due run is recorded as skipped."""
    QUEUE_ONE = "queue_one"
    """One run waits for the active run to end; further due runs are recorded as skipped."""
