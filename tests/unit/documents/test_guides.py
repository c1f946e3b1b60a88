"""The Python code of the guides, run against calls that Punctual makes and requests that it answers."""

import json
import sqlite3
import time
from collections.abc import Iterator
from http.server import HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from standardwebhooks.webhooks import WebhookVerificationError

from client.tests.sdk.deployment import Deployment, Fate, reached_by_clients
from shared.domain.delivery.signing import new_secret, signed_headers
from tests.support.documents.blocks import Block, blocks_of
from tests.support.documents.programs import run_program
from tests.support.documents.reader import Reader, reader
from tests.support.documents.snippets import run_snippet, uses_the_sdk
from tests.support.sources import ROOT

GUIDES = ROOT / "docs" / "guides"
OLD, NEW, FOREIGN = (new_secret(bytes([number]) * 32) for number in range(3))
NOTIFICATION: dict[str, Any] = {
    "job_id": "job_1",
    "execution_id": "exe_1",
    "execution_path": "/v1/executions/exe_1",
    "console_url": None,
    "end_reason": "worker_lost",
    "attempts_begun": 2,
    "attempts": [],
}


def code_of(guide: str) -> dict[str, Any]:
    """All names that the snippets of a guide define, but for those of the SDK."""
    namespace: dict[str, Any] = {}
    for block in blocks_of(GUIDES / guide):
        if block.language == "python" and not uses_the_sdk(block.text):
            run_snippet(block.text, namespace)
    return namespace


def call(body: bytes, *secrets: str, age_seconds: int = 0, message_id: str = "exe_1") -> dict[str, str]:
    """The headers of a call, by lower-case name."""
    headers = signed_headers(
        message_id=message_id,
        timestamp_s=int(time.time()) - age_seconds,
        body=body,
        secrets=secrets,
        job_id="job_1",
        attempt=1,
        scheduled_at="2030-01-01T00:00:00.000Z",
        traceparent="",
    )
    return {name.lower(): value for name, value in headers}


def tell(notification: dict[str, Any]) -> bytes:
    return json.dumps({"type": "execution.failed", "data": notification}).encode()


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """An API, with the variables that the code of the guides reads."""
    with reader() as made:
        for name in ("PUNCTUAL", "KEY"):
            monkeypatch.setenv(name, made.variables[name])
        yield made


@pytest.mark.parametrize("function", ["verify", "verify_by_hand"])
@pytest.mark.parametrize("body", [b"", b'{"n":1}', "€".encode()])
@pytest.mark.parametrize("secret", [OLD, NEW])
def test_old_and_new_secret_of_a_rotation_verify_a_call(function: str, body: bytes, secret: str) -> None:
    code_of("verify-calls.md")[function](secret, call(body, NEW, OLD), body)


@pytest.mark.parametrize("function", ["verify", "verify_by_hand"])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (call(b"{}", NEW), b"[]"),
        (call(b"{}", FOREIGN), b"{}"),
        (call(b"{}", NEW, age_seconds=86_400), b"{}"),
        (call(b"{}", NEW, age_seconds=-86_400), b"{}"),
        ({**call(b"{}", NEW), "webhook-id": "exe_2"}, b"{}"),
    ],
    ids=["another body", "another secret", "too old", "too new", "another id"],
)
def test_a_call_that_is_not_genuine_is_refused(function: str, headers: dict[str, str], body: bytes) -> None:
    with pytest.raises((WebhookVerificationError, ValueError)):
        code_of("verify-calls.md")[function](NEW, headers, body)


@pytest.mark.parametrize("body", [b"", b'{"n":1}', b"\xff"])
def test_compact_signature_is_verified_as_the_guide_shows(body: bytes) -> None:
    verify_compact = code_of("verify-calls.md")["verify_compact"]
    signature = call(body, NEW, OLD)["x-scheduler-signature"]
    verify_compact(NEW, signature, body)
    old = call(body, NEW, age_seconds=86_400)["x-scheduler-signature"]
    for secret, each, content in (
        (OLD, signature, body),
        (NEW, signature, body + b" "),
        (NEW, old, body),
        (NEW, "", body),
    ):
        with pytest.raises(ValueError):
            verify_compact(secret, each, content)


def test_the_second_call_with_an_id_is_a_duplicate_unless_the_first_rolled_back() -> None:
    database = sqlite3.connect(":memory:")
    is_first_call = code_of("verify-calls.md")["is_first_call"]
    assert is_first_call(database, "exe_1")
    database.rollback()
    assert is_first_call(database, "exe_1")
    database.commit()
    assert not is_first_call(database, "exe_1")
    assert is_first_call(database, "exe_2")
    database.close()


def test_the_alert_names_the_execution_and_the_last_answer() -> None:
    alert_text = code_of("alerts.md")["alert_text"]
    attempts = [{"status": 503, "reason": "http_status"}, {"status": None, "reason": "timeout"}]
    assert "last answer timeout" in alert_text(tell({**NOTIFICATION, "attempts": attempts}))
    assert "last answer 503" in alert_text(tell({**NOTIFICATION, "attempts": attempts[:1]}))
    assert alert_text(tell(NOTIFICATION)).endswith("Inspect: /v1/executions/exe_1")
    link = "https://api.example.com/console#/runs/exe_1"
    assert alert_text(tell({**NOTIFICATION, "console_url": link})).endswith(f"Inspect: {link}")


def test_a_repeated_notification_starts_one_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deployment, namespace = Deployment(), dict[str, Any](__name__="document")
    [program] = [each for each in blocks_of(GUIDES / "chaining.md") if each.language == "python example"]
    monkeypatch.chdir(tmp_path)
    with reached_by_clients(deployment, {"SECRET": NEW}):
        run_program(program, namespace)
        receiver = namespace["app"].test_client()

        def notify(notification: str, imported: str, secret: str = NEW) -> int:
            body = tell({**NOTIFICATION, "execution_id": imported})
            headers = call(body, secret, message_id=notification)
            return int(receiver.post("/hooks/imported", headers=headers, data=body).status_code)

        def started() -> int:
            return sum(1 for _ in namespace["p"].jobs.iterate(q="report"))

        deployment.fate = lambda _: Fate.LOST
        assert notify("exe_8", "exe_1") == 500
        deployment.fate = lambda _: Fate.ANSWERED
        for notification in ("exe_8", "exe_8", "exe_9"):
            assert (notify(notification, "exe_1"), started()) == (200, 1)
        assert (notify("exe_10", "exe_3", FOREIGN), started()) == (401, 1)
        assert (notify("exe_11", "exe_2"), started()) == (200, 2)
        namespace["p"].close()


def test_nightly_pipeline_is_one_job_however_often_its_program_runs() -> None:
    deployment, namespace = Deployment(), dict[str, Any](__name__="document")
    *_, program = [each for each in blocks_of(GUIDES / "workflows.md") if each.language == "python example"]
    with reached_by_clients(deployment, {}):
        for _ in range(2):
            run_program(program, namespace)
        p = namespace["p"]
        [job] = p.jobs.iterate()
        p.wait_for(p.jobs.trigger(job.id), timeout=60).raise_for_failure()
        [run] = p.workflows.iterate_runs(namespace["pipeline"])
        assert (run.state, run.job_id) == ("succeeded", job.id)
        assert p.executions.get(run.execution_id).run == run.id
        p.close()


def test_failures_of_yesterday_are_redriven_and_those_of_today_are_not(page: Reader) -> None:
    page.read(block("http", "HTTP/1.1 404 Not Found\n"))
    fail = (
        'curl -sS "$PUNCTUAL/v1/jobs" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d \''
        '{"schedule": {"delay_seconds": 0}, "request": {"url": "https://example.com/"}, '
        '"retry": {"max_attempts": 1}}\'\n'
    )
    page.read(block("sh", f"{fail}sleep 86400\n{fail}sleep 60\n"))
    [count, *_], [start, *_] = (
        blocks_of_section("redrive-failures.md", title) for title in ("1. Count them", "2. Redrive them")
    )
    page.read(count)
    page.read(block("json", '{"count": 1, "complete": true, "...": "..."}'))
    page.read(start)
    page.read(block("json", '{"counts": {"redriven": 1, "...": "..."}, "...": "..."}'))


def test_migration_leaves_out_what_has_no_counterpart_and_says_why(page: Reader) -> None:
    export, urls, translate, *_ = (
        each for each in blocks_of(GUIDES / "migrate-from-eventbridge.md") if each.language == "sh"
    )
    for each in (
        export,
        urls,
        block("sh", f"{translate.text.rstrip()} | tee printed.txt"),
    ):
        page.read(each)
    folder = Path(page.variables["STATE"]).parent
    printed = (folder / "printed.txt").read_text().splitlines()
    assert printed == [
        "left out: default+foreign.schedule.json: "
        "urls.json has no URL for arn:aws:lambda:eu-west-1:111122223333:function:report-of-others",
        "left out: default+inside.schedule.json: its input has attributes of EventBridge",
        "left out: default+off.schedule.json: it is disabled",
        "3 jobs",
    ]
    invoices, report, _ = json.loads((folder / "batch-1.json").read_text())["jobs"]
    assert report == {
        "name": "daily-report",
        "tags": ["group:default"],
        "schedule": {
            "expression": "cron(0 9 ? * MON-FRI *)",
            "timezone": "Europe/Berlin",
            "jitter_seconds": 900,
        },
        "request": {"url": "https://example.com/hooks/report", "json": {"kind": "daily"}},
        "retry": {"max_attempts": 20, "give_up_after_seconds": 86400},
    }
    assert invoices["request"] == {"url": "https://example.com/hooks/invoices", "body": "not JSON"}
    assert invoices["retry"] == {"max_attempts": 4, "give_up_after_seconds": 600}
    assert invoices["tags"] == ["group:billing"]
    assert invoices["schedule"]["start_at"] == "2024-01-01T00:00:00+01:00"
    assert invoices["schedule"]["end_at"] == "2035-01-01T00:00:00+01:00"


@pytest.mark.parametrize("fails", [False, True])
def test_the_receiver_of_a_long_call_answers_202_and_reports(page: Reader, fails: bool) -> None:
    execution, token = started(page)
    code = code_of("long-running-calls.md")
    code["HEARTBEAT_SECONDS"] = 0.05
    code["run_export"] = lambda *_: time.sleep(0.2) if not fails else 1 / 0
    code["Receiver"].log_message = lambda *_: None
    server = HTTPServer(("127.0.0.1", 0), code["Receiver"])
    Thread(target=server.handle_request).start()
    sent = Request(
        f"http://127.0.0.1:{server.server_port}/hooks/export",
        headers={"webhook-id": execution, "X-Callback-Token": token},
        data=b"{}",
    )
    with urlopen(sent) as answer:
        assert (answer.status, answer.headers["X-Punctual-Async"]) == (202, "true")
    server.server_close()
    assert reported(page, execution) == ("waiting" if fails else "succeeded")
    with pytest.raises(HTTPError, match="409"):
        code["report"](execution, token, "heartbeat")


def started(page: Reader) -> tuple[str, str]:
    """An execution whose receiver has accepted its call, and the token of the attempt."""
    page.read(block("http", "HTTP/1.1 202 Accepted\nX-Punctual-Async: true\n"))
    page.read(
        block(
            "sh",
            'curl -sS "$PUNCTUAL/v1/jobs" -H "Authorization: Bearer $KEY" '
            '-H "Content-Type: application/json" -d \'{"schedule": {"delay_seconds": 0}, '
            '"request": {"url": "https://example.com/"}}\'\nsleep 1\n',
        )
    )
    page.read(
        block(
            "sh",
            "EXECUTION=exe_…   # the webhook-id header of the call\n"
            "TOKEN=ct1_…   # the X-Callback-Token header of the call\n",
        )
    )
    return page.variables["EXECUTION"], page.variables["TOKEN"]


def reported(page: Reader, execution: str) -> str:
    """The state of an execution once it has changed."""
    headers = {"Authorization": f"Bearer {page.variables['KEY']}"}
    for _ in range(400):
        with urlopen(
            Request(f"{page.variables['PUNCTUAL']}/v1/executions/{execution}", headers=headers)
        ) as got:
            state = str(json.load(got)["state"])
        if state != "running":
            return state
        time.sleep(0.05)
    return "running"


def blocks_of_section(guide: str, title: str) -> list[Block]:
    """The shell blocks below a heading of a guide."""
    text = (GUIDES / guide).read_text(encoding="utf-8")
    lines = text[: text.index(f"## {title}\n")].count("\n")
    return [each for each in blocks_of(GUIDES / guide) if each.language == "sh" and each.line > lines]


def block(language: str, text: str) -> Block:
    return Block(Path(__file__), 1, language, text)
