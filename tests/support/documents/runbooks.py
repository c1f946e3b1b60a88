"""Pastes the shell blocks of a runbook into one bash, as an operator would, in front of a deployed stack.

* `aws` is the real command line against the emulator; a table answers what the emulator does not offer.
* `punctual` runs the operators' command line against the stack. `curl` must succeed.
* `make`, `git` and the modules of `infra` are checked and not run.
"""

import gc
import io
import os
import re
import shlex
import subprocess
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from http import HTTPStatus
from pathlib import Path
from shutil import which

from functions.admin import __main__ as admin
from tests.support.contract.gateway import Got, Sent, serving
from tests.support.documents.aws_command import AwsCommand
from tests.support.documents.blocks import Block, blocks_of
from tests.support.documents.commands import check_command
from tests.support.sources import ROOT

RUNBOOKS = ROOT / "docs" / "runbooks"
INDEX = RUNBOOKS / "README.md"
PAGES = [page for page in sorted(RUNBOOKS.glob("*.md")) if page != INDEX]
HEADINGS = ("Symptom", "Confirm", "Act", "Healed when", "Undo", "Why it happens")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PROLOGUE = """
set -euo pipefail
_run() {{ printf '%s\\0' "$@" | command curl -sS --fail-with-body --data-binary @- {tools}; }}
aws() {{ _run aws "$@"; }}
make() {{ _run make "$@"; }}
git() {{ _run git "$@"; }}
python() {{ if [ "$1" = -m ]; then _run python "$@"; else command python "$@"; fi; }}
curl() {{ command curl --fail-with-body "$@"; }}
sleep() {{ [ "$1" -lt 60 ] || command sleep "$1"; }}
"""
"""A minute is waited out: the functions of the stack act by its end."""


def headings_of(page: Path) -> tuple[str, ...]:
    return tuple(_HEADING.findall(page.read_text(encoding="utf-8")))


def section(page: Path, heading: str) -> str:
    """The text below a heading of the second level."""
    _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))[heading]


_THREAD = ThreadPoolExecutor(1)
"""Connections belong to a thread, and would be left open at the end of the listener's thread."""


class OperatorShell:
    """A shell in the checkout, in which an operator has the rights to do everything that the pages ask for."""

    def __init__(self, aws: AwsCommand, folder: Path) -> None:
        self._aws = aws
        self._folder = folder
        self.failures: list[str] = []
        """What commands printed that failed, in order."""

    def paste(self, pages: list[Path], variables: Mapping[str, str]) -> str:
        """What the blocks of the pages print. AssertionError with the line of the first block that fails."""
        lines: list[str] = []
        blocks = [block for page in pages for block in blocks_of(page) if block.language == "sh"]
        self.paste_blocks(blocks, variables, lines.append)
        return "\n".join(lines)

    def paste_blocks(
        self, blocks: list[Block], variables: Mapping[str, str], show: Callable[[str], None]
    ) -> None:
        """Run the blocks in one shell, and show each line that they print, or that is about to be run after `$`.

        AssertionError with the line of the first block that fails.
        """
        at = self._folder / "at"
        with serving(self._answer) as tools:
            script = _PROLOGUE.format(tools=tools) + "".join(
                f"\necho {block.document.name}:{block.line} >{at}\necho {shlex.quote(_typed(block))}\n{block.text}"
                for block in blocks
            )
            with subprocess.Popen(
                [str(which("bash")), "-c", script],
                cwd=ROOT,
                env={**os.environ, "HOME": str(self._folder), **variables},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            ) as pasted:
                last: deque[str] = deque(maxlen=20)
                for line in pasted.stdout or ():
                    last.append(line)
                    show(line.removesuffix("\n"))
        place = at.read_text(encoding="utf-8") if at.exists() else "before the first block"
        assert pasted.returncode == 0, (place, list(last), self.failures[-3:])

    def _answer(self, sent: Sent) -> Got:
        program, *words = sent.body.decode().removesuffix("\0").split("\0")
        status, printed = _THREAD.submit(self._run, program, words).result()
        if status:
            self.failures.append(f"{program} {' '.join(words)}: {printed}")
        code = HTTPStatus.INTERNAL_SERVER_ERROR if status else HTTPStatus.OK
        return Got(status=code, headers={}, body=printed.encode())

    def _run(self, program: str, words: list[str]) -> tuple[int, str]:
        if program == "aws":
            return self._aws.run(words)
        if words[:2] == ["-m", "functions.admin"]:
            return punctual(words[2:])
        try:
            check_command([program, *words])
        except (AssertionError, SystemExit) as error:
            return 1, repr(error)
        return 0, ""


def _typed(block: Block) -> str:
    return "$ " + block.text.strip().replace("\n", "\n  ")


def punctual(words: list[str]) -> tuple[int, str]:
    """Run an operators' command in this process; its exit status, and what it prints."""
    printed = io.StringIO()
    # A command leaves its connections to the end of its process, and here to the collector.
    with redirect_stdout(printed), redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            status = admin.main(words)
        except SystemExit as ended:
            status = int(ended.code or 0)
        gc.collect()
    return status, printed.getvalue()
