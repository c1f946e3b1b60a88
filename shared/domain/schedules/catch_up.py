"""Catch-up policy: which missed instants of a job still run."""

from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError

LATE_TOLERANCE_MS = 60_000
CATCH_UP_WINDOW_MS = 86_400_000
CATCH_UP_LIMIT = 100
MAX_CATCH_UP_LIMIT = 1_000
MAX_CATCH_UP_WINDOW_MS = 366 * 86_400_000


class CatchUp(StrEnum):
    """Which missed instants run: the latest one (`coalesce`), none (`skip`) or all (`all`)."""

    COALESCE = "coalesce"
    SKIP = "skip"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUpPolicy:
    """Catch-up settings of a job. Raises InvalidValueError for a number outside its bounds."""

    mode: CatchUp = CatchUp.COALESCE
    limit: int = CATCH_UP_LIMIT
    """Maximum number of missed runs that mode ALL makes; from 1 to 1,000."""
    window_ms: int = CATCH_UP_WINDOW_MS
    """An instant older than this never runs; from 0 to 366 days."""
    late_tolerance_ms: int = LATE_TOLERANCE_MS
    """An instant at most this old is not late; from 0 to 24 hours."""

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MAX_CATCH_UP_LIMIT:
            raise InvalidValueError(f"catch_up_limit: must be from 1 to {MAX_CATCH_UP_LIMIT}")
        if not 0 <= self.window_ms <= MAX_CATCH_UP_WINDOW_MS:
            raise InvalidValueError("catch_up_window_seconds: must be from 0 to 31622400 (366 days)")
        if not 0 <= self.late_tolerance_ms <= CATCH_UP_WINDOW_MS:
            raise InvalidValueError("late_tolerance_seconds: must be from 0 to 86400")


DEFAULT_POLICY = CatchUpPolicy()
