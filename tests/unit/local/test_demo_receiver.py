"""The paths of the demo's receiver."""

from datetime import UTC, datetime

import pytest

from infra.local.calls import Call
from infra.local.demo_receiver import PATHS, SLOW_SECONDS, DemoReceiver

API = "http://127.0.0.1:14568"


def call(path: str, execution: str = "exe_1") -> Call:
    return Call(
        method="POST",
        path=path,
        headers={"webhook-id": execution, "x-callback-token": "ct1_x"},
        body=b"",
        arrived_at=datetime(2026, 3, 1, tzinfo=UTC),
        genuine=True,
    )


class Api:
    """Receives the reports, in the API's place."""

    def __init__(self, error: OSError | None = None) -> None:
        self.reports: list[tuple[str, dict[str, str], bytes]] = []
        self.error = error
        self.slept: list[float] = []

    def report(self, url: str, headers: dict[str, str], body: bytes) -> None:
        self.reports.append((url, headers, body))
        if self.error:
            raise self.error


def receiver(api: Api | None = None) -> DemoReceiver:
    api = api or Api()
    return DemoReceiver(API, report=api.report, sleep=api.slept.append)


@pytest.mark.parametrize(
    ("path", "status"),
    [("/ok", 200), ("/fail", 500), ("/fail/invoice-7", 500), ("/gone", 410), ("/rate", 200), ("/", 200)],
)
def test_path_chooses_the_status_of_every_attempt(path: str, status: int) -> None:
    made = receiver()
    assert [made.respond(call(path)).status for _ in range(4)] == [status] * 4


def test_flaky_path_fails_two_attempts_of_each_execution() -> None:
    made = receiver()
    statuses = [(made.respond(call("/flaky", name)).status) for name in ("a", "b", "a", "b", "a", "b")]
    assert statuses == [500, 500, 500, 500, 200, 200]


def test_slow_path_succeeds_late() -> None:
    reply = receiver().respond(call("/slow"))
    assert (reply.status, reply.after_seconds) == (200, SLOW_SECONDS)


def test_async_path_accepts_the_call_for_later() -> None:
    reply = receiver().respond(call("/async"))
    assert (reply.status, reply.headers) == (202, {"X-Punctual-Async": "true"})


def test_accepted_call_is_reported_with_its_token_heartbeats_first() -> None:
    api = Api()
    receiver(api).work(call("/async"))
    assert [url for url, _, _ in api.reports] == [
        f"{API}/v1/executions/exe_1/{what}" for what in ("heartbeat", "heartbeat", "complete")
    ]
    assert all(headers == {"X-Callback-Token": "ct1_x"} for _, headers, _ in api.reports)
    assert sum(api.slept) == 6.0


def test_refused_report_ends_nothing_but_itself() -> None:
    api = Api(OSError("409"))
    receiver(api).work(call("/async"))
    assert len(api.reports) == 3


def test_every_path_that_is_shown_answers_as_shown() -> None:
    for path, answer in PATHS.items():
        assert answer.startswith(str(receiver().respond(call(path)).status)), path
