"""S2: the stores behave on throw-away tables as they do on DynamoDB Local; first of all, the item of a refusal."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4
from xml.etree import ElementTree

from infra.local.state_dir import PROJECT_ROOT
from tests.smoke.findings import Findings
from tests.smoke.judge.units import agrees_with_fact, total_units
from tests.smoke.world import World
from tests.support.conformance.aws_opt_in import NAME_PREFIX, OPT_IN, TAG

FIRST = "test_aws_facts_of_batches.py"
MODULES = (
    "test_claimer.py",
    "test_one_off_batches.py",
    "test_execution_filing.py",
    "test_execution_attempts.py",
    "test_execution_endings.py",
    "test_limit_store.py",
    "test_budget_store.py",
    "test_shard_ledger.py",
)
SECONDS = 1_800


def run(world: World, findings: Findings) -> None:
    _suite(world, findings, FIRST)
    if not world.target.emulated:
        for module in MODULES:
            _suite(world, findings, module)
    if findings.can_show("units", "units of accepted and refused statements"):
        _units(world, findings)


def _suite(world: World, findings: Findings, module: str) -> None:
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = ["-m", "pytest", "-n0", "-q", "--engines=aws", f"--junitxml={report}"]
        done = subprocess.run(
            [sys.executable, *command, f"tests/conformance/{module}"],
            cwd=PROJECT_ROOT,
            env=os.environ
            | world.target.environment()
            | {OPT_IN: world.target.account, TAG: world.target.stage.name},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        counted, wrong = results(report.read_bytes()) if report.exists() else (0, [done.stdout[-400:]])
    findings.check(f"{module} passes", done.returncode == 0 and not wrong, ", ".join(wrong) or done.stderr)
    findings.figure(f"{module} tests", counted)


def results(report: bytes) -> tuple[int, list[str]]:
    """How many tests ran, and which of them did not pass. A test that was left out did not pass."""
    found = list(ElementTree.fromstring(report).iter("testcase"))
    wrong = [case.get("name", "?") for case in found if len(case) and case[0].tag != "system-out"]
    return len(found), wrong


def _units(world: World, findings: Findings) -> None:
    dynamodb = world.target.client("dynamodb")
    table = f"{NAME_PREFIX}units-{uuid4().hex[:10]}"
    dynamodb.create_table(
        TableName=table,
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
        Tags=[{"Key": "punctual:stage", "Value": world.target.stage.name}],
    )
    try:
        dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 2})
        for key in ("a", "b"):
            dynamodb.put_item(TableName=table, Item={"pk": {"S": key}, "n": {"N": "1"}})
        accepted, refused = (_update(table, "a", "n > 0"), _update(table, "b", "n > 100"))
        alone, both, none = (
            _consumed(dynamodb, *each) for each in ((accepted,), (accepted, refused), (refused,))
        )
        findings.figure("units", {"accepted": alone, "accepted and refused": both, "refused": none})
        contradictions = agrees_with_fact(alone, both, none)
        findings.check("units are those of the fact b10", not contradictions, "; ".join(contradictions))
    finally:
        dynamodb.delete_table(TableName=table)


def _update(table: str, key: str, condition: str) -> dict[str, Any]:
    return {
        "Statement": f'UPDATE "{table}" SET n=n+1 WHERE pk=? AND {condition}',
        "Parameters": [{"S": key}],
    }


def _consumed(dynamodb: Any, *statements: dict[str, Any]) -> float:
    answer = dynamodb.batch_execute_statement(Statements=list(statements), ReturnConsumedCapacity="TOTAL")
    return total_units(answer.get("ConsumedCapacity", ()))
