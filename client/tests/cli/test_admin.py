"""`punctual admin`, in front of the API in memory."""

from dataclasses import replace
from datetime import timedelta

import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.worlds import create, failed, operator
from client.tests.sdk.deployment import Deployment
from functions.admin.commands import COMMANDS as REAL_COMMANDS
from punctual._runtime import Runtime
from punctual.cli.admin import COMMANDS
from punctual.cli.exits import Exit
from punctual.cli.tenant_deletion import RETRIES
from shared.domain.dead_letters.parked_message import park
from shared.domain.limits.scopes import destination_scope
from shared.names import QueueName


def test_a_tenant_is_created_listed_shown_and_changed() -> None:
    shell = operator()
    ran = shell.ok("admin", "tenants", "create", "globex", "--scope", "read", "--scope", "admin")
    key, secret = ran.out.splitlines()
    assert (key[:3], secret[:6]) == ("pk_", "whsec_")
    assert "are shown once" in ran.err
    assert key not in ran.err
    assert shell.json("admin", "tenants", "create", "initech")["tenant"]["id"] == "initech"
    assert "globex" in shell.ok("admin", "tenants", "list").out
    changed = shell.json(
        "admin",
        "tenants",
        "change",
        "globex",
        "--weight",
        "2",
        "--quota",
        "tags=5",
        "--on-failure",
        "https://a.example/x",
    )
    assert (changed["weight"], changed["quotas"]["tags"], changed["own_quotas"]) == (2, 5, ["tags"])
    assert changed["on_failure"] == "https://a.example/x"
    assert shell.json("admin", "tenants", "change", "globex", "--quota", "tags=default")["own_quotas"] == []
    assert "suspended" in shell.ok("admin", "tenants", "change", "globex", "--state", "suspended").out
    assert "effective" in shell.ok("admin", "tenants", "get", "globex").out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("tenants", "create", "operator"), Exit.REFUSED),
        (("tenants", "get", "absent"), Exit.NOT_FOUND),
        (("tenants", "change", "acme"), Exit.USAGE),
        (("tenants", "change", "acme", "--quota", "tags"), Exit.USAGE),
        (("tenants", "change", "acme", "--quota", "tags=many"), Exit.USAGE),
        (("tenants", "change", "acme", "--quota", "luck=5"), Exit.REFUSED),
        (("tenants", "delete", "acme"), Exit.USAGE),
        (("tenants", "delete", "acme", "--asked-by", "ticket 7"), Exit.USAGE),
        (("tenants", "delete", "acme", "--asked-by", "ticket 7", "--confirm", "acm"), Exit.FAILED),
        (("tenants", "delete", "acme", "--asked-by", "ticket 7", "--confirm", "acme"), Exit.CONFLICT),
        (("tenants", "deletion", "acme"), Exit.NOT_FOUND),
        (("stats", "--job", "job_1"), Exit.USAGE),
        (("due", "--within", "soon"), Exit.USAGE),
        (("keys", "list", "absent"), Exit.NOT_FOUND),
    ],
)
def test_refusals_have_a_code_and_no_result(arguments: tuple[str, ...], code: Exit) -> None:
    ran = operator().run("admin", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err


def test_a_suspended_tenant_is_deleted_when_its_id_is_typed() -> None:
    shell = operator()
    shell.ok("admin", "tenants", "change", "acme", "--state", "suspended")
    shell.deployment.sleep(400)
    shell.is_terminal = True
    wrong = shell.run("admin", "tenants", "delete", "acme", "--asked-by", "ticket 7", stdin="globex\n")
    assert (wrong.code, "nothing was changed" in wrong.err) == (Exit.FAILED, True)
    ran = shell.ok("admin", "tenants", "delete", "acme", "--asked-by", "ticket 7", stdin="acme\n")
    assert "ticket 7" in ran.out
    assert shell.json("admin", "tenants", "deletion", "acme")["asked_by"] == "ticket 7"


def test_keys_secrets_usage_and_audit_of_a_tenant() -> None:
    shell = operator()
    made = shell.json("admin", "keys", "create", "acme", "--scope", "admin", "--name", "console")
    assert shell.ok("admin", "keys", "rotate", "acme", made["id"], "--overlap", "1h").out.startswith("pk_")
    assert "revoked" in shell.ok("admin", "keys", "revoke", "acme", made["id"]).out
    assert "console" in shell.ok("admin", "keys", "list", "acme").out
    assert shell.ok("admin", "secrets", "rotate", "acme", "--name", "billing").out.startswith("whsec_")
    shell.ok("admin", "secrets", "rotate", "acme", "--name", "billing")
    secrets = shell.json("admin", "secrets", "list", "acme")
    shell.ok(
        "admin",
        "secrets",
        "retire",
        "acme",
        [each["id"] for each in secrets if each["name"] == "billing"][-1],
    )
    assert shell.json("admin", "usage", "acme")["tenant"] == "acme"
    trail = shell.json("admin", "audit", "acme", "--target", made["id"])
    assert {each["target"] for each in trail} == {made["id"]}
    assert "rotate" in shell.ok("admin", "audit", "acme").out


def test_statistics_of_a_tenant_and_of_all() -> None:
    tenant, [job] = failed()
    shell = operator(tenant.deployment)
    assert shell.json("admin", "stats", "acme", "--job", job.id)["total"]["failed"] == 1
    assert "by day" in shell.ok("admin", "stats", "--by", "day").out
    assert "by minute" in shell.ok("admin", "stats", "acme", "--by", "minute").out


def test_what_is_due_soon_is_listed_for_all_tenants() -> None:
    shell = operator()
    create(Shell(shell.deployment), delay_seconds=600)
    assert shell.ok("admin", "due").err == "nothing is due\n"
    assert "acme" in shell.ok("admin", "due", "--within", "1h").out


def test_parked_messages_are_listed_with_their_bodies_escaped() -> None:
    shell = operator()
    assert shell.ok("admin", "parked", "list").err == "no parked messages\n"
    world = shell.deployment.world.world
    world.parked_messages.park(
        park("message-1", QueueName.STANDARD, "\x1b[2J", "unreadable", world.clock.time_ms)
    )
    out = shell.ok("admin", "parked", "list").out
    assert "\x1b" not in out
    assert "unreadable" in out
    [message] = shell.json("admin", "parked", "list")
    assert shell.json("admin", "parked", "remove", message["id"]) == message
    assert shell.run("admin", "parked", "remove", message["id"]).code == Exit.NOT_FOUND


def test_lanes_are_shown_with_what_waits() -> None:
    shell = operator()
    ran = shell.ok("admin", "lanes")
    assert all(lane in ran.out for lane in ("critical", "standard", "bulk"))
    assert ran.err == "no call waits for a limit or a circuit breaker\n"


def test_tenants_and_destinations_in_which_calls_wait_are_listed_below_the_lanes() -> None:
    shell = operator()
    until = shell.deployment.world.world.clock.time_ms + 60_000
    shell.deployment.world.world.limits.hot[destination_scope("shop.example")] = until
    ran = shell.ok("admin", "lanes")
    assert "destination" in ran.out
    shown = shell.json("admin", "lanes")
    assert [scope["kind"] for scope in shown["hot_scopes"]] == ["destination"]
    assert shown["lanes"]["standard"]["visible_messages"] == 0


def test_bootstrap_names_programs_and_runs_none() -> None:
    shell = operator()
    ran = shell.ok("admin", "bootstrap", "--function", "ApiFunction-1; rm -rf /")
    assert "python -m functions.admin --function 'ApiFunction-1; rm -rf /' create-operator" in ran.out
    assert (shell.executed, shell.deployment.sent) == ([], [])
    assert "<ApiFunctionName>" in shell.json("admin", "bootstrap")[0]["command"]


def test_bootstrap_names_commands_that_exist() -> None:
    assert {command.split()[0] for command, _ in COMMANDS} <= set(REAL_COMMANDS)


DELETE = ("admin", "tenants", "delete", "acme", "--asked-by", "ticket 7")


def changes(shell: Shell) -> list[str]:
    """The requests that change something."""
    return [f"{each.method} {each.url.path}" for each in shell.deployment.sent if each.method != "GET"]


def test_an_active_tenant_is_suspended_first_and_deleted_when_that_has_taken_effect() -> None:
    shell = operator()
    ran = shell.ok(*DELETE, "--confirm", "acme", "--suspend")
    assert "waiting until" in ran.err
    assert changes(shell) == ["PATCH /v1/admin/tenants/acme", "POST /v1/admin/tenants/acme/deletion"]
    assert 55 <= sum(shell.deployment.slept) <= 65
    assert shell.json("admin", "tenants", "deletion", "acme")["asked_by"] == "ticket 7"
    again = shell.json(*DELETE, "--confirm", "acme", "--suspend")
    assert again["asked_by"] == "ticket 7"
    assert changes(shell)[2:] == ["POST /v1/admin/tenants/acme/deletion"]


def test_suspended_tenant_is_not_suspended_again() -> None:
    """Another suspension would take effect a minute later once more."""
    shell = operator()
    shell.ok("admin", "tenants", "change", "acme", "--state", "suspended")
    shell.deployment.sleep(20)
    shell.ok(*DELETE, "--confirm", "acme", "--suspend")
    assert changes(shell) == ["PATCH /v1/admin/tenants/acme", "POST /v1/admin/tenants/acme/deletion"]


def test_answer_that_is_not_the_id_suspends_nothing() -> None:
    shell = operator()
    ran = shell.run(*DELETE, "--confirm", "globex", "--suspend")
    assert (ran.code, changes(shell)) == (Exit.FAILED, [])
    assert shell.run(*DELETE, "--suspend").code == Exit.USAGE
    assert changes(shell) == []


class Behind(Deployment):
    """A deployment whose clock is a minute behind that of the machine."""

    @property
    def runtime(self) -> Runtime:
        runtime = super().runtime
        return replace(runtime, now=lambda: runtime.now() + timedelta(seconds=57))


def test_deletion_is_asked_for_again_while_the_clock_of_the_deployment_is_behind() -> None:
    shell = operator(Behind())
    ran = shell.ok(*DELETE, "--confirm", "acme", "--suspend")
    posts = [each for each in changes(shell) if each.startswith("POST")]
    assert 2 <= len(posts) <= RETRIES
    assert ran.err.count("tried again every 5 s") == 1


def test_tenant_that_another_operator_resumes_is_not_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = operator()
    sleep = shell.deployment.sleep

    def resume(seconds: float) -> None:
        sleep(seconds)
        if len(shell.deployment.slept) == 1:
            Shell(shell.deployment, key=shell.key).ok(
                "admin", "tenants", "change", "acme", "--state", "active"
            )

    monkeypatch.setattr(shell.deployment, "sleep", resume)
    ran = shell.run(*DELETE, "--confirm", "acme", "--suspend")
    assert (ran.code, ran.out) == (Exit.CONFLICT, "")
    assert shell.run("admin", "tenants", "deletion", "acme").code == Exit.NOT_FOUND


def test_interrupted_wait_leaves_the_tenant_suspended_and_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell = operator()

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shell.deployment, "sleep", interrupt)
    ran = shell.run(*DELETE, "--confirm", "acme", "--suspend")
    assert ran.code != 0
    assert "the tenant stays suspended, and nothing is deleted: the same command goes on" in ran.err
    assert changes(shell) == ["PATCH /v1/admin/tenants/acme"]


def test_unknown_tenant_and_a_tenant_of_the_deployment_are_not_waited_for() -> None:
    shell = operator()
    for tenant, code in (("absent", Exit.NOT_FOUND), ("operator", Exit.CONFLICT)):
        words = ("admin", "tenants", "delete", tenant, "--asked-by", "x", "--confirm", tenant, "--suspend")
        assert shell.run(*words).code == code
    assert shell.deployment.slept == []


def test_end_of_a_deletion_is_waited_for() -> None:
    shell = operator()
    ended = shell.json(*DELETE, "--confirm", "acme", "--suspend", "--wait")
    assert ended["state"] == "ended"
    assert ended["ended_at"] >= ended["began_at"] > ended["asked_at"]
