"""The first hour of a new user, by the page's own commands, on the laptop stack: from a login to a pruned file."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which

import pytest

from infra.local.receiver import Receiver
from infra.local.sockets import free_port
from infra.local.stack import LocalStack
from tests.support.documents.answers import compare
from tests.support.documents.blocks import Block, blocks_of
from tests.support.sources import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.engines]

PAGE = ROOT / "docs" / "guides" / "journey.md"
WAIT_SECONDS, COMMAND_SECONDS = 240, 120
"""How long a command is repeated until it prints something, and how long one may take."""


class User:
    """Two terminals: one for the commands of the page, and one in which a command goes on."""

    def __init__(
        self, folder: Path, receiver: Receiver, variables: dict[str, str], tick: Callable[[], None]
    ) -> None:
        self._folder = folder
        self._ports = {"14567": str(receiver.port), "14569": str(free_port())}
        self._variables = variables
        self._tick = tick
        self._background: subprocess.Popen[str] | None = None
        self._shown = folder / "background.txt"
        self.last = ""
        """What the last command printed."""

    def read(self, block: Block) -> None:
        """Do what a reader does with a block."""
        match block.language.split():
            case ["sh", "journey"]:
                self._paste(block)
            case ["sh", "journey", "wait"]:
                self._repeat(block)
            case ["sh", "journey", "background"]:
                self._start(block)
            case ["text", "journey"]:
                shown, real = block.text.splitlines(), self.last.splitlines()
                compare(shown, real[: len(shown)], str(block))
            case ["text", "journey", "background"]:
                self._await_line(block.text.strip())

    def close(self) -> None:
        """End the command that goes on; it ends with 0."""
        if self._background is not None:
            self._background.send_signal(signal.SIGINT)
            assert self._background.wait(20) == 0, self._shown.read_text()
            self._background = None

    def _script(self, text: str) -> str:
        for ours, real in self._ports.items():
            text = text.replace(f":{ours}", f":{real}")
        return text.replace("punctual listen ", f"punctual listen --port {self._ports['14569']} ")

    def _paste(self, block: Block) -> None:
        done = self._bash(f"set -euo pipefail\n{self._script(block.text)}\nenv -0 > state")
        assert done.returncode == 0, (str(block), done.stdout, done.stderr)
        pairs = (self._folder / "state").read_text().split("\0")
        self._variables = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        self._keep(done.stdout)

    def _repeat(self, block: Block) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            done = self._bash(f"set -euo pipefail\n{self._script(block.text)}")
            if done.returncode == 0 and done.stdout:
                return self._keep(done.stdout)
            assert time.monotonic() < deadline, (str(block), done.stdout, done.stderr)
            time.sleep(1)
            self._tick()

    def _keep(self, printed: str) -> None:
        for ours, real in self._ports.items():
            printed = printed.replace(f":{real}", f":{ours}")
        self.last = printed

    def _bash(self, script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(which("bash")), "-a", "-c", script],
            env=self._variables,
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )

    def _start(self, block: Block) -> None:
        self.close()
        *before, last = self._script(block.text).strip().splitlines()
        script = "\n".join(["set -euo pipefail", *before, f"exec {last}"])
        with self._shown.open("w") as shown:
            self._background = subprocess.Popen(
                [str(which("bash")), "-a", "-c", script],
                env=self._variables,
                cwd=self._folder,
                stdout=shown,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._await_line("Listening on ...")

    def _await_line(self, shown: str) -> None:
        pattern = re.compile(".*".join(re.escape(part) for part in shown.split("...")))
        deadline = time.monotonic() + WAIT_SECONDS
        while not any(pattern.fullmatch(line) for line in self._shown.read_text().splitlines()):
            assert time.monotonic() < deadline, (shown, self._shown.read_text())
            assert self._background is not None and self._background.poll() is None, self._shown.read_text()
            time.sleep(0.2)


@pytest.fixture
def user(stack: LocalStack, tmp_path: Path) -> Iterator[User]:
    """A user with a tenant and a receiver, whose `punctual` is that of the sources."""
    tenant = stack.create_tenant("journey", scopes="read,write,admin")
    program = tmp_path / "bin" / "punctual"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from punctual.cli.main import main; main()" "$@"\n'
    )
    program.chmod(0o700)
    with Receiver(secret=tenant.signing_secret) as receiver:
        made = User(
            tmp_path,
            receiver,
            {
                "HOME": str(tmp_path),
                "PATH": f"{program.parent}:{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT / "client" / "src"),
                "NO_PROXY": "*",
                "PUNCTUAL": stack.api_url,
                "KEY": tenant.api_key,
                "SECRET": tenant.signing_secret,
                "PUNCTUAL_SIGNING_SECRET": tenant.signing_secret,
            },
            stack.tick,
        )
        yield made
        made.close()
        assert all(call.genuine for call in receiver.calls())
        assert {call.path for call in receiver.calls()} == {"/ok"}


def test_every_command_of_the_page_does_what_it_says(user: User) -> None:
    blocks = [block for block in blocks_of(PAGE) if "journey" in block.language]
    assert len(blocks) > 15
    for block in blocks:
        user.read(block)
