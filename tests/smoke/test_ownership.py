"""The suite tears down what it created, whatever happens, and nothing else."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.config import StageConfig
from infra.stage_files.read import STAGES_DIR, parse_stage, read_stage
from tests.smoke import on_aws
from tests.smoke.catalogue import chosen
from tests.smoke.findings import Findings
from tests.smoke.on_aws import AwsTarget, protected
from tests.smoke.probe import stack
from tests.smoke.probe.stack import ProbeError
from tests.smoke.run import check_kept
from tests.smoke.steps import s00_preflight, s13_teardown
from tests.smoke.throwaways import delete_throwaways
from tests.smoke.world import SmokeError
from tests.support.sources import ROOT

ACCOUNT = "111111111111"
STAGE = read_stage("smoke")
DATA, SERVICE, PROBE = "punctual-smoke-data", "punctual-smoke-service", "punctual-smoke-smoke-probe"


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": ""}}, "Any")


@dataclass
class Stacked:
    """Stacks by their statuses. Each act is done at once."""

    statuses: dict[str, str]
    pending: dict[str, list[str]] = field(default_factory=dict)
    """The statuses that a stack still goes through, one with each look at it."""
    acts: list[tuple[str, str]] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    deletion_fails: bool = False

    def describe_stacks(self, StackName: str) -> dict[str, Any]:  # noqa: N803 - as boto3 names it
        if self.pending.get(StackName):
            self.statuses[StackName] = self.pending[StackName].pop(0)
        if StackName not in self.statuses:
            raise refusal("ValidationError")
        return {"Stacks": [{"StackStatus": self.statuses[StackName], "Outputs": []}]}

    def create_stack(self, StackName: str, Parameters: list[dict[str, str]], **_: Any) -> None:  # noqa: N803
        assert StackName not in self.statuses
        self.acts.append(("create", StackName))
        self.statuses[StackName] = "CREATE_COMPLETE"
        self.parameters = {each["ParameterKey"]: each["ParameterValue"] for each in Parameters}

    def delete_stack(self, StackName: str) -> None:  # noqa: N803
        self.acts.append(("delete", StackName))
        if self.deletion_fails:
            self.statuses[StackName] = "DELETE_FAILED"
        else:
            del self.statuses[StackName]


@dataclass
class Target:
    """A stage in an account that has nothing but these stacks."""

    cloudformation: Stacked
    reuses: bool = False
    emulated: bool = False
    stage: StageConfig = STAGE
    account: str = ACCOUNT
    torn: list[str] = field(default_factory=list)
    arns: list[str] = field(default_factory=list)

    def client(self, service: str) -> Any:
        return self.cloudformation if service == "cloudformation" else self

    def stacks(self) -> list[str]:
        return sorted(self.cloudformation.statuses)

    def preflight(self) -> list[str]:
        return []

    def teardown(self) -> None:
        self.torn.append(self.stage.name)
        for name in (DATA, SERVICE):
            self.cloudformation.statuses.pop(name, None)

    def get_paginator(self, _name: str) -> "Target":
        return self

    def paginate(self, **_: Any) -> list[dict[str, Any]]:
        return [{"ResourceTagMappingList": [{"ResourceARN": arn} for arn in self.arns]}]


def target(*stacks: str, **more: Any) -> Any:
    return Target(Stacked(dict.fromkeys(stacks, "CREATE_COMPLETE")), **more)


@pytest.mark.parametrize(
    ("stacks", "reuses", "why"),
    [
        ((DATA, SERVICE), False, "make teardown STAGE=smoke CONFIRM=smoke"),
        ((DATA,), False, "exists already"),
        ((PROBE,), False, f"delete-stack --stack-name {PROBE}"),
        ((), True, "no whole stage smoke to reuse"),
        ((DATA,), True, "no whole stage smoke to reuse"),
    ],
)
def test_stage_that_the_run_did_not_create_is_refused(
    stacks: tuple[str, ...], reuses: bool, why: str
) -> None:
    with pytest.raises(SmokeError, match=why):
        s00_preflight.run(target(*stacks, reuses=reuses), Findings("S0", emulated=False))


@pytest.mark.parametrize(
    ("stacks", "reuses"), [((), False), ((DATA, SERVICE), True), ((DATA, SERVICE, PROBE), True)]
)
def test_stage_that_is_new_or_to_be_reused_is_accepted(stacks: tuple[str, ...], reuses: bool) -> None:
    findings = Findings("S0", emulated=False)
    s00_preflight.run(target(*stacks, reuses=reuses), findings)
    assert not findings.failed


def test_reused_stage_is_kept_and_only_its_probe_is_deleted() -> None:
    kept = target(DATA, SERVICE, PROBE, reuses=True)
    findings = Findings("S13", emulated=False)
    s13_teardown.run(kept, findings)
    assert (kept.torn, kept.stacks(), findings.failed) == ([], [DATA, SERVICE], [])


def test_reused_stage_keeps_its_tables() -> None:
    check_kept(chosen(["S12"]), reuses=False)
    with pytest.raises(SmokeError, match="leave --reuse out"):
        check_kept(chosen(["S12"]), reuses=True)


def test_stage_is_torn_down_although_its_probe_cannot_be_deleted() -> None:
    made = target(DATA, SERVICE, PROBE)
    made.cloudformation.deletion_fails = True
    with pytest.raises(ProbeError, match="DELETE_FAILED"):
        s13_teardown.run(made, Findings("S13", emulated=False))
    assert made.torn == ["smoke"]
    assert made.stacks() == [PROBE]


def test_probe_of_an_earlier_run_is_deleted_before_a_new_one_is_created() -> None:
    account = Stacked({PROBE: "CREATE_COMPLETE"})
    stack.create(lambda _: account, PROBE, "smoke", "arn:new", poll_seconds=0)
    assert account.acts == [("delete", PROBE), ("create", PROBE)]
    assert account.parameters == {"AlarmTopicArn": "arn:new"}


INTERRUPTED = """
import os, signal, time
from tests.smoke import __main__ as program

def run(*_):
    try:
        os.kill(os.getpid(), signal.{first})
        time.sleep(60)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        print("torn down", flush=True)

program._run = run
program.run_as_program(["smoke"])
"""


@pytest.mark.parametrize("first", ["SIGINT", "SIGTERM"])
def test_signal_of_a_cancelled_job_leads_to_the_teardown_and_does_not_end_it(first: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.replace("{first}", first)],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "torn down\n", done.stderr
    assert done.returncode == 1
    assert "Interrupted" in done.stderr


def test_target_without_a_stage_is_refused() -> None:
    done = subprocess.run(
        ["make", "-n", "smoke"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in ("STAGE", "MAKEFLAGS")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "type make smoke STAGE=smoke" in done.stderr


def test_protected_variant_of_the_stage_of_the_suite_is_a_valid_stage() -> None:
    content = (STAGES_DIR / "smoke.toml").read_text(encoding="utf-8")
    stage = parse_stage(
        "smoke", protected(content, "arn:aws:sns:us-east-1:111111111111:t", ACCOUNT).encode(), "x"
    )
    assert stage.protect_data
    assert stage.account == ACCOUNT
    assert stage.default_quotas == STAGE.default_quotas


def test_protected_variant_keeps_the_account_and_the_targets_of_the_file() -> None:
    given = ('account = "222222222222"', 'region = "us-east-1"', "[alarms]", 'emails = ["a@example.com"]')
    content = "\n".join(given)
    stage = parse_stage("smoke", protected(content, "arn:t", ACCOUNT).encode(), "x")
    assert stage.account == "222222222222"
    assert stage.alarm_targets.emails == ("a@example.com",)


@pytest.mark.parametrize("fails", ["deploy", "attach"])
def test_stage_is_unprotected_again_although_an_attachment_failed(
    fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed: list[str] = []

    def cdk(_target: AwsTarget, _folder: Path, *arguments: str) -> Any:
        is_protected = any(word.startswith("stages=") for word in arguments)
        deployed.append("protected" if is_protected else "unprotected")
        is_refused = is_protected and fails == "deploy"
        return subprocess.CompletedProcess(arguments, int(is_refused), "", "")

    def attach(*_: Any, **__: Any) -> None:
        raise SmokeError("no attachment")

    monkeypatch.setattr(AwsTarget, "_run", cdk)
    monkeypatch.setattr(AwsTarget, "_stacks", lambda _: None)
    monkeypatch.setattr(on_aws, "attach_stage", attach)
    with pytest.raises(SmokeError, match=r"no attachment|was not deployed"):
        AwsTarget(STAGE, _account=ACCOUNT).adopt(
            {}, datetime.now(UTC), "arn:aws:sns:us-east-1:111111111111:t"
        )
    assert deployed == ["protected", "unprotected"]


def test_teardown_waits_for_a_deployment_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    account = Stacked({DATA: "CREATE_COMPLETE", SERVICE: "CREATE_COMPLETE"})
    account.pending[SERVICE] = ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]
    torn: list[str] = []
    monkeypatch.setattr(on_aws, "IDLE_POLL_SECONDS", 0)
    monkeypatch.setattr(on_aws, "teardown", lambda *_: torn.append(account.statuses[SERVICE]))
    monkeypatch.setattr(AwsTarget, "_stacks", lambda _: None)
    AwsTarget(STAGE, _clients={"cloudformation": account}).teardown()
    assert torn == ["UPDATE_COMPLETE"]


class Account:
    """Records deletions. A table is gone already."""

    def __init__(self) -> None:
        self.deleted: list[str] = []

    def delete_table(self, TableName: str) -> None:  # noqa: N803
        self.deleted.append(TableName)
        raise refusal("ResourceNotFoundException")

    def get_queue_url(self, QueueName: str) -> dict[str, str]:  # noqa: N803
        return {"QueueUrl": QueueName}

    def delete_queue(self, QueueUrl: str) -> None:  # noqa: N803
        self.deleted.append(QueueUrl)

    def delete_log_group(self, logGroupName: str) -> None:  # noqa: N803
        self.deleted.append(logGroupName)

    def describe_key(self, KeyId: str) -> dict[str, Any]:  # noqa: N803
        name = "punctual-conformance-a1" if KeyId.endswith("/own") else "Punctual: tenants"
        return {"KeyMetadata": {"Description": name, "KeyState": "Enabled"}}

    def schedule_key_deletion(self, KeyId: str, PendingWindowInDays: int) -> None:  # noqa: N803
        self.deleted.append(KeyId)


def test_resources_of_a_killed_conformance_suite_are_deleted_by_their_names() -> None:
    account = Account()
    own = "arn:aws:{}:us-east-1:111111111111:{}"
    arns = [
        own.format("dynamodb", "table/punctual-conformance-a1-jobs-1"),
        own.format("dynamodb", "table/punctual-smoke-data-Jobs"),
        own.format("sqs", "punctual-conformance-a1-standard"),
        own.format("sqs", "punctual-smoke-service-Standard"),
        own.format("logs", "log-group:/punctual-conformance-a1/b2"),
        own.format("kms", "key/own"),
        own.format("kms", "key/of-the-stage"),
    ]
    delete_throwaways(lambda _: account, arns)
    assert account.deleted == [
        "punctual-conformance-a1-jobs-1",
        "punctual-conformance-a1-standard",
        "/punctual-conformance-a1/b2",
        arns[5],
    ]
