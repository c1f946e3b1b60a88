"""The guide to the command line: its commands print what the page shows, in front of an API in memory."""

import re
import shlex
from dataclasses import dataclass, field

from client.tests.cli.shell import Shell
from client.tests.cli.test_tail import tailing
from client.tests.cli.worlds import tenant_with_all_scopes
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.documents.blocks import Block, blocks_of
from tests.support.sources import ROOT

GUIDE = ROOT / "docs" / "guides" / "command-line.md"
TAIL_SECONDS = 400


@dataclass
class Reader:
    """Pastes the blocks of the page, and compares what they print with the block after them."""

    shell: Shell = field(default_factory=Shell)
    out: str = ""
    """What the last block printed with its last command."""
    run: str = ""
    """The id of the last run that was printed: the reader's `$RUN`."""

    def read(self, block: Block) -> None:
        match block.language:
            case "sh guide":
                for line in block.text.splitlines():
                    self._paste(line)
            case "sh admin":
                words, _, file = block.text.strip().partition(" > ")
                assert file
                assert tenant_with_all_scopes().ok(*shlex.split(words)[1:]).out.startswith("pk_")
            case "text guide":
                assert re.fullmatch(pattern(block.text), self.out, re.DOTALL), (str(block), self.out)
            case "http guide":
                status = int(block.text.split()[1])
                reason = Reason.OK if status < 300 else Reason.HTTP_STATUS
                answer = CallbackResponse(reason=reason, duration_ms=5, status=status)
                self.shell.deployment.world.world.sender.answer_to = lambda _: answer
            case _:
                raise ValueError(f"{block}: a block of {block.language}")

    def _paste(self, line: str) -> None:
        program, *words = shlex.split(line.replace("$RUN", self.run))
        if program == "sleep":
            self.shell.deployment.sleep(float(words[0]))
            return
        assert program == "punctual"
        ran = tailing(self.shell, TAIL_SECONDS, *words) if words[0] == "tail" else self.shell.run(*words)
        assert ran.code == 0, (line, ran)
        self.out = ran.out
        self.run = next(iter(re.findall(r"exe_\w+", ran.out)), self.run)


def pattern(shown: str) -> str:
    """`...` stands for anything within a line; alone on a line, for any lines."""
    lines = [
        "(?:[^\n]*\n)*" if line == "..." else "[^\n]*".join(map(re.escape, line.split("..."))) + "\n"
        for line in shown.splitlines()
    ]
    return "".join(lines)


def test_commands_of_the_guide_print_what_it_shows() -> None:
    reader = Reader()
    blocks = blocks_of(GUIDE)
    assert len(blocks) > 10
    for block in blocks:
        reader.read(block)
