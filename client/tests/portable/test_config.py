"""Where the URL and the key come from, and which of them go together."""

import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from punctual._config import checked_url, config_path, resolve
from punctual.errors import ConfigurationError

URL, KEY = "https://api.example", "pk_0123456789abcdef_secret"
PROFILES = f"""
profile = "work"
[profiles.work]
url = "https://team.example"
key = "pk_work"
[profiles.home]
url = "http://127.0.0.1:8080"
key_command = ["{sys.executable}", "-c", "print('pk_home')"]
[profiles.empty]
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a user with profiles."""
    folder = tmp_path / "punctual"
    folder.mkdir()
    path = folder / "config.toml"
    path.touch(0o600)
    path.write_text(PROFILES, encoding="utf-8")
    return {"XDG_CONFIG_HOME": str(tmp_path)}


def found(
    url: str | None, key: str | None, profile: str | None, environ: Mapping[str, str]
) -> tuple[str, str | None]:
    config = resolve(url, key, profile, environ)
    return config.url, config.key.reveal() if config.key else None


def test_file_is_in_the_configuration_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert config_path({}) == Path("/home/someone/.config/punctual/config.toml")
    assert config_path({"XDG_CONFIG_HOME": "/etc/xdg"}) == Path("/etc/xdg/punctual/config.toml")


@pytest.mark.parametrize(
    ("url", "key", "profile", "variables", "expected"),
    [
        (URL, KEY, None, {"PUNCTUAL_URL": "https://other.example", "PUNCTUAL_KEY": "pk_other"}, (URL, KEY)),
        (None, None, None, {"PUNCTUAL_URL": f"{URL}/", "PUNCTUAL_KEY": f"{KEY}\n"}, (URL, KEY)),
        (None, None, None, {"PUNCTUAL_URL": "", "PUNCTUAL_KEY": ""}, ("https://team.example", "pk_work")),
        (None, None, None, {}, ("https://team.example", "pk_work")),
        (None, None, None, {"PUNCTUAL_PROFILE": "home"}, ("http://127.0.0.1:8080", "pk_home")),
        (
            None,
            None,
            "home",
            {"PUNCTUAL_URL": URL, "PUNCTUAL_KEY": KEY},
            ("http://127.0.0.1:8080", "pk_home"),
        ),
        (None, "pk_mine", "home", {}, ("http://127.0.0.1:8080", "pk_mine")),
        ("https://team.example/", None, None, {}, ("https://team.example", "pk_work")),
    ],
)
def test_arguments_precede_the_environment_and_the_environment_precedes_the_default_profile(
    environ: dict[str, str],
    url: str | None,
    key: str | None,
    profile: str | None,
    variables: dict[str, str],
    expected: tuple[str, str],
) -> None:
    assert found(url, key, profile, environ | variables) == expected


@pytest.mark.parametrize("profile", [None, "work", "home"])
def test_key_of_a_profile_is_never_used_for_another_url(environ: dict[str, str], profile: str | None) -> None:
    assert found("https://evil.example", None, profile, environ) == ("https://evil.example", None)
    if profile is None:
        with_variable = environ | {"PUNCTUAL_URL": "https://evil.example"}
        assert found(None, None, None, with_variable) == ("https://evil.example", None)


@pytest.mark.parametrize("given", [("", None, None), (None, "", None), (None, None, "")])
def test_empty_argument_is_refused_in_the_place_of_what_it_hides(
    environ: dict[str, str], given: tuple[str | None, str | None, str | None]
) -> None:
    with pytest.raises(ConfigurationError, match="is empty"):
        resolve(*given, {**environ, "PUNCTUAL_URL": "https://team.example", "PUNCTUAL_KEY": "pk_any"})


def test_user_without_a_file_needs_a_url(tmp_path: Path) -> None:
    nowhere = {"XDG_CONFIG_HOME": str(tmp_path)}
    with pytest.raises(ConfigurationError, match="give url=, set PUNCTUAL_URL"):
        resolve(None, KEY, None, nowhere)
    assert found(URL, None, None, nowhere) == (URL, None)
    with pytest.raises(ConfigurationError, match="there is no profile 'work'"):
        resolve(None, None, "work", nowhere)


def test_unknown_profile_is_an_error_that_says_what_to_add(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"add \[profiles.wrok\]"):
        resolve(None, None, "wrok", environ)
    with pytest.raises(ConfigurationError, match="no URL"):
        resolve(None, None, "empty", environ)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_file_that_others_can_read_is_refused(environ: dict[str, str], mode: int) -> None:
    path = config_path(environ)
    path.chmod(mode)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        resolve(None, None, None, environ)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize(
    "text",
    ["key = pk_unquoted_secret", "profiles = 7", "[profiles]\nwork = 7", "[profiles.work]\nurl = 7", "\x00"],
)
def test_malformed_file_is_an_error_without_its_content(environ: dict[str, str], text: str) -> None:
    config_path(environ).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as error:
        resolve(None, None, "work", environ)
    assert "secret" not in f"{error.value!r} {error.value.__cause__!r}"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ('["/nonexistent/program"]', "cannot be run"),
        ('"false"', "ended with 1"),
        ('"true"', "the key is empty"),
        ('"echo two words"', "spaces or other signs"),
        ("7", "must be a command line"),
        ("[]", "must be a command line"),
        ('["echo", 7]', "must be a command line"),
        ('"echo \'"', "cannot be split"),
    ],
)
def test_command_that_prints_no_key_is_an_error(environ: dict[str, str], command: str, text: str) -> None:
    profile = f'[profiles.work]\nurl = "{URL}"\nkey_command = {command}\n'
    config_path(environ).write_text(profile, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=text):
        resolve(None, None, "work", environ)


def test_command_of_a_key_runs_without_a_shell(environ: dict[str, str], tmp_path: Path) -> None:
    profile = f'[profiles.work]\nurl = "{URL}"\nkey_command = "echo pk_$HOME;touch"\n'
    config_path(environ).write_text(profile, encoding="utf-8")
    assert found(None, None, "work", environ) == (URL, "pk_$HOME;touch")


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example",
        "https://api.example:8443/base",
        "http://localhost:3000",
        "http://[::1]:80",
        "http://a.localhost",
    ],
)
def test_url_is_https_or_on_this_machine(url: str) -> None:
    assert checked_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example",
        "http://127.0.0.1.example.com",
        "http://10.0.0.1",
        "ftp://api.example",
        "api.example",
        "https://",
        "https://user:pw@api.example",
        "https://api.example?x=1",
        "https://api.example#x",
        "https://[::1",
        "https://api.example:port",
    ],
)
def test_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        checked_url(url)
    assert "pw" not in str(error.value)
