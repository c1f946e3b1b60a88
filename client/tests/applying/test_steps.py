"""Single steps of an application: what is asked, what is sent in which order, and what is left alone."""

from collections.abc import Callable

import httpx
import pytest

from client.tests.applying.appliers import Blow, Members, apply, jobs_of
from client.tests.sdk.deployment import HOOK, Deployment
from punctual.applying import Done, Plan, carry_out, make_plan
from punctual.problems import AlreadyExistsError, PreconditionFailedError, QuotaExceededError

DAILY: Members = {"cron": "0 3 1 1 *"}
WEEKLY: Members = {"cron": "0 4 1 1 *"}


def deployed(*keys: str) -> Deployment:
    deployment = Deployment()
    apply(deployment, "a", dict.fromkeys(keys, DAILY))
    return deployment


def after_the_plan(
    deployment: Deployment, jobs: dict[str, Members], act: Callable[[], None]
) -> tuple[Done, ...]:
    """Carry out a plan after something else has happened."""
    wanted = jobs_of("a", jobs)
    with deployment.client() as client:
        plan = make_plan(client, "a", wanted, prune=True, workers=1)
        act()
        return carry_out(client, plan, wanted, workers=1)


def states(deployment: Deployment) -> dict[str, str]:
    with deployment.client() as client:
        return {str(job.key): job.state for job in client.jobs.iterate()}


def test_requests_that_change_come_after_all_questions_and_deletions_come_last() -> None:
    deployment = deployed("x", "y", "z")
    deployment.sent.clear()
    apply(deployment, "a", {"x": WEEKLY, "y": DAILY, "new": DAILY})
    changes = [
        f"{each.method} {each.url.path.rsplit('/', 1)[1][:5]}"
        for each in deployment.sent
        if each.method in ("PUT", "DELETE") and "dry_run" not in each.url.params
    ]
    assert changes == ["PUT a.x", "PUT a.new", "DELETE job_r"]
    first = next(number for number, each in enumerate(deployment.sent) if "dry_run" not in each.url.params)
    assert all(each.url.params.get("dry_run") == "true" for each in deployment.sent[:first])


def test_job_that_was_changed_after_the_plan_is_not_deleted() -> None:
    deployment = deployed("x", "y")

    def change() -> None:
        with deployment.client() as other:
            other.jobs.put("a.y", url=HOOK, cron="0 5 1 1 *", set="b")

    [done] = after_the_plan(deployment, {"x": DAILY}, change)
    assert (done.key, done.change) == ("a.y", "failed")
    assert isinstance(done.error, PreconditionFailedError)
    assert states(deployment)["a.y"] == "active"


def test_job_that_was_changed_after_the_plan_keeps_that_change() -> None:
    deployment = deployed("x", "y")

    def change() -> None:
        with deployment.client() as other:
            other.jobs.update(other.jobs.get_by_key("a.x"), name="theirs")

    done = after_the_plan(deployment, {"x": WEEKLY, "y": WEEKLY}, change)
    assert [(each.key, each.change) for each in done] == [("a.x", "failed"), ("a.y", "updated")]
    assert isinstance(done[0].error, PreconditionFailedError)
    with deployment.client() as client:
        kept = client.jobs.get_by_key("a.x")
        assert (kept.name, kept.schedule.cron) == ("theirs", DAILY["cron"])
    _, again = apply(deployment, "a", {"x": WEEKLY, "y": WEEKLY})
    assert [(each.key, each.change) for each in again] == [("a.x", "updated")]


@pytest.mark.parametrize("set_name", ["a", "b"])
def test_job_that_another_program_has_created_after_the_plan_is_left_alone(set_name: str) -> None:
    deployment = deployed("x")

    def create() -> None:
        with deployment.client() as other:
            other.jobs.put("a.new", url=HOOK, cron="0 5 1 1 *", set=set_name)

    done = after_the_plan(deployment, {"x": WEEKLY, "new": DAILY}, create)
    assert [(each.key, each.change) for each in done] == [("a.x", "updated"), ("a.new", "failed")]
    assert isinstance(done[1].error, AlreadyExistsError)
    with deployment.client() as client:
        kept = client.jobs.get_by_key("a.new")
    assert (kept.set, kept.schedule.cron, kept.revision) == (set_name, "0 5 1 1 *", 1)
    plan, _ = apply(deployment, "a", {"x": WEEKLY, "new": DAILY})
    assert bool(plan.conflicts) == (set_name == "b")


def test_creation_whose_answer_was_lost_is_no_creation_of_another_program() -> None:
    deployment = deployed("x")
    # One question and one for its first run.
    _, done = apply(deployment, "a", {"new": DAILY}, prune=False, blow=Blow("answer lost", 2))
    assert [(each.key, each.error) for each in done] == [("a.new", None)]


def test_job_that_has_ended_by_its_schedule_is_created_anew() -> None:
    deployment = Deployment()
    apply(deployment, "a", {"x": {"rate_seconds": 60, "max_runs": 1}})
    deployment.sleep(300)
    assert states(deployment)["a.x"] == "completed"
    _, done = apply(deployment, "a", {"x": DAILY})
    assert done == (Done("a.x", "created"),)


def test_job_that_was_deleted_after_the_plan_is_not_created_by_it() -> None:
    deployment = deployed("x")

    def delete() -> None:
        with deployment.client() as other:
            other.jobs.cancel(other.jobs.get_by_key("a.x"))

    [done] = after_the_plan(deployment, {"x": WEEKLY}, delete)
    assert (done.key, done.change) == ("a.x", "failed")
    _, [again] = apply(deployment, "a", {"x": WEEKLY})
    assert (again.key, again.change) == ("a.x", "created")


def test_job_that_another_program_has_deleted_counts_as_deleted() -> None:
    deployment = deployed("x", "y")

    def delete() -> None:
        with deployment.client() as other:
            other.jobs.cancel(other.jobs.get_by_key("a.y"))

    assert after_the_plan(deployment, {"x": DAILY}, delete) == (Done("a.y", "deleted"),)


def test_refused_change_keeps_the_other_changes_and_no_deletion() -> None:
    deployment = deployed("x", "y", "z")
    # Two questions, with two more for the next runs of each, and the list of the set.
    _, done = apply(deployment, "a", {"x": WEEKLY, "y": WEEKLY}, blow=Blow("refused", 7))
    assert [each.change for each in done] == ["failed", "updated", "not sent"]
    assert isinstance(done[0].error, QuotaExceededError)
    assert states(deployment)["a.z"] == "active"


def test_silence_ends_the_application() -> None:
    deployment = deployed("x", "y", "z")
    _, done = apply(deployment, "a", {"x": WEEKLY, "y": WEEKLY}, blow=Blow("silent", 10))
    assert [each.change for each in done] == ["failed", "not sent", "not sent"]


def test_without_prune_nothing_of_the_set_is_listed_or_deleted() -> None:
    deployment = deployed("x", "y")
    deployment.sent.clear()
    plan, done = apply(deployment, "a", {"x": DAILY}, prune=False)
    assert (plan, done) == (Plan("a", unchanged=1), ())
    assert deployment.paths == ["PUT /v1/jobs/by-key/a.x"]


def test_backfills_and_ended_jobs_of_the_set_are_not_deleted() -> None:
    deployment = deployed("x")
    with deployment.client() as client:
        job = client.jobs.get_by_key("a.x")
        client.jobs.backfill(job, since="2020-01-01T00:00:00Z", until="2021-06-01T00:00:00Z")
        client.jobs.cancel(client.jobs.put("a.y", url=HOOK, cron="@daily", set="a").job)
    plan, _ = apply(deployment, "a", {"x": DAILY})
    assert (plan.deletions, plan.standing) == ((), 1)


def test_jobs_of_other_sets_are_not_deleted_if_the_api_does_not_know_the_filter() -> None:
    deployment = deployed("x", "y", "z")
    with deployment.client() as client:
        client.jobs.put("other", url=HOOK, cron="@daily", set="b")
        client.jobs.create(url=HOOK, cron="@daily")
    real, asked = deployment.act, []

    def act(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params.get("set"))
        request.url = request.url.copy_remove_param("set")
        return real(request)

    deployment.act = act  # type: ignore[method-assign]
    plan, _ = apply(deployment, "a", {"x": DAILY, "y": DAILY})
    assert ([each.key for each in plan.deletions], plan.standing) == (["a.z"], 3)
    assert "a" in asked


@pytest.mark.parametrize(
    ("members", "stays"),
    [({"max_runs": 5}, True), ({"rate_seconds": 1800}, False), ({"start_at": "2030-01-01T00:00:00Z"}, False)],
)
def test_next_run_of_a_rate_without_a_start_keeps_its_phase(members: Members, stays: bool) -> None:
    deployment = Deployment()
    apply(deployment, "a", {"poll": {"rate_seconds": 3600}})
    deployment.world.world.clock.time_ms += 1_234_000
    plan, _ = apply(deployment, "a", {"poll": {"rate_seconds": 3600, **members}})
    [change] = plan.changes
    assert change.next_run is not None
    assert (change.next_run.before == change.next_run.after) == stays


def test_paused_job_has_no_next_runs_and_stays_paused() -> None:
    deployment = deployed("x")
    with deployment.client() as client:
        client.jobs.pause(client.jobs.get_by_key("a.x"))
    plan, done = apply(deployment, "a", {"x": WEEKLY})
    assert (plan.changes[0].is_paused, plan.changes[0].next_run) == (True, None)
    assert (done, states(deployment)) == ((Done("a.x", "updated"),), {"a.x": "paused"})
