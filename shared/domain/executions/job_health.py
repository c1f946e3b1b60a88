"""Whether a job is failing: what tells a recovery from any other success.

Instants are those at which outcomes were recorded, so that the same outcome changes the state once, whenever and
however often it is noted.
"""

from dataclasses import replace
from typing import Any

from shared.dataclass import dataclass
from shared.domain.ids import ExecutionId

KEPT_RECOVERIES = 8
"""The recoveries whose alerts can still be filed after a crash: more than a job has until a sweep repairs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHealth:
    """The failures of a job since its last recovery, as far as alerts announced them."""

    version: int = 0
    """Incremented with every change: the version of the compare-and-swap."""
    failing_from: int | None = None
    """The first failure after the last recovery; None while the job is not failing."""
    failed_at: int = 0
    recovered_at: int = 0
    recoveries: tuple[ExecutionId, ...] = ()
    """The executions that ended the last periods of failure, the latest first."""

    def after_failure(self, at: int) -> "JobHealth":
        """The state after a failure; equal to this state if the failure is known, or older than a recovery."""
        is_known = self.failing_from is not None and self.failing_from <= at <= self.failed_at
        if is_known or at <= self.recovered_at:
            return self
        first_at = at if self.failing_from is None else min(self.failing_from, at)
        return self._changed(failing_from=first_at, failed_at=max(self.failed_at, at))

    def ends_failures(self, at: int) -> bool:
        """Whether a success at this instant is the first after a failure."""
        return self.failing_from is not None and self.failing_from <= at

    def after_recovery(self, by: ExecutionId, at: int) -> "JobHealth":
        """The state after the success that ended the failures. A failure since goes on."""
        return self._changed(
            failing_from=self.failed_at if self.failed_at > at else None,
            recovered_at=at,
            recoveries=(by, *self.recoveries)[:KEPT_RECOVERIES],
        )

    def _changed(self, **changes: Any) -> "JobHealth":
        return replace(self, version=self.version + 1, **changes)
