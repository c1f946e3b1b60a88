"""POST /v1/jobs/batch: a result for each job in order, and hostile bodies."""

from typing import Any

import orjson
import pytest

from functions.api.http.admission import MAX_BODY_BYTES
from functions.api.resources.batches.models import MAX_JOBS
from shared.domain.dispatch.sampling import sample_tags
from shared.domain.errors import UnavailableError
from shared.domain.ids import one_off_execution
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope
from shared.names import ACCEPTED_BATCH_LOG_LINE
from tests.support.api.api_world import JOB, REQUEST_ID, Answer, ApiWorld, Request, logged
from tests.support.fakes.one_off_batches import Fault

PATH = "/v1/jobs/batch"
EVERY_MINUTE = JOB | {"schedule": {"rate_seconds": 60}}
BAD = JOB | {"schedule": {"delay_seconds": "soon"}, "surprise": 1}


def send(world: ApiWorld, *jobs: Any, **headers: str) -> Answer:
    return world.post({"jobs": list(jobs)}, PATH, **headers)


def results(answer: Answer) -> list[Any]:
    assert answer.status == 200, answer.text
    found: list[Any] = answer.json["results"]
    return found


def statuses(answer: Answer) -> list[int]:
    return [result["status"] for result in results(answer)]


def stored(world: ApiWorld) -> int:
    return len(world.world.table.executions)


def test_batch_shows_a_job_like_its_single_creation() -> None:
    world = ApiWorld()
    named, plain, rate = results(send(world, JOB | {"name": "a"}, JOB, EVERY_MINUTE))
    assert [each.keys() for each in (named, plain, rate)] == [{"status", "job"}] * 3
    assert (named["job"]["name"], plain["job"]["kind"], rate["job"]["kind"]) == ("a", "once", "rate")
    for result in (named, plain, rate):
        assert world.get(f"/v1/jobs/{result['job']['id']}").json == result["job"]
    alone = world.create()
    assert alone | {"id": plain["job"]["id"]} == plain["job"]


def test_a_bad_job_is_answered_in_its_place_with_pointers_into_the_whole_body() -> None:
    world = ApiWorld()
    first, second, third = results(send(world, JOB, BAD, JOB))
    assert (first["status"], second["status"], third["status"]) == (201, 422, 201)
    assert second.keys() == {"status", "problem"}
    problem = second["problem"]
    assert problem["type"] == "urn:punctual:problem:validation-failed"
    assert problem["instance"] == f"urn:punctual:request:{REQUEST_ID}"
    pointers = [each["pointer"] for each in problem["errors"]]
    assert sorted(pointers) == ["/jobs/1/schedule/delay_seconds", "/jobs/1/surprise"]
    assert "quota" not in problem
    assert stored(world) == 2


@pytest.mark.parametrize("item", [None, 0, 1.5, True, "job", [], [JOB], {}, {"jobs": [JOB]}])
def test_an_item_that_is_no_job_is_the_fault_of_that_item(item: Any) -> None:
    world = ApiWorld()
    good, bad = results(send(world, JOB, item))
    assert (good["status"], bad["status"]) == (201, 422)
    assert all(each["pointer"].startswith("/jobs/1") for each in bad["problem"]["errors"])
    assert stored(world) == 1


@pytest.mark.parametrize(
    ("fields", "problem", "pointer"),
    [
        ({"schedule": {"at": "2001-01-01T00:00:00Z"}}, "schedule-in-past", "/jobs/1/schedule/at"),
        ({"schedule": {"at": "2099-01-01T00:00:00Z"}}, "schedule-too-far", "/jobs/1/schedule/at"),
        ({"schedule": {"cron": "0 0 30 2 *"}}, "schedule-never-fires", "/jobs/1/schedule/cron"),
        ({"schedule": {"cron": "nonsense"}}, "validation-failed", "/jobs/1/schedule/cron"),
        ({"request": {"url": "http://x/"}}, "callback-url-not-allowed", "/jobs/1/request/url"),
        (
            {"request": {"url": "https://x.example/", "headers": {"Host": "y"}}},
            "validation-failed",
            "/jobs/1/request/headers/Host",
        ),
        ({"start_deadline_seconds": 0}, "validation-failed", "/jobs/1/start_deadline_seconds"),
    ],
)
def test_invalid_job_of_a_batch_is_refused_with_its_own_problem(
    fields: dict[str, Any], problem: str, pointer: str
) -> None:
    good, bad = results(send(ApiWorld(), JOB, JOB | fields))
    assert good["status"] == 201
    assert bad["problem"]["type"] == f"urn:punctual:problem:{problem}"
    assert [each["pointer"] for each in bad["problem"]["errors"]] == [pointer]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"jobs": []},
        {"jobs": [JOB] * (MAX_JOBS + 1)},
        {"jobs": JOB},
        {"jobs": None},
        {"jobs": {"0": JOB}},
        {"jobs": [JOB], "more": 1},
        [JOB],
        "jobs",
    ],
)
def test_a_body_that_is_no_batch_is_refused_whole(document: Any) -> None:
    world = ApiWorld()
    answer = world.post(document, PATH)
    assert (answer.status, answer.problem) == (422, "validation-failed")
    assert stored(world) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"jobs": [{}], "jobs": [{}]}',
        b'{"jobs": [{"name": "a", "name": "b"}]}',
        b'{"jobs": [NaN]}',
        b'{"jobs": [1e400]}',
        b'{"jobs": ["\\ud800"]}',
        b'{"jobs": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"jobs": [' + b"9" * 5_000 + b"]}",
    ],
)
def test_a_body_that_cannot_be_read_is_refused_whole(body: bytes) -> None:
    world = ApiWorld()
    headers = world.credential | {"content-type": "application/json"}
    answer = world.handle(Request(method="POST", path=PATH, headers=headers, body=body))
    assert (answer.status, answer.problem) == (400, "malformed-request")
    assert stored(world) == 0


def test_the_limit_of_bodies_is_that_of_every_other() -> None:
    world = ApiWorld()
    padding = "x" * (MAX_BODY_BYTES // 90)
    large = JOB | {"request": {"url": "https://receiver.example/", "body": padding}}
    assert (send(world, *[large] * 90).status, stored(world)) == (413, 0)
    assert statuses(send(world, *[large] * 80)) == [201] * 80


def test_the_largest_batch_is_accepted() -> None:
    world = ApiWorld()
    assert statuses(send(world, *[JOB] * MAX_JOBS)) == [201] * MAX_JOBS
    assert stored(world) == MAX_JOBS


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_unsupported_method_on_the_batch_path_is_refused(method: str) -> None:
    world = ApiWorld()
    headers = world.credential | {"content-type": "application/json", "if-match": "*"}
    answer = world.handle(Request(method=method, path=PATH, headers=headers, body=b'{"jobs": []}'))
    assert answer.status in (404, 405)


def test_a_key_that_may_only_read_creates_nothing() -> None:
    world = ApiWorld()
    world.limit_to(Scope.READ)
    assert send(world, JOB).problem == "forbidden"


def test_batch_with_a_wrong_media_type_or_malformed_key_is_refused_whole() -> None:
    world = ApiWorld()
    assert send(world, JOB, content_type="text/plain").status == 415
    assert send(world, JOB, idempotency_key="two words").problem == "idempotency-key-invalid"
    assert stored(world) == 0


def test_a_replay_answers_the_same_and_says_so() -> None:
    world = ApiWorld()
    jobs = [JOB, BAD, EVERY_MINUTE, None, JOB | {"schedule": {"at": "2001-01-01T00:00:00Z"}}]
    first = send(world, *jobs, idempotency_key="k")
    world.world.clock.time_ms += 5_000
    again = send(world, *jobs, idempotency_key="k")
    assert statuses(first) == [201, 422, 201, 422, 422]
    assert results(again) == results(first)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert stored(world) == 2


def test_the_order_of_members_makes_no_other_body_and_anything_else_does() -> None:
    world = ApiWorld()
    first = send(world, JOB, 1, idempotency_key="k")
    turned = {"request": JOB["request"], "schedule": JOB["schedule"]}
    assert results(send(world, turned, 1, idempotency_key="k")) == results(first)
    for other in ((JOB, 2), (JOB,), (1, JOB), (JOB, 1, JOB), (JOB | {"name": "x"}, 1)):
        answer = send(world, *other, idempotency_key="k")
        assert (answer.status, answer.problem) == (422, "idempotency-key-reused")
    assert world.post(JOB, idempotency_key="k").problem == "idempotency-key-reused"
    assert stored(world) == 1


def test_undecided_put_of_a_batch_is_503_in_its_place_and_a_replay_completes_the_batch() -> None:
    world = ApiWorld()
    world.world.one_off_batches.faults = {0: Fault.NOT_WRITTEN, 2: Fault.WRITTEN}
    first = send(world, JOB, JOB, JOB, idempotency_key="k")
    assert statuses(first) == [503, 201, 503]
    assert results(first)[0]["problem"]["type"] == "urn:punctual:problem:service-unavailable"
    again = send(world, JOB, JOB, JOB, idempotency_key="k")
    assert statuses(again) == [201] * 3
    assert results(again)[1] == results(first)[1]
    assert stored(world) == 3


def test_before_anything_is_decided_the_whole_answer_is_503() -> None:
    world = ApiWorld()
    world.world.steps.fail("idempotency.claim")
    answer = send(world, JOB, JOB, idempotency_key="k")
    assert (answer.status, answer.problem) == (503, "service-unavailable")
    assert stored(world) == 0


def test_job_of_a_batch_counts_as_a_creation() -> None:
    world = ApiWorld()
    world.allow(Quota.CREATES_PER_SECOND, 5)
    assert statuses(send(world, *[JOB] * 3)) == [201] * 3
    refused = send(world, *[JOB] * 3)
    assert (refused.status, refused.problem) == (429, "rate-limited")
    assert stored(world) == 3
    world.world.clock.time_ms += 1_000
    assert statuses(send(world, *[JOB] * 5)) == [201] * 5
    world.world.clock.time_ms += 1_000
    assert send(world, *[JOB] * 6).problem == "rate-limited"


def test_a_quota_that_is_used_up_in_the_midst_of_a_batch_refuses_the_rest() -> None:
    world = ApiWorld()
    world.allow(Quota.DUE_PER_MINUTE, 2)
    answer = send(world, JOB, JOB, JOB, JOB | {"schedule": {"delay_seconds": 7_200}}, idempotency_key="k")
    assert statuses(answer) == [201, 201, 429, 201]
    assert results(answer)[2]["problem"]["quota"] == "due_per_minute"
    replay = send(world, JOB, JOB, JOB, JOB | {"schedule": {"delay_seconds": 7_200}}, idempotency_key="k")
    assert statuses(replay) == [201, 201, 429, 201]
    assert results(replay)[2]["problem"]["quota"] == "due_per_minute"


def test_every_accepted_job_is_written_to_the_log_and_no_other() -> None:
    """The reconciler compares it with what stands."""
    world = ApiWorld()
    with logged() as records:
        found = results(send(world, JOB, BAD, EVERY_MINUTE, JOB))
    lines = [vars(record) for record in records if record.getMessage() == ACCEPTED_BATCH_LOG_LINE]
    accepted = {result["job"]["id"] for result in found if result["status"] == 201}
    assert {job_id for line in lines for job_id, *_ in line["jobs"]} == accepted
    assert sum(line["size"] for line in lines) == len(accepted) == 3
    assert {(line["tenant"], line["replayed"]) for line in lines} == {("acme", None)}


def test_line_of_a_batch_has_the_jobs_of_one_sample_and_no_others() -> None:
    """The reconciler searches for a sample by its tag, and would read the other jobs for nothing."""
    world = ApiWorld()
    with logged() as records:
        send(world, *[JOB] * 50)
    lines = [vars(record) for record in records if record.getMessage() == ACCEPTED_BATCH_LOG_LINE]
    assert len(lines) > 1
    for line in lines:
        assert {sample_tags(job_id) for job_id, *_ in line["jobs"]} == {line["sample"] or ""}


def test_line_of_a_repeated_batch_says_that_its_jobs_were_created_before() -> None:
    world = ApiWorld()
    send(world, JOB, idempotency_key="k")
    with logged() as records:
        send(world, JOB, idempotency_key="k")
    assert [vars(record)["replayed"] for record in records] == [True]


def test_a_creation_that_could_not_be_recorded_is_not_acknowledged_and_the_rest_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = ApiWorld()

    def fail(*_: object, **__: object) -> None:
        raise UnavailableError("injected")

    monkeypatch.setattr(type(world.world.audit_log), "append", fail)
    with logged() as records:
        assert statuses(send(world, JOB, EVERY_MINUTE, JOB)) == [201, 503, 201]
    lines = [vars(record) for record in records if record.getMessage() == ACCEPTED_BATCH_LOG_LINE]
    assert sum(line["size"] for line in lines) == 2


def test_put_that_the_store_rejects_is_an_internal_error_and_not_worth_a_retry() -> None:
    world = ApiWorld()
    world.world.one_off_batches.faults = {1: Fault.REJECTED}
    with logged():
        assert statuses(send(world, JOB, JOB, JOB)) == [201, 500, 201]


def test_identity_conflict_in_a_batch_is_an_internal_error_without_details() -> None:
    world = ApiWorld()
    body = {"jobs": [JOB, JOB]}
    first = world.post(body, PATH, idempotency_key="k")
    identity = one_off_execution(results(first)[0]["job"]["id"])
    assert identity is not None
    del world.world.table.executions[identity]
    world.world.put(world.world.one_off(id=identity, fingerprint=b"another request!"))
    with logged() as records:
        broken, whole = results(world.post(body, PATH, idempotency_key="k"))
    assert (broken["status"], whole["status"]) == (500, 201)
    assert broken["problem"]["type"] == "urn:punctual:problem:internal-error"
    assert "another request" not in orjson.dumps(broken).decode()
    assert any(record.levelname == "ERROR" for record in records)
