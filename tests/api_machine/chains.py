"""A recurring job from one change to the next: which instants are its, and since when it starts no more of them."""

from dataclasses import dataclass
from typing import Any

from tests.api_machine.instants import milliseconds
from tests.api_machine.terms import Terms


@dataclass(slots=True, kw_only=True, eq=False)
class PromisedChain:
    """All the instants of one definition after a moment and up to another. No two chains of a job share one."""

    terms: Terms
    begun_at: int
    """When it was acknowledged."""
    after_at: int
    until_at: int | None = None
    """None while it is the present one."""
    stopped_at: int | None = None
    """Since when nothing of it starts that had not started."""
    stop_reason: str | None = None
    """What its tombstones say."""
    is_quiet: bool = False
    """Whether what had started by then is known, because nothing has been running since."""

    @property
    def is_paused(self) -> bool:
        """Whether it was paused, and not begun again."""
        return self.stop_reason == "job_paused"

    def has(self, moment_ms: int) -> bool:
        """Whether an instant is this chain's."""
        is_within = self.after_at < moment_ms <= (moment_ms if self.until_at is None else self.until_at)
        return is_within and self.terms.timetable.has(moment_ms)

    def up_to(self, until_ms: int) -> list[int]:
        """Its instants up to a moment."""
        return self.terms.timetable.between(self.after_at, min(until_ms, self.until_at or until_ms))

    def next_after(self, moment_ms: int) -> int:
        """Its next instant."""
        return next(self.terms.timetable.after(max(moment_ms, self.after_at)))

    def stop(self, reason: str, now_ms: int) -> None:
        """Nothing more of it starts; only the first reason counts."""
        if self.stop_reason is None:
            self.stopped_at, self.stop_reason = now_ms, reason

    def missed(self, record: dict[str, Any]) -> list[int]:
        """The instants that one of its records tells of."""
        first_at, last_at = (milliseconds(record["missed"][name]) for name in ("first_at", "last_at"))
        assert first_at == milliseconds(record["scheduled_at"])
        missed = self.terms.timetable.between(first_at - 1, last_at)
        assert missed[0] == first_at
        assert missed[-1] == last_at
        assert record["missed"]["count"] == len(missed)
        assert all(self.has(due_at) for due_at in (first_at, last_at)), "of one chain alone"
        return missed
