"""One execution by id: of whatever job, and for its own tenant alone."""

import pytest

from shared.domain.errors import NotFoundError
from tests.support.builders import DUE_AT, TENANT, execution_id, one_off
from tests.support.usecases.world import World


def test_executions_of_every_kind_are_found_in_one_read() -> None:
    world = World(DUE_AT)
    job, single = world.recurring(), world.put(one_off())
    for wanted in (world.standing(job.id_at(DUE_AT)), single):
        world.steps.taken.clear()
        assert world.find_execution.execute(TENANT, str(wanted.id)) == wanted
        assert world.steps.taken == ["store.get"]


@pytest.mark.parametrize(
    "text",
    ["", "exe_", str(execution_id(9)), "exe_" + "z" * 31, "job_x", "exe_" + "0" * 4_000, "\x00", "exe_1é"],
)
def test_unknown_foreign_or_malformed_execution_id_is_not_found(text: str) -> None:
    world = World(DUE_AT)
    foreign = world.put(one_off(tenant_id="other"))
    answers = []
    for asked in (text, str(foreign.id)):
        with pytest.raises(NotFoundError) as refused:
            world.find_execution.execute(TENANT, asked)
        answers.append(str(refused.value))
    assert answers[0] == answers[1]
