"""The commands of the guide for receivers do what the guide shows."""

import re
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.tests.cli.shell import Ran, Shell
from client.tests.cli.test_listen import call, free_port
from client.tests.cli.test_replay import dead_letter
from client.tests.support.calls import NEW, headers_of
from infra.local.receiver import Receiver
from punctual.hooks.listener import Limits
from punctual.hooks.wire import MAX_HEAD_BYTES
from tests.support.api.request_factory import ALL_SCOPES
from tests.support.documents.answers import compare
from tests.support.documents.blocks import blocks_of
from tests.support.sources import ROOT

GUIDE = ROOT / "docs" / "guides" / "develop-receivers.md"
BODY = b'{"kind": "nightly"}'
VARIABLE = re.compile(r"export (\w+)=\$SECRET")


class Reader:
    """Runs the commands of the guide, with the ports of the test in the place of those of the guide."""

    def __init__(self, shell: Shell, receiver: Receiver) -> None:
        self._dead = dead_letter(shell).id
        self._shell = shell
        self._receiver = receiver
        self.port = 0
        self.last: list[str] = []
        """The lines of the last command."""

    def run(self, text: str) -> None:
        variable = VARIABLE.match(text)
        if variable is not None:
            self._shell.environ[variable[1]] = NEW
            return
        given = text.replace("localhost:3000", f"localhost:{self._receiver.port}").replace(
            "exe_…", self._dead
        )
        words = shlex.split(given)
        assert words[0] == "punctual"
        stdin = b""
        if "<" in words:
            assert words[words.index("<") + 1] == "request.http"
            stdin, words = self._stored(), words[: words.index("<")]
        ran = self._listen(words[1:]) if words[1] == "listen" else self._shell.run(*words[1:], stdin=stdin)
        assert ran.code == (1 if words[1] == "verify" else 0), ran
        # Without the totals at the end, and with the notes before the results, as a terminal shows them.
        notes = ran.err.splitlines()[:-1] if words[1] == "listen" else ran.err.splitlines()
        shown = "\n".join([*notes, *ran.out.splitlines()])
        for ours, real in (
            ("localhost:3000", f"localhost:{self._receiver.port}"),
            (":14569", f":{self.port}"),
        ):
            shown = shown.replace(real, ours)
        self.last = shown.splitlines()

    def _stored(self) -> bytes:
        """A request to whose body an editor has added a line break."""
        headers = headers_of(BODY, at=int(self._shell.deployment.runtime.now().timestamp()))
        lines = [
            "POST /hooks/report HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items()),
            "",
            "",
        ]
        return "\n".join(lines).encode() + BODY + b"\n"

    def _listen(self, words: list[str]) -> Ran:
        self.port = free_port()
        ran = list[Ran]()
        rest = ["--port", str(self.port), "--calls", "1"]
        thread = threading.Thread(target=lambda: ran.append(self._shell.run(*words, *rest)), daemon=True)
        thread.start()
        call(self.port, headers=headers_of(b"{}", at=int(self._shell.deployment.runtime.now().timestamp())))
        thread.join(10)
        return ran[0]


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    shell = Shell(environ={"XDG_CONFIG_HOME": str(tmp_path)})
    shell.key = str(shell.deployment.world.world.create_tenant.execute("shop", ALL_SCOPES).api_key)
    with Receiver(secret=NEW) as receiver:
        yield Reader(shell, receiver)


def test_commands_of_the_guide_print_what_it_shows(reader: Reader) -> None:
    blocks = [block for block in blocks_of(GUIDE) if block.language in ("sh hooks", "text hooks")]
    assert len(blocks) > 6
    for block in blocks:
        if block.language == "sh hooks":
            reader.run(block.text.strip())
        else:
            shown = block.text.splitlines()
            compare(shown, reader.last[: len(shown)], str(block))


def test_limits_of_the_guide_are_those_of_the_code() -> None:
    limits, text = Limits(), GUIDE.read_text(encoding="utf-8")
    assert (
        f"{limits.body_bytes // 1024**2} MiB for a call, {MAX_HEAD_BYTES // 1024} KiB for its headers" in text
    )
    assert f"| {limits.calls}; a further one" in text
    assert (
        f"{limits.request_seconds:g} s for a call to arrive, {limits.answer_seconds:g} s for the receiver"
        in text
    )
