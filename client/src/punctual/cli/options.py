"""Options that several commands share, and values of options that are read in one way."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit

JobArgument = Annotated[
    str,
    typer.Argument(metavar="JOB", help="An id, a key, or a name that only one job has.", show_default=False),
]
JobArguments = Annotated[
    list[str] | None,
    typer.Argument(metavar="[JOB]...", help="Ids, keys, or names that only one job has.", show_default=False),
]
DURATION = "DURATION"
"""The metavar of a duration, which `seconds` reads."""

_DURATION = re.compile(r"([0-9]{1,9})(s|m|h|d|w)?")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def seconds(text: str, flag: str) -> int:
    """A duration in seconds: `90`, `90s`, `15m`, `24h`, `7d` or `2w`. Raises CommandError."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise CommandError(
            f"{flag} {text!r} is no duration: give one such as 90s, 15m, 24h or 7d", Exit.USAGE
        )
    return int(found[1]) * _UNITS[found[2] or "s"]


def with_options(options: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command options in the place of its `**values`: by name, each annotated for typer; None if not given."""

    def extend(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in options.items()
        ]
        command.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        command.__annotations__.update(options)
        return command

    return extend
