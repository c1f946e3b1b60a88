"""The judgements of the smoke suite, each with both verdicts."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.local.calls import Call
from tests.smoke.judge.alarms import left_firing, went_and_came_back
from tests.smoke.judge.golden import Case, answer_of, cases, differences
from tests.smoke.judge.lags import punctuality
from tests.smoke.judge.log_lines import faults_of
from tests.smoke.judge.units import agrees_with_fact, total_units
from tests.smoke.probe.receiver import reply_of
from tests.smoke.receivers import as_call, below
from tests.smoke.steps.s01_deploy import deployment_groups
from tests.smoke.steps.s02_conformance import results
from tests.smoke.steps.s10_releases import release_before
from tests.smoke.world import SmokeError

DUE = datetime(2026, 11, 24, 12, tzinfo=UTC)


def call(job: str, lag_ms: float, attempt: int = 1, path: str = "/") -> Call:
    headers = {"x-job-id": job, "x-attempt": str(attempt), "x-scheduled-at": DUE.isoformat()}
    return Call(
        method="POST",
        path=path,
        headers=headers,
        body=b"",
        arrived_at=DUE + timedelta(milliseconds=lag_ms),
        genuine=None,
    )


def test_calls_of_a_step_are_told_from_those_of_a_path_that_begins_alike() -> None:
    paths = ("/r/delete", "/r/delete/sleep-4", "/r/deleted", "/r/deleted/sleep-4", "/x/r/delete")
    found = below("/r/delete", [call("job_1", 0, path=path) for path in paths])
    assert [each.path for each in found] == ["/r/delete", "/r/delete/sleep-4"]


def test_punctual_calls_keep_the_guarantees_and_have_percentiles() -> None:
    seen = punctuality(
        [call(f"job_{lag}", lag) for lag in range(1, 101)], [f"job_{n}" for n in range(1, 101)]
    )
    assert seen.is_kept
    assert seen.figures() == {"jobs": 100, "p50_ms": 50, "p99_ms": 99, "most_ms": 100}


@pytest.mark.parametrize(
    ("calls", "shown"),
    [
        ([call("a", -1), call("b", 3)], "1 early, 0 lost, 0 doubled of 2"),
        ([call("a", 3)], "0 early, 1 lost, 0 doubled of 2"),
        ([call("a", 3), call("b", 3), call("b", 9)], "0 early, 0 lost, 1 doubled of 2"),
    ],
)
def test_early_lost_or_doubled_call_breaks_the_guarantees(calls: list[Call], shown: str) -> None:
    seen = punctuality(calls, ["a", "b"])
    assert not seen.is_kept
    assert str(seen) == shown


def test_golden_answer_differs_by_the_members_that_count() -> None:
    received = b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\n{"rawPath": "/a/b"}\r\n0\r\n\r\n'
    answer = answer_of(received)
    assert differences({"status": 200, "rawPath": "/a/b"}, answer) == {}
    assert differences({"rawPath": "/a%2Fb"}, answer) == {"rawPath": ("/a%2Fb", "/a/b")}


def test_refusal_of_a_gateway_has_its_status_alone() -> None:
    assert answer_of(b"HTTP/1.1 413 Too Large\r\n\r\n") == {"status": 413}
    assert answer_of(b"") == {"status": 0}


def test_golden_request_is_written_with_its_body_and_its_headers() -> None:
    case = Case(
        name="x",
        request={"method": "POST", "target": "/b", "headers": [["A", "@3"]], "size": 2},
        expected={},
        differs_on_emulator=False,
    )
    assert case.bytes("host") == (
        b"POST /b HTTP/1.1\r\nHost: host\r\nConnection: close\r\nA: xxx\r\nContent-Length: 2\r\n\r\nxx"
    )


def test_golden_file_has_each_case_once() -> None:
    names = [case.name for case in cases()]
    assert len(names) == len(set(names)) > 10


@pytest.mark.parametrize(
    ("states", "is_so"),
    [
        (["ALARM", "OK"], True),
        (["OK", "ALARM", "INSUFFICIENT_DATA", "OK"], True),
        (["ALARM"], False),
        (["OK"], False),
        ([], False),
    ],
)
def test_alarm_recovers_only_after_it_fired(states: list[str], is_so: bool) -> None:
    assert went_and_came_back(states) is is_so


def test_units_agree_only_if_refused_statements_pay_beside_others() -> None:
    assert agrees_with_fact(1, 2, 0) == []
    assert len(agrees_with_fact(1, 1, 0)) == 1
    assert len(agrees_with_fact(1, 1, 1)) == 2
    assert total_units([{"CapacityUnits": 1.0}, {"CapacityUnits": 2.0}]) == 3


def test_suite_passes_only_if_no_test_failed_or_was_left_out() -> None:
    report = (
        b'<testsuites><testsuite><testcase name="a"/><testcase name="b"><failure/></testcase>'
        b'<testcase name="c"><skipped/></testcase></testsuite></testsuites>'
    )
    assert results(report) == (3, ["b", "c"])


@pytest.mark.parametrize(
    ("path", "attempt", "reply"),
    [
        ("/run/name", 1, (200, 0)),
        ("/run/name/status-503/until-3", 2, (503, 0)),
        ("/run/name/status-503/until-3", 3, (200, 0)),
        ("/run/name/sleep-20", 1, (200, 20)),
    ],
)
def test_receiver_answers_as_the_path_says(path: str, attempt: int, reply: tuple[int, int]) -> None:
    assert reply_of(path, attempt) == reply


def test_stored_call_is_read_as_it_arrived() -> None:
    item = {
        "path": {"S": "/a"},
        "headers": {"S": json.dumps({"x-job-id": "job_1"})},
        "body": {"S": "e30="},
        "encoded": {"BOOL": True},
        "at": {"N": "1764000000123"},
    }
    found = as_call(item)
    assert (found.path, found.job_id, found.body) == ("/a", "job_1", b"{}")
    assert found.arrived_at == datetime.fromtimestamp(1764000000.123, UTC)


def test_alarms_of_burn_rates_may_fire_after_the_faults_of_a_run() -> None:
    states = {
        "punctual-smoke-ApiBurnFast": "ALARM",
        "punctual-smoke-StartBurnSlow": "ALARM",
        "punctual-smoke-AuditFailed": "ALARM",
        "punctual-smoke-Parked": "OK",
    }
    alarms = [{"AlarmName": name, "StateValue": state} for name, state in states.items()]
    assert left_firing(alarms, "punctual-smoke") == ["punctual-smoke-AuditFailed"]


LINE = '{"timestamp":"2026-11-24T12:00:00.123Z","level":"ERROR","message":"clock behind","behind_ms":1}'


@pytest.mark.parametrize(
    ("line", "is_kept"),
    [
        (LINE, True),
        (LINE.replace("ERROR", "INFO"), False),
        (LINE.replace("2026-11-24T12:00:00.123Z", "soon"), False),
        (json.dumps({"timestamp": "2026-11-24T12:00:00.123Z", "level": "INFO", "message": LINE}), False),
        ('{"level":"ERROR","message":"clock behind","timestamp":"2026-11-24T12:00:00.123Z"}', False),
        ("clock behind", False),
    ],
)
def test_line_is_kept_only_with_its_level_and_its_own_time(line: str, is_kept: bool) -> None:
    assert (faults_of(line, message="clock behind", level="ERROR") == "") is is_kept


def test_only_groups_of_the_stage_shift_its_alias() -> None:
    class Resources:
        def get_paginator(self, _name: str) -> "Resources":
            return self

        def paginate(self, StackName: str) -> list[dict[str, Any]]:  # noqa: N803 - as boto3 names it
            assert StackName == "punctual-smoke-service"
            kinds = ("AWS::CodeDeploy::DeploymentGroup", "AWS::CodeDeploy::Application")
            found = [
                {"ResourceType": kind, "PhysicalResourceId": kind[-5:], "ResourceStatus": "CREATE_COMPLETE"}
                for kind in kinds
            ]
            return [{"StackResourceSummaries": found}]

    assert deployment_groups(Resources(), "punctual-smoke-service") == ["Group"]


def test_release_before_is_named_or_the_latest_tag_before_the_commit(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        own = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *own, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for number in (1, 2):
        git("commit", "--allow-empty", "-m", str(number))
    assert release_before("abc", tmp_path) == "abc"
    with pytest.raises(SmokeError, match="name a commit with --previous"):
        release_before(None, tmp_path)
    git("tag", "-a", "v1", "-m", "1", "HEAD^")
    assert release_before(None, tmp_path) == "v1"
