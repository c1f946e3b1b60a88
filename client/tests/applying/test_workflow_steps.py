"""Workflows that another program changes, creates or deletes after they were compared with the file."""

from collections.abc import Callable
from typing import Any

import pytest

from client.tests.applying.appliers import Members, apply, jobs_of
from client.tests.sdk.deployment import HOOK, Deployment
from punctual import Punctual
from punctual.applying import Dangling, Done, carry_out, make_plan, plan_lines
from punctual.problems import AlreadyExistsError, PreconditionFailedError

ONE: Members = {"tasks": f"{{one: {{url: '{HOOK}'}}}}"}
NAMED: Members = {**ONE, "name": "mine"}
TASK: Any = {"key": "theirs", "request": {"url": HOOK}}
TASK_ONE: Any = {**TASK, "key": "one"}


def deployed(*keys: str) -> Deployment:
    deployment = Deployment()
    apply(deployment, "a", {}, workflows=dict.fromkeys(keys, ONE))
    return deployment


def after_the_plan(
    deployment: Deployment, workflows: dict[str, Members], act: Callable[[Punctual], object]
) -> tuple[Done, ...]:
    """Carry out a plan after something else has happened."""
    wanted = jobs_of("a", {}, workflows)
    with deployment.client() as client:
        plan = make_plan(client, "a", wanted, prune=True, workers=1)
        act(client)
        return carry_out(client, plan, wanted, workers=1)


def tasks_of(deployment: Deployment) -> dict[str, list[str]]:
    with deployment.client() as client:
        found = [client.workflows.get(each) for each in client.workflows.iterate()]
        return {str(each.key): [task.key for task in each.tasks] for each in found}


def test_workflow_that_was_changed_since_it_was_compared_is_left_and_nothing_is_deleted() -> None:
    deployment = deployed("x", "gone")
    done = after_the_plan(deployment, {"x": NAMED}, lambda p: p.workflows.put("a.x", tasks=[TASK], set="a"))
    assert [(each.key, each.kind, each.change) for each in done] == [
        ("a.x", "workflow", "failed"),
        ("a.gone", "workflow", "not sent"),
    ]
    assert isinstance(done[0].error, PreconditionFailedError)
    assert tasks_of(deployment) == {"a.x": ["theirs"], "a.gone": ["one"]}


def test_workflow_that_was_created_since_it_was_compared_is_left_in_its_set() -> None:
    deployment = deployed()
    done = after_the_plan(deployment, {"x": ONE}, lambda p: p.workflows.put("a.x", tasks=[TASK], set="other"))
    assert [type(each.error) for each in done] == [AlreadyExistsError]
    assert tasks_of(deployment) == {"a.x": ["theirs"]}


def test_workflow_that_was_changed_since_it_was_compared_is_not_deleted() -> None:
    deployment = deployed("x", "gone")
    done = after_the_plan(deployment, {"x": ONE}, lambda p: p.workflows.put("a.gone", tasks=[TASK], set="a"))
    assert [type(each.error) for each in done] == [PreconditionFailedError]
    assert tasks_of(deployment) == {"a.x": ["one"], "a.gone": ["theirs"]}


@pytest.mark.parametrize("is_again", [False, True])
def test_deleted_workflow_is_deleted_once(is_again: bool) -> None:
    deployment = deployed("x", "gone")

    def delete(p: Punctual) -> None:
        if is_again:
            p.workflows.delete(p.workflows.get_by_key("a.gone"))

    done = after_the_plan(deployment, {"x": ONE}, delete)
    assert [each.change for each in done] == ["deleted"]
    assert tasks_of(deployment) == {"a.x": ["one"]}


def test_without_prune_no_workflow_of_the_set_is_listed_or_deleted() -> None:
    deployment = deployed("x", "y")
    deployment.sent.clear()
    plan, done = apply(deployment, "a", {}, workflows={"x": ONE}, prune=False)
    assert (plan.unchanged, done) == (1, ())
    assert deployment.paths == ["PUT /v1/workflows/by-key/a.x"]


def test_urls_from_outside_are_hidden_in_the_differences_of_a_workflow() -> None:
    deployment = deployed("x")
    with deployment.client() as client:
        client.workflows.put(
            "a.x",
            set="a",
            tasks=[TASK_ONE],
            callbacks={"on_failure": "https://chat.example/old/secret"},
        )
    members: Members = {
        **ONE,
        "callbacks": "{on_success: 'https://done.example/shown', on_failure: 'https://new.example/shown'}",
        "alerts": "{url: {env: CHAT}, format: slack}",
    }
    plan, done = apply(deployment, "a", {}, workflows={"x": members})
    assert {each.pointer: (each.before, each.after, each.hidden) for each in plan.changes[0].fields} == {
        "/alerts/events": (None, ["failed"], False),
        "/alerts/format": (None, "slack", False),
        "/alerts/url": (None, None, True),
        "/callbacks/on_failure": ("https://chat.example/…", "https://new.example/shown", False),
        "/callbacks/on_success": (None, "https://done.example/shown", False),
    }
    assert [each.change for each in done] == ["updated"]
    again, _ = apply(deployment, "a", {}, workflows={"x": members})
    assert not again.has_changes


def test_workflows_are_created_before_jobs_and_deleted_after_them() -> None:
    deployment = deployed("gone")
    daily: Members = {"cron": "0 3 1 1 *"}
    apply(deployment, "a", {"gone": daily, "other": daily}, workflows={"gone": ONE})
    deployment.sent.clear()
    apply(deployment, "a", {"x": daily, "other": daily, "third": daily}, workflows={"x": ONE})
    changed = [each for each in deployment.sent if "dry_run" not in each.url.params]
    found = [
        (each.method, each.url.path.split("/")[2]) for each in changed if each.method in ("PUT", "DELETE")
    ]
    assert found == [
        ("PUT", "workflows"),
        ("PUT", "jobs"),
        ("PUT", "jobs"),
        ("DELETE", "jobs"),
        ("DELETE", "workflows"),
    ]


DAILY: Members = {"cron": "0 3 1 1 *"}
NIGHTLY: Members = {**DAILY, "workflow": "x"}
DELETED = f"wfl_1{27 * '0'}"


def started_by(deployment: Deployment, key: str = "a.nightly") -> str | None:
    """The key of the workflow that a job starts."""
    with deployment.client() as client:
        workflow = client.jobs.get_by_key(key).workflow
        return client.workflows.get(workflow).key if workflow is not None else None


def test_job_and_its_workflow_are_created_by_one_file() -> None:
    deployment = Deployment()
    plan, done = apply(deployment, "a", {"nightly": NIGHTLY}, workflows={"x": ONE})
    assert [(each.kind, each.key, each.starts) for each in plan.changes] == [
        ("job", "a.nightly", "a.x"),
        ("workflow", "a.x", ""),
    ]
    assert "workflow a.x · next run" in next(plan_lines(plan))
    assert [(each.key, each.change) for each in done] == [("a.x", "created"), ("a.nightly", "created")]
    assert started_by(deployment) == "a.x"
    again, _ = apply(deployment, "a", {"nightly": NIGHTLY}, workflows={"x": ONE})
    assert (again.has_changes, again.unchanged) == (False, 2)


def test_job_is_not_sent_if_the_change_of_its_workflow_is_refused() -> None:
    deployment = deployed("x")
    apply(deployment, "a", {"nightly": NIGHTLY}, workflows={"x": ONE})
    wanted = jobs_of("a", {"nightly": {**NIGHTLY, "cron": "0 4 1 1 *"}}, {"x": NAMED})
    with deployment.client() as client:
        plan = make_plan(client, "a", wanted, prune=True, workers=1)
        client.workflows.put("a.x", tasks=[TASK], set="a")
        done = carry_out(client, plan, wanted, workers=1)
        assert [(each.key, each.change) for each in done] == [("a.x", "failed"), ("a.nightly", "not sent")]
        assert client.jobs.get_by_key("a.nightly").schedule.cron == "0 3 1 1 *"


@pytest.mark.parametrize("name", ["x", "a.x"])
def test_job_names_a_workflow_as_the_file_does_or_by_its_whole_key(name: str) -> None:
    deployment = deployed("x")
    plan, _ = apply(deployment, "a", {"nightly": {**DAILY, "workflow": name}}, workflows={"x": ONE})
    assert (plan.unchanged, started_by(deployment)) == (1, "a.x")


def test_name_of_the_file_counts_before_an_equal_key_of_the_api() -> None:
    deployment = Deployment()
    with deployment.client() as client:
        client.workflows.put("x", tasks=[TASK])
    apply(deployment, "a", {"nightly": NIGHTLY}, workflows={"x": ONE})
    assert started_by(deployment) == "a.x"
    apply(deployment, "b", {"nightly": NIGHTLY})
    assert started_by(deployment, "b.nightly") == "x"


@pytest.mark.parametrize(
    "before", [{}, {"headers": "{X-Token: {env: TOKEN}}", "body": "hush", "retry": "{max_attempts: 2}"}]
)
def test_job_that_called_a_url_is_compared_before_its_workflow_exists(before: Members) -> None:
    deployment = Deployment()
    apply(deployment, "a", {"nightly": {**DAILY, **before}})
    changed = {**NIGHTLY, "name": "new", "cron": "0 4 1 1 *"}
    plan, done = apply(deployment, "a", {"nightly": changed}, workflows={"x": ONE})
    (job,) = (each for each in plan.changes if each.kind == "job")
    assert [(each.pointer, each.before, each.after) for each in job.fields] == [
        ("/name", None, "new"),
        ("/request", {"method": "POST", "url": "https://receiver.example/…"}, None),
        ("/schedule/cron", "0 3 1 1 *", "0 4 1 1 *"),
        ("/workflow", None, "a.x"),
    ]
    assert job.next_run is not None
    assert [each.change for each in done] == ["created", "updated"]
    assert started_by(deployment) == "a.x"


def test_job_whose_workflow_was_deleted_by_hand_gets_the_new_one() -> None:
    deployment = Deployment()
    apply(deployment, "a", {"nightly": NIGHTLY}, workflows={"x": ONE})
    with deployment.client() as client:
        old = client.workflows.get_by_key("a.x")
        client.workflows.delete(old)
    plan, done = apply(deployment, "a", {"nightly": NIGHTLY}, workflows={"x": ONE})
    fields = {each.key: [(f.pointer, f.before, f.after) for f in each.fields] for each in plan.changes}
    assert fields == {"a.nightly": [("/workflow", old.id, "a.x")], "a.x": []}
    assert [each.change for each in done] == ["created", "updated"]
    assert started_by(deployment) == "a.x"


def test_other_errors_of_a_job_are_found_before_its_workflow_exists() -> None:
    plan, done = apply(
        Deployment(), "a", {"nightly": {**NIGHTLY, "timezone": "Mars/Base"}}, workflows={"x": ONE}
    )
    assert [each.error.pointers for each in plan.refusals] == [("/schedule/timezone",)]
    assert done == ()


def test_job_with_a_workflow_that_nothing_has_is_dangling_at_its_line() -> None:
    deployment = Deployment()
    plan, done = apply(deployment, "a", {"nightly": {**DAILY, "workflow": "other.x"}}, workflows={"x": ONE})
    assert (plan.is_possible, done) == (False, ())
    assert plan.dangling == (Dangling("a.nightly", 5, "other.x"),)
    assert tasks_of(deployment) == {}


@pytest.mark.parametrize("by_id", [False, True])
def test_workflow_that_a_job_of_the_file_names_is_not_pruned(by_id: bool) -> None:
    deployment = deployed("x")
    with deployment.client() as client:
        named = client.workflows.get_by_key("a.x").id if by_id else "a.x"
    jobs: dict[str, Members] = {"nightly": {**DAILY, "workflow": named}}
    plan, done = apply(deployment, "a", jobs)
    assert plan.dangling == (Dangling("a.nightly", 5, "a.x", is_pruned=True),)
    assert done == ()
    assert tasks_of(deployment) == {"a.x": ["one"]}
    plan, _ = apply(deployment, "a", jobs, prune=False)
    assert plan.is_possible


def test_job_whose_workflow_is_not_created_is_not_sent() -> None:
    deployment = Deployment()
    wanted = jobs_of("a", {"nightly": NIGHTLY, "other": DAILY}, {"x": ONE})
    with deployment.client() as client:
        plan = make_plan(client, "a", wanted, prune=True, workers=1)
        client.workflows.put("a.x", tasks=[TASK], set="theirs")
        done = carry_out(client, plan, wanted, workers=1)
    assert [(each.key, each.change) for each in done] == [
        ("a.x", "failed"),
        ("a.nightly", "not sent"),
        ("a.other", "created"),
    ]


def test_workflow_stays_if_the_deletion_of_a_job_failed() -> None:
    deployment = Deployment()
    apply(deployment, "a", {"nightly": NIGHTLY, "other": DAILY}, workflows={"x": ONE})
    wanted = jobs_of("a", {"other": DAILY})
    with deployment.client() as client:
        plan = make_plan(client, "a", wanted, prune=True, workers=4)
        client.jobs.update(client.jobs.get_by_key("a.nightly"), name="by hand")
        done = carry_out(client, plan, wanted, workers=4)
    assert [(each.key, each.change) for each in done] == [("a.nightly", "failed"), ("a.x", "not sent")]
    assert started_by(deployment) == "a.x"


def test_absent_id_is_refused_by_the_api() -> None:
    plan, _ = apply(Deployment(), "a", {"nightly": {**DAILY, "workflow": DELETED}})
    assert [each.error.pointers for each in plan.refusals] == [("/workflow",)]
