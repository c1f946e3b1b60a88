"""`punctual open`, `health`, `completion` and `dev`: the deployment as a whole, and this machine."""

import shlex
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.session import session_of

DOCS = "/v1/docs"
PROGRAM, COMPLETE_VARIABLE = "punctual", "_PUNCTUAL_COMPLETE"
_IS_CHECKOUT = ("Makefile", "infra/local/run.py", "client/pyproject.toml")


def open_docs(
    context: typer.Context,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in a browser, too.")] = False,
) -> None:
    """Show the address of the deployment's documentation, where requests can be tried."""
    session = session_of(context)
    address = f"{session.client.url}{DOCS}"
    session.show(address, {"url": address})
    if browser and not session.around.browse(address):
        raise CommandError("no browser can be opened here")


def check_health(context: typer.Context) -> None:
    """Ask whether the API answers; 8 if it does not. No key is needed."""
    session = session_of(context)
    health = session.client.health.get()
    session.show(health.status, health)


def print_completion(
    context: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Print the script that completes commands and options in a shell.

    For bash: `source <(punctual completion bash)` in ~/.bashrc. For zsh: the same with zsh, after compinit, in
    ~/.zshrc. For fish: `punctual completion fish > ~/.config/fish/completions/punctual.fish`.
    """
    completion: Any = import_module("typer.completion")
    script = completion.get_completion_script(prog_name=PROGRAM, complete_var=COMPLETE_VARIABLE, shell=shell)
    session_of(context).out.line(script)


def prepare_completion() -> None:
    """Let typer answer the questions of the scripts, which come in environment variables."""
    completion: Any = import_module("typer.completion")
    completion.completion_init()


def run_laptop_stack(
    context: typer.Context,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- ARGS]...", help="Passed on, such as -- --fresh.", show_default=False),
    ] = None,
) -> None:
    """Run Punctual on this machine until Ctrl-C: `make run` in a checkout of its repository."""
    around = session_of(context).around
    checkout = _checkout(around.directory)
    words = ["make", "run", *([f"ARGS={shlex.join(arguments)}"] if arguments else [])]
    code = around.execute(words, checkout)
    if code:
        raise CommandError(f"make run ended with {code}")


def _checkout(directory: Path) -> Path:
    for each in (directory, *directory.parents):
        if all((each / name).is_file() for name in _IS_CHECKOUT):
            return each
    raise CommandError(
        f"{directory} is in no checkout of Punctual",
        Exit.USAGE,
        hint="`punctual dev` runs the laptop stack from its source: clone the repository, and run it there",
    )


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("open")(open_docs)
    app.command("health")(check_health)
    app.command("completion")(print_completion)
    app.command("dev")(run_laptop_stack)
