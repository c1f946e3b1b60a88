"""PUT /v1/jobs/by-key: what it creates, changes and leaves, what it tells of it, and what it refuses."""

from contextlib import suppress
from typing import Any

import orjson
import pytest

from shared.domain.errors import UnavailableError
from shared.domain.ids import RecurringJobId
from shared.domain.jobs.job import ENDED, Job
from shared.domain.jobs.job_key import UNFINISHED_MS, KeyedId
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.api.job_requests import DAILY, MINUTELY, patch, post, send
from tests.support.builders import TENANT, recurring_job_id
from tests.support.usecases.steps import Crash, die

PATH = "/v1/jobs/by-key/billing.nightly"
REQUEST = {
    "request": {"url": "https://receiver.example/hook", "headers": {"X-Token": "s3cret"}, "body": "one"}
}
NIGHTLY: dict[str, Any] = DAILY | REQUEST
ONCE: dict[str, Any] = {"schedule": {"rate_seconds": 60, "max_runs": 1}} | REQUEST


def put(
    world: ApiWorld,
    document: Any = NIGHTLY,
    path: str = PATH,
    *,
    match: str | None = None,
    none_match: str | None = None,
    **query: str,
) -> Answer:
    given = {"if-match": match, "if-none-match": none_match}
    condition = {name: value for name, value in given.items() if value is not None}
    return world.handle(
        Request(
            method="PUT",
            path=path,
            headers=world.credential | {"content-type": "application/json"} | condition,
            query=query,
            body=orjson.dumps(document),
        )
    )


def live_jobs(world: ApiWorld) -> list[Job]:
    """The jobs with a key that have not ended."""
    return [each for each in world.world.table.jobs.values() if each.key and each.state not in ENDED]


def completed(world: ApiWorld) -> Any:
    """A job that has ended by its schedule."""
    job = put(world, ONCE).json["job"]
    stored = world.world.table.jobs[TENANT, job["id"]]
    world.world.clock.time_ms += 120_000
    run = world.world.occurrences(stored)
    world.world.attempt(next(iter(run.values())))
    assert world.get(PATH).json["state"] == "completed"
    return job


def fields_of(answer: Answer) -> dict[str, tuple[Any, Any]]:
    return {each["pointer"]: (each["before"], each["after"]) for each in answer.json["fields"]}


def test_first_request_creates_the_job_and_its_first_run() -> None:
    world = ApiWorld()
    answer = put(world, NIGHTLY | {"set": "billing"})
    assert (answer.status, answer.json["change"], answer.json["fields"]) == (200, "created", [])
    job = answer.json["job"]
    assert (job["key"], job["set"], job["revision"]) == ("billing.nightly", "billing", 1)
    shown = world.get(f"/v1/jobs/{job['id']}").json
    assert shown == job | {"last_run": None}
    assert world.get(PATH).json == shown
    assert len(world.get(f"/v1/jobs/{job['id']}/executions").json["executions"]) == 1


def test_repetition_changes_nothing() -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    world.world.steps.taken.clear()
    again = put(world)
    assert (again.json["change"], again.json["fields"], again.json["job"]) == ("unchanged", [], job)
    assert [name for name in world.world.steps.taken if name.endswith(("assign", "create", "replace"))] == []


def test_creation_with_a_key_takes_one_write_more() -> None:
    world = ApiWorld()
    world.create(**NIGHTLY)
    world.world.steps.taken.clear()
    world.create(**NIGHTLY)
    plain = [name for name in world.world.steps.taken if not name.startswith("budgets")]
    world.world.steps.taken.clear()
    put(world)
    keyed = [name for name in world.world.steps.taken if not name.startswith("budgets")]
    assert sorted(keyed) == sorted([*plain, "job_keys.find", "job_keys.assign"])


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"name": "nightly"}, {"/name": (None, "nightly")}),
        ({"set": "billing"}, {"/set": (None, "billing")}),
        ({"tags": ["x"]}, {"/tags": ([], ["x"])}),
        (
            {"schedule": {"cron": "0 3 * * *", "timezone": "Europe/Berlin"}},
            {"/schedule/cron": ("30 2 * * *", "0 3 * * *")},
        ),
        ({"retry": {"max_attempts": 2}}, {"/retry/max_attempts": (5, 2)}),
        ({"request": REQUEST["request"] | {"body": "two"}}, {"/request/body": (None, None)}),
        (
            {"request": REQUEST["request"] | {"headers": {"X-Token": "other"}}},
            {"/request/headers/X-Token": (None, None)},
        ),
    ],
)
def test_changed_members_are_told_and_values_of_the_request_are_not(
    change: dict[str, Any], fields: dict[str, tuple[Any, Any]]
) -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    dry = put(world, NIGHTLY | change, dry_run="true")
    assert (dry.json["change"], fields_of(dry), dry.json["job"]) == ("updated", fields, job)
    assert world.get(PATH).json == job | {"last_run": None}
    answer = put(world, NIGHTLY | change)
    assert (answer.json["change"], fields_of(answer)) == ("updated", fields)
    assert (answer.json["job"]["id"], answer.json["job"]["revision"]) == (job["id"], 2)
    assert "s3cret" not in answer.text
    assert put(world, NIGHTLY | change).json["change"] == "unchanged"
    assert put(world).json["change"] == "updated"


def test_change_of_the_set_begins_no_new_chain() -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    put(world, NIGHTLY | {"set": "billing"})
    assert world.world.table.jobs[TENANT, job["id"]].chain_revision == 1


def test_member_that_is_left_out_has_its_default_again() -> None:
    world = ApiWorld()
    put(world, NIGHTLY | {"name": "nightly", "lane": "bulk"})
    assert fields_of(put(world)) == {"/name": ("nightly", None), "/lane": ("bulk", "standard")}


def test_dry_run_of_a_creation_creates_nothing() -> None:
    world = ApiWorld()
    answer = put(world, dry_run="true")
    assert (answer.json["change"], answer.json["job"]) == ("created", None)
    assert (live_jobs(world), world.world.table.keyed_ids, world.get(PATH).status) == ([], {}, 404)


def test_rate_without_a_start_keeps_its_phase() -> None:
    world = ApiWorld()
    job = put(world, MINUTELY | REQUEST).json["job"]
    world.world.clock.time_ms += 12_345
    assert put(world, MINUTELY | REQUEST).json["change"] == "unchanged"
    renamed = put(world, MINUTELY | REQUEST | {"name": "poll"}).json["job"]
    assert renamed["schedule"] == job["schedule"]
    other = put(world, {"schedule": {"rate_seconds": 120}} | REQUEST)
    assert fields_of(other)["/schedule/rate_seconds"] == (60, 120)


def test_paused_job_stays_paused() -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    post(world, job, "pause")
    assert put(world).json["job"]["state"] == "paused"
    assert put(world, NIGHTLY | {"lane": "bulk"}).json["job"]["state"] == "paused"


def test_deleted_job_is_created_anew_with_another_id() -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    send(world, "DELETE", f"/v1/jobs/{job['id']}")
    assert world.get(PATH).json["state"] == "deleted"
    again = put(world)
    assert again.json["change"] == "created"
    assert again.json["job"]["id"] != job["id"]
    assert world.get(PATH).json["id"] == again.json["job"]["id"]


def test_job_that_has_ended_by_its_schedule_is_created_anew_only_with_another_description() -> None:
    world = ApiWorld()
    job = completed(world)
    assert put(world, ONCE).json["change"] == "unchanged"
    again = put(world, ONCE | {"schedule": {"rate_seconds": 60, "max_runs": 2}})
    assert again.json["change"] == "created"
    assert again.json["job"]["id"] != job["id"]


def test_keys_of_tenants_are_apart() -> None:
    world = ApiWorld()
    put(world)
    other = world.world.create_tenant.execute("globex")
    headers = {"authorization": f"Bearer {other.api_key}"}
    assert world.handle(Request(method="GET", path=PATH, headers=headers)).status == 404


def test_list_shows_keys_and_is_filtered_by_set() -> None:
    world = ApiWorld()
    put(world, NIGHTLY | {"set": "billing"})
    put(world, NIGHTLY | {"set": "reports"}, "/v1/jobs/by-key/reports.daily")
    world.create(**DAILY)
    world.create()
    listed = world.get("/v1/jobs", set="billing").json["jobs"]
    assert [(each["key"], each["set"]) for each in listed] == [("billing.nightly", "billing")]
    assert world.get("/v1/jobs", set="nothing").json["jobs"] == []
    assert len(world.get("/v1/jobs").json["jobs"]) == 4
    assert world.get("/v1/jobs", set="a b").status == 400


def test_patch_of_a_job_keeps_its_key_and_set() -> None:
    world = ApiWorld()
    job = put(world, NIGHTLY | {"set": "billing"}).json["job"]
    changed = patch(world, job, {"lane": "bulk"}).json
    assert (changed["key"], changed["set"], changed["lane"]) == ("billing.nightly", "billing", "bulk")
    assert fields_of(put(world, NIGHTLY | {"set": "billing"})) == {"/lane": ("bulk", "standard")}


@pytest.mark.parametrize("key", ["", "-x", ".x", "a b", "a%2Fb", "é", "x" * 129, "a\n", "a/b"])
def test_key_that_is_none_is_refused(key: str) -> None:
    world = ApiWorld()
    answer = put(world, path=f"/v1/jobs/by-key/{key}")
    assert answer.status in (404, 405)
    assert world.world.table.jobs == {}


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"schedule": {"delay_seconds": 60}}, "/schedule"),
        ({"schedule": {"at": "2030-01-01T00:00:00Z"}}, "/schedule"),
        ({"set": "a b"}, "/set"),
        ({"key": "other"}, "/key"),
        ({"schedule": {"cron": "61 * * * *"}}, "/schedule/cron"),
        ({"request": {"url": "http://10.0.0.1/"}}, "/request/url"),
    ],
)
@pytest.mark.parametrize("stands", [False, True])
def test_refused_description_changes_nothing(change: dict[str, Any], pointer: str, stands: bool) -> None:
    world = ApiWorld()
    if stands:
        put(world)
    before = dict(world.world.table.jobs)
    for query in ({}, {"dry_run": "true"}):
        answer = put(world, NIGHTLY | change, **query)
        assert answer.status in (400, 422), answer.text
        assert pointer in {each["pointer"] for each in answer.json["errors"]}
    assert world.world.table.jobs == before


def test_set_of_a_job_without_a_key_is_refused() -> None:
    assert ApiWorld().post(NIGHTLY | {"set": "billing"}).status == 422


def test_key_without_the_scope_to_write_may_not_put() -> None:
    world = ApiWorld()
    world.limit_to(Scope.READ)
    assert put(world).problem == "forbidden"
    assert world.get(PATH).problem == "not-found"


def test_creation_counts_against_the_quota_of_recurring_jobs_and_a_change_does_not() -> None:
    world = ApiWorld()
    world.allow(Quota.RECURRING_JOBS, 1)
    put(world)
    refused = put(world, path="/v1/jobs/by-key/other")
    assert refused.problem == "quota-exceeded"
    assert put(world, NIGHTLY | {"lane": "bulk"}).json["change"] == "updated"


def test_change_by_key_has_an_audit_record() -> None:
    world = ApiWorld()
    put(world)
    put(world)
    put(world, dry_run="true")
    put(world, NIGHTLY | {"lane": "bulk"})
    operations = [each["operation"] for each in world.get("/v1/audit").json["records"]]
    assert operations.count("putJob") == 2


def test_rival_that_creates_the_job_first_is_followed_by_an_update() -> None:
    world = ApiWorld()
    world.world.steps.before("job_keys.assign", lambda: put(world, NIGHTLY | {"lane": "bulk"}))
    answer = put(world)
    assert (answer.json["change"], fields_of(answer)) == ("updated", {"/lane": ("bulk", "standard")})
    assert len(live_jobs(world)) == 1


def test_creation_that_crashed_is_completed_with_the_same_id() -> None:
    world = ApiWorld()
    world.world.steps.after("job_keys.assign", die)
    with pytest.raises(Crash):
        put(world)
    (assigned,) = world.world.table.keyed_ids.values()
    assert world.get(PATH).status == 404
    answer = put(world, NIGHTLY | {"lane": "bulk"})
    assert (answer.json["change"], answer.json["job"]["id"]) == ("created", assigned.job_id)


def test_creation_that_is_completed_between_two_looks_is_found() -> None:
    world = ApiWorld()
    world.world.steps.after("job_keys.assign", die)
    with pytest.raises(Crash):
        put(world)
    world.world.steps.after("jobs.get", lambda: put(world, NIGHTLY | {"lane": "bulk"}))
    assert put(world).json["change"] == "updated"
    (job,) = live_jobs(world)
    assert job.call.lane == "standard"


def test_slow_creator_that_was_overtaken_changes_the_job_that_stands() -> None:
    world = ApiWorld()
    world.world.steps.after("job_keys.assign", lambda: put(world, NIGHTLY | {"lane": "bulk"}))
    answer = put(world)
    assert answer.json["change"] == "updated"
    (job,) = live_jobs(world)
    assert job.call.lane == "standard"
    assert world.get(PATH).json["id"] == job.id


@pytest.mark.parametrize(("since", "change"), [("changed", "updated"), ("deleted", "created")])
def test_slow_creator_whose_job_an_equal_request_created_sees_what_became_of_it(
    since: str, change: str
) -> None:
    """Its answer is about the job as it is now, and not as it was created."""
    world = ApiWorld()

    def overtake() -> None:
        job = put(world).json["job"]
        if since == "changed":
            put(world, NIGHTLY | {"lane": "bulk"})
        else:
            send(world, "DELETE", f"/v1/jobs/{job['id']}")

    world.world.steps.before("jobs.create", overtake)
    answer = put(world)
    assert (answer.json["change"], answer.json["job"]["state"]) == (change, "active")
    (job,) = live_jobs(world)
    assert (job.id, job.call.lane) == (answer.json["job"]["id"], "standard")


def test_large_body_of_an_overtaken_creation_is_not_the_body_of_the_job() -> None:
    world = ApiWorld()
    large = {"request": {"url": "https://receiver.example/hook", "body": "a" * 20_000}}
    other = {"request": {"url": "https://receiver.example/hook", "body": "b" * 20_000}}
    world.world.steps.before("jobs.create", die)
    with pytest.raises(Crash):
        put(world, DAILY | large)
    assert put(world, DAILY | other).json["change"] == "created"
    assert put(world, DAILY | other).json["change"] == "unchanged"
    assert put(world, DAILY | large).json["change"] == "updated"


def test_id_whose_job_has_expired_is_replaced() -> None:
    world = ApiWorld()
    now_ms = world.world.clock.now_ms()
    gone = KeyedId(
        job_id=RecurringJobId(recurring_job_id(now_ms - UNFINISHED_MS, 7, cell="0")),
        assigned_at=now_ms - UNFINISHED_MS,
    )
    world.world.table.keyed_ids[TENANT, "billing.nightly"] = gone
    answer = put(world)
    assert answer.json["change"] == "created"
    assert answer.json["job"]["id"] != gone.job_id


@pytest.mark.exhaustive
@pytest.mark.parametrize("rival", ["put", "delete", "crash", "lost"])
@pytest.mark.parametrize("situation", ["new", "stands", "deleted"])
def test_at_most_one_job_of_a_key_lives_whatever_happens_at_each_step(rival: str, situation: str) -> None:
    moment, is_done = 0, False
    while not is_done:
        world = ApiWorld()
        if situation != "new":
            job = put(world, NIGHTLY | {"name": "first"}).json["job"]
            if situation == "deleted":
                send(world, "DELETE", f"/v1/jobs/{job['id']}")
        is_done = not _struck(world, moment, rival)
        world.world.steps.calm()
        last = put(world, NIGHTLY | {"name": "last"})
        assert last.status == 200, (moment, last.text)
        (live,) = live_jobs(world)
        assert (live.name, live.id) == ("last", world.get(PATH).json["id"]), moment
        moment += 1
    assert moment > 5


def _struck(world: ApiWorld, moment: int, rival: str) -> bool:
    """Put with one blow at a moment; whether the blow has happened."""
    struck = []

    def act() -> None:
        struck.append(True)
        if rival == "put":
            put(world, NIGHTLY | {"name": "rival"})
        elif rival == "delete":
            found = world.get(PATH)
            if found.status == 200:
                send(world, "DELETE", f"/v1/jobs/{found.json['id']}")
        elif rival == "crash":
            die()
        else:
            world.world.steps._actions.clear()
            raise UnavailableError("injected")

    world.world.steps.taken.clear()
    world.world.steps.at_each = lambda current, _: act() if current == moment else None
    with suppress(Crash):
        answer = put(world, NIGHTLY | {"name": "mine"})
        assert answer.status == 200 or (rival == "lost" and answer.status == 503), (moment, answer.text)
    return bool(struck)


OTHER: dict[str, Any] = NIGHTLY | {"schedule": {"cron": "0 3 * * *", "timezone": "Europe/Berlin"}}


@pytest.mark.parametrize("dry_run", ["false", "true"])
@pytest.mark.parametrize(
    ("match", "status"),
    [('"1"', 200), ("*", 200), ('"7", "1"', 200), ('"2"', 412), ('W/"1"', 412), ('"x"', 412), ('"0"', 412)],
)
def test_change_is_made_over_the_named_revision_alone(match: str, status: int, dry_run: str) -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    answer = put(world, OTHER, match=match, dry_run=dry_run)
    assert answer.status == status
    standing = world.get(PATH).json
    if status == 200:
        assert (answer.json["change"], standing["revision"]) == ("updated", 2 if dry_run == "false" else 1)
    else:
        assert (answer.problem, answer.headers["ETag"]) == ("precondition-failed", '"1"')
        assert standing == job | {"last_run": None}


@pytest.mark.parametrize("match", ['"1"', "*"])
@pytest.mark.parametrize("dry_run", ["false", "true"])
def test_condition_creates_no_job(match: str, dry_run: str) -> None:
    world = ApiWorld()
    refused = put(world, match=match, dry_run=dry_run)
    assert (refused.problem, live_jobs(world)) == ("precondition-failed", [])
    assert "ETag" not in refused.headers
    job = put(world).json["job"]
    world.delete(f"/v1/jobs/{job['id']}")
    assert put(world, match=match, dry_run=dry_run).problem == "precondition-failed"
    assert live_jobs(world) == []


@pytest.mark.parametrize("match", ["1", '"1', "", '"1" "2"'])
def test_condition_without_quotes_is_refused(match: str) -> None:
    assert put(ApiWorld(), match=match).problem == "malformed-request"


def test_repetition_after_a_lost_answer_is_not_refused_because_of_itself() -> None:
    world = ApiWorld()
    put(world)
    world.world.steps.lose_answer("jobs.replace")
    first = put(world, OTHER, match='"1"')
    assert first.status in (200, 503)
    again = put(world, OTHER, match='"1"')
    assert (again.status, again.json["change"], again.json["job"]["revision"]) == (200, "unchanged", 2)


def test_repetition_does_not_undo_the_change_of_another() -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    put(world, OTHER, match='"1"')
    patch(world, job, {"name": "theirs"}, match='"2"')
    refused = put(world, OTHER, match='"1"')
    assert (refused.problem, refused.headers["ETag"]) == ("precondition-failed", '"3"')
    assert world.get(PATH).json["name"] == "theirs"


def test_rival_between_the_check_and_the_write_wins() -> None:
    world = ApiWorld()
    job = put(world).json["job"]

    def rival() -> None:
        assert patch(world, job, {"name": "theirs"}, match="*").status == 200

    world.world.steps.before("jobs.replace", rival)
    refused = put(world, OTHER, match='"1"')
    assert (refused.problem, refused.headers["ETag"]) == ("precondition-failed", '"2"')
    shown = world.get(PATH).json
    assert (shown["name"], shown["schedule"]["cron"]) == ("theirs", "30 2 * * *")


@pytest.mark.parametrize("dry_run", ["false", "true"])
@pytest.mark.parametrize("change", [{"lane": "bulk"}, {"set": "other"}])
def test_request_that_must_create_changes_no_job(change: dict[str, str], dry_run: str) -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    refused = put(world, NIGHTLY | change, none_match="*", dry_run=dry_run)
    assert (refused.problem, refused.headers["ETag"]) == ("already-exists", '"1"')
    assert refused.json["title"] == "A job with this key exists already"
    assert refused.json["detail"] == (
        "the key has a job, which is at revision 1: without If-None-Match, the request changes it"
    )
    assert world.get(PATH).json == job | {"last_run": None}
    assert put(world, NIGHTLY | change, match="*", none_match="*").problem == "already-exists"


def test_request_that_must_create_creates_where_no_job_is_left() -> None:
    world = ApiWorld()
    assert put(world, none_match="*", dry_run="true").json["change"] == "created"
    first = put(world, none_match="*").json
    assert first["change"] == "created"
    world.delete(f"/v1/jobs/{first['job']['id']}")
    assert put(world, none_match="*").json["change"] == "created"
    assert put(world, match="*", none_match="*").json["change"] == "unchanged"


def test_request_that_must_create_replaces_a_job_that_has_ended_by_its_schedule() -> None:
    world = ApiWorld()
    completed(world)
    assert put(world, NIGHTLY, none_match="*").json["change"] == "created"


@pytest.mark.parametrize("step", ["job_keys.assign", "jobs.create"])
def test_creation_that_is_repeated_is_not_refused_because_of_itself(step: str) -> None:
    world = ApiWorld()
    world.world.steps.lose_answer(step)
    assert put(world, none_match="*").status in (200, 503)
    again = put(world, none_match="*")
    assert (again.status, again.json["job"]["revision"]) == (200, 1)
    assert len(live_jobs(world)) == 1


@pytest.mark.parametrize("step", ["job_keys.assign", "jobs.create"])
def test_rival_that_creates_the_job_before_wins(step: str) -> None:
    world = ApiWorld()
    world.world.steps.before(step, lambda: put(world, NIGHTLY | {"set": "theirs"}))
    assert put(world, none_match="*").problem == "already-exists"
    (job,) = live_jobs(world)
    assert job.definition.set_name == "theirs"


@pytest.mark.parametrize("none_match", ['"1"', 'W/"1"', '"1", "2"', "1", ""])
def test_request_that_must_create_gives_no_revision(none_match: str) -> None:
    assert put(ApiWorld(), none_match=none_match).problem == "malformed-request"


def test_refused_patch_names_the_present_revision_too() -> None:
    world = ApiWorld()
    job = put(world).json["job"]
    assert patch(world, job, {"name": "x"}, match='"9"').headers["ETag"] == '"1"'
