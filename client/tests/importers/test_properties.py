"""Laws over random lines: a job that counts as the same has the instants of its source, by two models."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from client.tests.importers import strategies
from client.tests.importers.engine import SPAN, EngineInstants
from punctual.applyfile import Job
from punctual.importers import (
    CrontabReader,
    EventBridgeReader,
    KubernetesReader,
    QStashReader,
    SourceFile,
    UrlMap,
    Verdict,
    judge,
)

MOST = 1_500
"""Lines with more instants in 400 days cost the engine seconds, and are left to samples."""
URLS = UrlMap(
    {
        "job": "https://example.com/job",
        "default/job": "https://example.com/job",
        "/bin/job": "https://example.com/job",
    }
)
Read = Callable[[str, str], SourceFile]


def crontab(line: str, zone: str) -> SourceFile:
    return CrontabReader(URLS, SPAN, zone).read([("crontab", f"{line} /bin/job\n".encode())])


def kubernetes(line: str, zone: str) -> SourceFile:
    job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "job"},
        "spec": {"schedule": line, "timeZone": zone},
    }
    return KubernetesReader(URLS, SPAN).read([("job", json.dumps(job).encode())])


def qstash(line: str, zone: str) -> SourceFile:
    schedule = {"scheduleId": "job", "cron": f"CRON_TZ={zone} {line}", "destination": "https://example.com"}
    return QStashReader(URLS, SPAN).read([("job", json.dumps([schedule]).encode())])


def eventbridge(line: str, zone: str, **more: Any) -> SourceFile:
    schedule = {
        "Name": "job",
        "GroupName": "default",
        "ScheduleExpression": line,
        "ScheduleExpressionTimezone": zone,
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "Target": {"Arn": "arn:aws:lambda:eu-west-1:111122223333:function:job"},
        **more,
    }
    return EventBridgeReader(URLS, SPAN).read([("job", json.dumps(schedule).encode())])


DIALECTS: dict[str, tuple[Read, st.SearchStrategy[str]]] = {
    "crontab": (crontab, strategies.crontab_lines),
    "kubernetes": (kubernetes, strategies.kubernetes_lines),
    "qstash": (qstash, strategies.qstash_lines),
    "eventbridge": (eventbridge, strategies.eventbridge_lines),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_job_that_counts_as_the_same_has_all_instants_of_its_source(
    dialect: str, data: st.DataObject
) -> None:
    read, lines = DIALECTS[dialect]
    source = read(data.draw(lines), data.draw(strategies.zones))
    # A budget of 50 makes almost every line one that is judged by samples.
    (judged,) = judge(source, EngineInstants(), SPAN, budget=50)
    event(judged.verdict.value)
    if judged.verdict is not Verdict.SAME:
        return
    assert judged.job.members is not None
    schedule = Job(judged.job.key, judged.job.members).schedule()
    ours = EngineInstants().between(schedule, SPAN.start, SPAN.end, MOST)
    if len(ours) == MOST:
        return
    for rule in judged.job.instants:
        assert list(islice(rule.after(SPAN.start, SPAN.end), MOST)) == ours


def test_run_that_kubernetes_misses_after_a_skipped_midnight_is_found_by_samples() -> None:
    (judged,) = judge(kubernetes("*/2 15 * * 0", "Asia/Beirut"), EngineInstants(), SPAN)
    assert judged.verdict is Verdict.DIFFERS
    assert judged.comparison is not None
    assert judged.comparison.differences[0].shown == "2026-03-29 15:00:00 +03:00"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "Africa/Casablanca"])
def test_simple_lines_are_the_same_in_every_zone(dialect: str, zone: str) -> None:
    lines = ["15 12 * * *", "5 18 1-7,31 */2 *"]
    if dialect == "eventbridge":
        lines = [
            f"cron({each})"
            for each in ("15 12 * * ? *", "0 12 L * ? *", "5 18 ? * MON-FRI *", "*/30 9-17 ? * 2#1 *")
        ]
    read, _ = DIALECTS[dialect]
    verdicts = [judge(read(line, zone), EngineInstants(), SPAN)[0] for line in lines]
    assert Counter(each.verdict for each in verdicts) == {Verdict.SAME: len(lines)}, verdicts
