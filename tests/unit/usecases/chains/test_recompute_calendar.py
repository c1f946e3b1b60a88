"""A deployment brings newer days of a calendar: a chain that older days began is ended by its own days."""

import pytest

from shared.domain.executions.states import EndReason, State
from shared.domain.schedules.business_days import freeze
from shared.domain.schedules.calendar_rule import CalendarRule
from shared.domain.schedules.country_calendars import country_days, installed_release
from shared.domain.schedules.schedule import Cron, first_after, without_rules
from shared.domain.schedules.zone_changes import Move
from shared.usecases.chains.recompute_job import Recomputation
from tests.support.builders import DUE_AT
from tests.support.usecases.accounts import assert_accounted
from tests.support.usecases.chains import MINUTE, Chain
from tests.support.usecases.tzdata_upgrade import old_chain, present, recompute

DAY = 86_400_000
LINE = Cron(line="0 9 * * *", timezone="UTC", calendar=CalendarRule(name="DE"))
TODAY = DUE_AT // DAY
NEXT_AT = first_after(LINE, DUE_AT) or 0
FOLLOWING_AT = first_after(LINE, NEXT_AT) or 0


def older() -> Cron:
    """The same line, as if the day of its next run had been no business day, and as if nothing was known later."""
    known = country_days("DE")
    excluded = {NEXT_AT // DAY}
    days = freeze("0.1", type(known)(known.weekend, excluded.__contains__), TODAY - 40, TODAY + 2_000)
    rule = CalendarRule(name="DE", days=days)
    return Cron(line=LINE.line, timezone=LINE.timezone, calendar=rule)


def begun() -> Chain:
    """A job whose chain was started with the older days; its first run waits."""
    return old_chain(DUE_AT, schedule=older(), chain_from=FOLLOWING_AT, created_at=DUE_AT - MINUTE)


def calendar_of(chain: Chain) -> CalendarRule:
    schedule = chain.standing.schedule
    assert isinstance(schedule, Cron)
    assert schedule.calendar is not None
    return schedule.calendar


def test_next_run_moves_to_where_the_newer_days_have_it() -> None:
    chain = begun()
    old = chain.head
    assert old.nominal_at == FOLLOWING_AT
    told: list[Recomputation] = []
    assert recompute(chain, told)
    tombstone = chain.world.standing(old.id)
    assert (tombstone.state, tombstone.progress.end_reason) == (State.CANCELLED, EndReason.ZONE_RULES_CHANGED)
    assert present(chain).nominal_at == NEXT_AT
    assert without_rules(chain.standing.schedule) == LINE
    assert calendar_of(chain).release == installed_release()
    assert_accounted(chain)
    (recomputed,) = told
    assert recomputed.calendar == "DE"
    assert (recomputed.old_calendar_release, recomputed.new_calendar_release) == ("0.1", installed_release())
    assert recomputed.move == Move(from_at=FOLLOWING_AT, to_at=NEXT_AT)


def test_job_with_a_calendar_is_recomputed_once() -> None:
    chain = begun()
    assert recompute(chain)
    assert not recompute(chain)


@pytest.mark.parametrize("change", ["pause", "delete"])
def test_old_days_find_the_head_of_a_chain_that_a_client_ends(change: str) -> None:
    chain = begun()
    waiting = chain.head
    {"pause": Chain.pause, "delete": Chain.delete}[change](chain)
    assert chain.world.standing(waiting.id).progress.ends_chain
    assert_accounted(chain)


def test_chain_with_a_calendar_files_its_successor_by_its_own_days() -> None:
    chain = begun()
    head = chain.head
    chain.world.clock.time_ms = head.nominal_at
    chain.claim_due()
    chain.world.file_successor.execute(chain.executions()[-1])
    assert chain.executions()[-1].nominal_at == first_after(older(), head.nominal_at)
    assert chain.executions()[-1].recurrence == chain.standing.recurrence
