"""The command `punctual`: its commands, and how it is run.

A module with commands is imported when one of them is used, or when the help of all is shown.
"""

import os
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from punctual.cli.missing_packages import command_to_install

try:
    import typer
    from typer.core import TyperGroup
except ModuleNotFoundError as error:
    if error.name not in ("typer", "rich"):
        raise
    sys.exit(f"punctual: the command line needs more packages: {command_to_install()}")

from punctual.cli.common_options import add_common_options
from punctual.cli.exits import CommandError, Exit, code_of, lines_of
from punctual.cli.machine import COMPLETE_VARIABLE, PROGRAM, prepare_completion
from punctual.cli.session import Session, Surroundings, surroundings

SET_UP, JOBS, LOOK, DEAD, FILES, HOOKS, ACCOUNT, OPERATORS = (
    "Set up",
    "Jobs",
    "Look",
    "Dead letters and bulk operations",
    "Files",
    "Receivers",
    "Account",
    "Operators",
)


@dataclass(frozen=True, slots=True)
class Module:
    """A module of `punctual.cli`, the part of the help that its commands are in, and their names in order."""

    name: str
    panel: str
    commands: tuple[str, ...]


MODULES: tuple[Module, ...] = (
    # Set up.
    Module("login", SET_UP, ("login", "whoami")),
    Module("machine", SET_UP, ("open", "health", "completion", "dev")),
    Module("raw", SET_UP, ("api",)),
    # Jobs.
    Module("jobs_read", JOBS, ("list", "get")),
    Module("jobs_write", JOBS, ("create", "edit")),
    Module("batches", JOBS, ("batch",)),
    Module("jobs_state", JOBS, ("pause", "resume", "trigger", "delete")),
    Module("backfills", JOBS, ("backfill",)),
    Module("calendars", JOBS, ("calendars",)),
    Module("triggers", JOBS, ("triggers", "events")),
    Module("workflows", JOBS, ("workflows",)),
    # Look.
    Module("runs", LOOK, ("runs", "run")),
    Module("tail", LOOK, ("tail",)),
    Module("next_runs", LOOK, ("next", "preview")),
    Module("upcoming", LOOK, ("upcoming",)),
    Module("stats", LOOK, ("stats", "busiest")),
    Module("why", LOOK, ("why",)),
    # Dead letters and bulk operations.
    Module("dead", DEAD, ("dead", "redrives")),
    Module("bulk_tasks", DEAD, ("bulk",)),
    Module("searches", DEAD, ("searches",)),
    # Files.
    Module("files", FILES, ("apply", "export")),
    Module("files_import", FILES, ("import",)),
    # Receivers.
    Module("listening", HOOKS, ("listen",)),
    Module("local_calls", HOOKS, ("send", "replay", "verify")),
    Module("reports", HOOKS, ("report",)),
    # Account.
    Module("keys", ACCOUNT, ("keys", "secrets")),
    Module("account", ACCOUNT, ("usage", "settings", "audit")),
    # Operators.
    Module("admin", OPERATORS, ("admin",)),
)
"""One line for each module, in the order of the help."""


class _Commands(MutableMapping[str, Any]):
    """The commands by name; one is made when it is asked for."""

    def __init__(self) -> None:
        self._modules = {command: module for module in MODULES for command in module.commands}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made.update(_made(self._modules[name]))
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def _made(module: Module) -> dict[str, Any]:
    """The commands of a module, with the options that all commands have."""
    app = _app()
    import_module(f"punctual.cli.{module.name}").add_to(app)
    commands: dict[str, Any] = dict(typer.main.get_group(app).commands)
    if set(commands) != set(module.commands):
        raise RuntimeError(
            f"{module.name} has the commands {sorted(commands)}, not {sorted(module.commands)}"
        )
    for command in commands.values():
        add_common_options(command)
    return commands


_OF_OTHER_PROGRAMS = ("--install-completion", "--show-completion")
"""Programs that are made with typer have these options; here, no command writes to the files of a shell."""


class _Root(TyperGroup):
    """The command itself, whose help has its commands in parts."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        if arguments and arguments[0].split("=")[0] in _OF_OTHER_PROGRAMS:
            raise CommandError(
                f"there is no option {arguments[0]}",
                Exit.USAGE,
                hint="`punctual completion SHELL` prints the script, and its --help says where to put it",
            )
        return list(super().parse_args(context, arguments))

    def list_commands(self, _: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, _: Any, formatter: Any) -> None:
        for panel in dict.fromkeys(module.panel for module in MODULES):
            names = [name for module in MODULES if module.panel == panel for name in module.commands]
            width = formatter.width - 6 - max(map(len, self.commands))
            with formatter.section(panel):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(width)) for name in names])


def _app(**options: Any) -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **options,
    )


@cache
def root() -> Any:
    """The command with all its commands."""
    app = _app(cls=_Root, no_args_is_help=True)

    @app.callback()
    def punctual() -> None:
        """Schedule jobs, follow their runs, and handle what failed.

        A JOB is named by its id, its key, or a name that only one job has. The URL and the key come from the options,
        from PUNCTUAL_URL and PUNCTUAL_KEY, or from a profile that `punctual login` stores.
        """

    command = typer.main.get_group(app)
    add_common_options(command, with_commands=False)
    return command


def run(arguments: Sequence[str], around: Surroundings) -> int:
    """Run a command line, and return its exit code."""
    session = Session(around)
    if COMPLETE_VARIABLE in around.environ:
        prepare_completion()
    try:
        root().main(args=list(arguments), prog_name=PROGRAM, obj=session)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else Exit.OK if end.code is None else Exit.FAILED
    except BrokenPipeError:
        return Exit.FAILED
    except Exception as error:  # noqa: BLE001 - no error ends with a traceback
        for line in lines_of(error, session.instants):
            session.warn(line)
        return code_of(error)
    finally:
        session.close()
    return Exit.OK


def main() -> None:
    """The entry point of the program."""
    code = run(sys.argv[1:], surroundings())
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would flush once more at its end, and report it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = Exit.FAILED
    sys.exit(code)
