"""`keys`, `secrets`, `usage`, `settings` and `audit`, in front of the API in memory."""

import csv
import io
from errno import ENOSPC
from pathlib import Path

import pytest

from client.tests.cli.shell import Ran, Shell
from client.tests.cli.worlds import create, tenant_with_all_scopes
from client.tests.support.calls import FOREIGN, NEW
from punctual.cli.exits import Exit


def test_a_new_key_is_alone_on_standard_output_and_the_warning_is_not() -> None:
    shell = tenant_with_all_scopes()
    ran = shell.ok(
        "keys", "create", "--scope", "read", "--scope", "write", "--name", "ci", "--expires-in", "90d", "-q"
    )
    assert ran.out.startswith("pk_") and ran.out.count("\n") == 1
    assert "is shown once" in ran.err
    assert ran.out.strip() not in ran.err
    listed = shell.ok("keys", "list").out
    assert "ci" in listed and "read, write" in listed
    assert ran.out.strip() not in listed
    [key] = [each for each in shell.json("keys", "list") if each["name"] == "ci"]
    assert key["expires_at"] is not None
    assert Shell(shell.deployment, key=ran.out.strip()).json("list") == []


def test_a_key_is_rotated_and_revoked() -> None:
    shell = tenant_with_all_scopes()
    made = shell.json("keys", "create", "--scope", "read", "--name", "ci")
    assert made["api_key"].startswith(f"pk_{made['id']}_")
    new = shell.json("keys", "rotate", made["id"], "--overlap", "1h")
    assert (new["name"], new["id"] != made["id"]) == ("ci", True)
    assert "revoked" in shell.ok("keys", "revoke", made["id"]).out
    assert shell.run("keys", "revoke", "0123456789abcdef").code == Exit.NOT_FOUND


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("keys", "create"), Exit.USAGE),
        (("keys", "create", "--scope", "root"), Exit.USAGE),
        (("keys", "create", "--scope", "read", "--expires-in", "soon"), Exit.USAGE),
        (("keys", "create", "--scope", "read", "--expires-in", "1s"), Exit.REFUSED),
        (("settings", "set"), Exit.USAGE),
        (("settings", "set", "--alert", "failed"), Exit.USAGE),
        (("settings", "set", "--on-failure", "ftp://example.com"), Exit.REFUSED),
        (("settings", "set", "--on-failure", "@/nowhere/url"), Exit.USAGE),
        (("secrets", "retire", "sec_unknown"), Exit.NOT_FOUND),
    ],
)
def test_refusals_have_a_code_and_no_result(arguments: tuple[str, ...], code: Exit) -> None:
    ran = tenant_with_all_scopes().run(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err


def test_a_key_without_the_scope_is_refused() -> None:
    for arguments in (
        ("keys", "list"),
        ("secrets", "list"),
        ("settings", "get"),
        ("admin", "tenants", "list"),
    ):
        assert Shell().run(*arguments).code == Exit.AUTH


def test_a_signing_secret_is_rotated_under_a_name_and_retired() -> None:
    shell = tenant_with_all_scopes()
    ran = shell.ok("secrets", "rotate", "--name", "billing")
    assert ran.out.startswith("whsec_")
    assert "of the name billing" in ran.err
    shell.ok("secrets", "rotate", "--name", "billing", "--overlap", "2d")
    old, current = [each for each in shell.json("secrets", "list") if each["name"] == "billing"][::-1]
    assert "whsec_" not in shell.ok("secrets", "list").out
    shell.ok("secrets", "retire", old["id"])
    assert shell.run("secrets", "retire", current["id"]).code == Exit.CONFLICT


def test_usage_shows_what_is_in_use() -> None:
    shell = tenant_with_all_scopes()
    create(shell, cron="@daily")
    ran = shell.ok("usage")
    [line] = [line.split() for line in ran.out.splitlines() if "recurring_jobs" in line]
    assert line == ["recurring_jobs", "1", "100000"]
    assert "tenant shop" in ran.err
    assert shell.json("usage")["quotas"]["recurring_jobs"]["used"] == 1
    rows = list(csv.DictReader(io.StringIO(shell.ok("-o", "csv", "usage").out)))
    assert {"quota": "recurring_jobs", "used": "1", "limit": "100000"} in rows


def test_settings_are_shown_changed_and_removed(tmp_path: Path) -> None:
    shell = tenant_with_all_scopes()
    assert "no defaults" in shell.ok("settings", "get").err
    url = tmp_path / "url"
    url.write_text("https://chat.example/s3cret\n")
    alert = ("--alert", "late", "--alert-late-after", "5m", "--alert-format", "slack")
    changed = shell.json(
        "settings", "set", "--alerts-url", f"@{url}", *alert, "--on-success", "https://a.example/x"
    )
    assert changed["alerts"] == {
        "events": ["late"],
        "format": "slack",
        "late_after_seconds": 300,
        "url": "https://chat.example/s3cret",
    }
    assert "https://a.example/x" in shell.ok("settings", "get").out
    removed = shell.json("settings", "set", "--alerts-url", "none", "--on-success", "none")
    assert (removed["alerts"], removed["on_success"]) == (None, None)


def test_the_trail_of_a_job_is_found_by_its_name_or_any_id() -> None:
    shell = tenant_with_all_scopes()
    job = create(shell, name="nightly", cron="@daily")
    create(shell, name="other", cron="@daily")
    for target in ("nightly", job.id):
        assert [each["target"] for each in shell.json("audit", "--target", target)] == [job.id]
    out = shell.ok("audit", "--since", "1h").out
    assert out.count("createJob") == 2
    assert shell.json("audit", "--target", "0123456789abcdef") == []


def test_a_key_that_cannot_read_jobs_takes_the_target_as_an_id() -> None:
    shell = tenant_with_all_scopes()
    key = shell.json("keys", "create", "--scope", "admin")
    admin = Shell(shell.deployment, key=key["api_key"])
    assert [each["operation"] for each in admin.json("audit", "--target", key["id"])] == ["createKey"]


def test_a_secret_is_in_no_error() -> None:
    shell = Shell(key="pk_0123456789abcdef_s3cret")
    for arguments in (("usage",), ("keys", "list"), ("admin", "due")):
        ran = shell.run(*arguments)
        assert ran.code == Exit.AUTH
        assert "s3cret" not in ran.out + ran.err


def test_create_is_not_confused_by_a_job_of_another_tenant() -> None:
    shell = tenant_with_all_scopes()
    create(Shell(shell.deployment), name="theirs", cron="@daily")
    assert shell.run("next", "theirs").code == Exit.NOT_FOUND


def test_calendars_are_put_shown_listed_and_deleted() -> None:
    shell = tenant_with_all_scopes()
    assert shell.ok("calendars", "list", "-o", "csv").out.count("\n") == 1
    put = shell.json(
        "calendars", "put", "plant", "--country", "DE", "--in", "2030-11-30", "--out", "2030-12-24"
    )
    assert (put["version"], put["dates_in"], put["dates_out"]) == (1, ["2030-11-30"], ["2030-12-24"])
    changed = shell.json("calendars", "put", "plant", "--weekend", "friday", "--weekend", "saturday")
    assert (changed["version"], changed["country"], changed["dates_out"]) == (2, None, [])
    assert "friday, saturday" in shell.ok("calendars", "get", "plant").out
    assert [each["name"] for each in shell.json("calendars", "list")] == ["plant"]
    assert "plant" in shell.ok("calendars", "delete", "plant").out
    assert shell.run("calendars", "get", "plant").code == Exit.NOT_FOUND
    assert shell.run("calendars", "put", "plant", "--country", "ZZ").code == Exit.REFUSED


def rotated(shell: Shell, *options: str) -> Ran:
    return shell.ok("secrets", "rotate", "--sample", "request.http", *options)


def test_sample_of_a_rotation_is_signed_with_the_new_secret_and_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell = tenant_with_all_scopes()
    shell.environ["PUNCTUAL_SIGNING_SECRET"] = NEW
    ran = rotated(shell)
    new, file = ran.out.strip(), tmp_path / "request.http"
    assert (new.startswith("whsec_"), new in ran.err, NEW in ran.out + ran.err) == (True, False, False)
    assert (
        "request.http: genuine by the new secret\nrequest.http is signed by PUNCTUAL_SIGNING_SECRET as well\n"
        in ran.err
    )
    raw = file.read_bytes()
    assert (file.stat().st_mode & 0o777, new.encode() in raw, NEW.encode() in raw) == (0o600, False, False)
    for secret, code in ((new, 0), (NEW, 0), (FOREIGN, 1)):
        shell.environ["PUNCTUAL_SIGNING_SECRET"] = secret
        assert shell.run("verify", "request.http").code == code


def test_sample_without_the_old_secret_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = rotated(tenant_with_all_scopes())
    assert "request.http: genuine by the new secret\n" in ran.err
    assert "no signature of the one before: PUNCTUAL_SIGNING_SECRET would give it" in ran.err


def test_sample_in_json_leaves_the_document_of_the_secret_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert rotated(tenant_with_all_scopes(), "-o", "json").json["signing_secret"].startswith("whsec_")


def test_secret_is_not_rotated_if_the_sample_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell = tenant_with_all_scopes()
    (tmp_path / "request.http").write_text("mine")
    for file, environ in (
        ("request.http", NEW),
        ("absent/request.http", NEW),
        ("other.http", "whsec_not base64"),
    ):
        shell.environ["PUNCTUAL_SIGNING_SECRET"] = environ
        ran = shell.run("secrets", "rotate", "--sample", file)
        assert (ran.code, ran.out, shell.deployment.sent) == (Exit.USAGE, "", [])
    assert (tmp_path / "request.http").read_text() == "mine"
    shell.environ["PUNCTUAL_SIGNING_SECRET"] = NEW
    rotated(shell, "--force")
    assert shell.ok("verify", "request.http").out.startswith("genuine")


def full(*_: object, **__: object) -> None:
    raise OSError(ENOSPC, "No space left on device")


def test_secret_is_not_rotated_if_the_sample_cannot_be_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("punctual.cli.downloads.NamedTemporaryFile", full)
    shell = tenant_with_all_scopes()
    ran = shell.run("secrets", "rotate", "--sample", "request.http")
    assert (ran.code, ran.out, shell.deployment.sent) == (Exit.USAGE, "", [])
    assert "No space left on device" in ran.err


def test_new_secret_is_shown_even_if_the_sample_fails_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "replace", full)
    ran = tenant_with_all_scopes().run("secrets", "rotate", "--sample", "request.http")
    assert (ran.code, ran.out[:6]) == (Exit.USAGE, "whsec_")
    assert "No space left on device" in ran.err
    assert not list(tmp_path.iterdir())
