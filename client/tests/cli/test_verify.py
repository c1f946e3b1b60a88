"""`punctual verify`: the verdict on a stored request, and which part is wrong."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from client.tests.cli.shell import Shell
from client.tests.support.calls import EXECUTION, FOREIGN, NEW, OLD, headers_of

BODY = b'{"kind": "nightly"}'


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(environ={"XDG_CONFIG_HOME": str(tmp_path), "PUNCTUAL_SIGNING_SECRET": f"{OLD} {NEW}"})


def saved(
    shell: Shell, changed: Mapping[str, str] | None = None, body: bytes = BODY, *, age: int = 12
) -> bytes:
    headers = {
        **headers_of(BODY, at=int(shell.deployment.runtime.now().timestamp()) - age),
        **(changed or {}),
    }
    lines = ["POST /hooks/report HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode() + body


def test_genuine_request_ends_with_0(shell: Shell) -> None:
    ran = shell.ok("verify", stdin=saved(shell))
    assert ran.out.startswith(f"genuine: {EXECUTION}, attempt 1, signed ")
    assert (ran.out.count("\n"), ran.err) == (1, "")


def test_file_is_read(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "request.http").write_bytes(saved(shell))
    found = shell.json("verify", str(tmp_path / "request.http"))
    assert found["genuine"] and found["problems"] == []
    assert (found["call_id"], found["job_id"], found["attempt"]) == (EXECUTION, "job_1001", 1)


@pytest.mark.parametrize(
    ("changed", "body", "part"),
    [
        ({"webhook-id": "exe_2"}, BODY, "webhook-id: "),
        ({"webhook-timestamp": "now"}, BODY, "webhook-timestamp: "),
        ({"webhook-signature": "v1,AAAA"}, BODY, "webhook-signature: "),
        ({}, BODY + b"\n", "body: the signature matches the body without the line break at its end"),
    ],
)
def test_part_that_is_wrong_is_named_and_ends_with_1(
    shell: Shell, changed: dict[str, str], body: bytes, part: str
) -> None:
    ran = shell.run("verify", stdin=saved(shell, changed, body))
    assert ran.code == 1
    assert part in ran.out and "genuine" not in ran.out


def test_old_request_is_wrong_unless_its_age_is_accepted(shell: Shell) -> None:
    old = saved(shell, age=3_600)
    ran = shell.run("verify", stdin=old)
    assert ran.code == 1
    assert (
        "webhook-timestamp: the call was signed 3600 s ago" in ran.out and "webhook-signature" not in ran.out
    )
    assert shell.ok("verify", "--tolerance", "4000", stdin=old).out.startswith("genuine")


def test_secret_of_another_endpoint_does_not_verify(shell: Shell) -> None:
    shell.environ["PUNCTUAL_SIGNING_SECRET"] = FOREIGN
    assert shell.run("verify", stdin=saved(shell)).code == 1


def test_document_says_what_is_wrong(shell: Shell) -> None:
    ran = shell.run("verify", "-o", "json", stdin=saved(shell, {"webhook-id": "a b"}))
    assert ran.code == 1
    assert ran.json["genuine"] is False and ran.json["call_id"] is None
    assert [each["part"] for each in ran.json["problems"]] == ["webhook-id"]


@pytest.mark.parametrize(
    "raw", [b"", b"no request", b"POST / HTTP/1.1\r\nno header\r\n\r\n", b"x" * 1_048_577]
)
def test_text_that_is_no_request_ends_with_2(shell: Shell, raw: bytes) -> None:
    ran = shell.run("verify", stdin=raw)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("punctual: ")


def test_without_a_secret_it_ends_with_2_and_says_what_to_do(shell: Shell) -> None:
    del shell.environ["PUNCTUAL_SIGNING_SECRET"]
    ran = shell.run("verify", stdin=saved(shell))
    assert ran.code == 2 and "--secret-file" in ran.err


def test_request_and_secret_cannot_both_be_standard_input(shell: Shell) -> None:
    assert shell.run("verify", "--secret-file", "-", stdin=saved(shell)).code == 2


def test_no_output_has_a_secret_a_signature_or_the_value_of_a_header(shell: Shell) -> None:
    ran = shell.run("verify", stdin=saved(shell, {"webhook-id": "exe_2", "X-Token": "hunter2"}))
    assert not any(text in ran.out + ran.err for text in ("hunter2", NEW, OLD, "v1,"))
