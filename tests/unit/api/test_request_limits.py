"""Limits of requests: each tenant's over all processes, and what unknown credentials may cost one process."""

from collections.abc import Callable

import pytest

from functions.api.app import Api
from functions.api.context import Context
from shared.bootstrap.use_cases import use_cases
from shared.domain.tenancy.quota import Quota
from shared.usecases.tenancy.limit_requests import UNKNOWN_PER_SECOND
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request

Ask = Callable[[ApiWorld], Answer]
SECOND = 1_000
KINDS: dict[str, Ask] = {
    "list": lambda world: world.get("/v1/jobs"),
    "read": lambda world: world.get("/v1/jobs/job_unknown"),
    "usage": lambda world: world.get("/v1/usage"),
    "upcoming": lambda world: world.get("/v1/upcoming"),
    "dead letters": lambda world: world.get("/v1/dead-letters"),
    "delete": lambda world: world.delete("/v1/jobs/job_unknown"),
    "pause": lambda world: world.post({}, "/v1/jobs/job_unknown/pause"),
    "preview": lambda world: world.post({"cron": "* * * * *"}, "/v1/schedules/preview"),
    "missing scope": lambda world: world.get("/v1/keys"),
    "unknown path": lambda world: world.get("/v1/nothing"),
}
"""Every kind of request but creations, which have a rate of their own."""


def forged_key(number: int) -> dict[str, str]:
    return {"authorization": f"Bearer pk_{number:016d}_{'0' * 32}"}


def wrong_secret(world: ApiWorld) -> dict[str, str]:
    key = world.world.credentials.api_key
    return {"authorization": f"Bearer {key[:-1]}{'0' if key[-1] != '0' else '1'}"}


def listed(world: ApiWorld, credential: dict[str, str]) -> Answer:
    return world.handle(Request(method="GET", path="/v1/jobs", headers=credential))


def another_process(world: ApiWorld) -> Api:
    return Api(Context(use_cases(world.world.ports(), world.world.settings)))


@pytest.mark.parametrize("ask", KINDS.values(), ids=KINDS.keys())
def test_every_kind_of_request_has_the_limit_of_its_tenant(ask: Ask) -> None:
    world = ApiWorld()
    world.allow(Quota.REQUESTS_PER_SECOND, 2)
    answers = [ask(world) for _ in range(3)]
    assert [answer.status == 429 for answer in answers] == [False, False, True]
    assert (answers[2].problem, answers[2].json["quota"]) == ("rate-limited", "requests_per_second")
    assert answers[2].headers["Retry-After"] == "1"
    world.world.clock.time_ms += SECOND
    assert ask(world).status != 429


def test_limit_of_a_tenant_holds_over_many_processes() -> None:
    """Fifty processes that together ask for four times the limit, in an order that changes."""
    world, limit, processes, seconds = ApiWorld(), 60, 50, 8
    world.allow(Quota.REQUESTS_PER_SECOND, limit)
    apis = [another_process(world) for _ in range(processes)]
    world.world.clock.time_ms -= world.world.clock.time_ms % SECOND
    admitted = []
    for second in range(seconds):
        passed = 0
        for number in range(4 * limit):
            world.api = apis[(number * 7 + second) % processes]
            passed += world.get("/v1/jobs").status == 200
            world.world.clock.time_ms += SECOND // (4 * limit)
        world.world.clock.time_ms += -world.world.clock.time_ms % SECOND
        admitted.append(passed)
    assert max(admitted) <= limit
    assert min(admitted) >= limit / 1.5


def test_requests_of_one_tenant_leave_those_of_others_alone() -> None:
    world = ApiWorld()
    world.allow(Quota.REQUESTS_PER_SECOND, 1)
    other = world.world.create_tenant.execute("globex")
    assert [world.get("/v1/jobs").status for _ in range(3)] == [200, 429, 429]
    assert listed(world, {"authorization": f"Bearer {other.api_key}"}).status == 200


def test_creations_and_other_requests_do_not_use_up_each_other() -> None:
    world = ApiWorld()
    world.allow(Quota.REQUESTS_PER_SECOND, 1)
    world.allow(Quota.CREATES_PER_SECOND, 1)
    assert [world.post(JOB).status for _ in range(2)] == [201, 429]
    assert [world.get("/v1/jobs").status for _ in range(2)] == [200, 429]


def test_unlimited_tenant_is_not_counted() -> None:
    world = ApiWorld()
    for _ in range(50):
        assert world.get("/v1/jobs").status == 200
    assert world.world.steps.count("budgets.take") == 0
    assert world.get("/v1/usage").json["quotas"]["requests_per_second"] == {
        "limit": 100_000,
        "used": None,
        "is_lower_bound": False,
        "is_enforced": False,
    }


def test_usage_shows_the_requests_of_this_second() -> None:
    world = ApiWorld()
    world.allow(Quota.REQUESTS_PER_SECOND, 10)
    world.get("/v1/jobs")
    used = world.get("/v1/usage").json["quotas"]["requests_per_second"]
    assert used == {"limit": 10, "used": 2, "is_lower_bound": False, "is_enforced": True}


def test_store_without_an_answer_refuses_no_request() -> None:
    world = ApiWorld()
    world.allow(Quota.REQUESTS_PER_SECOND, 1)
    world.world.steps.fail("budgets.take")
    assert [world.get("/v1/jobs").status for _ in range(5)] == [200] * 5


def test_keys_with_a_wrong_secret_are_limited_and_cost_the_tenant_no_request() -> None:
    """The id of a key is no secret, so its flood must not lock out the clients of the tenant."""
    world = ApiWorld()
    world.allow(Quota.REQUESTS_PER_SECOND, 5)
    flood = [listed(world, wrong_secret(world)) for _ in range(20)]
    assert [answer.status for answer in flood] == [401] * 5 + [429] * 15
    assert flood[-1].headers["Retry-After"] == "1"
    assert [world.get("/v1/jobs").status for _ in range(5)] == [200] * 5


def test_unknown_keys_cost_a_process_few_reads() -> None:
    world = ApiWorld()
    assert world.get("/v1/jobs").status == 200
    reads = world.world.steps.count("tenants.get_key")
    statuses = [listed(world, forged_key(number)).status for number in range(500)]
    assert statuses == [401] * UNKNOWN_PER_SECOND + [429] * (500 - UNKNOWN_PER_SECOND)
    assert world.world.steps.count("tenants.get_key") == reads + UNKNOWN_PER_SECOND
    assert world.get("/v1/jobs").status == 200


def test_flood_of_unknown_keys_delays_a_new_key_by_a_second_at_most() -> None:
    world = ApiWorld()
    for number in range(100):
        listed(world, forged_key(number))
    assert world.get("/v1/jobs").headers["Retry-After"] == "1"
    world.world.clock.time_ms += SECOND
    assert world.get("/v1/jobs").status == 200
    for number in range(100):
        listed(world, forged_key(number))
    # The process knows the key now, even when it is time to read it again.
    world.world.clock.time_ms += 60 * SECOND
    assert world.get("/v1/jobs").status == 200


def test_malformed_keys_cost_no_read_and_no_limit() -> None:
    world = ApiWorld()
    for _ in range(100):
        assert listed(world, {"authorization": "Bearer pk_nobody"}).status == 401
    assert world.world.steps.count("tenants.get_key") == 0
    assert world.get("/v1/jobs").status == 200
