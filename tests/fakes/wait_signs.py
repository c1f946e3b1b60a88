"""What waits, out of the boards in memory."""

from collections.abc import Mapping, Sequence

from shared.domain.dispatch.wait_hint import ThrottleSnapshot
from shared.domain.errors import UnavailableError
from shared.names import Lane
from tests.fakes.boards import FakeProgressBoard
from tests.fakes.limit_store import FakeLimitStore


class FakeWaitSigns:
    """Shows what the other fakes hold, and counts how often it was asked."""

    def __init__(self, limits: FakeLimitStore, progress: FakeProgressBoard) -> None:
        self.requests = 0
        self.boards = 0
        """How often the board was read with it."""
        self.is_silent = False
        self._limits = limits
        self._progress = progress

    def read(
        self, scopes: Sequence[str], lanes: Sequence[Lane], board: Mapping[str, int] | None = None
    ) -> ThrottleSnapshot:
        """See the port."""
        self.requests += 1
        if self.is_silent:
            raise UnavailableError("no answer")
        self.boards += board is None
        reports = [self._progress.read(lane) for lane in lanes]
        return ThrottleSnapshot(
            states=self._limits.read(scopes),
            board=self._limits.waiting() if board is None else board,
            progress=[report for report in reports if report is not None],
        )
