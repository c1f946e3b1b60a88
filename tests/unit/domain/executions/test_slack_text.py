"""The text of an alert for a chat: what happened to which job, and no mention of everybody."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.delivery.alerts import Alert, AlertEvent, AlertFormat
from shared.domain.delivery.callback import Reason
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.console_links import ConsoleLinks
from shared.domain.executions.execution import EventRef
from shared.domain.executions.notification import NotifiedJob
from shared.domain.executions.notification_request import notification_request
from shared.domain.executions.slack_text import escaped, slack_text
from shared.domain.executions.states import EndReason, State
from shared.domain.schedules.schedule import format_instant
from tests.support.builders import DUE_AT, in_state, one_off

JOB = NotifiedJob(name="nightly import", tags=("team:a", "env:b"), host="example.com")
DUE = "2025-02-19T21:30:00.000Z"
LINKS = ConsoleLinks("https://console.example.com")
ACTIVE = re.compile(r"<|>|@(?:channel|here|everyone|group|all)|\]\(", re.IGNORECASE)


def attempt(**fields: Any) -> AttemptOutcome:
    plain: dict[str, Any] = {
        "attempt": 1,
        "started_at": DUE_AT + 61_250,
        "duration_ms": 5,
        "status": 404,
        "reason": Reason.HTTP_STATUS,
    }
    return AttemptOutcome(**plain | fields)


FAILED = in_state(
    one_off(attempt=1), State.FAILED, outcomes=(attempt(),), end_reason=EndReason.ATTEMPTS_USED_UP
)


def text_of(*events: AlertEvent, job: NotifiedJob = JOB, **changes: Any) -> list[str]:
    return slack_text(in_state(FAILED, State.FAILED, **changes), job, events, LINKS).split("\n")


def test_text_says_what_happened_to_which_job_and_where_to_look() -> None:
    first, second, third = text_of(AlertEvent.FAILED, AlertEvent.LATE)
    assert first == (
        "*nightly import* failed (attempts_used_up) after 1 attempt, last answer 404; started 61.2 s late"
    )
    assert second.startswith("due 20")
    assert second.endswith("; lane standard; host example.com; tags team:a, env:b")
    assert third == f"https://console.example.com/console#/runs/{FAILED.id}"


def test_postponed_run_is_due_where_its_events_have_put_it() -> None:
    event = EventRef(trigger="paid", source="shop", id="order-1", recorded_at=DUE_AT, due_at=DUE_AT + 61_000)
    ended = replace(FAILED, event=event)
    _, second, _ = slack_text(ended, JOB, (AlertEvent.FAILED,), LINKS).split("\n")
    due = format_instant(DUE_AT + 61_000)
    assert second.startswith(f"due {due}; ")
    request = notification_request("https://example.com/", ended, JOB, None, LINKS)
    data = json.loads(request.body)["data"]
    assert (data["due_at"], data["lag_ms"]) == (due, 250)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (AlertEvent.RECOVERED, "recovered"),
        (AlertEvent.SKIPPED, "was skipped (attempts_used_up)"),
        (AlertEvent.GONE, "its receiver answered 410, which pauses the job"),
    ],
)
def test_every_event_has_a_sentence(event: AlertEvent, sentence: str) -> None:
    assert text_of(event)[0] == f"*nightly import* {sentence}"


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({"outcomes": (attempt(status=None, reason=Reason.TIMEOUT),)}, "1 attempt, last answer timeout"),
        ({"outcomes": ()}, "1 attempt"),
        ({"attempt": 3}, "3 attempts, last answer 404"),
    ],
)
def test_failure_names_the_last_answer_if_there_is_one(changes: dict[str, Any], end: str) -> None:
    assert text_of(AlertEvent.FAILED, **changes)[0].endswith(end)


def test_job_without_a_name_is_named_by_its_id() -> None:
    first, second, _ = text_of(AlertEvent.FAILED, job=NotifiedJob())
    assert first.startswith(f"*{FAILED.job_id}* failed")
    assert second.endswith("; lane standard")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("&lt;", "&amp;lt;"),
        ("<!channel>", "&lt;!channel&gt;"),
        ("<!here|here>", "&lt;!here|here&gt;"),
        ("<@U123>", "&lt;@U123&gt;"),
        ("<https://evil.example|harmless>", "&lt;https://evil.example|harmless&gt;"),
        ("@channel", "@\u2060channel"),
        ("@Here @EVERYONE @group", "@\u2060Here @\u2060EVERYONE @\u2060group"),
        ("ops@example.com", "ops@example.com"),
        ("@@channel", "@@\u2060channel"),
        ("@all", "@\u2060all"),
        ("[console](https://evil.example)", "[console]\u2060(https://evil.example)"),
        ("![](https://evil.example/x.png)", "![]\u2060(https://evil.example/x.png)"),
    ],
)
def test_hostile_name_is_shown_without_a_mention_or_a_hidden_link(name: str, shown: str) -> None:
    assert escaped(name) == shown
    assert text_of(AlertEvent.FAILED, job=NotifiedJob(name=name))[0].startswith(f"*{shown}* failed")


@given(st.text() | st.lists(st.sampled_from("<>&!@|#[]()chanel here")).map("".join))
def test_no_text_has_markup_or_a_mention_of_everybody(text: str) -> None:
    shown = escaped(text)
    assert not ACTIVE.search(shown)
    plain = shown.replace("\u2060", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert plain == text.replace("\u2060", "")


def test_body_in_the_form_of_slack_has_a_text_alone() -> None:
    alert = Alert(events=(AlertEvent.FAILED,), format=AlertFormat.SLACK)
    request = notification_request("https://hooks.example/", FAILED, JOB, alert, LINKS)
    assert request.headers == (("Content-Type", "application/json"),)
    assert json.loads(request.body) == {"text": slack_text(FAILED, JOB, alert.events, LINKS)}
