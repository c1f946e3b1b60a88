"""`punctual apply`: the diff, the exit codes, what is asked, and what is never sent or printed."""

import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.test_hostile import check, poison
from client.tests.cli.test_import import shell
from client.tests.sdk.deployment import HOOK, Deployment, Fate

NIGHTLY = f"""\
set: billing
defaults:
  url: {HOOK}
jobs:
  nightly:
    cron: 30 2 * * *
    timezone: Europe/Berlin
    headers: {{X-Token: {{env: HOOK_TOKEN}}}}
  hourly: {{rate_seconds: 3600, start_at: 2026-01-15T00:00:00Z}}
  weekly: {{expression: cron(0 9 ? * MON *), timezone: Europe/Berlin, body: text}}
"""
CHANGED = f"""\
set: billing
defaults:
  url: {HOOK}
jobs:
  nightly:
    cron: 0 3 * * *
    timezone: Europe/Berlin
    headers: {{X-Token: {{env: HOOK_TOKEN}}}}
    tags: [money, at-night]
    retry: {{max_attempts: 2}}
  hourly: {{rate_seconds: 7200, start_at: 2026-01-15T00:00:00Z}}
  weekly: {{expression: cron(0 9 ? * MON *), timezone: Europe/Berlin, body: other}}
  new: {{cron: 0 12 1 2 *}}
"""
TOKEN = {"HOOK_TOKEN": "s3cret"}


def applied(text: str = NIGHTLY) -> Shell:
    around = shell()
    around.environ.update(TOKEN)
    around.ok("apply", "-f", "-", stdin=text)
    return around


def changes(around: Shell) -> list[str]:
    """The requests that change something."""
    return [
        f"{each.method} {each.url.path}"
        for each in around.deployment.sent
        if each.method in ("PUT", "DELETE", "PATCH") and "dry_run" not in each.url.params
    ]


def test_new_jobs_are_shown_with_their_next_runs() -> None:
    around = shell()
    around.environ.update(TOKEN)
    ran = around.ok("apply", "-f", "-", stdin=NIGHTLY)
    assert ran.out == (
        '+ billing.nightly  cron "30 2 * * *" Europe/Berlin · next run 2026-01-16 02:30\n'
        "+ billing.hourly   rate_seconds 3600 · next run 2026-01-15 13:00\n"
        '+ billing.weekly   expression "cron(0 9 ? * MON *)" Europe/Berlin · next run 2026-01-19 09:00\n'
        "3 to create\n"
    )
    assert ran.err == "3 created\n"
    assert "s3cret" not in ran.out + ran.err


def test_differences_are_shown_with_next_runs_and_without_values_of_requests() -> None:
    around = applied()
    around.environ["HOOK_TOKEN"] = "0ther"
    with around.deployment.client() as p:
        p.jobs.put("billing.old-sync", url=HOOK, cron="@daily", set="billing")
        p.jobs.pause(p.jobs.get_by_key("billing.hourly"))
    ran = around.ok("apply", "-f", "-", "--prune", "--dry-run", stdin=CHANGED)
    assert ran.out == (
        "~ billing.nightly   header X-Token changed (hidden) · retry.max_attempts 5 → 2 · "
        'cron "30 2 * * *" → "0 3 * * *" · tags [] → ["money", "at-night"] · '
        "next run 2026-01-16 02:30 → 03:00\n"
        "~ billing.hourly    rate_seconds 3600 → 7200 · stays paused\n"
        "~ billing.weekly    body changed (hidden)\n"
        '+ billing.new       cron "0 12 1 2 *" · next run 2026-02-01 12:00\n'
        "- billing.old-sync  in set billing, not in the file\n"
        "1 to create, 3 to change, 1 to delete\n"
    )
    assert not {"s3cret", "0ther", "other"} & set(ran.out.replace('"', " ").split())
    assert len(changes(around)) == 4


def test_plan_is_a_document_for_programs() -> None:
    around = applied()
    ran = around.run("apply", "-f", "-", "--dry-run", "-o", "json", "--exit-code", stdin=CHANGED)
    assert ran.code == 9
    document: dict[str, Any] = ran.json
    assert (document["set"], document["unchanged"], document["deletions"]) == ("billing", 0, [])
    nightly = document["changes"][0]
    assert (nightly["key"], nightly["change"]) == ("billing.nightly", "updated")
    assert nightly["next_run"] == {"before": "2026-01-16T02:30:00", "after": "2026-01-16T03:00:00"}
    assert {"pointer": "/schedule/cron", "before": "30 2 * * *", "after": "0 3 * * *", "hidden": False} in (
        nightly["fields"]
    )


def test_twice_is_unchanged() -> None:
    around = applied()
    sent = len(changes(around))
    ran = around.ok("apply", "-f", "-", "--exit-code", stdin=NIGHTLY)
    assert (ran.out, ran.err, len(changes(around))) == ("3 unchanged\n", "", sent)


def test_exit_code_tells_of_changes_only_if_asked_for() -> None:
    around = applied()
    assert around.run("apply", "-f", "-", "--dry-run", stdin=CHANGED).code == 0
    assert around.run("apply", "-f", "-", "--dry-run", "--exit-code", stdin=CHANGED).code == 9
    assert around.run("apply", "-f", "-", "--exit-code", stdin=CHANGED).code == 9
    assert around.run("apply", "-f", "-", "--exit-code", stdin=CHANGED).code == 0


def test_deletions_come_last_and_want_their_number_typed_or_yes() -> None:
    around = applied()
    less = NIGHTLY[: NIGHTLY.index("  weekly")].replace("30 2 * * *", "0 4 * * *")
    refused = around.run("apply", "-f", "-", "--prune", stdin=less)
    assert refused.code == 2
    assert "there is no terminal to confirm it at, so nothing was changed" in refused.err
    assert len(changes(around)) == 3
    ran = around.ok("apply", "-f", "-", "--prune", "--yes", stdin=less)
    assert ran.err.endswith("1 updated, 1 deleted, 1 unchanged\n")
    assert changes(around)[3] == "PUT /v1/jobs/by-key/billing.nightly"
    assert changes(around)[4].startswith("DELETE /v1/jobs/job_")


def test_question_on_a_terminal(tmp_path: Path) -> None:
    around = applied()
    around.is_terminal = True
    file = tmp_path / "jobs.yaml"
    file.write_text(NIGHTLY[: NIGHTLY.index("  weekly")])
    assert around.run("apply", "-f", str(file), "--prune", stdin="2\n").code == 1
    ran = around.ok("apply", "-f", str(file), "--prune", stdin="1\n")
    assert "1 job to delete:\n  billing.weekly\n" in ran.err


def test_too_many_deletions_need_a_limit_and_change_nothing() -> None:
    around = applied()
    empty = "set: billing\njobs: {}\n"
    ran = around.run("apply", "-f", "-", "--prune", "--yes", stdin=empty)
    assert ran.code == 2
    assert "3 of the 3 jobs of the set billing would be deleted" in ran.err
    assert "--prune-limit 3" in ran.err
    assert around.run("apply", "-f", "-", "--prune", "--yes", "--prune-limit", "2", stdin=empty).code == 2
    assert len(changes(around)) == 3
    around.ok("apply", "-f", "-", "--prune", "--yes", "--prune-limit", "3", stdin=empty)
    assert around.json("list", "--set", "billing", "--state", "active") == []


def test_jobs_of_other_sets_and_without_a_set_are_left_alone() -> None:
    around = applied()
    with around.deployment.client() as p:
        p.jobs.put("billing.hand", url=HOOK, cron="@daily")
        p.jobs.put("reports.daily", url=HOOK, cron="@daily", set="reports")
        p.jobs.create(url=HOOK, cron="@daily")
    ran = around.ok("apply", "-f", "-", "--prune", "--exit-code", stdin=NIGHTLY)
    assert ran.out == "3 unchanged\n"


def test_key_of_another_set_is_a_conflict() -> None:
    around = applied()
    with around.deployment.client() as p:
        p.jobs.put("billing.new", url=HOOK, cron="@daily", set="other")
    ran = around.run("apply", "-f", "-", stdin=CHANGED)
    assert ran.code == 5
    assert "standard input:13: billing.new is a job of the set other" in ran.err
    assert len(changes(around)) == 4


def test_job_that_the_api_refuses_stops_the_file_with_its_line_and_reason() -> None:
    around = applied()
    bad = CHANGED.replace("0 12 1 2 *", "61 * * * *")
    ran = around.run("apply", "-f", "-", stdin=bad)
    assert ran.code == 6
    assert "standard input:13: billing.new\n" in ran.err
    assert "minute: 61 is not from 0 to 59 (422 validation-failed)\n    at /schedule/cron\n" in ran.err
    assert "cannot be applied: nothing was changed" in ran.err
    assert len(changes(around)) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("set: [", "not YAML"),
        ("set: s\njobs: {}\nset: t\n", "occurs twice"),
        ("set: !!python/object/apply:os.system [id]\n", "tags"),
        ("a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(3)) + "jobs: {}\n", "unknown"),
        (
            "x: &x0 [1]\n" + "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 9)),
            "values",
        ),
        ("[" * 100_000, "nested deeper"),
        ("#" * (8 * 1024 * 1024 + 1), "more than 8 MiB"),
        (
            NIGHTLY.replace("HOOK_TOKEN", "NOT_SET"),
            "environment variables that are not set, or empty: NOT_SET",
        ),
        (
            NIGHTLY.replace("env: HOOK_TOKEN", "command: [sh, -c, 'touch ran']"),
            "allow it with --allow-commands",
        ),
        (NIGHTLY.replace("nightly", "a/b"), "a key has letters"),
    ],
)
def test_unusable_file_ends_with_2_and_nothing_is_sent(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    around = shell()
    around.environ.update(TOKEN)
    ran = around.run("apply", "-f", "-", stdin=text)
    assert (ran.code, ran.out, around.deployment.sent) == (2, "", [])
    assert words in ran.err
    assert "s3cret" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_missing_file_and_value_that_is_no_header_end_with_2() -> None:
    around = shell()
    assert around.run("apply", "-f", "/nowhere/jobs.yaml").code == 2
    around.environ["HOOK_TOKEN"] = "s3cret\nX-Other: 1"
    ran = around.run("apply", "-f", "-", stdin=NIGHTLY)
    assert ran.code == 2
    assert "jobs.nightly.headers.X-Token: the value of HOOK_TOKEN has characters" in ran.err
    assert "s3cret" not in ran.err
    assert around.deployment.sent == []


def test_commands_give_values_and_a_failing_one_shows_nothing_of_its_output() -> None:
    around = shell()
    say = f"command: ['{sys.executable}', -c, 'print(\"s3cret\")']"
    around.ok("apply", "-f", "-", "--allow-commands", stdin=NIGHTLY.replace("env: HOOK_TOKEN", say))
    around.environ.update(TOKEN)
    assert around.ok("apply", "-f", "-", stdin=NIGHTLY).out == "3 unchanged\n"
    sent = len(around.deployment.sent)
    fail = f"command: ['{sys.executable}', -c, 'print(\"s3cret\"); raise SystemExit(3)']"
    ran = around.run("apply", "-f", "-", "--allow-commands", stdin=NIGHTLY.replace("env: HOOK_TOKEN", fail))
    assert (ran.code, len(around.deployment.sent)) == (2, sent)
    assert "ended with 3" in ran.err
    assert "s3cret" not in ran.err


def test_texts_of_the_api_cannot_move_the_cursor_of_the_terminal() -> None:
    around = applied()
    poison(around, "id", "change", "key", "set", "state", "kind", "pointer")
    for format_ in ("table", "json", "yaml"):
        ran = around.ok("apply", "-f", "-", "--prune", "--dry-run", "-o", format_, stdin=CHANGED)
        check(ran.out)


def test_refused_key_and_silent_api_have_exit_codes_of_their_own() -> None:
    around = shell()
    around.environ.update(TOKEN)
    around.key = "pk_wrong_key"
    assert around.run("apply", "-f", "-", stdin=NIGHTLY).code == 4
    silent = Shell(Deployment(fate=lambda _: Fate.UNCONNECTED), dict(TOKEN))
    assert silent.run("apply", "-f", "-", stdin=NIGHTLY).code == 8


def test_throttled_requests_wait_as_long_as_the_gateway_asks_for() -> None:
    around = shell()
    around.environ.update(TOKEN)
    fates = iter([Fate.THROTTLED, Fate.THROTTLED])
    around.deployment.fate = lambda _: next(fates, Fate.ANSWERED)
    around.deployment.retry_after = "7"
    around.ok("apply", "-f", "-", stdin=NIGHTLY)
    assert len(around.deployment.slept) == 2
    assert all(seconds >= 7 for seconds in around.deployment.slept)


def test_change_that_fails_is_told_and_the_same_command_makes_it() -> None:
    around = applied()
    less = CHANGED[: CHANGED.index("  weekly")]

    def fate(request: httpx.Request) -> Fate:
        is_hit = (
            request.method == "PUT" and "dry_run" not in request.url.params and "hourly" in request.url.path
        )
        return Fate.UNCONNECTED if is_hit else Fate.ANSWERED

    around.deployment.fate = fate
    ran = around.run("apply", "-f", "-", "--prune", "--yes", stdin=less)
    assert ran.code == 8
    assert "billing.hourly\n  punctual: no connection" in ran.err
    assert "not all changes were made; the same command makes the others" in ran.err
    assert not [each for each in changes(around) if each.startswith("DELETE")]
    around.deployment.fate = lambda _: Fate.ANSWERED
    assert around.ok("apply", "-f", "-", "--prune", "--yes", stdin=less).err.endswith(
        "deleted, 1 unchanged\n"
    )


CHAT = "https://chat.example/services/T0000000/B0000000/s3cretS3CRET"
SECRET_URLS = """\
set: billing
jobs:
  nightly:
    cron: 30 2 * * *
    url: {env: HOOK}
    on_success: {env: CHAT}
    on_failure: {env: CHAT}
    alerts: {url: {env: CHAT}, events: [failed], format: slack}
"""


def of_secret_urls(text: str = SECRET_URLS) -> Shell:
    around = shell()
    around.environ.update({"CHAT": CHAT, "HOOK": f"{HOOK}?token=s3cretS3CRET"})
    around.ok("apply", "-f", "-", stdin=text)
    return around


def test_urls_from_the_environment_are_sent_and_never_shown() -> None:
    around = of_secret_urls()
    with around.deployment.client() as p:
        job = p.jobs.get_by_key("billing.nightly")
    assert job.request is not None
    assert (job.request.url, job.on_success, job.on_failure) == (f"{HOOK}?token=s3cretS3CRET", CHAT, CHAT)
    assert job.alerts is not None
    assert job.alerts.url == CHAT
    assert around.ok("apply", "-f", "-", stdin=SECRET_URLS).out == "1 unchanged\n"
    around.environ.update({"CHAT": CHAT.lower(), "HOOK": f"{HOOK}?token=0ther"})
    ran = around.ok("apply", "-f", "-", "--dry-run", stdin=SECRET_URLS)
    assert ran.out == (
        "~ billing.nightly  alerts.url changed (hidden) · on_failure changed (hidden) · on_success changed (hidden) · "
        "url changed (hidden)\n"
        "1 to change\n"
    )
    document = around.run("apply", "-f", "-", "--dry-run", "-o", "json", stdin=SECRET_URLS)
    assert document.json["changes"][0]["fields"] == [
        {"pointer": pointer, "before": None, "after": None, "hidden": True}
        for pointer in ("/alerts/url", "/on_failure", "/on_success", "/request/url")
    ]


def test_alerts_that_are_added_hide_only_their_url() -> None:
    around = of_secret_urls(SECRET_URLS[: SECRET_URLS.index("    alerts")])
    ran = around.ok("apply", "-f", "-", "--dry-run", stdin=SECRET_URLS)
    assert "alerts.url changed (hidden)" in ran.out
    assert 'alerts.events none → ["failed"] · alerts.format none → "slack"' in ran.out
    for format_ in ("table", "json", "yaml"):
        shown = around.ok("apply", "-f", "-", "--dry-run", "-o", format_, stdin=SECRET_URLS)
        assert "s3cret" not in (shown.out + shown.err).lower()


@pytest.mark.parametrize(
    "members",
    [
        f"    url: {HOOK}",
        f"    url: {HOOK}\n    on_failure: none\n    alerts: {{url: none}}",
        f"    url: {HOOK}\n    on_failure: {HOOK}\n    alerts: {{url: {HOOK}}}",
        "    url: {env: HOOK}\n    alerts: {url: {env: CHAT}}",
    ],
)
def test_urls_that_an_older_file_took_from_outside_show_only_their_host(members: str) -> None:
    around = of_secret_urls()
    text = f"{SECRET_URLS[: SECRET_URLS.index('    url')]}{members}\n"
    for format_ in ("table", "json", "yaml"):
        ran = around.ok("apply", "-f", "-", "--dry-run", "-o", format_, stdin=text)
        assert "s3cret" not in (ran.out + ran.err).lower()
    assert "https://chat.example/…" in ran.out


def test_missing_variable_of_a_url_is_named_and_nothing_is_sent() -> None:
    around = shell()
    around.environ["CHAT"] = " "
    ran = around.run("apply", "-f", "-", stdin=SECRET_URLS)
    assert (ran.code, ran.out, around.deployment.sent) == (2, "", [])
    assert "environment variables that are not set, or empty: HOOK, CHAT" in ran.err


@pytest.mark.parametrize("value", ["s3cret", f"{CHAT}\n", f"{CHAT}\nnone", "s3cret://chat.example/"])
def test_variable_that_is_no_url_is_refused_and_not_shown(value: str) -> None:
    around = shell()
    around.environ.update({"HOOK": HOOK, "CHAT": value})
    ran = around.run("apply", "-f", "-", stdin=SECRET_URLS)
    assert (ran.code, ran.out, around.deployment.sent) == (2, "", [])
    assert "jobs.nightly.on_success: the value of CHAT is no URL: one begins with https://" in ran.err
    assert "s3cret" not in ran.err.lower()


def test_refusal_of_a_url_from_outside_does_not_show_it() -> None:
    around = shell()
    around.environ.update({"HOOK": HOOK, "CHAT": "https://10.0.0.1/s3cretS3CRET"})
    ran = around.run("apply", "-f", "-", stdin=SECRET_URLS)
    assert ran.code == 6
    assert "at /on_failure" in ran.err
    assert "s3cret" not in ran.err.lower()


ORDER = f"""\
set: shop
defaults:
  url: {HOOK}
  headers: {{X-Token: {{env: HOOK_TOKEN}}}}
workflows:
  order:
    tasks:
      charge: {{json: {{order: 7}}}}
      ship: {{after: [charge], url: {{env: SHIP_URL}}}}
  other:
    tasks: {{one: {{}}}}
jobs:
  order: {{cron: '@daily'}}
"""
SHOP = {"HOOK_TOKEN": "s3cret", "SHIP_URL": "https://receiver.example/t0ken/path"}


def shop(text: str = ORDER) -> Shell:
    around = shell()
    around.environ.update(SHOP)
    around.ok("apply", "-f", "-", stdin=text)
    return around


def test_workflows_come_before_jobs_and_are_shown_with_their_tasks() -> None:
    around = shell()
    around.environ.update(SHOP)
    ran = around.ok("apply", "-f", "-", stdin=ORDER)
    assert ran.out == (
        '+ shop.order           cron "@daily" · next run 2026-01-16 00:00\n'
        "+ workflow shop.order  2 tasks\n"
        "+ workflow shop.other  1 task\n"
        "3 to create\n"
    )
    assert ran.err == "3 created\n"
    kinds = [each.split("/")[2] for each in changes(around)]
    assert kinds == ["workflows", "workflows", "jobs"]
    workflow = around.json("workflows", "get", "shop.order")
    assert (workflow["set"], [task["key"] for task in workflow["tasks"]]) == ("shop", ["charge", "ship"])
    again = around.ok("apply", "-f", "-", "--exit-code", stdin=ORDER)
    assert again.out == "3 unchanged\n"


def test_differences_of_workflows_name_tasks_and_hide_values() -> None:
    around = shop()
    around.environ.update({"HOOK_TOKEN": "0ther", "SHIP_URL": "https://receiver.example/n3w"})
    changed = ORDER.replace("order: 7", "order: 8").replace("  other:\n    tasks: {one: {}}\n", "")
    changed = changed.replace("after: [charge],", "timeout_seconds: 5, run_if: all_succeeded, lane: bulk,")
    ran = around.ok("apply", "-f", "-", "--prune", "--dry-run", stdin=changed)
    lines = ran.out.splitlines()
    assert lines[0].startswith("~ shop.order ")
    assert lines[1] == (
        "~ workflow shop.order  tasks.charge.request.body changed (hidden) · "
        "header X-Token of tasks.charge changed (hidden) · "
        'tasks.ship.after ["charge"] → [] · tasks.ship.lane "standard" → "bulk" · '
        "header X-Token of tasks.ship changed (hidden) · tasks.ship.request.url changed (hidden) · "
        "tasks.ship.timeout_seconds 30 → 5"
    )
    assert lines[2:] == ["- workflow shop.other  in set shop, not in the file", "2 to change, 1 to delete"]
    document = around.json("apply", "-f", "-", "--prune", "--dry-run", stdin=changed)
    assert [each["kind"] for each in document["changes"]] == ["job", "workflow"]
    assert document["deletions"][0]["kind"] == "workflow"
    for secret in ("s3cret", "0ther", "t0ken", "n3w"):
        assert secret not in ran.out + ran.err + str(document)


def test_added_and_removed_tasks_are_named_and_their_urls_hidden() -> None:
    one = ORDER.replace("      ship: {after: [charge], url: {env: SHIP_URL}}\n", "")
    around = shop(one)
    ran = around.ok("apply", "-f", "-", "--dry-run", stdin=ORDER)
    assert "~ workflow shop.order  task ship added\n" in ran.out
    document = around.json("apply", "-f", "-", "--dry-run", stdin=ORDER)
    assert document["changes"][0]["fields"][0]["after"]["request"]["url"] == "(hidden)"
    around.ok("apply", "-f", "-", stdin=ORDER)
    assert (
        "~ workflow shop.order  task ship removed\n"
        in around.ok("apply", "-f", "-", "--dry-run", stdin=one).out
    )
    assert "t0ken" not in str(around.json("apply", "-f", "-", "--dry-run", stdin=one))


def test_workflow_that_the_api_refuses_stops_the_file_with_its_line_and_reason() -> None:
    around = shop()
    before = len(changes(around))
    bad = ORDER.replace("charge: {json", "charge: {after: [ship], json")
    ran = around.run("apply", "-f", "-", stdin=bad)
    assert ran.code == 6
    assert "standard input:6: workflow shop.order\n" in ran.err
    assert "charge → ship" in ran.err or "ship → charge" in ran.err
    assert "1 workflow of the file cannot be applied: nothing was changed" in ran.err
    assert len(changes(around)) == before


def test_workflow_of_another_set_is_a_conflict_and_prune_asks_for_a_limit() -> None:
    around = shop()
    with around.deployment.client() as p:
        p.workflows.put("shop.new", tasks=[{"key": "a", "request": {"url": HOOK}}], set="else")
    more = ORDER.replace("  other:", "  new:")
    ran = around.run("apply", "-f", "-", stdin=more)
    assert ran.code == 5
    assert "shop.new is a workflow of the set else" in ran.err
    none = around.run("apply", "-f", "-", "--prune", "--yes", stdin="set: shop\njobs: {}\n")
    assert none.code == 2
    assert "3 of the 3 jobs and workflows of the set shop would be deleted" in none.err
    around.ok("apply", "-f", "-", "--prune", "--yes", "--prune-limit", "3", stdin="set: shop\njobs: {}\n")
    assert [each["key"] for each in around.json("workflows", "list")] == ["shop.new"]


def test_job_whose_workflow_does_not_exist_or_would_be_deleted_is_named_at_its_line() -> None:
    around = shop()
    absent = "set: shop\njobs:\n  nightly:\n    cron: '@daily'\n    workflow: shop.absent\n"
    ran = around.run("apply", "-f", "-", stdin=absent)
    assert ran.code == 6
    assert (
        "standard input:5: shop.nightly starts the workflow shop.absent: neither the file nor the API has one "
        "with this key\n"
    ) in ran.err
    pruned = absent.replace("absent", "order")
    ran = around.run("apply", "-f", "-", "--prune", "--yes", "--prune-limit", "9", stdin=pruned)
    assert ran.code == 6
    assert (
        "standard input:5: shop.nightly starts the workflow shop.order, which --prune would delete: write the "
        "workflow into the file\n"
    ) in ran.err
    assert "1 job of the file cannot be applied: nothing was changed" in ran.err
    assert len(around.json("workflows", "list")) == 2
