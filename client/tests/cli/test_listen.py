"""`punctual listen`: its options, what it shows, and how it ends."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import punctual
from client.tests.cli.shell import Ran, Shell
from client.tests.support.calls import EXECUTION, NEW, headers_of
from infra.local.receiver import Receiver
from punctual.cli.arrivals import document, lines_of
from punctual.hooks.arrival import Arrival, Outcome, Source
from punctual.webhooks.diagnosis import Problem

TOKYO = timezone(timedelta(hours=9))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver(secret=NEW) as running:
        yield running


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(environ={"XDG_CONFIG_HOME": str(tmp_path), "PUNCTUAL_SIGNING_SECRET": NEW})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def call(port: int, path: str = "/report", headers: dict[str, str] | None = None) -> int:
    """The status of a call, as soon as there is a server."""
    for _ in range(500):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("POST", path, body=b"{}", headers=headers or {})
            return connection.getresponse().status
        except ConnectionRefusedError:
            time.sleep(0.02)
        finally:
            connection.close()
    raise TimeoutError


def listened(shell: Shell, receiver: Receiver, *options: str, calls: int = 1) -> tuple[Ran, list[int]]:
    """What `listen` did with some calls, and their statuses."""
    port, ran = free_port(), list[Ran]()
    words = [
        "listen",
        "--forward-to",
        f"{receiver.url}/hooks",
        "--port",
        str(port),
        "--calls",
        str(calls),
        *options,
    ]
    thread = threading.Thread(target=lambda: ran.append(shell.run(*words)), daemon=True)
    thread.start()
    at = int(shell.deployment.runtime.now().timestamp())
    statuses = [call(port, headers=headers_of(b"{}", at=at)) for _ in range(calls)]
    thread.join(10)
    return ran[0], statuses


def test_call_is_shown_and_forwarded(shell: Shell, receiver: Receiver) -> None:
    ran, statuses = listened(shell, receiver)
    assert (ran.code, statuses) == (0, [200])
    [arrived] = receiver.calls()
    assert (arrived.path, arrived.body, arrived.genuine) == ("/hooks/report", b"{}", True)
    [line] = ran.out.splitlines()
    assert f"  {EXECUTION}  job_1001  attempt 1  lag " in line
    assert re.search(r"  signature ok  POST /report  200 in [0-9]+ ms$", line)
    assert "Listening on http://127.0.0.1:" in ran.err and "checked with 1 secret." in ran.err
    assert ran.err.endswith("1 calls: 1 answered by the receiver\n")
    assert NEW not in ran.err + ran.out and shell.opened == []


def test_without_a_secret_the_user_is_told(shell: Shell, receiver: Receiver) -> None:
    del shell.environ["PUNCTUAL_SIGNING_SECRET"]
    ran, _ = listened(shell, receiver)
    assert "Signatures are not checked" in ran.err and "signature not checked" in ran.out


def test_programs_get_a_document_in_each_line(shell: Shell, receiver: Receiver) -> None:
    ran, _ = listened(shell, receiver, "-o", "json", calls=2)
    first, second = map(json.loads, ran.out.splitlines())
    assert first["call_id"] == second["call_id"] == EXECUTION
    assert (first["genuine"], first["problems"], first["status"]) == (True, [], 200)
    assert (first["answered_by"], first["path"]) == ("receiver", "/report")


def test_faults_are_those_of_the_seed(shell: Shell, receiver: Receiver) -> None:
    options = ("--fail", "503:50%", "--seed", "7")
    first, statuses = listened(shell, receiver, *options, calls=8)
    _, again = listened(shell, receiver, *options, calls=8)
    assert statuses == again and set(statuses) == {200, 503}
    assert first.out.count(" by --fail\n") == statuses.count(503)
    assert len(receiver.calls()) == 2 * statuses.count(200)
    assert "--seed 7 draws the same ones again" in first.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--forward-to", "https://example.com"], "add --allow-remote"),
        (["--forward-to", "http://localhost:1/?a=1"], "has a query"),
        (["--bind", "0.0.0.0"], "other machines could call"),
        (["--bind", "::"], "other machines could call"),
        (["--fail", "often"], "such as 503:30%"),
        (["--slow", "5"], "such as 5s:10%"),
        (["-o", "yaml"], "use -o table or json"),
        (["--secret-file", "/nowhere"], "/nowhere"),
    ],
)
def test_wrong_usage_ends_with_2(shell: Shell, options: list[str], message: str) -> None:
    ran = shell.run("listen", "--forward-to", "http://localhost:3000", "--port", "0", *options)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_port_that_is_taken_ends_with_2_and_what_to_do(shell: Shell, receiver: Receiver) -> None:
    ran = shell.run("listen", "--forward-to", "http://localhost:3000", "--port", str(receiver.port))
    assert ran.code == 2
    assert f"cannot listen on 127.0.0.1:{receiver.port}" in ran.err and "--port" in ran.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_it_with_0(number: signal.Signals, receiver: Receiver) -> None:
    words = [
        "-c",
        "from punctual.cli.main import main; main()",
        "listen",
        "--forward-to",
        receiver.url,
        "--port",
        "0",
    ]
    environ = {
        **os.environ,
        "PYTHONPATH": str(Path(punctual.__file__).parents[1]),
        "PUNCTUAL_SIGNING_SECRET": NEW,
    }
    with subprocess.Popen(
        [sys.executable, *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, text=True
    ) as process:
        assert process.stderr is not None
        port = re.search(r"http://127\.0\.0\.1:([0-9]+),", process.stderr.readline())
        assert port is not None
        assert call(int(port[1])) == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "1 with a wrong signature" in err and "Traceback" not in err
    assert "signature WRONG" in out and "    webhook-id: the header is missing" in out


ARRIVAL = Arrival(
    arrived_at=datetime(2027, 1, 15, 8, 0, 0, 24_000, tzinfo=timezone.utc),
    method="POST",
    path="/a\x1b[2J",
    call_id="exe_\r1",
    job_id=None,
    attempt=2,
    lag_ms=None,
    problems=(Problem("webhook-signature", "no \x07match"),),
)


def test_text_of_a_call_cannot_steer_the_terminal() -> None:
    outcome = Outcome(Source.LISTENER, 502, 0.003, "no connection to \u202elocalhost")
    lines = list(lines_of(ARRIVAL, outcome, ARRIVAL.arrived_at.astimezone(TOKYO)))
    assert lines == [
        "17:00:00.024  exe_\\r1  attempt 2  signature WRONG  POST /a\\x1b[2J  502 in 3 ms by punctual listen",
        "    webhook-signature: no \\x07match",
        "    no connection to \\u202elocalhost",
    ]


def test_long_text_is_cut_for_people_and_whole_for_programs() -> None:
    long = Arrival(
        arrived_at=ARRIVAL.arrived_at,
        method="GET",
        path="/" + "x" * 60_000,
        call_id=None,
        job_id=None,
        attempt=None,
        lag_ms=1.26,
    )
    outcome = Outcome(Source.RECEIVER, 200, 0.0)
    [line] = lines_of(long, outcome, long.arrived_at)
    assert len(line) < 250 and "lag 1 ms  signature not checked" in line
    found = document(long, outcome)
    assert len(found["path"]) == 60_001 and found["lag_ms"] == 1.3 and found["problems"] is None
