"""Where the URL and the key come from: arguments, the environment, or a profile in a file."""

import os
import shlex
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from punctual._commands import output_of
from punctual._operation import Secret
from punctual.errors import ConfigurationError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

URL, KEY, PROFILE = "PUNCTUAL_URL", "PUNCTUAL_KEY", "PUNCTUAL_PROFILE"
SIGNING_SECRET = "PUNCTUAL_SIGNING_SECRET"  # noqa: S105 - the name of a variable
DEFAULT_PROFILE = "default"
_PRIVATE = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Config:
    """A deployment, and the key for it; without a key, only operations that need none can be called."""

    url: str
    key: Secret | None


def config_path(environ: Mapping[str, str]) -> Path:
    """The file with the profiles: `punctual/config.toml` in `$XDG_CONFIG_HOME`, or else in `~/.config`."""
    home = environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "punctual" / "config.toml"


def resolve(url: str | None, key: str | None, profile: str | None, environ: Mapping[str, str]) -> Config:
    """The URL and the key: from arguments, then from the profile that is named here, then from the environment,
    then from the default profile.

    The key of a profile is only ever used for the URL of this profile. A variable that is empty counts as not set; an
    argument that is empty is refused, since another deployment may be meant. Raises ConfigurationError.
    """
    for name, given in (("url", url), ("key", key), ("profile", profile)):
        if given == "":
            raise ConfigurationError(f"{name} is empty: give one, or leave it out")
    if profile is None:
        url, key = url or environ.get(URL) or None, key or environ.get(KEY) or None
    if url and key:
        return Config(checked_url(url), checked_key(key))
    table = _profile(profile, environ)
    theirs = table.get("url")
    if not (url or theirs):
        raise ConfigurationError(f"no URL: give url=, set {URL}, or add a profile to {config_path(environ)}")
    chosen = checked_url(_text(url or theirs, "url"))
    if key:
        return Config(chosen, checked_key(key))
    is_theirs = theirs is not None and checked_url(_text(theirs, "url")) == chosen
    return Config(chosen, key_of(table) if is_theirs else None)


def signing_secrets(profile: str | None, environ: Mapping[str, str]) -> tuple[Secret, ...]:
    """The signing secrets, which receivers verify calls with: from the profile that is named here, then from the
    environment, then from the default profile. White space separates several. Raises ConfigurationError.
    """
    given = environ.get(SIGNING_SECRET) if profile is None else None
    found = Secret(given) if given else _secret_of(_profile(profile, environ), "signing_secret")
    return () if found is None else split_secrets(found.reveal())


def split_secrets(text: str) -> tuple[Secret, ...]:
    """Signing secrets that white space separates."""
    return tuple(map(Secret, text.split()))


def checked_url(url: str) -> str:
    """A base URL without its final slash; ConfigurationError unless it is https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ConfigurationError("the URL is malformed: give one such as https://api.example.com") from None
    if parts.username or parts.password:
        raise ConfigurationError("the URL has a user name or password: give the key as the key")
    if parts.scheme not in ("https", "http") or not host or parts.query or parts.fragment:
        raise ConfigurationError(f"{url!r} is no base URL: give one such as https://api.example.com")
    if parts.scheme == "http" and not is_loopback(host):
        raise ConfigurationError(f"{url!r} would send the key unencrypted: use https")
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def checked_key(key: str) -> Secret:
    """The key, without the line end that files and commands add; ConfigurationError if it cannot be a header."""
    stripped = key.strip()
    if not stripped or not all("!" <= each <= "~" for each in stripped):
        raise ConfigurationError("the key is empty, or has spaces or other signs that no key has")
    return Secret(stripped)


def _profile(name: str | None, environ: Mapping[str, str]) -> Mapping[str, Any]:
    path = config_path(environ)
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            document = tomllib.load(file)
    except FileNotFoundError:
        if name is not None:
            raise ConfigurationError(f"there is no profile {name!r}: {path} does not exist") from None
        return {}
    except (OSError, ValueError):  # Without the cause: the text of a TOML error can have a line of the file.
        raise ConfigurationError(f"{path} cannot be read as TOML") from None
    if os.name == "posix" and mode & _PRIVATE:
        raise ConfigurationError(f"{path} can be read by others: run chmod 600 {path}")
    chosen = name or environ.get(PROFILE) or document.get("profile") or DEFAULT_PROFILE
    profiles = document.get("profiles", {})
    table = profiles.get(chosen) if isinstance(profiles, dict) else None
    if isinstance(table, dict):
        return table
    if chosen != DEFAULT_PROFILE or name:
        raise ConfigurationError(f"there is no profile {chosen!r}: add [profiles.{chosen}] to {path}")
    return {}


def key_of(table: Mapping[str, Any]) -> Secret | None:
    """The key of a profile; None if it has none. A `key_command` is run. Raises ConfigurationError."""
    found = _secret_of(table, "key")
    return None if found is None else checked_key(found.reveal())


def _secret_of(table: Mapping[str, Any], name: str) -> Secret | None:
    """A text of a profile, or what a program prints, which the profile names."""
    if name in table:
        return Secret(_text(table[name], name))
    command = table.get(f"{name}_command")
    return None if command is None else Secret(_output(command, f"{name}_command"))


def _output(command: Any, name: str) -> str:
    """What a command prints; it may ask on the terminal. Its output is never part of an error."""
    try:
        words = shlex.split(command) if isinstance(command, str) else command
    except ValueError:
        raise ConfigurationError(f"{name} cannot be split into words: a quote is not closed") from None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise ConfigurationError(f"{name} must be a command line, or a list of its words")
    return output_of(words, name)


def _text(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value
    raise ConfigurationError(f"{name} must be a text")
