"""The file with the profiles: one is put in, and the others stay as they are."""

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from punctual.cli.exits import CommandError, Exit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
REPLACED = ("url", "key", "key_command")
"""The members of a profile that are replaced together."""
_TABLE = re.compile(r"\s*\[")
_MEMBER = re.compile(rf"\s*([\"']?)({'|'.join(REPLACED)})\1\s*=")


def with_profile(text: str, name: str, members: Mapping[str, str]) -> str:
    """The text of the file with the URL and the key of a profile replaced, or with a new profile.

    Comments, other profiles and other members, such as `signing_secret`, stay. Raises CommandError if the file cannot
    be read, or is written in a way that hides where the profile is.
    """
    before = _read(text)
    own = [f"{key} = {_quoted(value)}" for key, value in members.items()]
    written = "\n".join(_replaced(text.removesuffix("\n").split("\n") if text else [], name, own)) + "\n"
    profiles = before.get("profiles", {})
    old = profiles.get(name, {})
    kept = {key: value for key, value in old.items() if key not in REPLACED} if isinstance(old, dict) else {}
    if _parsed(written) != {**before, "profiles": {**profiles, name: {**kept, **members}}}:
        raise CommandError(
            f"the profile {name!r} cannot be replaced in this file: change it by hand", Exit.USAGE
        )
    return written


def _replaced(lines: list[str], name: str, own: list[str]) -> list[str]:
    """The lines with these members right after the heading of the profile, in the place of the former ones."""
    heading = re.compile(rf"\s*\[\s*profiles\s*\.\s*([\"']?){name}\1\s*\]\s*(#.*)?")
    changed: list[str] = []
    is_inside = is_found = False
    for line in lines:
        if _TABLE.match(line):
            is_inside = heading.fullmatch(line) is not None
            is_found |= is_inside
            changed += [line, *(own if is_inside else [])]
        elif not (is_inside and _MEMBER.match(line)):
            changed.append(line)
    if is_found:
        return changed
    while changed and not changed[-1].strip():
        changed.pop()
    return [*changed, *([""] if changed else []), f"[profiles.{name}]", *own]


def _quoted(text: str) -> str:
    # The escapes of a JSON string are those of a basic string of TOML, in which DEL needs one, too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read(text: str) -> dict[str, Any]:
    document = _parsed(text)
    if document is None or not isinstance(document.get("profiles", {}), dict):
        raise CommandError("the file with the profiles cannot be read as TOML: change it by hand", Exit.USAGE)
    return document


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except ValueError:  # Without the cause: its text can have a line of the file.
        return None
    return document


def read_file(path: Path) -> str:
    """The text of the file; empty if there is none. Raises CommandError."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        raise CommandError(f"{path} cannot be read", Exit.USAGE) from None


def write_file(path: Path, text: str) -> None:
    """Put a file in the place of another, in one step; only its owner can read it. Raises CommandError."""
    target = path.resolve()
    new = target.with_name(f".{target.name}.{token_hex(8)}")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            new.replace(target)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}", Exit.USAGE) from None
