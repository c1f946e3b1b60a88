"""Links of notifications: absolute, to a page that the console has, and of ids alone."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.api.console import assets
from shared.domain.delivery.alerts import (
    JOB_EVENTS,
    Alert,
    AlertEvent,
    AlertFormat,
    AlertWindow,
    ReachedLimit,
)
from shared.domain.executions.alert_window import AlertSummary
from shared.domain.executions.console_links import ConsoleLinks
from shared.domain.executions.notification import NotifiedJob
from shared.domain.executions.notification_request import limit_request, notification_request, summary_request
from shared.domain.executions.states import EndReason, State
from tests.support.builders import DUE_AT, in_state, one_off

ORIGIN = "https://console.example.com"
LINKS, NONE = ConsoleLinks(ORIGIN), ConsoleLinks(None)
TARGET = "https://told.example/hook?key=s3cr3t"
ENDED = in_state(one_off(attempt=1), State.FAILED, end_reason=EndReason.ATTEMPTS_USED_UP)
RUN = f"{ORIGIN}/console#/runs/{ENDED.id}"
JOB = f"{ORIGIN}/console#/jobs/{ENDED.job_id}"
USAGE = f"{ORIGIN}/console#/usage"
OF_RUNS = sorted(set(JOB_EVENTS) - {AlertEvent.GONE})
HOSTILE = NotifiedJob(name="<https://evil.example|x>", tags=("a#/b",), host="evil.example")
REACHED = ReachedLimit(quota="concurrency", limit=2, reached_at=DUE_AT)


def alert_of(*events: AlertEvent, links: ConsoleLinks, form: AlertFormat = AlertFormat.JSON) -> Any:
    """The body for these events; for none of them, that of the callback of the outcome."""
    alert = Alert(events=events, format=form) if events else None
    return json.loads(notification_request(TARGET, ENDED, HOSTILE, alert, links).body)


def summary_of(event: AlertEvent, links: ConsoleLinks, form: AlertFormat = AlertFormat.JSON) -> Any:
    summary = AlertSummary(
        window=AlertWindow(key="k", minute=DUE_AT // 60_000),
        count=1,
        jobs=1,
        job_ids=(ENDED.job_id,),
        events=((event, 1),),
        is_lower_bound=False,
    )
    return json.loads(summary_request(TARGET, summary, form, links).body)


def limit_of(links: ConsoleLinks, form: AlertFormat = AlertFormat.JSON) -> Any:
    return json.loads(limit_request(TARGET, REACHED, form, links).body)


def last_line(*events: AlertEvent, links: ConsoleLinks) -> str:
    text: str = alert_of(*events, links=links, form=AlertFormat.SLACK)["text"]
    return text.split("\n")[-1]


def test_callback_of_an_outcome_links_to_the_page_of_the_run() -> None:
    assert alert_of(links=LINKS)["data"]["console_url"] == RUN
    assert alert_of(links=NONE)["data"]["console_url"] is None


@pytest.mark.parametrize("event", OF_RUNS)
def test_alert_about_a_run_links_to_its_page(event: AlertEvent) -> None:
    assert alert_of(event, links=LINKS)["data"]["console_url"] == RUN
    assert alert_of(event, links=NONE)["data"]["console_url"] is None
    assert last_line(event, links=LINKS) == RUN


@pytest.mark.parametrize("events", [(AlertEvent.GONE,), (AlertEvent.FAILED, AlertEvent.GONE)])
def test_alert_about_a_receiver_that_is_gone_links_to_the_page_of_the_job(events: tuple[AlertEvent]) -> None:
    assert alert_of(*events, links=LINKS)["data"]["console_url"] == JOB
    assert alert_of(*events, links=NONE)["data"]["console_url"] is None
    assert last_line(*events, links=LINKS) == JOB


@pytest.mark.parametrize("event", JOB_EVENTS)
def test_text_for_a_chat_ends_with_the_path_of_the_run_where_there_is_no_link(event: AlertEvent) -> None:
    assert last_line(event, links=NONE) == f"/v1/executions/{ENDED.id}"


def test_alert_about_a_limit_links_to_the_page_of_usage() -> None:
    assert limit_of(LINKS)["data"]["console_url"] == USAGE
    assert limit_of(NONE)["data"]["console_url"] is None
    assert limit_of(LINKS, AlertFormat.SLACK)["text"].split("\n")[1:] == [USAGE]
    assert limit_of(NONE, AlertFormat.SLACK)["text"].split("\n")[1:] == ["/v1/usage"]


@pytest.mark.parametrize(
    ("event", "page"),
    [
        (AlertEvent.FAILED, "dead-letters"),
        (AlertEvent.GONE, "dead-letters"),
        (AlertEvent.RECOVERED, ""),
        (AlertEvent.SKIPPED, ""),
    ],
)
def test_summary_links_to_the_dead_letters_if_executions_failed(event: AlertEvent, page: str) -> None:
    link = f"{ORIGIN}/console#/{page}"
    assert summary_of(event, LINKS)["data"]["console_url"] == link
    assert summary_of(event, NONE)["data"]["console_url"] is None
    assert summary_of(event, LINKS, AlertFormat.SLACK)["text"].split("\n")[1:] == [ENDED.job_id, link]
    assert summary_of(event, NONE, AlertFormat.SLACK)["text"].split("\n")[1:] == [ENDED.job_id]


def test_pages_are_those_of_the_console() -> None:
    source = Path(assets.__file__).with_name("static") / "lib" / "route.js"
    paths = dict(re.findall(r"^  (\w+): '(/[^']*)',$", source.read_text(encoding="utf-8"), re.MULTILINE))
    base = f"{ORIGIN}/console#"
    assert LINKS.execution("exe_1") == base + paths["run"].replace("{id}", "exe_1")
    assert LINKS.alert({AlertEvent.GONE}, "job_1", "exe_1") == base + paths["job"].replace("{id}", "job_1")
    assert LINKS.suppressed({AlertEvent.FAILED}) == base + paths["dead"]
    assert LINKS.suppressed(()) == base + paths["overview"]
    assert LINKS.usage() == base + paths["usage"]
    assert LINKS.workflow_run("run_1") == base + paths["workflowRun"].replace("{id}", "run_1")


@given(
    st.text() | st.sampled_from(["a/b", "..", "?x=1", "#key=pk_1", "%2F", "<b>", "a|b", "@channel", "é\n"])
)
def test_no_text_leaves_its_part_of_the_link(text: str) -> None:
    link = LINKS.execution(text)
    assert link is not None
    begin = f"{ORIGIN}/console#/runs/"
    assert link.startswith(begin)
    assert re.fullmatch(r"[A-Za-z0-9_.~%-]*", link.removeprefix(begin))
    assert unquote(link.removeprefix(begin)) == text
