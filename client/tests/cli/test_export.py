"""`punctual export`: the file says what the API shows, and names what it does not show."""

from typing import Any

import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.test_import import shell
from client.tests.sdk.deployment import HOOK
from punctual.applyfile import read_apply_file

JOBS: dict[str, dict[str, Any]] = {
    "plain": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
    "rate": {"rate_seconds": 3600, "max_runs": 7, "jitter_seconds": 5},
    "expression": {"expression": "cron(0 9 ? * MON *)", "timezone": "Europe/Berlin", "dst_overlap": "both"},
    "json": {"cron": "@daily", "json": {"a": 1}, "headers": {"X-Token": "s3cret"}},
    "typed": {"cron": "@daily", "body": "a,b", "headers": {"content-type": "text/csv"}, "method": "PUT"},
    "policies": {
        "cron": "@daily",
        "name": "all policies",
        "tags": ["a", "b"],
        "lane": "bulk",
        "retry": {"delays_seconds": [5, 10], "give_up_after_seconds": 600},
        "alerts": {"url": "https://alerts.example/", "events": ["failed", "late"], "late_after_seconds": 60},
        "catch_up": "all",
        "overlap_policy": "skip",
        "on_failure": "https://alerts.example/failed",
        "timeout_seconds": 7,
    },
    "backoff": {"cron": "@daily", "retry": {"max_attempts": 2, "factor": 3}},
    "token": {"cron": "@daily", "auth": {"oidc": {"audience": "https://reports.example.com"}}},
}
HIDDEN = {
    "BILLING_JSON_BODY": '{"a":1}',
    "BILLING_JSON_X_TOKEN": "s3cret",
    "BILLING_TYPED_BODY": "a,b",
    "BILLING_TYPED_CONTENT_TYPE": "text/csv",
}


TASKS: list[dict[str, Any]] = [
    {"key": "plain", "request": {"url": HOOK}},
    {
        "key": "json.1",
        "after": ["plain"],
        "request": {
            "url": HOOK,
            "json": {"a": 1},
            "headers": {"X-Token": "s3cret"},
            "auth": {"oidc": {"audience": "https://a.example"}},
        },
        "retry": {"max_attempts": 2},
        "timeout_seconds": 7,
        "lane": "bulk",
    },
    {
        "key": "typed",
        "after": ["plain", "json.1"],
        "run_if": "any_failed",
        "request": {"url": HOOK, "method": "PUT", "body": "a,b", "headers": {"content-type": "text/csv"}},
        "retry": {"delays_seconds": [5, 10]},
    },
    {
        "key": "each",
        "after": ["json.1"],
        "map": {"over": "json.1", "path": "/parts"},
        "request": {"url": HOOK},
    },
    {"key": "all", "after": ["each"], "map": {"over": "each"}, "request": {"url": HOOK}},
    {"key": "takes", "after": ["json.1"], "needs": ["json.1"], "request": {"url": HOOK, "json": {"b": 2}}},
    {
        "key": "event",
        "after": ["plain"],
        "target": {
            "eventbridge": {
                "arn": "arn:aws:events:eu-west-1:111122223333:event-bus/orders",
                "source": "com.example",
                "detail_type": "Day closed",
                "json": {"c": 3},
            }
        },
        "timeout_seconds": 7,
    },
]
WORKFLOWS: dict[str, dict[str, Any]] = {
    "plain": {"tasks": TASKS[:1]},
    "all": {
        "tasks": TASKS,
        "name": "all members",
        "tags": ["a", "b"],
        "on_failure": "continue",
        "deadline_seconds": 60,
        "callbacks": {"on_success": "https://done.example/", "on_failure": "none"},
        "alerts": {"url": "https://chat.example/", "format": "slack", "events": ["failed", "recovered"]},
    },
    "silent": {"tasks": TASKS[:1], "alerts": {"url": "none"}},
}
HIDDEN_IN_TASKS = {
    "SHOP_ALL_JSON_1_BODY": '{"a":1}',
    "SHOP_ALL_JSON_1_X_TOKEN": "s3cret",
    "SHOP_ALL_TYPED_BODY": "a,b",
    "SHOP_ALL_TYPED_CONTENT_TYPE": "text/csv",
    "SHOP_ALL_TAKES_BODY": '{"b":2}',
    "SHOP_ALL_EVENT_BODY": '{"c":3}',
}


def with_workflows() -> Shell:
    """Three workflows of a set, beside others, and jobs that start them."""
    around = shell()
    with around.deployment.client() as p:
        for key, members in WORKFLOWS.items():
            p.workflows.put(f"shop.{key}", set="shop", **members)
        outside, _ = p.workflows.put("other", set="other", **WORKFLOWS["plain"])
        for key, workflow in (("all", p.workflows.get_by_key("shop.all")), ("other", outside)):
            p.jobs.put(f"shop.{key}", set="shop", cron="@daily", workflow=workflow.id, overlap_policy="skip")
    return around


def deployed() -> Shell:
    around = shell()
    with around.deployment.client() as p:
        for key, members in JOBS.items():
            p.jobs.put(f"billing.{key}", set="billing", url=HOOK, **members)
        p.jobs.put("other", set="other", url=HOOK, cron="@daily")
        p.jobs.cancel(p.jobs.put("billing.gone", set="billing", url=HOOK, cron="@daily").job)
    return around


def test_exported_file_changes_nothing_when_it_is_applied() -> None:
    around = deployed()
    ran = around.ok("export", "--set", "billing")
    file = read_apply_file(ran.out.encode())
    assert (file.set, sorted(job.key for job in file.jobs)) == ("billing", sorted(JOBS))
    around.environ.update(HIDDEN)
    assert around.ok("apply", "-f", "-", "--prune", "--exit-code", stdin=ran.out).out == "8 unchanged\n"


TARGETS: dict[str, dict[str, str]] = {
    "sqs": {"arn": "arn:aws:sqs:eu-west-1:111122223333:orders.fifo", "message_group_id": "g"},
    "lambda": {
        "arn": "arn:aws:lambda:eu-west-1:111122223333:function:close",
        "invocation_type": "request_response",
    },
    "sns": {"arn": "arn:aws:sns:eu-west-1:111122223333:orders"},
    "eventbridge": {
        "arn": "arn:aws:events:eu-west-1:111122223333:event-bus/orders",
        "source": "com.example",
        "detail_type": "Day closed",
    },
    "step_functions": {"arn": "arn:aws:states:eu-west-1:111122223333:stateMachine:close"},
}


def test_exported_file_of_jobs_with_targets_changes_nothing_when_it_is_applied() -> None:
    around = shell()
    with around.deployment.client() as p:
        for service, members in TARGETS.items():
            target: Any = {service: {**members, "json": {"a": service}}}
            p.jobs.put(f"billing.{service}", set="billing", cron="@daily", timeout_seconds=7, target=target)
    ran = around.ok("export", "--set", "billing")
    assert "invocation_type: request_response" in ran.out
    around.environ.update({f"BILLING_{service.upper()}_BODY": f'{{"a":"{service}"}}' for service in TARGETS})
    assert around.ok("apply", "-f", "-", "--prune", "--exit-code", stdin=ran.out).out == "5 unchanged\n"


def test_values_that_are_not_shown_are_variables_and_are_named() -> None:
    ran = deployed().ok("export", "--set", "billing")
    assert sorted(ran.err.splitlines()) == [
        "set BILLING_JSON_BODY to the value of the body of billing.json",
        "set BILLING_JSON_X_TOKEN to the value of the header X-Token of billing.json",
        "set BILLING_TYPED_BODY to the value of the body of billing.typed",
        "set BILLING_TYPED_CONTENT_TYPE to the value of the header content-type of billing.typed",
    ]
    assert "s3cret" not in ran.out + ran.err


def test_only_members_that_are_no_defaults_are_written() -> None:
    text = deployed().ok("export", "--set", "billing").out
    assert (
        "  plain:\n"
        "    cron: 30 2 * * *\n"
        "    timezone: Europe/Berlin\n"
        f"    url: {HOOK}\n"
        "  policies:\n"
        "    name: all policies\n"
    ) in text


def test_hidden_values_of_different_jobs_have_different_variables() -> None:
    around = shell()
    with around.deployment.client() as p:
        for key in ("a.b", "a-b"):
            p.jobs.put(f"s.{key}", set="s", url=HOOK, cron="@daily", headers={"X": key})
    first = {each.split()[-1]: each.split()[1] for each in around.ok("export", "--set", "s").err.splitlines()}
    assert len(set(first.values())) == 2
    assert all(name.startswith("S_A_B_X__") for name in first.values())
    with around.deployment.client() as p:
        p.jobs.put("s.a.a", set="s", url=HOOK, cron="@daily", headers={"X": "first"})
        p.jobs.put("s.a_b", set="s", url=HOOK, cron="@daily", headers={"X": "another"})
    more = {each.split()[-1]: each.split()[1] for each in around.ok("export", "--set", "s").err.splitlines()}
    assert more == first | {"s.a.a": "S_A_A_X", "s.a_b": more["s.a_b"]}
    assert len(set(more.values())) == 4


def test_body_and_a_header_of_that_name_have_different_variables() -> None:
    around = shell()
    with around.deployment.client() as p:
        p.jobs.put("s.a", set="s", url=HOOK, cron="@daily", headers={"body": "one"}, body="two")
    names = [each.split()[1] for each in around.ok("export", "--set", "s").err.splitlines()]
    assert len(set(names)) == 2


def test_jobs_whose_keys_do_not_begin_with_the_set_are_named() -> None:
    around = shell()
    with around.deployment.client() as p:
        p.jobs.put("nightly", set="billing", url=HOOK, cron="@daily")
        p.jobs.pause(p.jobs.put("billing.paused", set="billing", url=HOOK, cron="@daily").job)
    ran = around.run("export", "--set", "billing")
    assert ran.code == 1
    assert "left out: nightly does not begin with billing." in ran.err
    assert "  # paused\n  paused:\n" in ran.out


@pytest.mark.parametrize("name", ["nothing", "a"])
def test_set_without_jobs_is_an_empty_file(name: str) -> None:
    assert shell().ok("export", "--set", name).out == f"set: {name}\njobs: {{}}\n"


def test_export_changes_nothing() -> None:
    around = deployed()
    with around.deployment.client() as p:
        before = [(job.id, job.revision) for job in p.jobs.iterate()]
        around.ok("export", "--set", "billing")
        assert [(job.id, job.revision) for job in p.jobs.iterate()] == before


def test_exported_workflows_change_nothing_when_they_are_applied() -> None:
    around = with_workflows()
    ran = around.ok("export", "--set", "shop")
    file = read_apply_file(ran.out.encode())
    assert sorted(each.key for each in file.workflows) == sorted(WORKFLOWS)
    around.environ.update(HIDDEN_IN_TASKS)
    assert around.ok("apply", "-f", "-", "--prune", "--exit-code", stdin=ran.out).out == "5 unchanged\n"


def test_exported_set_can_be_created_in_another_deployment() -> None:
    exported = with_workflows().ok("export", "--set", "shop").out
    text = exported[: exported.index("  other:\n")] + exported[exported.index("workflows:\n") :]
    around = shell()
    around.environ.update(HIDDEN_IN_TASKS)
    around.ok("apply", "-f", "-", "--yes", stdin=text)
    assert around.ok("export", "--set", "shop").out == text


def test_hidden_values_of_tasks_are_variables_and_are_named() -> None:
    ran = with_workflows().ok("export", "--set", "shop")
    assert sorted(ran.err.splitlines()) == sorted(
        f"set SHOP_ALL_{name} to the value of {what} of workflow shop.all"
        for name, what in [
            ("JSON_1_X_TOKEN", "the header X-Token of the task json.1"),
            ("JSON_1_BODY", "the body of the task json.1"),
            ("TYPED_CONTENT_TYPE", "the header content-type of the task typed"),
            ("TYPED_BODY", "the body of the task typed"),
            ("TAKES_BODY", "the body of the task takes"),
            ("EVENT_BODY", "the body of the task event"),
        ]
    )
    assert "s3cret" not in ran.out + ran.err


def test_job_names_its_workflow_as_the_file_does_and_another_one_by_its_id() -> None:
    around = with_workflows()
    with around.deployment.client() as p:
        outside = p.workflows.get_by_key("other").id
    text = around.ok("export", "--set", "shop").out
    assert "    workflow: all\n    overlap_policy: skip\n" in text
    assert f"    workflow: {outside}\n" in text
    assert "  plain:\n    tasks:\n      plain:\n" + f"        url: {HOOK}\n" in text


def test_set_with_workflows_alone_is_a_file_without_jobs() -> None:
    around = shell()
    with around.deployment.client() as p:
        p.workflows.put("shop.plain", set="shop", **WORKFLOWS["plain"])
    text = around.ok("export", "--set", "shop").out
    assert text == f"set: shop\nworkflows:\n  plain:\n    tasks:\n      plain:\n        url: {HOOK}\n"
    assert around.ok("apply", "-f", "-", "--prune", stdin=text).out == "1 unchanged\n"


def test_workflow_whose_key_does_not_begin_with_the_set_is_named() -> None:
    around = shell()
    with around.deployment.client() as p:
        p.workflows.put("order", set="shop", **WORKFLOWS["plain"])
    ran = around.run("export", "--set", "shop")
    assert (ran.code, ran.out) == (1, "set: shop\njobs: {}\n")
    assert "left out: workflow order does not begin with shop." in ran.err


def test_job_whose_workflow_was_deleted_is_written_and_named() -> None:
    around = with_workflows()
    with around.deployment.client() as p:
        deleted = p.workflows.delete(p.workflows.get_by_key("other")).id
    ran = around.run("export", "--set", "shop")
    assert ran.code == 1
    assert "shop.other starts a workflow that does not exist any more" in ran.err
    assert "  # its workflow does not exist any more\n  other:\n    cron: '@daily'\n" in ran.out
    assert f"    workflow: {deleted}\n" in ran.out
    around.environ.update(HIDDEN_IN_TASKS)
    assert around.run("apply", "-f", "-", stdin=ran.out).code == 6


def test_export_of_workflows_changes_nothing() -> None:
    around = with_workflows()
    with around.deployment.client() as p:
        before = [(each.id, each.revision) for each in p.workflows.iterate()]
        around.ok("export", "--set", "shop")
        assert [(each.id, each.revision) for each in p.workflows.iterate()] == before


def test_hidden_values_of_a_job_and_of_a_task_have_different_variables() -> None:
    around = shell()
    with around.deployment.client() as p:
        p.jobs.put("s.a", set="s", url=HOOK, cron="@daily", headers={"t-body": "one"})
        task: Any = {"key": "t", "request": {"url": HOOK, "headers": {"body": "two"}, "body": "three"}}
        p.workflows.put("s.a", set="s", tasks=[task])
    names = [each.split()[1] for each in around.ok("export", "--set", "s").err.splitlines()]
    assert len(set(names)) == len(names) == 3
