"""Programs and commands of a document that use the client, run in front of an API in memory.

A program prints what its comments say: each `print(...)` that has a comment prints one line.
"""

import contextlib
import io
import re
import shlex
from collections.abc import Mapping
from typing import Any

from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import Deployment
from tests.support.documents.answers import compare
from tests.support.documents.blocks import Block

EXPECTED = re.compile(r"print\(.*\)  # (.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"\$([A-Z_]+)")


def run_program(block: Block, namespace: dict[str, Any]) -> None:
    """Execute a program, and compare what it prints with its comments."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, str(block), "exec"), namespace)
    compare(EXPECTED.findall(block.text), printed.getvalue().splitlines(), str(block))


def run_commands(block: Block, deployment: Deployment, variables: Mapping[str, str]) -> None:
    """Run each line of a block, which is a command line of `punctual`; AssertionError unless all succeed."""
    shell = Shell(deployment)
    for line in block.text.replace("\\\n", " ").splitlines():
        program, *words = shlex.split(_VARIABLE.sub(lambda name: variables[name[1]], line), comments=True)
        assert program == "punctual", line
        shell.ok(*words)
