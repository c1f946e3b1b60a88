"""Receivers on every Python: a call is verified, claimed in a file, worked on and done, with nothing of the server."""

import asyncio
import sqlite3
from datetime import datetime, timezone
from pathlib import Path

import httpx

from punctual.receivers import LongWork, ReceivedCall, Receiver, Reply, SqliteSeen, Work
from punctual.receivers.aws_lambda import receives
from punctual.receivers.timing import Timing
from punctual.webhooks import verify
from punctual.webhooks.diagnosis import diagnose
from punctual.webhooks.signing import signed_headers

SECRET = "whsec_" + "QUJD" * 8
NOW = 1_800_000_000


def clock() -> float:
    return float(NOW)


def headers_of(body: bytes, execution: str) -> dict[str, str]:
    signed = signed_headers(
        body=body,
        secrets=SECRET,
        execution_id=execution,
        job_id="job_1",
        scheduled_at=datetime(2027, 1, 15, tzinfo=timezone.utc),
        signed_at=NOW,
    )
    return {**signed, "X-Callback-Token": "ct1_1_token"}


def api(request: httpx.Request) -> httpx.Response:
    """Takes every report."""
    return httpx.Response(200, json={"path": request.url.path, "lease_until": "2027-01-15T08:01:00.000Z"})


async def async_api(request: httpx.Request) -> httpx.Response:
    return api(request)


def receiver_in(folder: Path) -> Receiver:
    return Receiver(
        SECRET,
        seen=SqliteSeen(folder / "seen.db", clock=clock),
        clock=clock,
        long_work=LongWork(
            api_url="https://punctual.example",
            http=httpx.Client(transport=httpx.MockTransport(api)),
            async_http=httpx.AsyncClient(transport=httpx.MockTransport(async_api)),
            start=lambda run: run(),
            timing=Timing(clock=clock),
        ),
    )


def test_call_is_verified_and_diagnosed() -> None:
    headers = headers_of(b"{}", "exe_1")
    call = verify(headers, b"{}", SECRET, clock=clock)
    assert call.scheduled_at == datetime(2027, 1, 15, tzinfo=timezone.utc)
    raw = "\r\n".join(
        ["POST / HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", "{}\n"]
    )
    assert [problem.part for problem in diagnose(raw.encode(), SECRET, clock=clock).problems] == [
        "webhook-signature",
        "body",
    ]


def test_work_in_a_thread_and_in_an_event_loop_is_done_once(tmp_path: Path) -> None:
    receiver, done = receiver_in(tmp_path), list[str]()

    def work(work: Work) -> None:
        work.check()
        done.append(work.execution_id)

    async def work_async(call: ReceivedCall) -> None:
        async with call.work() as begun:
            work(begun)

    for execution in ("exe_1", "exe_2"):
        call = receiver.admit(headers_of(b"{}", execution), b"{}")
        assert isinstance(call, ReceivedCall)
        if execution == "exe_1":
            assert call.later(work).status == 202
        else:
            asyncio.run(work_async(call))
        repeated = receiver.admit(headers_of(b"{}", execution), b"{}")
        assert isinstance(repeated, Reply) and repeated.status == 200
    assert done == ["exe_1", "exe_2"]


def test_receiver_in_lambda_answers(tmp_path: Path) -> None:
    handler = receives(receiver_in(tmp_path))(lambda call: call.json())
    event = {"headers": headers_of(b"{}", "exe_3"), "body": "{}", "isBase64Encoded": False}
    assert handler(event, None)["statusCode"] == 200
    assert handler({**event, "body": "[]"}, None)["statusCode"] == 401
    with sqlite3.connect(tmp_path / "seen.db") as file:
        assert file.execute("SELECT count(*) FROM seen").fetchone() == (1,)
    file.close()
