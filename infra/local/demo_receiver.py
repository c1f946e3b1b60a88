"""The receiver of `make run`: the first part of a call's path chooses the response."""

import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from infra.local.calls import Call
from infra.local.receiver import OK, Reply

SLOW_SECONDS = 10.0
FLAKY_FAILURES = 2
"""Attempts of an execution that fail at `/flaky`, before one succeeds."""
WORK_SECONDS = 6.0
HEARTBEAT_SECONDS = 2.0
PATHS = {
    "/ok": "200",
    "/fail": "500 each time",
    "/flaky": f"500 for {FLAKY_FAILURES} attempts, then 200",
    "/slow": f"200 after {SLOW_SECONDS:.0f} s",
    "/async": f"202, then heartbeats, and complete after {WORK_SECONDS:.0f} s",
    "/gone": "410, so there is no retry",
}
"""What each path answers; every other path answers 200."""

Report = Callable[[str, dict[str, str], bytes], Any]
"""Sends a POST: URL, headers and body."""


def post(url: str, headers: dict[str, str], body: bytes) -> None:
    """Send a POST, as a receiver does; OSError if it is refused."""
    request = urllib.request.Request(url, method="POST", headers=headers, data=body)  # noqa: S310 - always http
    # No proxy, because the API is on the loopback address.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    opener.open(request, timeout=10).close()


class DemoReceiver:
    """Decides the response to a call, and reports the outcome of a long-running call to the API."""

    def __init__(
        self, api_url: str, *, report: Report = post, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._api_url = api_url
        self._report = report
        self._sleep = sleep
        self._failures: Counter[str] = Counter()

    def respond(self, call: Call) -> Reply:
        match call.path.split("/")[1]:
            case "fail":
                return Reply(status=HTTPStatus.INTERNAL_SERVER_ERROR, body=b"this path always fails")
            case "flaky":
                return self._flaky(call)
            case "slow":
                return Reply(after_seconds=SLOW_SECONDS)
            case "async":
                threading.Thread(target=self.work, args=(call,), daemon=True).start()
                return Reply(status=HTTPStatus.ACCEPTED, headers={"X-Punctual-Async": "true"}, body=b"")
            case "gone":
                return Reply(status=HTTPStatus.GONE, body=b"this receiver is gone for good")
            case _:
                return OK

    def work(self, call: Call) -> None:
        """Send heartbeats while the work takes its time, and then the outcome."""
        worked = 0.0
        while worked < WORK_SECONDS:
            self._sleep(HEARTBEAT_SECONDS)
            worked += HEARTBEAT_SECONDS
            self._send(call, "heartbeat" if worked < WORK_SECONDS else "complete")

    def _send(self, call: Call, what: str) -> None:
        headers = {"X-Callback-Token": call.headers.get("x-callback-token", "")}
        try:
            self._report(f"{self._api_url}/v1/executions/{call.execution_id}/{what}", headers, b"")
        except OSError:
            # The attempt is over, or the stack stops; the execution shows what became of it.
            return

    def _flaky(self, call: Call) -> Reply:
        """Count by execution, so that a redriven execution succeeds at once."""
        if self._failures[call.execution_id] < FLAKY_FAILURES:
            self._failures[call.execution_id] += 1
            return Reply(status=HTTPStatus.INTERNAL_SERVER_ERROR, body=b"try again")
        del self._failures[call.execution_id]
        return OK
