"""Values of the options of `create` and `edit`, as the API wants them."""

import json
import re
from typing import Any

from punctual._secret_names import may_be_secret
from punctual.cli.exits import CommandError, Exit
from punctual.cli.options import seconds
from punctual.cli.session import Session

_HEADER = re.compile(r"([^\s:]+)\s*:\s*(.*)", re.DOTALL)
_ENV = "env:"


def duration(_: Session, flag: str, value: str) -> int:
    """A duration in seconds."""
    return seconds(value, flag)


def durations(_: Session, flag: str, value: str) -> list[int]:
    """Durations in seconds, from a text with commas."""
    return [seconds(each, flag) for each in value.split(",")]


def sigv4_value(_: Session, flag: str, value: str) -> dict[str, object]:
    """The `auth` of a request that a role signs for AWS; CommandError for another text."""
    # The name of a role may have commas.
    parts = value.rsplit(",", 2)
    if len(parts) != 3 or not all(parts):
        hint = "give ROLE,SERVICE,REGION, such as arn:aws:iam::111122223333:role/punctual/acme,execute-api,eu-west-1"
        raise CommandError(f"{flag} is no role, service and region", Exit.USAGE, hint=hint)
    return {"sigv4": dict(zip(("role", "service", "region"), parts, strict=True))}


def auth_value(_: Session, __: str, value: str) -> dict[str, object]:
    """The `auth` of a request with an identity token."""
    return {"oidc": {"audience": value}}


def header_values(session: Session, _: str, values: list[str]) -> dict[str, str]:
    """Headers by name. A value of `env:VAR` comes from the environment.

    A header whose name sounds like a secret must come from there: other users of the machine can read arguments.
    """
    headers: dict[str, str] = {}
    for each in values:
        found = _HEADER.fullmatch(each.strip())
        if found is None:
            raise CommandError(
                "--header needs a name and a value: 'X-Team: billing' or 'X-Token: env:VAR'", Exit.USAGE
            )
        name, value = found[1], found[2]
        if value.startswith(_ENV):
            headers[name] = _variable(session, f"--header {name}", value.removeprefix(_ENV))
        elif may_be_secret(name):
            raise CommandError(
                f"the value of {name} may be a secret, and other users of this machine can read it here",
                Exit.USAGE,
                hint=f"put it into a variable, and give --header '{name}: env:VAR'",
            )
        else:
            headers[name] = value
    return headers


def url_value(session: Session, flag: str, given: str) -> str:
    """A URL that may be a secret: `env:VAR` comes from the environment, `@FILE` from a file, `-` from standard input.

    Raises CommandError if nothing is there. The text has nothing of the URL.
    """
    if given.startswith(_ENV):
        return _variable(session, flag, given.removeprefix(_ENV)).strip()
    if given != "-" and not given.startswith("@"):
        return given
    url = body(session, flag, given).strip()
    if not url:
        raise CommandError(f"{flag} is empty", Exit.USAGE, hint="give a URL, or none for no call")
    return url


def _variable(session: Session, flag: str, variable: str) -> str:
    value = session.around.environ.get(variable, "")
    if not value.strip():
        raise CommandError(f"{flag}: the variable {variable!r} is not set, or empty", Exit.USAGE)
    return value


def json_value(session: Session, _: str, value: str) -> Any:
    """A value of JSON: the content of a file or of standard input, or the argument itself."""
    text = _content(session, value)
    try:
        return json.loads(text)
    except ValueError as error:
        # Without the text, which may be a secret.
        raise CommandError(
            f"--json is no JSON: {_place(error)}", Exit.USAGE, hint="give @FILE, - or JSON"
        ) from None


def _place(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, line {error.lineno}, column {error.colno}"
    return "it is not in UTF-8"


def body(session: Session, flag: str, value: str) -> str:
    """A text: the content of a file or of standard input, or the argument itself."""
    content = _content(session, value)
    try:
        return content.decode()
    except ValueError:
        raise CommandError(
            f"{flag} is not in UTF-8", Exit.USAGE, hint="give text: encode other bytes first"
        ) from None


def _content(session: Session, value: str) -> bytes:
    if value == "-" or value.startswith("@"):
        return session.content(value)
    return value.encode()
