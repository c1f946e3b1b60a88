"""No secret, query string, header or payload is in any line, not even where an error quotes it."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

import pytest

from functions.executor.report import emit
from shared.bootstrap.reports import report_lost
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.executions.execution import LEASE_MARGIN_MS
from shared.names import QueueName
from shared.observability import JsonLines, logger, metrics
from shared.usecases.attempts.batch_report import BatchReport
from tests.support.api.api_world import ApiWorld
from tests.support.delivery.canaries import Cage, Canary
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.messages import dead

NOW = {"delay_seconds": 0}
CANARIES = [
    Canary(name, f"canary-{name}-5e1f0a")
    for name in (
        "query",
        "fragment",
        "header",
        "body",
        "name",
        "tag",
        "response",
        "tracestate",
        "traceparent",
    )
]
OF = {canary.name: canary.text for canary in CANARIES}
JOB: dict[str, Any] = {
    "schedule": NOW,
    "name": OF["name"],
    "tags": [OF["tag"]],
    "on_failure": f"https://told.example/hook?secret={OF['query']}",
    "request": {
        "url": f"https://receiver.example/hook?token={OF['query']}",
        "headers": {"Authorization": f"Bearer {OF['header']}"},
        "json": {"password": OF["body"]},
    },
    "retry": {"max_attempts": 2, "delays_seconds": [1]},
}
HOSTILE = {"traceparent": f"00-{OF['traceparent']}-01", "tracestate": f"vendor={OF['tracestate']}\r\n"}


class Output:
    """Every line that functions write: those of the logger, and those of metrics."""

    def __init__(self) -> None:
        self.text = io.StringIO()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.getvalue().splitlines()]

    def messages(self) -> set[str]:
        return {line["message"] for line in self.lines() if "message" in line}


@pytest.fixture
def output() -> Iterator[Output]:
    written = Output()
    handler = logging.StreamHandler(written.text)
    handler.setFormatter(JsonLines())
    logger.addHandler(handler)
    with redirect_stdout(written.text):
        yield written
        metrics.flush_metrics()
    logging.getLogger(logger.name).removeHandler(handler)


def assert_no_leak(world: ApiWorld, output: Output) -> None:
    metrics.flush_metrics()
    credentials = world.world.credentials
    cage = Cage([*CANARIES, Canary("api key", credentials.api_key.rpartition("_")[2])])
    cage.canaries.append(Canary("signing secret", credentials.signing_secret))
    cage.put("output", output.text.getvalue())
    assert len(output.lines()) > 0
    assert cage.leaks() == set()


def executed(world: ApiWorld) -> list[BatchReport]:
    """Run all messages of the next minutes as executors do, and emit the reports."""
    reports: list[BatchReport] = []
    run = world.world.run

    def emitting(*deliveries: Any) -> BatchReport:
        report = run(*deliveries)
        reports.append(report)
        emit(report, QueueName.STANDARD)
        return report

    world.world.run = emitting  # type: ignore[method-assign]
    Lanes(world.world).until(world.world.clock.time_ms + 120_000)
    return reports


def failing(callback: Callback) -> CallbackResponse:
    return CallbackResponse(
        reason=Reason.HTTP_STATUS, duration_ms=5, status=500, body=OF["response"].encode()
    )


def quoting(callback: Callback) -> CallbackResponse:
    """A bug in the sender, whose text quotes the whole request."""
    raise ValueError(f"{callback.url} {callback.headers} {callback.body!r}")


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/jobs/batch"])
def test_creation_and_failed_attempts_log_nothing_of_the_request_and_the_response(
    output: Output, path: str
) -> None:
    world = ApiWorld()
    world.world.sender.answer_to = failing
    answer = world.post({"jobs": [JOB, JOB]} if path.endswith("batch") else JOB, path, **HOSTILE)
    assert answer.status in (200, 201), answer.text
    executed(world)
    assert {"attempt ended"} < output.messages()
    assert_no_leak(world, output)


def test_refused_requests_log_nothing_of_what_they_sent(output: Output) -> None:
    world = ApiWorld()
    for document in ({**JOB, "schedule": OF["body"]}, {OF["name"]: OF["body"]}, [OF["body"]]):
        assert world.post(document, **HOSTILE).status >= 400
    assert world.get("/v1/jobs", cursor=OF["query"]).status == 400
    assert world.get(f"/v1/jobs/{OF['query']}").status == 404
    world.world.steps.fail("audit.append")
    assert world.post({**JOB, "schedule": {"rate_seconds": 60}}, **HOSTILE).status == 503
    assert "change made but not recorded" in output.messages()
    assert_no_leak(world, output)


def test_alerts_log_nothing_of_their_urls_and_names(output: Output) -> None:
    """The URL of a chat's webhook is a credential."""
    world = ApiWorld()
    world.world.sender.answer_to = failing
    alerts = {"url": f"https://chat.example/services/{OF['query']}", "format": "slack", "events": ["failed"]}
    assert world.post({**JOB, "alerts": alerts}, **HOSTILE).status == 201
    executed(world)
    callbacks = [call.callback for call in world.world.sender.calls]
    texts = [callback.body.decode() for callback in callbacks if "chat." in callback.url]
    assert any(OF["name"] in text for text in texts)
    assert_no_leak(world, output)


def test_searches_and_statistics_log_nothing_of_what_they_find_and_of_signed_urls(output: Output) -> None:
    world = ApiWorld()
    assert world.post(JOB, **HOSTILE).status == 201
    executed(world)
    (execution,) = [row.execution for row in world.world.table.executions.values() if row.execution.name]
    asked = {"from": "2020-01-01T00:00:00Z", "filter": {"tag": OF["tag"]}}
    search = world.post(asked, "/v1/executions/search", **HOSTILE)
    assert search.status == 202, search.text
    world.world.steps.fail("audit.append")
    assert world.post(asked, "/v1/executions/search", **HOSTILE).status == 503
    world.world.process_bulk_tasks.execute()
    found = world.get(f"/v1/searches/{search.json['id']}").json
    assert found["found"] == 1
    signed = found["files"][0]["url"].partition("?")[2]
    for path in ("/v1/stats", "/v1/stats/jobs", f"/v1/executions/{execution.id}/explain", "/v1/audit"):
        assert world.get(path).status in (200, 403)
    assert world.get("/v1/stats", job=OF["query"]).status == 400
    assert signed not in output.text.getvalue()
    assert_no_leak(world, output)


def test_bugs_whose_errors_quote_a_request_are_logged_without_their_text(
    output: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = ApiWorld()
    assert world.post(JOB).status == 201
    world.world.sender.answer_to = quoting
    assert any(report.undecided for report in executed(world))

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(json.dumps(JOB))

    for owner in (type(world.world.cases.jobs.create_job), type(world.world.cases.jobs.create_jobs)):
        monkeypatch.setattr(owner, "execute", broken)
    assert world.post(JOB, **HOSTILE).status == 500
    assert {"unexpected error", "claim undecided"} <= output.messages()
    errors = [line for line in output.lines() if "exception" in line]
    assert any("quoting" in place for line in errors for place in line["exception"])
    assert_no_leak(world, output)


def test_dead_messages_of_lost_workers_log_nothing_of_their_jobs(output: Output) -> None:
    world = ApiWorld()
    created = world.post({**JOB, "retry": {"max_attempts": 1}}, **HOSTILE)
    (execution,) = [row.execution for row in world.world.table.executions.values()]
    assert created.json["id"].endswith(execution.id.body)
    world.world.steps.fail("store.finish", times=1_000)
    emit(world.world.attempt(execution), QueueName.STANDARD)
    lost = world.world.standing(execution.id)
    world.world.clock.time_ms += execution.call.timeout_ms + LEASE_MARGIN_MS + 1
    report = world.world.rescue.execute([dead(lost)])
    assert report.lost == [lost]
    for each in report.lost:
        report_lost(each)
    assert {"attempt ended", "worker lost"} <= output.messages()
    assert_no_leak(world, output)
