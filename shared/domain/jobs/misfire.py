"""Misfires: the catch-up policy for nominal instants that were missed.

An instant is late when it lies in the past by more than a tolerance. The next instant is always computed from
the last nominal instant, never from the current time. If the next instant is late, the policy may let the
chain jump to a later instant, with one record of the instants between. The decision depends only on the
schedule, the predecessor and `now`. Two writers with different clocks may compute different jumps; the store
accepts only one of them.

    coalesce  one run, of the latest missed instant
    skip      no run; the chain continues at the first instant that is not late
    all       every run, oldest first, of the newest `limit` missed instants

In each mode, instants older than the window are never run.
"""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.executions.states import EndReason
from shared.domain.schedules.catch_up import DEFAULT_POLICY, CatchUp, CatchUpPolicy
from shared.domain.schedules.instant_search import nth_latest
from shared.domain.schedules.schedule import Series, count_between, first_after, latest_at_or_before
from shared.domain.schedules.skipped_range import SkippedRange
from shared.domain.tenancy.suspension import Suspension

COUNT_LIMIT = 100_000
"""The maximum count of missed instants; a longer outage of a dense schedule shows this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """The continuation of a chain at `nominal_at`: the immediate next instant unless some were missed.

    If instants were missed, `missed` records them and `reason` says why. If no instant follows, `ends` is
    true: only the record is filed, and `nominal_at` (as `missed.resumed_at`) is the last instant that it
    covers.
    """

    nominal_at: int
    immediate_at: int
    missed: SkippedRange | None = None
    reason: EndReason | None = None
    ends: bool = False
    catches_up: bool = False
    """Whether the run is one of several late runs of mode ALL; such runs must not delay others."""


def succession(
    schedule: Series,
    nominal_at: int,
    now_ms: int,
    policy: CatchUpPolicy = DEFAULT_POLICY,
    *,
    filed_at: int | None = None,
) -> Succession | None:
    """The successor of the occurrence at `nominal_at`; None if the schedule has ended.

    There is at most one jump at a time, with one reason. `filed_at` is when the predecessor was filed. In
    mode ALL it distinguishes a chain that is catching up from a chain that has fallen behind. Only instants
    that became due after `filed_at` count against the limit, so that no jump skips instants that an earlier
    jump kept.
    """
    immediate_at = first_after(schedule, nominal_at)
    if immediate_at is None:
        return None
    chain = _Chain(schedule=schedule, immediate_at=immediate_at, now_ms=now_ms, policy=policy)
    if now_ms - immediate_at <= policy.late_tolerance_ms:
        return Succession(nominal_at=immediate_at, immediate_at=immediate_at)
    match policy.mode:
        case CatchUp.COALESCE:
            return chain.coalesce()
        case CatchUp.SKIP:
            resumed_at = first_after(schedule, now_ms - policy.late_tolerance_ms - 1)
            return chain.jump(resumed_at, EndReason.CATCH_UP_SKIP)
        case CatchUp.ALL:
            return chain.catch_up(nominal_at, nominal_at if filed_at is None else filed_at)


def succession_over(schedule: Series, immediate_at: int, suspension: Suspension, now_ms: int) -> Succession:
    """The successor whose immediate instant lies in a suspension, whatever the catch-up policy.

    Until the suspension is over, the run of the immediate instant waits. Afterwards the chain goes on with the
    first instant behind the suspension.
    """
    until_at = suspension.until_at
    if until_at is None or not suspension.is_over(now_ms):
        return Succession(nominal_at=immediate_at, immediate_at=immediate_at)
    chain = _Chain(schedule=schedule, immediate_at=immediate_at, now_ms=now_ms, policy=DEFAULT_POLICY)
    return chain.jump(first_after(schedule, until_at - 1), EndReason.SUSPENDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chain:
    """A chain whose immediate next instant is late."""

    schedule: Series
    immediate_at: int
    now_ms: int
    policy: CatchUpPolicy

    @property
    def window_start(self) -> int:
        return self.now_ms - self.policy.window_ms

    def coalesce(self) -> Succession:
        latest_at = latest_at_or_before(self.schedule, self.now_ms, self.immediate_at) or self.immediate_at
        if latest_at < self.window_start:
            return self.jump(first_after(self.schedule, latest_at), EndReason.CATCH_UP_WINDOW)
        return self.jump(latest_at, EndReason.COALESCED)

    def catch_up(self, nominal_at: int, filed_at: int) -> Succession:
        """Continue at the immediate next instant, unless it is outside the window or exceeds the limit.

        If both apply, the reason is the limit: a longer window would not have let more instants run.
        """
        limit, oldest_ms = self.policy.limit, max(self.window_start, self.immediate_at)
        since = max(nominal_at, filed_at, oldest_ms - 1)
        if count_between(self.schedule, since, self.now_ms, limit + 1) > limit:
            kept_at = nth_latest(self._count_after, self.now_ms, oldest_ms, limit)
            following = self.jump(kept_at, EndReason.CATCH_UP_LIMIT)
        else:
            following = self.jump(first_after(self.schedule, oldest_ms - 1), EndReason.CATCH_UP_WINDOW)
        is_late = self.now_ms - following.nominal_at > self.policy.late_tolerance_ms
        is_single = filed_at <= nominal_at and self._count_after(following.nominal_at) == 0
        return replace(following, catches_up=is_late and not is_single and not following.ends)

    def jump(self, resumed_at: int | None, reason: EndReason) -> Succession:
        """Continue at an instant (None: the chain ends); the immediate next instant needs no jump."""
        if resumed_at == self.immediate_at:
            return Succession(nominal_at=resumed_at, immediate_at=resumed_at)
        until_ms = self.now_ms if resumed_at is None else resumed_at - 1
        last_at = latest_at_or_before(self.schedule, until_ms, self.immediate_at) or self.immediate_at
        goes_on_at = last_at if resumed_at is None else resumed_at
        missed = SkippedRange(
            count=count_between(self.schedule, self.immediate_at - 1, last_at, COUNT_LIMIT),
            first_at=self.immediate_at,
            last_at=last_at,
            resumed_at=goes_on_at,
        )
        return Succession(
            nominal_at=goes_on_at,
            immediate_at=self.immediate_at,
            missed=missed,
            reason=reason,
            ends=resumed_at is None,
        )

    def _count_after(self, instant_ms: int) -> int:
        return count_between(self.schedule, instant_ms, self.now_ms, self.policy.limit)
