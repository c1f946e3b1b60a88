"""Chains that have fallen behind: whatever the policy, each instant ends as one run or in one record."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.executions.states import EndReason
from shared.domain.jobs.misfire import Succession, succession
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.schedule import Cron, Gap, Overlap, Rate, first_after

START = 1_741_500_000_000
"""9 March 2025, 06:00 UTC: an hour before the clocks of New York go forward."""
MINUTE = 60_000

rates = st.builds(
    lambda seconds, end: Rate(
        interval_ms=seconds * 1000, anchor=START, end_at=None if end is None else START + end * MINUTE
    ),
    st.sampled_from([1, 7, 60, 3_600]),
    st.none() | st.integers(0, 400),
)
crons = st.builds(
    lambda line, gap, overlap, end: Cron(
        line=line,
        timezone="America/New_York",
        gap=gap,
        overlap=overlap,
        end_at=None if end is None else START + end * MINUTE,
    ),
    st.sampled_from(["* * * * *", "*/7 * * * *", "0,59 1-5 * * *", "30 2 * * *", "cron(0/5 2-4 ? * 1 *)"]),
    st.sampled_from(Gap),
    st.sampled_from(Overlap),
    st.none() | st.integers(0, 400),
)
policies = st.builds(
    CatchUpPolicy,
    mode=st.sampled_from(CatchUp),
    limit=st.integers(1, 30),
    window_ms=st.sampled_from([0, 30_000, 10 * MINUTE, 60 * MINUTE, 1440 * MINUTE]),
    late_tolerance_ms=st.sampled_from([0, 1_000, 60_000, 300_000]),
)


@dataclass
class History:
    """What became of the instants of one chain."""

    ran: list[int] = field(default_factory=list)
    recorded: list[int] = field(default_factory=list)
    jumps: list[Succession] = field(default_factory=list)


def follow(schedule: Rate | Cron, policy: CatchUpPolicy, behind: int, pace: int) -> History:
    """Follow a chain from START, that many ms behind, each run taking its pace, until it is in time again."""
    history, nominal_at, filed_at, now = History(), START, START - MINUTE, START + behind
    for _ in range(5_000):
        found = succession(schedule, nominal_at, now, policy, filed_at=filed_at)
        if found is None:
            return history
        assert found.immediate_at == first_after(schedule, nominal_at)
        if found.missed is not None:
            history.jumps.append(found)
            history.recorded += skipped(schedule, found)
        if found.ends:
            return history
        history.ran.append(found.nominal_at)
        if found.nominal_at > now:
            return history
        nominal_at, filed_at, now = found.nominal_at, now, now + pace
    raise AssertionError("the chain never caught up")


def skipped(schedule: Rate | Cron, jump: Succession) -> list[int]:
    """The instants that a record tells of, found one by one."""
    missed = jump.missed
    assert missed is not None and missed.first_at == jump.immediate_at
    found, moment = [], missed.first_at - 1
    while (following := first_after(schedule, moment)) is not None and following <= missed.last_at:
        found.append(following)
        moment = following
    assert (found[0], found[-1], len(found)) == (missed.first_at, missed.last_at, missed.count)
    assert missed.resumed_at == jump.nominal_at
    following = first_after(schedule, missed.last_at)
    assert following is None if jump.ends else following == jump.nominal_at
    return found


def enumerate_from(schedule: Rate | Cron, last: int) -> list[int]:
    found, moment = [], START
    while (following := first_after(schedule, moment)) is not None and following <= last:
        found.append(following)
        moment = following
    return found


@settings(deadline=None, max_examples=150)
@given(
    schedule=rates | crons,
    policy=policies,
    behind=st.integers(0, 600 * MINUTE),
    pace=st.sampled_from([0, 10, 500]),
)
def test_every_instant_ran_once_or_stands_in_one_record(
    schedule: Rate | Cron, policy: CatchUpPolicy, behind: int, pace: int
) -> None:
    if isinstance(schedule, Rate) and schedule.interval_ms < 60_000:
        behind = behind % (40 * MINUTE)
    history = follow(schedule, policy, behind, pace)
    met = sorted(history.ran + history.recorded)
    assert met == enumerate_from(schedule, met[-1] if met else START)
    assert history.ran == sorted(history.ran)


@settings(deadline=None, max_examples=150)
@given(schedule=rates | crons, policy=policies, behind=st.integers(0, 600 * MINUTE))
def test_late_instants_run_as_the_catch_up_policy_says(
    schedule: Rate | Cron, policy: CatchUpPolicy, behind: int
) -> None:
    if isinstance(schedule, Rate) and schedule.interval_ms < 60_000:
        behind = behind % (40 * MINUTE)
    now = START + behind
    due = enumerate_from(schedule, now)
    inside = [one for one in due if now - one <= policy.window_ms]
    in_time = [one for one in due if now - one <= policy.late_tolerance_ms]
    history = follow(schedule, policy, behind, pace=0)
    ran = [one for one in history.ran if one <= now]
    if not due or now - due[0] <= policy.late_tolerance_ms:
        assert ran == due
        return
    match policy.mode:
        case CatchUp.COALESCE:
            expected, reasons = inside[-1:], {EndReason.COALESCED, EndReason.CATCH_UP_WINDOW}
        case CatchUp.SKIP:
            expected, reasons = in_time, {EndReason.CATCH_UP_SKIP}
        case CatchUp.ALL:
            expected = inside[-policy.limit :]
            reasons = {EndReason.CATCH_UP_LIMIT if len(inside) > policy.limit else EndReason.CATCH_UP_WINDOW}
    assert ran == expected
    assert len(history.jumps) == (0 if expected[:1] == due[:1] else 1)
    assert {jump.reason for jump in history.jumps} <= reasons


@settings(deadline=None, max_examples=100)
@given(
    schedule=rates | crons,
    policy=policies,
    behind=st.integers(0, 300 * MINUTE),
    later=st.integers(0, 5 * MINUTE),
)
def test_writers_with_different_clocks_agree_on_what_comes_next(
    schedule: Rate | Cron, policy: CatchUpPolicy, behind: int, later: int
) -> None:
    """Only the jump may differ: the key for which both compete is the same, and each jump is whole."""
    first = succession(schedule, START, START + behind, policy)
    second = succession(schedule, START, START + behind + later, policy)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.immediate_at == second.immediate_at
        assert second.nominal_at >= first.nominal_at or second.ends
