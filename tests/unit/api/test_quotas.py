"""Quotas and rates over HTTP: which problem, when in the order of checks, and what a refusal must not cost."""

import pytest

from shared.domain.tenancy.quota import Quota
from shared.names import Metric
from shared.observability import metrics
from shared.usecases.tenancy import read_usage
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request

RECURRING = JOB | {"schedule": {"rate_seconds": 60}}


def test_a_rate_is_refused_with_when_to_try_again() -> None:
    world = ApiWorld()
    world.allow(Quota.CREATES_PER_SECOND, 2)
    answers = [world.post(JOB) for _ in range(3)]
    assert [answer.status for answer in answers] == [201, 201, 429]
    assert (answers[2].problem, answers[2].headers["Retry-After"]) == ("rate-limited", "1")
    assert answers[2].json["quota"] == "creates_per_second"
    assert Metric.RATE_LIMITED in metrics.metric_set
    world.world.clock.time_ms += 1_000
    assert world.post(JOB).status == 201


def test_a_rate_is_refused_before_anything_of_the_request_is_read() -> None:
    world = ApiWorld()
    world.allow(Quota.CREATES_PER_SECOND, 0)
    headers = world.credential | {"content-type": "text/plain"}
    assert world.handle(Request(method="POST", path="/v1/jobs", headers=headers, body="{")).status == 429
    assert world.get("/v1/jobs").status == 200


def test_missing_scope_is_refused_before_a_rate() -> None:
    world = ApiWorld()
    world.allow(Quota.CREATES_PER_SECOND, 0)
    world.limit_to()
    assert world.post(JOB).problem == "forbidden"


@pytest.mark.parametrize(
    ("quota", "limit", "job"),
    [
        (Quota.RECURRING_JOBS, 0, RECURRING),
        (Quota.DUE_PER_MINUTE, 0, JOB),
        (Quota.PAYLOAD_BYTES, 6, JOB),
        (Quota.TAGS, 1, JOB | {"tags": ["a", "b"]}),
    ],
)
def test_a_quota_is_refused_by_its_name(quota: Quota, limit: int, job: dict[str, object]) -> None:
    world = ApiWorld()
    world.allow(quota, limit)
    answer = world.post(job)
    assert (answer.status, answer.problem, answer.json["quota"]) == (429, "quota-exceeded", quota.value)
    assert "Retry-After" not in answer.headers
    assert Metric.QUOTA_EXCEEDED in metrics.metric_set
    world.allow(quota, limit + 9)
    assert world.post(job).status == 201


def test_a_quota_comes_after_everything_that_is_wrong_with_the_request() -> None:
    world = ApiWorld()
    world.allow(Quota.DUE_PER_MINUTE, 0)
    assert world.post(JOB | {"schedule": {"at": "2001-01-01T00:00:00Z"}}).problem == "schedule-in-past"
    assert world.post(JOB | {"request": {"url": "http://x/"}}).problem == "callback-url-not-allowed"
    assert world.post(JOB, idempotency_key="two words").problem == "idempotency-key-invalid"


@pytest.mark.parametrize("quota", [Quota.DUE_PER_MINUTE, Quota.CREATES_PER_SECOND])
def test_a_refusal_does_not_use_up_an_idempotency_key(quota: Quota) -> None:
    world = ApiWorld()
    world.allow(quota, 0)
    assert world.post(JOB, idempotency_key="k").status == 429
    assert world.world.idempotency.find("acme", "k", world.world.clock.now_ms()) is None
    world.allow(quota, 5)
    other = world.post(JOB | {"name": "another body"}, idempotency_key="k")
    assert (other.status, "Idempotency-Replayed" in other.headers) == (201, False)


def test_a_replay_is_no_new_job_and_needs_no_place() -> None:
    world = ApiWorld()
    world.allow(Quota.RECURRING_JOBS, 1)
    first = world.post(RECURRING, idempotency_key="k")
    again = world.post(RECURRING, idempotency_key="k")
    assert (again.status, again.json["id"]) == (201, first.json["id"])
    assert world.post(RECURRING, idempotency_key="l").json["quota"] == "recurring_jobs"


def test_a_deleted_job_gives_its_place_back() -> None:
    world = ApiWorld()
    world.allow(Quota.RECURRING_JOBS, 1)
    job = world.post(RECURRING).json
    assert world.post(RECURRING).status == 429
    assert world.delete(f"/v1/jobs/{job['id']}").status == 200
    world.world.clock.time_ms += 1_000
    assert world.post(RECURRING).status == 201


def test_a_paused_job_keeps_its_place() -> None:
    world = ApiWorld()
    world.allow(Quota.RECURRING_JOBS, 1)
    job = world.post(RECURRING).json
    assert world.post({}, f"/v1/jobs/{job['id']}/pause").status == 200
    world.world.clock.time_ms += 1_000
    assert world.post(RECURRING).status == 429


def test_usage_shows_limits_and_what_of_them_is_used() -> None:
    world = ApiWorld()
    world.allow(Quota.TAGS, 3)
    world.allow(Quota.CONCURRENCY, 99_999)
    world.create(schedule={"rate_seconds": 60})
    world.create(schedule={"delay_seconds": 0})
    usage = world.get("/v1/usage").json
    assert (usage["tenant"], usage["weight"]) == ("acme", 1)
    quotas = usage["quotas"]
    assert quotas.keys() == {quota.value for quota in Quota}
    used = {name: quota["used"] for name, quota in quotas.items()}
    assert used == {
        "recurring_jobs": 1,
        "creates_per_second": 2,
        "requests_per_second": None,
        "due_per_minute": 1,
        "payload_bytes": None,
        "tags": None,
        "api_keys": 1,
        "workflows": 0,
        "concurrency": None,
        "calls_per_second": None,
        "destination_concurrency": None,
        "destination_calls_per_second": None,
    }
    assert quotas["tags"]["limit"] == 3
    assert [name for name, quota in quotas.items() if not quota["is_enforced"]] == [
        "requests_per_second",
        "calls_per_second",
        "destination_concurrency",
        "destination_calls_per_second",
    ]


@pytest.mark.parametrize(("extra", "is_lower_bound"), [(3, False), (20, True)])
def test_usage_counts_jobs_beyond_a_quota_that_was_lowered(
    monkeypatch: pytest.MonkeyPatch, extra: int, is_lower_bound: bool
) -> None:
    """Usage used to say one more than the quota, however many had to be deleted before another one fits."""
    monkeypatch.setattr(read_usage, "COUNTED_BEYOND", 10)
    world = ApiWorld()
    for _ in range(2 + extra):
        world.create(schedule={"rate_seconds": 60})
    world.allow(Quota.RECURRING_JOBS, 2)
    shown = world.get("/v1/usage").json["quotas"]["recurring_jobs"]
    assert (shown["used"], shown["is_lower_bound"]) == (min(2 + extra, 12), is_lower_bound)


@pytest.mark.parametrize(
    ("quota", "limit", "refused"),
    [
        (Quota.TAGS, 1, b'{"tags": ["a", "b", "c"]}'),
        (Quota.PAYLOAD_BYTES, 2, b'{"request": {"body": "12345"}}'),
    ],
)
@pytest.mark.parametrize("schedule", [{"rate_seconds": 60}, {"delay_seconds": 60}])
def test_change_that_demands_no_more_than_before_is_accepted_under_a_lowered_quota(
    schedule: dict[str, int], quota: Quota, limit: int, refused: bytes
) -> None:
    """Even a rename used to be refused after the operator had lowered a quota below what stands."""
    world = ApiWorld()
    request = {"url": "https://receiver.example/", "body": "1234"}
    job = world.create(schedule=schedule, tags=["a", "b"], request=request)
    world.allow(quota, limit)
    assert patch(world, job, b'{"name": "other"}').status == 200
    assert patch(world, job, b'{"tags": ["c", "d"]}').status == 200
    assert patch(world, job, refused).json["quota"] == quota.value


def patch(world: ApiWorld, job: dict[str, object], change: bytes) -> Answer:
    headers = world.credential | {"content-type": "application/json", "if-match": "*"}
    path = f"/v1/jobs/{job['id']}"
    return world.handle(Request(method="PATCH", path=path, headers=headers, body=change))


@pytest.mark.parametrize(
    ("quota", "change"),
    [
        (Quota.TAGS, b'{"tags": ["a"]}'),
        (Quota.PAYLOAD_BYTES, b'{"request": {"json": {"n": 100}}}'),
        (Quota.DUE_PER_MINUTE, b'{"schedule": {"delay_seconds": 9000}}'),
    ],
)
def test_a_job_is_not_changed_into_what_could_not_be_created(quota: Quota, change: bytes) -> None:
    world = ApiWorld()
    job = world.create()
    world.allow(quota, 0)
    refused = patch(world, job, change)
    assert (refused.problem, refused.json["quota"]) == ("quota-exceeded", quota.value)
    assert world.get(f"/v1/jobs/{job['id']}").json["revision"] == 1
    world.allow(quota, 9)
    assert patch(world, job, change).status == 200


def test_a_change_that_does_not_move_a_job_needs_no_place_in_its_minute() -> None:
    world = ApiWorld()
    job = world.create()
    world.allow(Quota.DUE_PER_MINUTE, 0)
    assert patch(world, job, b'{"name": "n"}').status == 200


def test_changes_and_triggers_count_as_creations() -> None:
    world = ApiWorld()
    job = world.create(schedule={"rate_seconds": 60})
    world.allow(Quota.CREATES_PER_SECOND, 1)
    assert patch(world, job, b'{"name": "n"}').status == 200
    assert patch(world, job, b'{"name": "m"}').problem == "rate-limited"
    assert world.post({}, f"/v1/jobs/{job['id']}/trigger").problem == "rate-limited"
    assert world.post({}, f"/v1/jobs/{job['id']}/pause").status == 200
