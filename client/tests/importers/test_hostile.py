"""Files that are broken, huge or meant to do harm: each is refused with its name, or read in bounded time."""

import contextlib
import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.tests.importers.engine import SPAN
from punctual.applyfile import read_apply_file
from punctual.importers import (
    CrontabReader,
    EventBridgeReader,
    KubernetesReader,
    QStashReader,
    UnreadableSourceError,
    UrlMap,
    Verdict,
    apply_text,
    judge,
    report_text,
    url_map,
)

URLS = UrlMap({"job": "https://example.com/"})
READERS: dict[str, EventBridgeReader | QStashReader | CrontabReader | KubernetesReader] = {
    "eventbridge": EventBridgeReader(URLS, SPAN),
    "qstash": QStashReader(URLS, SPAN),
    "crontab": CrontabReader(URLS, SPAN, "UTC", is_system=True),
    "k8s": KubernetesReader(URLS, SPAN, "UTC"),
}
TARGET = {"Arn": "arn:aws:sqs:eu-west-1:111122223333:q"}


def read(source: str, *contents: bytes) -> list[Any]:
    """The verdicts on the jobs of the files, after report and file have been written, too."""
    found = READERS[source].read([(f"file-{number}", data) for number, data in enumerate(contents)])
    judged = judge(found, None, SPAN)
    report_text(judged, found.remarks)
    apply_text(judged, "s", source="files")
    return list(judged)


@pytest.mark.parametrize(
    ("source", "data", "error"),
    [
        ("eventbridge", b"", None),
        ("eventbridge", b"{", "file-0:1: not JSON"),
        ("eventbridge", b"[" * 100_000, "nested too deeply"),
        ("eventbridge", b'{"a": 1, "a": 2}', "same member twice"),
        ("eventbridge", b"[NaN]", "NaN is no JSON"),
        ("eventbridge", b"[" + b"9" * 10_000 + b"]", "file-0: "),
        ("eventbridge", b"\xff", "not UTF-8"),
        ("eventbridge", b"[1]", "not a schedule"),
        ("eventbridge", b'{"Schedules": [{"Name": "a", "Target": {"Arn": "x"}}]}', "prints no expressions"),
        ("eventbridge", b'{"Name": "a", "EventBusName": "default"}', "a rule of EventBridge"),
        ("qstash", b'{"error": "unauthorized"}', "not a schedule as GET /v2/schedules"),
        ("qstash", b"[[]]", "not a schedule"),
        ("crontab", b"\xff\n", "not UTF-8"),
        ("crontab", b"#" * (8 * 1024 * 1024 + 1), "more than 8 MiB"),
        ("k8s", b"[" * 100_000, "nested deeper"),
        ("k8s", b"a: !!python/name:os.system", "tags"),
        ("k8s", b"- a", "not an object of Kubernetes"),
        ("k8s", b"kind: CronJob\nkind: CronJob\n", "file-0:2: the key 'kind' occurs twice"),
    ],
)
def test_broken_files_are_refused_with_their_name(source: str, data: bytes, error: str | None) -> None:
    if error is None:
        assert read(source, data) == []
        return
    with pytest.raises(UnreadableSourceError, match="file-0") as refused:
        read(source, data)
    assert error in str(refused.value)


members = st.sampled_from(
    ["Name", "GroupName", "ScheduleExpression", "Target", "StartDate", "FlexibleTimeWindow", "cron", "destination",
     "header", "retries", "body", "bodyBase64", "delay", "label", "kind", "metadata", "spec", "scheduleId"]
)  # fmt: skip
TEXTS = ["rate(5 minutes)", "0 0 * * *", "CronJob"]
anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["rate(5 minutes)", "0 0 * * *", "CronJob"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(members, inner, max_size=5),
    max_leaves=8,
)


@pytest.mark.parametrize("source", ["eventbridge", "qstash", "k8s"])
@settings(max_examples=80, deadline=None)
@given(st.dictionaries(members, anything, min_size=1, max_size=8))
def test_members_of_any_type_are_misfits_or_refused(source: str, value: dict[str, Any]) -> None:
    known = {
        "eventbridge": {"ScheduleExpression": "rate(1 day)"},
        "qstash": {"cron": "0 0 * * *"},
        "k8s": {"kind": "CronJob"},
    }
    with contextlib.suppress(UnreadableSourceError):
        read(source, json.dumps({**known[source], **value}).encode())


@settings(max_examples=100, deadline=None)
@given(st.text("*/0123456789-, @#%=\nabcTZ_\\\t\r\"'", max_size=80))
def test_crontab_of_any_text_is_read(text: str) -> None:
    read("crontab", text.encode())


def test_thousands_of_lines_are_read_in_seconds_and_each_has_a_key_of_its_own() -> None:
    lines = "".join(f"{n % 60} {n % 24} * * * root /bin/job {n % 500}\n" for n in range(3_000))
    began = time.process_time()
    jobs = [each.job.key for each in read("crontab", lines.encode())]
    assert len(set(jobs)) == 3_000
    assert time.process_time() - began < 30


def test_line_of_spaces_is_read_in_one_pass() -> None:
    # A pattern that tries each space as the end of the command would not end within a day.
    for line in (f"0 0 * * * root a{' ' * 1_000_000}b", f"PATH=a{' ' * 1_000_000}b"):
        read("crontab", f"{line}\n".encode())


@pytest.mark.parametrize(
    "text",
    ["1e400", '{"a": 1, "a": 2}', "NaN", "[" * 500 + "]" * 500, "[" * 100_000],
    ids=lambda text: text[:12],
)
def test_input_that_is_no_plain_json_is_sent_as_it_is(text: str) -> None:
    target = {"Arn": "job", "Input": text}
    schedule = {"Name": "j", "ScheduleExpression": "rate(1 day)", "CreationDate": 1, "Target": target}
    [judgement] = read("eventbridge", json.dumps(schedule).encode())
    text_of_file = apply_text([replace(judgement, verdict=Verdict.SAME)], "s", source="a test")
    [job] = read_apply_file(text_of_file.encode()).jobs
    assert job.members["body"] == text


def test_names_with_line_breaks_make_no_line_of_the_report() -> None:
    schedule = {"scheduleId": "a\nsame: b", "cron": "0 0 * * *", "destination": "job", "retries": 1}
    report = report_text(read("qstash", json.dumps([schedule]).encode()))
    assert not [line for line in report.splitlines() if line.startswith("same")]


def test_names_that_occur_twice_are_misfits_and_keep_keys_apart() -> None:
    schedule = {"Name": "job", "ScheduleExpression": "rate(1 day)", "CreationDate": 1, "Target": TARGET}
    twice = read("eventbridge", json.dumps(schedule).encode(), json.dumps([schedule]).encode())
    assert [each.job.key for each in twice] == ["default:job", "default:job-2"]
    assert "the same group and name" in twice[1].why
    twice = read(
        "qstash",
        json.dumps(
            [{"scheduleId": "a", "cron": "0 0 * * *", "destination": "job", "retries": 1}] * 2
        ).encode(),
    )
    assert [each.verdict.value for each in twice] == ["not compared", "not expressible"]


@pytest.mark.parametrize("pair", ["job", "job=ftp://x", "job=https://a=https://b", "=", "job=https://"])
def test_maps_that_are_ambiguous_or_no_url_are_refused(pair: str) -> None:
    with pytest.raises(UnreadableSourceError):
        url_map([pair])


def test_map_file_takes_targets_that_a_pair_cannot_hold() -> None:
    file = json.dumps({"curl --url=https://a.example": "https://b.example/"}).encode()
    assert url_map(["x=https://c.example/?q=1"], file).urls == {
        "curl --url=https://a.example": "https://b.example/",
        "x": "https://c.example/?q=1",
    }
    for wrong in (b"[]", b'{"a": 1}', b"{", b"[" * 100_000):
        with pytest.raises(UnreadableSourceError):
            url_map([], wrong)
