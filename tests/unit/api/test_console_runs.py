"""What the console says of one run, and which acts it offers."""

import json
from functools import partial
from typing import Any

import pytest

from functions.api.resources.executions.examples import EXPLANATION
from tests.support.api import console_modules

say = partial(console_modules.result, "lib/timeline.js")
LATE: dict[str, Any] = EXPLANATION["late"]


@pytest.mark.parametrize(
    ("explanation", "sentence"),
    [
        (LATE, "Late by 41 s. The longest stage: 41 s: breaker open."),
        (EXPLANATION["not_started"], "Not started yet. 12 s so far: breaker open."),
        (EXPLANATION["skipped"], "It did not run, on purpose. Its job was paused."),
        (LATE | {"lag_ms": 12}, "In time: the first call began 12 ms after its due time."),
        (LATE | {"lag_ms": 1_000}, "In time: the first call began 1 s after its due time."),
        (LATE | {"longest": None}, "Late by 41 s; its stages were not recorded."),
    ],
)
def test_lateness_is_said_in_one_sentence(explanation: dict[str, Any], sentence: str) -> None:
    assert say("latenessSentence", explanation) == sentence


def test_attempts_are_told_with_the_last_answer() -> None:
    attempt = {"status": 503, "reason": "http_status"}
    failed = {"state": "failed", "attempts": [attempt], "attempts_begun": 3}
    assert say("attemptsSentence", failed) == "Failed after 3 attempts; the last answer: HTTP 503."
    lost = failed | {"attempts": [{"status": None, "reason": "worker_lost"}], "attempts_begun": 1}
    assert say("attemptsSentence", lost) == "Failed after 1 attempt; the last answer: worker lost."
    assert say("attemptsSentence", failed | {"attempts": []}) == ""


def test_failed_run_is_led_by_its_failure_and_any_other_by_its_lateness() -> None:
    attempt = {"status": 503, "reason": "http_status"}
    run = {"state": "failed", "attempts": [attempt], "attempts_begun": 1}
    why = {"state": "failed", "lag_ms": 5, "longest": None, "summary": "", "waiting_for": None}
    late, ended = (
        "In time: the first call began 5 ms after its due time.",
        "after 1 attempt; the last answer: HTTP 503.",
    )
    assert say("leadSentence", run, why) == f"Failed {ended} {late}"
    assert say("leadSentence", run | {"state": "waiting"}, why) == f"{late} Waits for a retry {ended}"
    assert say("leadSentence", run | {"attempts": []}, why) == late


def test_stages_have_the_words_of_the_api_and_bars_within_the_attempt() -> None:
    (attempt,) = LATE["attempts"]
    rows = say("stageRows", attempt)
    assert [row["words"] for row in rows] == [span["text"] for span in attempt["stages"]]
    assert rows[1]["words"] == "breaker open"
    assert (rows[1]["duration"], rows[1]["offset"]) == ("about 41 s", "+41 s")
    assert all(row["x"] >= 0 and row["x"] + row["width"] <= 1_000.001 for row in rows)
    assert [row["width"] > 0 for row in rows] == [span["duration_ms"] > 0 for span in attempt["stages"]]


def test_stage_that_was_not_recorded_has_no_bar() -> None:
    span = {"stage": "queue", "cause": None, "text": "in the queue", "began_at": None, "ended_at": None}
    attempt = {"due_at": None, "stages": [span | {"duration_ms": None, "precision": "unknown"}]}
    (row,) = say("stageRows", attempt)
    assert (row["duration"], row["offset"], row["width"]) == ("not recorded", "", 0)


RUN = {"state": "failed", "archived": False, "redrive_of": None}


@pytest.mark.parametrize(
    ("changes", "scopes", "redrive", "cancel", "reveal"),
    [
        ({}, "read write admin", None, "Only redrives", None),
        ({}, "read", "a key needs the scope write", "Only redrives", "read and admin"),
        ({"archived": True}, "read write", "has expired", "Only redrives", "read and admin"),
        (
            {"state": "queued", "redrive_of": "exe_1"},
            "read write",
            "Only a failed run",
            None,
            "read and admin",
        ),
        (
            {"state": "queued", "redrive_of": "exe_1"},
            "read",
            "Only a failed run",
            "scope write",
            "read and admin",
        ),
        ({"redrive_of": "exe_1"}, "read write", None, "It has ended.", "read and admin"),
    ],
)
def test_acts_that_are_refused_say_why(
    changes: dict[str, Any], scopes: str, redrive: str | None, cancel: str | None, reveal: str | None
) -> None:
    may = f"(scope) => {scopes.split()}.includes(scope)"
    found = console_modules.evaluated("lib/timeline.js", f"m.refusals({json.dumps(RUN | changes)}, {may})")
    for name, expected in (("redrive", redrive), ("cancel", cancel), ("reveal", reveal)):
        assert (found[name] is None) if expected is None else (expected in found[name])


def test_snippets_name_the_run_and_never_a_key() -> None:
    expression = "m.runSnippets('exe_1')"
    script = f"(globalThis.location = {{origin: 'https://api.example'}}, {expression})"
    texts = [each["text"] for each in console_modules.evaluated("lib/run_snippets.js", script)]
    assert all("exe_1" in text and "pk_" not in text for text in texts)
    assert texts[2] == "punctual why exe_1"
    compile(texts[1], "copied", "exec")
