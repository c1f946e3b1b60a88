"""Workflows that another program changes, creates or deletes after they were compared with the file."""

from collections.abc import Callable
from typing import Any

import pytest

from client.tests.applying.appliers import Members, apply, jobs_of
from client.tests.sdk.deployment import HOOK, Deployment
from punctual import Punctual
from punctual.applying import Done, carry_out, make_plan
from punctual.problems import AlreadyExistsError, PreconditionFailedError

ONE: Members = {"tasks": f"{{one: {{url: '{HOOK}'}}}}"}
NAMED: Members = {**ONE, "name": "mine"}
TASK: Any = {"key": "theirs", "request": {"url": HOOK}}


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
            tasks=[{"key": "one", "request": {"url": HOOK}}],
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
