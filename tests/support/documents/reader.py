"""Pastes a page into bash from top to bottom, as a reader would, in front of an API that runs in memory.

* A shell block is pasted. `curl` and `python3` are the real programs, and a variable that one block sets is
  available in the next. `sleep` advances the deployment's clock, which Python programs share. `aws` is a program
  with some schedules. The project's own commands are checked, not executed. Any other program is unknown.
* A `python example` is a complete program with the SDK, and a line of an `sh example` a command of `punctual`. Both
  run in this process, with the deployment's clock, some minutes after the block before.
* A `json` block is the answer to the last request. `"..."` stands for anything, also within a text. As the name of
  a member, or as the last item of a list, it stands for any others.
* A `toml` block is a stage file, or a part of one.
* A `json message` block is the last message to a target.
* An `http` block is the last call to the receiver. An `http` block that starts with a status is what receivers
  answer from then on.

Every request of a shell block must succeed. Only the last one may fail, if the page shows a problem as its answer.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from http import HTTPStatus
from ipaddress import ip_network
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import orjson

from client.tests.sdk.deployment import Deployment, reached_by_clients
from infra.local.clock_offset import clock_variables
from infra.stage_files.read import parse_stage
from shared.adapters.targets.origin import with_origin
from shared.domain.delivery.aws_target import TargetKind
from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import ApiWorld, Request
from tests.support.contract.gateway import Got, Sent, got, serving
from tests.support.documents import aws_cli
from tests.support.documents.answers import Exchange, check_success, compare, receiver_response
from tests.support.documents.blocks import Block
from tests.support.documents.commands import COMMANDS, check_command
from tests.support.documents.plots import check_plot
from tests.support.documents.programs import run_commands, run_program
from tests.support.documents.queries import check_query
from tests.support.documents.snippets import run_snippet
from tests.support.fakes.sender import in_turn

PROGRAMS = ("curl", "python3", "tee", "env", "cat")
SLEEP = "/-/sleep/"
REDRIVER_SECONDS = 60
"""Within this time, the redriver has a tick."""
LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
"""What the laptop stack opens to calls."""
DRAWN = ("──", "►")
_PLACEHOLDER = re.compile(r"<[A-Za-z][^<>]*>")
_GIVEN = re.compile(r"\b(PUNCTUAL|(?:ADMIN_|OPERATOR_)?KEY)=[^\s$]\S*")
"""A variable that the deployment gives to the reader."""
_NOTED = re.compile(r"^([A-Z_]+)=\S*…\S*(.*)$", re.MULTILINE)
"""A variable that the reader fills in with a header of the last call, which the comment names."""
_NEEDED_KEYS = 'region = "eu-west-1"\nprotected = false\n'
"""What a block with a part of a stage file leaves out."""
_CHECKED = "\n".join(
    f'{name}() {{ printf \'%s\\0\' {name} "$@" >>"$COMMANDS"; printf \'\\n\' >>"$COMMANDS"; }}'
    for name in COMMANDS
)
_PROLOGUE = f"""
set -aeuo pipefail
{_CHECKED}
sleep() {{ curl -sSf "$API{SLEEP}$1"; }}
source() {{ :; }}
"""
_EPILOGUE = '\nenv -0 >"$STATE"\n'


class Reader:
    """One reader of one page, with a deployment, an API key and a shell."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._deployment = Deployment(world=ApiWorld(dial_exceptions=LOOPBACK))
        self._world, self._lanes = self._deployment.world, self._deployment.lanes
        self._exchanges: list[Exchange] = []
        self._unchecked: Exchange | None = None
        """The last request of the last shell block, whose status is expected to be shown next."""
        self.variables: dict[str, str] = {}
        self._given: dict[str, str] = {}
        self._namespace: dict[str, Any] = {}

    def connect(self, url: str) -> None:
        """Set up the shell, with the variables that `make run` prints."""
        programs = self._folder / "bin"
        programs.mkdir()
        for program in PROGRAMS:
            (programs / program).symlink_to(sys.executable if program == "python3" else str(which(program)))
        aws = programs / "aws"
        aws.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{aws_cli.__file__}" "$@"\n')
        aws.chmod(0o700)
        operator = self._world.world.create_tenant.operator().api_key
        self._given = {
            "PUNCTUAL": url,
            "KEY": self._world.world.credentials.api_key,
            "ADMIN_KEY": self._admin_key(operator),
            "OPERATOR_KEY": operator,
        }
        self.variables = {
            "PATH": str(programs),
            "NO_PROXY": "*",
            "API": url,
            "STATE": str(self._folder / "state"),
            "COMMANDS": str(self._folder / "commands"),
            "PUNCTUAL": url,
            "KEY": self._given["KEY"],
            "SECRET": self._world.world.credentials.signing_secret,
        }

    def answer(self, sent: Sent) -> Got:
        """Answer a request as the deployment would."""
        if sent.target.startswith(SLEEP):
            self._sleep(float(sent.target.removeprefix(SLEEP)))
            return Got(status=HTTPStatus.OK, headers={}, body=b"")
        answered = got(self._world.api(sent.event(), SimpleNamespace(aws_request_id="documents")))
        self._exchanges.append(
            Exchange(f"{sent.method} {sent.target}", answered.status, answered.body.decode())
        )
        return answered

    def read(self, block: Block) -> None:
        """Do what a reader does with a block; ValueError for a block of an unknown kind."""
        is_call = block.language == "http" and not block.text.startswith("HTTP/1.1 ")
        match block.language:
            case "json message":
                self._compare_message(orjson.loads(block.text))
            case "json":
                self._compare_answer(orjson.loads(block.text))
                return
            case "http" if is_call:
                self._compare_call(block.text)
            case "http":
                self._set_receiver(block.text)
            case "python example":
                self._take_a_break()
                with chdir(self._folder), reached_by_clients(self._deployment, self.variables):
                    run_program(block, {"__name__": "__main__"})
            case "sh example":
                self._take_a_break()
                with chdir(self._folder):
                    run_commands(block, self._deployment, self.variables)
            case "python sdk":
                # `client/tests/sdk/test_guide.py` runs these.
                pass
            case "sh guide" | "sh admin" | "text guide" | "http guide":
                # `client/tests/cli/test_command_line_guide.py` runs these.
                pass
            case "sh cli":
                # `client/tests/cli/test_reference.py` runs these.
                pass
            case language if "bus" in language.split():
                # `tests/unit/functions/test_event_receiver.py` and `client/tests/cli/test_event_sources.py` do.
                pass
            case "json tasks":
                # `client/tests/cli/test_tasks.py` sends it.
                pass
            case "sh importers" | "text importers" | "yaml importers":
                # `client/tests/importers/test_guide.py` runs these.
                pass
            case "sh apply" | "text apply" | "yaml apply":
                # `client/tests/cli/test_apply_guide.py` runs these.
                pass
            case language if "journey" in language.split() or language == "sh installation":
                # `tests/integration/test_user_journey.py` runs these, and a test of the client installs it.
                pass
            case "sh hooks" | "text hooks":
                # `client/tests/hooks/test_guide.py` runs these.
                pass
            case "toml" if "[profiles." in block.text:
                # Of a user of the client, whose tests read it.
                pass
            case "python":
                run_snippet(block.text, self._namespace)
            case "toml":
                needed = "" if "region =" in block.text else _NEEDED_KEYS
                parse_stage("prod", f"{needed}{block.text}".encode(), "stages/prod.toml")
            case "javascript" | "typescript" | "go":
                # `test_receivers.py` runs these against calls of the real signer.
                pass
            case "sql":
                check_query(block.text)
            case "mermaid":
                check_plot(block.text)
            case "" | "text" if any(sign in block.text for sign in DRAWN):
                pass
            case "" if re.match(r"\s*(?:from|import) ", block.text):
                run_snippet(block.text, self._namespace)
            case "sh" | "":
                self._paste(block.text)
            case _:
                raise ValueError(f"a block of an unknown kind: {block.language!r}")

    def close_page(self) -> None:
        """The last request of the page succeeded."""
        if self._unchecked is not None:
            check_success(self._unchecked)
        self._unchecked = None

    def _admin_key(self, operator: str) -> str:
        made = self._world.handle(
            Request(
                method="POST",
                path="/v1/admin/tenants/acme/keys",
                headers={"authorization": f"Bearer {operator}", "content-type": "application/json"},
                body=orjson.dumps({"scopes": list(Scope), "name": "admin"}),
            )
        )
        return str(made.json["api_key"])

    def _paste(self, text: str) -> None:
        self.close_page()
        del self._exchanges[:-1]
        before = len(self._exchanges)
        filled = _NOTED.sub(
            self._header, _GIVEN.sub(lambda given: f"{given[1]}={self._given[given[1]]}", text)
        )
        script = _PROLOGUE + _PLACEHOLDER.sub("X", filled) + _EPILOGUE
        pasted = subprocess.run(
            [str(which("bash")), "-c", script],
            env=self.variables | clock_variables(self._clock_offset()),
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
        )
        made = self._exchanges[before:]
        assert pasted.returncode == 0, (pasted.stderr, made)
        self._keep_variables()
        for words in self._noted_commands():
            check_command(words)
        for exchange in made[:-1]:
            check_success(exchange)
        self._unchecked = made[-1] if made else None

    def _header(self, noted: re.Match[str]) -> str:
        headers = dict(self._world.world.sender.calls[-1].callback.headers)
        [value] = [value for header, value in headers.items() if f" {header} " in noted[2]]
        return f"{noted[1]}={value}"

    def _keep_variables(self) -> None:
        pairs = (self._folder / "state").read_text(encoding="utf-8").split("\0")
        self.variables = dict(
            pair.split("=", 1) for pair in pairs if "=" in pair and not pair.startswith("BASH_FUNC")
        )

    def _noted_commands(self) -> list[list[str]]:
        noted = self._folder / "commands"
        if not noted.exists():
            return []
        lines = noted.read_text(encoding="utf-8").split("\0\n")
        noted.unlink()
        return [line.split("\0") for line in lines if line]

    def _clock_offset(self) -> int:
        return self._world.world.clock.time_ms // 1000 - int(time.time())

    def _take_a_break(self) -> None:
        """The redriver works for some minutes."""
        for _ in range(5):
            self._sleep(REDRIVER_SECONDS)

    def _sleep(self, seconds: float) -> None:
        """Everything runs that is due meanwhile."""
        self._lanes.until(self._world.world.clock.time_ms + int(seconds * 1000))
        if seconds >= REDRIVER_SECONDS:
            self._world.world.process_bulk_tasks.execute()

    def _compare_answer(self, shown: Any) -> None:
        assert self._exchanges, "an answer to no request"
        last, self._unchecked = self._exchanges[-1], None
        if not (isinstance(shown, dict) and "problem" in shown.get("type", "")):
            check_success(last)
        compare(shown, orjson.loads(last.text))

    def _compare_call(self, text: str) -> None:
        head, _, body = text.partition("\n\n")
        line, *lines = head.splitlines()
        callback = self._world.world.sender.calls[-1].callback
        method, path = line.removesuffix(" HTTP/1.1").split(" ")
        assert (method, path) == (callback.method, "/" + callback.url.split("/", 3)[3])
        real = {name.lower(): value for name, value in callback.headers}
        real["host"] = callback.url.split("/")[2]
        for name, shown in (header.split(": ", 1) for header in lines):
            compare(shown, real[name.lower()], name)
        if body.strip():
            compare(orjson.loads(body), orjson.loads(callback.body))

    def _compare_message(self, shown: Any) -> None:
        call = self._world.world.targets.calls[-1].call
        takes_origin = call.target.kind in (TargetKind.LAMBDA, TargetKind.EVENTBRIDGE)
        body = with_origin(call) if takes_origin else call.body
        compare(shown, {"body": orjson.loads(body), "attributes": dict(call.attributes)})

    def _set_receiver(self, text: str) -> None:
        head, _, body = text.strip().partition("\n\n")
        line, *lines = head.splitlines()
        status = int(line.split(" ")[1])
        headers = dict(header.split(": ", 1) for header in lines)
        self._world.world.sender.answer_to = in_turn(receiver_response(status, headers, body.encode()))


@contextmanager
def reader() -> Iterator[Reader]:
    """A reader with a deployment of its own."""
    with TemporaryDirectory() as folder:
        made = Reader(Path(folder))
        with serving(made.answer) as url:
            made.connect(url)
            yield made
