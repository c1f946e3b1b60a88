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
}
HIDDEN = {
    "BILLING_JSON_BODY": '{"a":1}',
    "BILLING_JSON_X_TOKEN": "s3cret",
    "BILLING_TYPED_BODY": "a,b",
    "BILLING_TYPED_CONTENT_TYPE": "text/csv",
}


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
    assert around.ok("apply", "-f", "-", "--prune", "--exit-code", stdin=ran.out).out == "7 unchanged\n"


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
