"""What a function printed is read line by line, once, whatever else stands in its log."""

import json
from pathlib import Path

import pytest

from tests.crashes.printed import Printed, findings
from tests.crashes.tampering import faults_of

LOST = ("chains_repaired", "job_1")
GONE = ("missing_executions", "job_2")


def test_a_line_is_handed_over_once_and_only_when_it_is_complete(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    printed = Printed(log)
    assert printed.new_lines() == []
    log.write_bytes(b"one\n\ntwo\nthr")
    assert printed.new_lines() == ["one", "two"]
    assert printed.new_lines() == []
    log.write_bytes(b"one\n\ntwo\nthree\n\xff\n")
    assert printed.new_lines() == ["three", "\ufffd"]


def test_findings_are_told_from_everything_else() -> None:
    told = {"level": "ERROR", "message": "missing_executions", "id": "job_2"}
    noise = [
        "missing_executions",
        "[]",
        "7",
        '{"message": "swept"}',
        '{"message": ["missing_executions"]}',
        "{",
    ]
    assert findings([*noise, json.dumps(told)]) == {GONE}


@pytest.mark.parametrize(
    ("found", "word"),
    [({GONE}, None), ({GONE, LOST}, None), (set(), "never told"), ({GONE, ("a", "b")}, "a b")],
)
def test_log_check_finds_a_missing_and_an_unexpected_report(
    found: set[tuple[str, str]], word: str | None
) -> None:
    faults = faults_of(found, must={GONE}, may={LOST})
    assert len(faults) == (word is not None)
    assert all((word or "") in fault for fault in faults)
