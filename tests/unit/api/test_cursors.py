"""Cursors: sealed for a tenant and a question, so that nobody else can read, make or reuse one."""

import base64

import pytest

from functions.api.http.cursors import MAX_LENGTH, seal_cursor, unseal_cursor
from functions.api.http.problems import Problem, ProblemError
from shared.domain.errors import UnavailableError
from tests.support.api.api_world import ApiWorld
from tests.support.usecases.world import World

QUESTION = "executions|job_1"


def sealed(world: World, position: str = "1740000012345") -> str:
    return seal_cursor(world.vault, world.tenant, QUESTION, position)


def refused(world: World, question: str, cursor: str) -> bool:
    with pytest.raises(ProblemError) as fault:
        unseal_cursor(world.vault, world.tenant, question, cursor)
    return fault.value.problem is Problem.INVALID_CURSOR


@pytest.mark.parametrize("position", ["", "0", "1740000012345", "ä#b", "x" * 500])
def test_a_cursor_gives_its_position_back(position: str) -> None:
    world = World()
    cursor = sealed(world, position)
    assert unseal_cursor(world.vault, world.tenant, QUESTION, cursor) == position
    assert len(cursor) <= MAX_LENGTH


def test_a_cursor_shows_nothing_and_needs_no_escaping() -> None:
    world = World()
    cursor = sealed(world)
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert b"1740000012345" not in base64.urlsafe_b64decode(cursor + "==")
    assert sealed(world) != cursor


def test_a_cursor_is_good_for_its_own_question_only() -> None:
    world = World()
    assert refused(world, "executions|job_2", sealed(world))
    assert refused(world, "dead-letters", sealed(world))


def test_a_cursor_is_good_for_its_own_tenant_only() -> None:
    world = World()
    cursor = sealed(world)
    world.create_tenant.execute("other")
    world.tenant = world.tenants.tenants["other"]
    assert refused(world, QUESTION, cursor)


@pytest.mark.parametrize("change", [lambda text: text[:-2], lambda text: "A" + text[1:] + "A", str.swapcase])
def test_an_altered_cursor_is_refused(change: object) -> None:
    world = World()
    assert refused(world, QUESTION, change(sealed(world)))  # type: ignore[operator]


@pytest.mark.parametrize("cursor", ["x", "====", "a b", "ä", "%00", "A" * (MAX_LENGTH + 1), "\n", "/+/+"])
def test_malformed_cursor_is_refused(cursor: str) -> None:
    assert refused(World(), QUESTION, cursor)


def test_a_vault_that_does_not_answer_is_no_forgery() -> None:
    world = World()
    cursor = sealed(world)
    world.vault = type("Silent", (), {"unseal": _silent})()
    with pytest.raises(UnavailableError):
        unseal_cursor(world.vault, world.tenant, QUESTION, cursor)


def _silent(*_: object) -> bytes:
    raise UnavailableError("KMS")


def test_cursor_of_another_job_is_refused_over_http() -> None:
    world = ApiWorld()
    jobs = [world.create(schedule={"rate_seconds": 60}) for _ in range(2)]
    cursors = [world.get(f"/v1/jobs/{job['id']}/executions", limit="1").json["next_cursor"] for job in jobs]
    assert world.get(f"/v1/jobs/{jobs[0]['id']}/executions", cursor=cursors[0]).status == 200
    assert world.get(f"/v1/jobs/{jobs[1]['id']}/executions", cursor=cursors[0]).problem == "invalid-cursor"
    assert world.get("/v1/dead-letters", cursor=cursors[0]).problem == "invalid-cursor"
