"""The throttle status, from the fake stores in memory."""

from collections.abc import Collection, Sequence

from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.errors import UnavailableError
from shared.names import Lane
from tests.support.fakes.lane_stores import FakeLaneProgressStore
from tests.support.fakes.limit_store import FakeLimitStore


class FakeThrottleStatus:
    """Reads the other fakes, and counts its own calls."""

    def __init__(self, limits: FakeLimitStore, progress: FakeLaneProgressStore) -> None:
        self.requests = 0
        self.hot_scope_reads = 0
        """The number of calls that also read the hot scopes."""
        self.is_silent = False
        self._limits = limits
        self._progress = progress

    def read(
        self, scopes: Sequence[str], lanes: Sequence[Lane], parts: Collection[int] = ()
    ) -> ThrottleSnapshot:
        self.requests += 1
        if self.is_silent:
            raise UnavailableError("no answer")
        self.hot_scope_reads += bool(parts)
        hot = self._limits.hot_scopes(parts).values()
        reports = [self._progress.read(lane) for lane in lanes]
        return ThrottleSnapshot(
            states=self._limits.read(scopes),
            hot_scopes={scope: until for part in hot for scope, until in part.items()},
            progress=[report for report in reports if report is not None],
        )
