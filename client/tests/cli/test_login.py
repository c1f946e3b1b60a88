"""Profiles: where they are kept, who can read them, and where keys come from."""

import stat
from pathlib import Path

import pytest
import tomllib
from hypothesis import given
from hypothesis import strategies as st

from client.tests.cli.shell import Shell
from punctual.cli.exits import CommandError
from punctual.cli.profiles import with_profile
from shared.domain.tenancy.tenant import Scope

URL = "https://api.example"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(environ={"XDG_CONFIG_HOME": str(tmp_path)})


def file_of(shell: Shell) -> Path:
    return Path(shell.environ["XDG_CONFIG_HOME"]) / "punctual" / "config.toml"


def profiles(shell: Shell) -> object:
    return tomllib.loads(file_of(shell).read_text(encoding="utf-8"))["profiles"]


def test_key_from_standard_input_is_checked_and_stored(shell: Shell) -> None:
    key = shell.deployment.key
    ran = shell.ok("login", "--url", f"{URL}/", "--key-stdin", stdin=f"{key}\n")
    assert profiles(shell) == {"default": {"url": URL, "key": key}}
    assert shell.opened == [(URL, key, None)]
    assert shell.deployment.paths == ["GET /v1/whoami"]
    assert key not in ran.out + ran.err
    assert stat.S_IMODE(file_of(shell).stat().st_mode) == 0o600
    assert stat.S_IMODE(file_of(shell).parent.stat().st_mode) == 0o700


def test_key_is_asked_for_at_a_terminal_and_not_shown(shell: Shell) -> None:
    shell.is_terminal, asked = True, []
    shell.hidden = lambda question: asked.append(question) or shell.deployment.key  # type: ignore[func-returns-value]
    ran = shell.ok("--profile", "work", "login", stdin=f"{URL}\n")
    assert profiles(shell) == {"work": {"url": URL, "key": shell.deployment.key}}
    assert len(asked) == 1
    assert "--profile work" in ran.err


def test_key_command_is_stored_and_run(shell: Shell) -> None:
    shell.ok("login", "--url", URL, "--key-command", f"echo {shell.deployment.key}")
    assert profiles(shell) == {"default": {"url": URL, "key_command": f"echo {shell.deployment.key}"}}
    assert shell.opened == [(URL, shell.deployment.key, None)]
    failing = shell.run("login", "--url", URL, "--key-command", "false")
    assert (failing.code, "ended with 1" in failing.err) == (2, True)


def test_unknown_key_is_not_stored(shell: Shell) -> None:
    ran = shell.run("login", "--url", URL, "--key-stdin", stdin="pk_0000000000000000_wrong\n")
    assert ran.code == 4
    assert not file_of(shell).exists()
    shell.ok("login", "--url", URL, "--key-stdin", "--no-check", stdin="pk_0000000000000000_wrong\n")
    assert file_of(shell).exists()


def test_key_of_any_scope_is_checked_and_its_scopes_are_told(shell: Shell) -> None:
    shell.deployment.world.limit_to(Scope.WRITE)
    ran = shell.ok("login", "--url", URL, "--key-stdin", stdin=shell.deployment.key)
    assert "of the tenant acme has the scopes write" in ran.err
    assert file_of(shell).exists()


def test_whoami_shows_the_tenant_and_the_scopes() -> None:
    shell = Shell()
    assert shell.json("whoami")["tenant"] == "acme"
    text = shell.ok("whoami").out
    assert "acme" in text
    assert "read, write" in text


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("--key-stdin",), "pk_x\n"),
        (("--url", "http://api.example", "--key-stdin"), "pk_x\n"),
        (("--url", "api.example", "--key-stdin"), "pk_x\n"),
        (("--url", URL), ""),
        (("--url", URL, "--key-stdin"), ""),
        (("--url", URL, "--key-stdin"), "two words\n"),
        (("--url", URL, "--key-stdin", "--key-command", "true"), "pk_x\n"),
        (("--url", URL, "--profile", "a.b", "--key-stdin"), "pk_x\n"),
        (("--url", URL, "--profile", 'a"]\n', "--key-stdin"), "pk_x\n"),
    ],
)
def test_unusable_arguments_store_nothing(shell: Shell, arguments: tuple[str, ...], stdin: str) -> None:
    ran = shell.run("login", *arguments, stdin=stdin)
    assert ran.code == 2
    assert not file_of(shell).exists()
    assert shell.deployment.sent == []


def test_key_is_no_option(shell: Shell) -> None:
    assert shell.run("login", "--url", URL, "--key", "pk_x").code == 2


OTHERS = """# my deployments
profile = "work"

[profiles.work] # the one at work
url = "https://office.example"
key = "pk_work"

[profiles."default"]
url = "https://old.example"
key = "pk_old"
signing_secret = "whsec_x" # of the receiver

[other]
x = 1
"""


def test_other_profiles_and_comments_stay(shell: Shell) -> None:
    path = file_of(shell)
    path.parent.mkdir()
    path.write_text(OTHERS, encoding="utf-8")
    path.chmod(0o644)
    shell.ok("login", "--url", URL, "--key-stdin", "--no-check", stdin="pk_new\n")
    text = path.read_text(encoding="utf-8")
    assert tomllib.loads(text) == {
        "profile": "work",
        "profiles": {
            "work": {"url": "https://office.example", "key": "pk_work"},
            "default": {"url": URL, "key": "pk_new", "signing_secret": "whsec_x"},
        },
        "other": {"x": 1},
    }
    assert text.startswith("# my deployments\n")
    assert "# the one at work" in text
    assert "# of the receiver" in text
    assert "pk_old" not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_link_to_the_file_stays_a_link(shell: Shell, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.toml"
    target.write_text("", encoding="utf-8")
    file_of(shell).parent.mkdir()
    file_of(shell).symlink_to(target)
    shell.ok("login", "--url", URL, "--key-stdin", "--no-check", stdin="pk_new\n")
    assert file_of(shell).is_symlink()
    assert "pk_new" in target.read_text(encoding="utf-8")
    assert [each.name for each in target.parent.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "profiles = 7",
        'profiles = {default = {url = "x"}}',
        'profiles.default.url = "x"',
        '[profiles]\ndefault = {url = "x"}',
        '[profiles.default]\nurl = """\n"""',
        '[profiles.default]\nkey_command = [\n"a",\n"b"]',
        'text = """\n[profiles.default]\n"""\n[profiles.default]\nurl = "x"',
    ],
)
def test_file_that_hides_the_profile_is_left_alone(text: str) -> None:
    with pytest.raises(CommandError, match="by hand"):
        with_profile(text, "default", {"url": URL})


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.dictionaries(
        st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True), st.text("ab\"'\\\n\x7f#["), max_size=3
    ),
)
def test_any_values_are_read_back_and_a_second_time_changes_nothing(
    value: str, others: dict[str, str]
) -> None:
    text = ""
    for name, other in others.items():
        text = with_profile(text, name, {"url": other})
    text = with_profile(text, "default", {"url": value})
    expected = {**{name: {"url": other} for name, other in others.items()}, "default": {"url": value}}
    assert tomllib.loads(text)["profiles"] == expected
    assert tomllib.loads(with_profile(text, "default", {"url": value}))["profiles"] == expected
