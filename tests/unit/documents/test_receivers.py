"""The receivers of the guide in Node and Go, and odd requests to the one in Python, against the real signer."""

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from infra.local.state_dir import PROJECT_ROOT
from tests.support.documents.blocks import BLOCKS, blocks_of
from tests.support.documents.reader import Reader
from tests.unit.documents.test_guides import FOREIGN, GUIDES, NEW, OLD, call, code_of, page, reported, started

__all__ = ["page"]

GUIDE = "verify-calls.md"
GO_ROOT = PROJECT_ROOT / ".tools" / "go" / "go"
GO = GO_ROOT / "bin" / "go"
GO_ENVIRONMENT = {
    "PATH": str(GO.parent),
    "HOME": str(GO_ROOT),
    "GOROOT": str(GO_ROOT),
    "GOCACHE": str(GO_ROOT / "cache"),
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "CGO_ENABLED": "0",
}
ODD_HEADERS = [
    {},
    {"webhook-signature": "v1"},
    {"webhook-signature": "v1,a"},
    {"webhook-signature": "v1,a,b"},
    {"webhook-signature": "v1,é"},
    {"webhook-signature": ""},
    {"webhook-timestamp": "now"},
    {"webhook-timestamp": "nan"},
    {"webhook-timestamp": "9" * 400},
    {"webhook-timestamp": ""},
]
JUDGE_IN_NODE = """
import { readFileSync } from "node:fs";
const judged = JSON.parse(readFileSync(0, "utf8")).map(([secret, headers, body]) => {
  try { verify(secret, headers, Buffer.from(body)); return true; } catch { return false; }
});
console.log(JSON.stringify(judged));
"""
SERVE_IN_NODE = """
const server = receiver(process.env.SECRET, async (body) => {
  await report(process.env.EXECUTION, process.env.TOKEN, "heartbeat");
  if (body.toString() !== "{}") throw new Error("the warehouse is closed");
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"""
JUDGE_IN_GO = """
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	var calls []struct {
		Secret  string
		Headers map[string]string
		Body    []byte
	}
	if err := json.NewDecoder(os.Stdin).Decode(&calls); err != nil {
		panic(err)
	}
	judged := []bool{}
	for _, each := range calls {
		header := http.Header{}
		for name, value := range each.Headers {
			header.Set(name, value)
		}
		judged = append(judged, Verify(each.Secret, header, each.Body) == nil)
	}
	text, _ := json.Marshal(judged)
	fmt.Println(string(text))
}
"""


def source(language: str) -> str:
    """All code of the guide in a language, as one file."""
    return "".join(block.text for block in blocks_of(GUIDES / GUIDE) if block.language == language)


SignedCall = tuple[str, dict[str, str], bytes]
"""A secret, the headers and the body. It is signed when its test begins: receivers refuse calls of five minutes ago."""


def genuine_calls() -> list[SignedCall]:
    bodies = (b"", b'{"n":1}', "€".encode())
    return [(secret, call(body, NEW, OLD), body) for secret in (OLD, NEW) for body in bodies]


def forged_calls() -> list[SignedCall]:
    return [
        (NEW, call(b"{}", NEW), b"[]"),
        (NEW, call(b"{}", FOREIGN), b"{}"),
        (NEW, call(b"{}", NEW, age_seconds=86_400), b"{}"),
        (NEW, call(b"{}", NEW, age_seconds=-86_400), b"{}"),
        (NEW, {**call(b"{}", NEW), "webhook-id": "exe_2"}, b"{}"),
        (NEW, {}, b""),
    ]


def run(command: list[str], folder: Path, sent: Any, environment: dict[str, str] | None = None) -> Any:
    done = subprocess.run(
        command,
        cwd=folder,
        input=json.dumps(sent),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def node() -> str:
    found = shutil.which("node")
    assert found is not None, "Node is a prerequisite of the project"
    return found


def test_code_in_node_and_go_is_in_the_guide_that_these_tests_run() -> None:
    assert {block.document.name for block in BLOCKS if block.language in ("javascript", "go")} == {GUIDE}


def test_receiver_in_node_accepts_genuine_calls_and_refuses_others(tmp_path: Path) -> None:
    file = tmp_path / "judge.mjs"
    file.write_text(source("javascript") + JUDGE_IN_NODE, encoding="utf-8")
    odd = [(NEW, {**call(b"", NEW), **headers}, b"") for headers in ODD_HEADERS[1:]]
    genuine, others = genuine_calls(), [*forged_calls(), *odd]
    sent = [(secret, headers, body.decode()) for secret, headers, body in [*genuine, *others]]
    assert run([node(), str(file)], tmp_path, sent) == [True] * len(genuine) + [False] * len(others)


def test_receiver_in_typescript_is_the_one_in_node_with_types() -> None:
    (typed,) = [block for block in BLOCKS if block.language == "typescript"]
    assert typed.document.name == GUIDE
    assert "any" not in re.findall(r": (\w+)", typed.text)
    lines = [line for line in typed.text.splitlines() if line and not line.startswith("import type ")]
    plain = [re.sub(r": (?:string|void|Buffer|IncomingHttpHeaders)\b", "", line) for line in lines]
    assert plain == [line for line in source("javascript").splitlines() if line][: len(plain)]


@pytest.mark.engines
def test_receiver_in_go_accepts_genuine_calls_and_refuses_others(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module receiver\n\ngo 1.19\n", encoding="utf-8")
    (tmp_path / "verify.go").write_text(
        source("go").replace("package receiver", "package main"), encoding="utf-8"
    )
    (tmp_path / "main.go").write_text(JUDGE_IN_GO, encoding="utf-8")
    genuine, forged = genuine_calls(), forged_calls()
    sent = [
        {"Secret": secret, "Headers": headers, "Body": base64.b64encode(body).decode()}
        for secret, headers, body in [*genuine, *forged]
    ]
    assert run([str(GO), "run", "."], tmp_path, sent, GO_ENVIRONMENT) == [True] * len(genuine) + [
        False
    ] * len(forged)


@pytest.mark.parametrize(("body", "state"), [(b"{}", "succeeded"), (b"[]", "waiting")])
def test_receiver_in_node_answers_202_and_reports(
    page: Reader, tmp_path: Path, body: bytes, state: str
) -> None:
    execution, token = started(page)
    file = tmp_path / "serve.mjs"
    file.write_text(source("javascript") + SERVE_IN_NODE, encoding="utf-8")
    variables = {
        "PUNCTUAL": page.variables["PUNCTUAL"],
        "SECRET": NEW,
        "EXECUTION": execution,
        "TOKEN": token,
    }
    with subprocess.Popen([node(), str(file)], env=variables, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/hooks/export"
        try:
            with pytest.raises(HTTPError, match="401"):
                urlopen(Request(url, headers=call(body, FOREIGN), data=body))
            headers = {**call(body, NEW), "webhook-id": execution}
            with pytest.raises(HTTPError, match="401"):
                urlopen(Request(url, headers=headers, data=body))
            genuine = {**call(body, NEW, message_id=execution), "X-Callback-Token": token}
            with urlopen(Request(url, headers=genuine, data=body)) as answer:
                assert (answer.status, answer.headers["X-Punctual-Async"]) == (202, "true")
            assert reported(page, execution) == state
        finally:
            server.terminate()


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff"])
@pytest.mark.parametrize("odd", ODD_HEADERS, ids=lambda odd: str(odd)[:40])
def test_receiver_in_python_judges_odd_requests_without_an_error(odd: dict[str, str], body: bytes) -> None:
    is_genuine = code_of(GUIDE)["is_genuine"]
    headers = {**call(body, NEW), **odd}
    assert is_genuine(NEW, headers, body) is (odd == {} and body != b"\xff")
    assert is_genuine(NEW, odd, body) is False


@pytest.mark.parametrize("odd", ODD_HEADERS[1:], ids=lambda odd: str(odd)[:40])
def test_verification_by_hand_raises_nothing_but_value_errors(odd: dict[str, str]) -> None:
    verify_by_hand = code_of(GUIDE)["verify_by_hand"]
    for headers in (odd, {**call(b"", NEW), **odd}):
        with pytest.raises(ValueError, match=r".+"):
            verify_by_hand(NEW, headers, b"")
