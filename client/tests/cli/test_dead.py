"""`dead`, `redrives` and `bulk`, in front of the API in memory."""

import json

from client.tests.cli.shell import Shell
from client.tests.cli.worlds import create, failed, run_of
from punctual.cli.exits import Exit
from shared.domain.tenancy.tenant import Scope


def test_dead_letters_are_listed_by_their_reason() -> None:
    shell, jobs = failed(2, name="report")
    assert len(shell.ok("dead", "list", "--reason", "http_status").out.splitlines()) == 3
    none = shell.ok("dead", "list", "--reason", "timeout")
    assert (none.out, none.err) == ("", "no dead letters\n")
    assert [each["job_id"] for each in shell.json("dead", "list", "--job", jobs[0].id)] == [jobs[0].id]
    assert shell.run("dead", "list", "--reason", "bad luck").code == Exit.USAGE


def test_a_dead_letter_withholds_its_request_unless_it_is_revealed() -> None:
    shell, [job] = failed(headers={"X-Pin": "s3cret"}, json={"pin": "s3cret"})
    run = run_of(shell, job)
    out = shell.ok("dead", "get", run).out
    assert "s3cret" not in out
    assert "X-Pin: [redacted]" in out
    assert "bytes, not shown" in out
    refused = shell.run("dead", "get", run, "--reveal")
    assert (refused.code, refused.out) == (Exit.AUTH, "")
    shell.deployment.world.limit_to(Scope.READ, Scope.ADMIN)
    shell.deployment.sleep(61)
    assert "s3cret" in shell.ok("dead", "get", run, "--reveal").out


def test_a_dry_run_counts_and_shows_the_first() -> None:
    shell, jobs = failed(7)
    ran = shell.ok("dead", "redrive", "--since", "24h", "--rate", "5", "--dry-run")
    assert "matching          7" in ran.out
    assert ran.err.count("exe_") == 7
    assert shell.json("dead", "redrive", "--dry-run")["count"] == 7
    assert len(shell.json("dead", "list")) == len(jobs)
    assert not any(each["redriven_by"] for each in shell.json("dead", "list"))


def test_without_a_terminal_a_redrive_wants_yes() -> None:
    shell, _ = failed(2)
    refused = shell.run("dead", "redrive")
    assert (refused.code, refused.out) == (Exit.USAGE, "")
    assert "--yes" in refused.err
    done = shell.json("dead", "redrive", "--yes", "--rate", "5")
    assert (done["rate"], done["state"]) == (5, "running")


def test_at_a_terminal_a_redrive_wants_the_count_typed() -> None:
    shell, _ = failed(2)
    shell.is_terminal = True
    wrong = shell.run("dead", "redrive", stdin="yes\n")
    assert wrong.code == Exit.FAILED
    assert "nothing was changed" in wrong.err
    ran = shell.ok("dead", "redrive", stdin="2\n")
    assert "2 dead letters to redrive:" in ran.err
    assert "rdr_" in ran.out


def test_empty_filter_redrives_nothing() -> None:
    shell, _ = failed(2)
    shell.deployment.sent.clear()
    for option in ("--job", "--tag", "--reason", "--since", "--until"):
        ran = shell.run("dead", "redrive", option, "", "--yes")
        assert (ran.code, ran.out, shell.deployment.sent) == (Exit.USAGE, "", [])
    assert "the value is empty" in ran.err


def test_a_redrive_of_nothing_makes_no_task() -> None:
    shell = Shell()
    ran = shell.ok("dead", "redrive")
    assert ran.err == "there is nothing to redrive\n"
    assert shell.deployment.paths == ["POST /v1/dead-letters/redrive"]


def test_a_bulk_redrive_is_followed_and_undone() -> None:
    shell, _ = failed(3)
    task = shell.json("dead", "redrive", "--yes")["id"]
    assert shell.json("redrives", "show", task)["id"] == task
    assert shell.json("redrives", "undo", task)["state"] == "undoing"
    assert "undoing" in shell.ok("redrives", "show", task).out
    assert shell.run("redrives", "show", "rdr_unknown").code == Exit.NOT_FOUND


def test_what_fails_after_the_count_is_not_redriven() -> None:
    shell, _ = failed(1)
    shell.ok("dead", "redrive", "--yes", "--since", "24h")
    dry, wet = [json.loads(each.content) for each in shell.deployment.sent if each.method == "POST"][-2:]
    assert (dry.pop("dry_run"), wet.pop("dry_run")) == (True, False)
    assert dry == wet
    assert wet["from"] < wet["to"]


def test_bulk_operations_are_shown_undone_and_cancelled() -> None:
    shell = Shell()
    for _ in range(3):
        create(shell, cron="@daily", tags=["t"])
    with shell.deployment.client() as client:
        task = client.jobs.bulk(action="pause", filter={"tag": "t"}, reason="moving")
    assert [each["id"] for each in shell.json("bulk", "list")] == [task.id]
    assert "moving" in shell.ok("bulk", "list").out
    assert "pause" in shell.ok("bulk", "show", task.id).out
    assert shell.json("bulk", "undo", task.id)["state"] == "undoing"
    refused = shell.run("bulk", "cancel", task.id)
    assert refused.code in (Exit.OK, Exit.CONFLICT)
    assert shell.run("bulk", "show", "blk_unknown").code == Exit.NOT_FOUND
