"""Punctuality of calls: how late each was, and whether any was early, lost or doubled."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil

from infra.local.calls import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Punctuality:
    expected: int
    lags_ms: tuple[float, ...]
    """Of first attempts, ascending."""
    early: int
    lost: int
    doubled: int

    @property
    def is_kept(self) -> bool:
        """Whether the guarantees hold: how late calls are is a figure and no guarantee."""
        return not (self.early or self.lost or self.doubled)

    def percentile(self, percent: float) -> float:
        """By the nearest rank; 0 without calls."""
        if not self.lags_ms:
            return 0.0
        return self.lags_ms[max(0, ceil(percent / 100 * len(self.lags_ms)) - 1)]

    def figures(self) -> dict[str, float | int]:
        return {
            "jobs": self.expected,
            "p50_ms": round(self.percentile(50)),
            "p99_ms": round(self.percentile(99)),
            "most_ms": round(self.percentile(100)),
        }

    def __str__(self) -> str:
        return f"{self.early} early, {self.lost} lost, {self.doubled} doubled of {self.expected}"


def punctuality(calls: Sequence[Call], jobs: Collection[str]) -> Punctuality:
    """Judge the calls of one-off jobs by their ids. Each job is called once, since the receiver accepts each call."""
    first = [call for call in calls if call.attempt <= 1]
    lags = sorted(call.lag_ms for call in first if call.lag_ms is not None)
    called = [call.job_id for call in calls]
    return Punctuality(
        expected=len(jobs),
        lags_ms=tuple(lags),
        early=sum(lag < 0 for lag in lags),
        lost=len(set(jobs) - set(called)),
        doubled=len(called) - len(set(called)),
    )
