"""The apply file and the report of one file of each source, as they are printed; `GOLDEN=write` writes them anew."""

import os
from pathlib import Path

import pytest

from client.tests.importers.engine import SPAN, EngineInstants
from punctual.applyfile import read_apply_file
from punctual.importers import (
    CrontabReader,
    EventBridgeReader,
    KubernetesReader,
    QStashReader,
    UrlMap,
    Verdict,
    apply_text,
    judge,
    report_text,
)

GOLDEN = Path(__file__).parent / "golden"
URLS = UrlMap(
    {
        "arn:aws:lambda:eu-west-1:111122223333:function:report": "https://example.com/hooks/report",
        "arn:aws:sqs:eu-west-1:111122223333:invoices": "https://example.com/hooks/invoices",
        "billing/nightly": "https://example.com/hooks/nightly",
        "often": "https://example.com/hooks/often",
        "/opt/backup.sh --all": "https://example.com/hooks/backup-all",
        **{
            program: f"https://example.com/hooks/{program}"
            for program in (
                "backup.sh",
                "curl",
                "twice",
                "pay",
                "both",
                "tokyo",
                "newyork",
                "mail",
                "jenkins",
            )
        },
    }
)
READERS: dict[str, EventBridgeReader | QStashReader | CrontabReader | KubernetesReader] = {
    "eventbridge.json": EventBridgeReader(URLS, SPAN),
    "qstash.json": QStashReader(URLS, SPAN),
    "crontab.txt": CrontabReader(URLS, SPAN, "Europe/Berlin"),
    "k8s.yaml": KubernetesReader(URLS, SPAN),
}


def check(path: Path, text: str) -> None:
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text)
    assert path.read_text() == text


@pytest.mark.parametrize("name", READERS)
def test_file_of_each_source_gives_the_golden_apply_file_and_report(name: str) -> None:
    source = READERS[name].read([(name, (GOLDEN / name).read_bytes())])
    judged = judge(source, EngineInstants(), SPAN)
    stem = name.split(".")[0]
    text = apply_text(judged, stem, source=name)
    check(GOLDEN / f"{stem}.apply.yaml", text)
    check(GOLDEN / f"{stem}.report.txt", report_text(judged, source.remarks))
    live = read_apply_file(text.encode())
    assert [job.key for job in live.jobs] == [each.job.key for each in judged if each.verdict is Verdict.SAME]


@pytest.mark.parametrize("name", READERS)
def test_no_secret_of_a_source_reaches_the_file_or_the_report(name: str) -> None:
    stem = name.split(".")[0]
    printed = (GOLDEN / f"{stem}.apply.yaml").read_text() + (GOLDEN / f"{stem}.report.txt").read_text()
    assert "not-for-files" not in printed
    assert "hunter2" not in printed
