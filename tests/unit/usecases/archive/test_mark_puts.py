"""Each put into an hour that may be sealed is counted before it and after it, whichever use case makes it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from shared.bootstrap.ports import Ports
from shared.domain.archive.unit import COUNTED_AFTER_MS, hour_end_ms, hour_of, is_counted
from shared.domain.errors import UnavailableError
from shared.domain.executions.states import State
from tests.architecture.test_filing import FILES
from tests.support.builders import DUE_AT, EXPIRES_AT_S, in_state, job, occurrence, one_off
from tests.support.usecases.archive import HOUR, SEAL
from tests.support.usecases.steps import Crash, die
from tests.support.usecases.world import World

Put = Callable[[Ports], Any]
RECORD = in_state(one_off(1), State.SKIPPED)
JOB = job()
FIRST = occurrence(JOB)
PUTS: dict[str, tuple[str, Put]] = {
    "put_if_absent": (
        "store",
        lambda ports: ports.executions.put_if_absent(RECORD, expires_at_s=EXPIRES_AT_S),
    ),
    "put_all_if_absent": ("batches", lambda ports: ports.one_off_batches.put_all_if_absent([one_off(1)])),
    "move": ("one_offs", lambda ports: ports.one_offs.move(one_off(2), one_off(1), EXPIRES_AT_S)),
    "create": ("jobs", lambda ports: ports.jobs.create(JOB, FIRST)),
    "create_backfill": ("jobs", lambda ports: ports.jobs.create_backfill(JOB, JOB, FIRST)),
    "jump": ("jobs", lambda ports: ports.jobs.jump(RECORD, FIRST, EXPIRES_AT_S)),
    "file_if_active": ("jobs", lambda ports: ports.jobs.file_if_active(FIRST)),
    "file_beside": ("jobs", lambda ports: ports.jobs.file_beside(JOB, one_off(1), EXPIRES_AT_S)),
    "replace": ("jobs", lambda ports: ports.jobs.replace(JOB, JOB, executions=[FIRST])),
}
NOT_ARCHIVED = {"put_reminder"}
every_put = pytest.mark.parametrize("name", PUTS)


def steps_of(world: World, name: str) -> list[str]:
    """The calls of one put; what the fake store answers does not matter here."""
    world.steps.taken.clear()
    with suppress(LookupError, ValueError):
        PUTS[name][1](world.cases.core.ports)
    return world.steps.taken


def test_every_method_that_puts_executions_is_counted() -> None:
    assert set(PUTS) == FILES - NOT_ARCHIVED


@every_put
def test_put_into_an_old_hour_is_counted_before_and_after(name: str) -> None:
    world = World(SEAL)
    world.table.jobs[JOB.tenant_id, JOB.id] = JOB
    world.table.insert(one_off(2), None)
    port = PUTS[name][0]
    assert steps_of(world, name) == ["late_puts.count", f"{port}.{name}", "late_puts.count"]
    assert world.late_puts.by_hour.keys() == {HOUR}


@every_put
def test_put_into_a_recent_hour_costs_no_call(name: str) -> None:
    world = World(hour_end_ms(HOUR) + COUNTED_AFTER_MS - 1)
    world.table.jobs[JOB.tenant_id, JOB.id] = JOB
    world.table.insert(one_off(2), None)
    assert steps_of(world, name) == [f"{PUTS[name][0]}.{name}"]


@every_put
def test_put_that_cannot_be_counted_is_not_made(name: str) -> None:
    world = World(SEAL)
    world.steps.fail("late_puts.count")
    with pytest.raises(UnavailableError):
        PUTS[name][1](world.cases.core.ports)
    assert world.steps.taken == ["late_puts.count"]


def test_put_without_an_answer_is_counted_once_more() -> None:
    world = World(SEAL)
    world.steps.lose_answer("store.put_if_absent")
    with pytest.raises(UnavailableError):
        PUTS["put_if_absent"][1](world.cases.core.ports)
    assert world.late_puts.by_hour[HOUR] == SEAL + 2


def test_writer_that_dies_after_its_put_has_counted_before() -> None:
    world = World(SEAL)
    world.steps.after("store.put_if_absent", die)
    with pytest.raises(Crash):
        PUTS["put_if_absent"][1](world.cases.core.ports)
    assert world.late_puts.by_hour[HOUR] == SEAL + 1


def test_hour_counts_from_a_day_before_it_may_be_sealed() -> None:
    ends_at = hour_end_ms(hour_of(DUE_AT))
    assert not is_counted(DUE_AT, ends_at + COUNTED_AFTER_MS - 1)
    assert is_counted(DUE_AT, ends_at + COUNTED_AFTER_MS)
    assert SEAL - ends_at == COUNTED_AFTER_MS + 86_400_000
