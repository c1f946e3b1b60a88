"""The options that every command has: `-o`, `--json`, `--quiet`, `--profile` and `--url`.

They may stand before the command or after it. A command that uses one of these names by itself, as `create` uses
`--json` and `--url` for the request, leaves the common one to the place before it.

Every command also has one rule: no option takes an empty value. A shell gives one for a variable that is not set, and
a filter without a value would select more than was meant.
"""

from typing import Annotated, Any

import typer

from punctual.cli.output import Format
from punctual.cli.session import Session


def _set(name: str) -> Any:
    def store(context: typer.Context, value: Any) -> Any:
        # Not given here: what stands before the command stays.
        if value and isinstance(context.obj, Session):
            setattr(context.obj, name, value)
        return value

    return store


def _set_json(context: typer.Context, value: Any) -> Any:
    return _set("format")(context, Format.JSON if value else None)


def _options(
    output: Annotated[
        Format | None,
        typer.Option(
            "-o", "--output", help="How results are written.", callback=_set("format"), expose_value=False
        ),
    ] = None,
    json: Annotated[
        bool | None,
        typer.Option("--json", help="The same as -o json.", callback=_set_json, expose_value=False),
    ] = None,
    quiet: Annotated[
        bool | None,
        typer.Option(
            "-q", "--quiet", help="No notes on standard error.", callback=_set("quiet"), expose_value=False
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="The profile with the URL and the key.",
            callback=_set("profile"),
            expose_value=False,
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            metavar="URL",
            help="The URL of the deployment.",
            callback=_set("url"),
            expose_value=False,
        ),
    ] = None,
) -> None:
    """Has the options; it is never called."""


def add_common_options(command: Any, *, with_commands: bool = True) -> None:
    """Give the options to a command, and to the commands in it. Names that it has already stay its own."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(_options)
    common: list[Any] = list(typer.main.get_command(app).params)
    for each in common:
        _refuse_empty(each)
    _add(command, common, with_commands)


def _add(command: Any, common: list[Any], with_commands: bool) -> None:
    taken = {name for each in command.params for name in each.opts}
    for each in command.params:
        _refuse_empty(each)
    command.params = [*command.params, *(each for each in common if not taken.intersection(each.opts))]
    if with_commands:
        for inner in getattr(command, "commands", {}).values():
            _add(inner, common, with_commands)


def _refuse_empty(parameter: Any) -> None:
    """Let an option refuse an empty value, before the command begins. Arguments name things by themselves."""
    if parameter.param_type_name != "option":
        return
    given = parameter.callback

    def check(context: typer.Context, own: Any, value: Any) -> Any:
        if value == "" or (isinstance(value, list | tuple) and "" in value):
            raise typer.BadParameter("the value is empty: give one, or leave the option out")
        return value if given is None else given(context, own, value)

    parameter.callback = check
