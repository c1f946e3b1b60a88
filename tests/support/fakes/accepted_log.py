"""The log of acknowledgements as a list that a test writes."""

from collections.abc import Iterator

from shared.domain.dispatch.sampling import hash_level
from shared.ports.dispatch import Accepted


class FakeAcceptedLog:
    """Returns the acknowledgements in order of time."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, Accepted]] = []

    def note(self, at: int, tenant_id: str, job_id: str) -> None:
        """Record an acknowledgement."""
        self.entries.append((at, Accepted(tenant_id=tenant_id, job_id=job_id)))

    def between(self, from_at: int, until_at: int, sample_level: int = 0) -> Iterator[Accepted]:
        inside = [
            entry
            for entry in self.entries
            if from_at <= entry[0] < until_at and hash_level(entry[1].job_id) >= sample_level
        ]
        return (accepted for _, accepted in sorted(inside, key=lambda entry: entry[0]))
