"""Who follows the pages of a drill: the drill itself, a person at another terminal, or no operator."""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.local.clients import CREDENTIALS, REGION
from infra.local.stack import LocalStack
from infra.stages import local_stage
from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop
from tests.drills.pages import blocks_of_steps
from tests.drills.runner import ABANDONED_MINUTES, HEAL_MINUTES
from tests.support.documents.aws_command import FOLDER
from tests.support.documents.runbooks import OperatorShell
from tests.support.sources import ROOT

Say = Callable[[str], None]
ENVIRONMENT = "drill.env"


def variables(stack: LocalStack) -> dict[str, str]:
    """The variables with which the commands of the pages reach the stack."""
    aws = CREDENTIALS | {
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ENDPOINT_URL": stack.endpoint,
    }
    return aws | {"STAGE": local_stage().name, "PUNCTUAL": stack.api_url, "NO_PROXY": "*", "no_proxy": "*"}


@dataclass(slots=True, kw_only=True)
class Automatic:
    """Runs the commands of the pages, each shown first."""

    laptop: Laptop
    shell: OperatorShell
    say: Say
    minutes: int = HEAL_MINUTES

    def act(self, drill: Drill) -> None:
        self.follow(drill, *drill.act)

    def follow(self, drill: Drill, *steps: Steps) -> None:
        """Run these steps; AssertionError with the command that fails."""
        given = variables(self.laptop.stack) | drill.variables(self.laptop)
        self.shell.paste_blocks(blocks_of_steps(*steps), given, self.say)


@dataclass(slots=True, kw_only=True)
class Person:
    """Tells a person which page to open, and how to reach the stack from another terminal."""

    laptop: Laptop
    folder: Path
    say: Say
    minutes: int = ABANDONED_MINUTES

    def act(self, drill: Drill) -> None:
        file = self.folder / ENVIRONMENT
        file.write_text(_exports(self.folder, variables(self.laptop.stack) | drill.variables(self.laptop)))
        pages = list(dict.fromkeys(f"docs/runbooks/{step.page}.md" for step in drill.act))
        self.say(f"YOU    open {' and '.join(pages)}, and follow it in another terminal, after this line:")
        self.say(f"         cd {ROOT} && source {file}")
        self.say("       The drill ends when the signals have ended and no call is overdue. Ctrl-C gives up.")


@dataclass(slots=True, kw_only=True)
class Absent:
    """Does nothing: shows that the fault does not heal by itself."""

    minutes: int

    def act(self, drill: Drill) -> None:
        """Leave the pages closed."""


def _exports(folder: Path, given: Mapping[str, str]) -> str:
    """A file to source: the variables, and the pinned AWS command line before any other."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    aws = programs / "aws"
    aws.write_text(f'#!/bin/sh\nPYTHONPATH={FOLDER} exec {sys.executable} -m awscli "$@"\n')
    aws.chmod(0o700)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in given.items()]
    path = f'export PATH="{programs}:{ROOT / ".venv" / "bin"}:$PATH"'
    return "\n".join([*lines, path, "source docs/runbooks/setup.sh", ""])
