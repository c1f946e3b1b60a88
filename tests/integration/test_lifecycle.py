"""Teardown, attachment and adoption of restored tables, on an emulator of their own."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra.lifecycle.commands import (
    attach,
    physical_names,
    plan_attachment,
    reopen_buckets,
    resume,
    teardown,
)
from infra.lifecycle.stacks import LifecycleError, Stacks
from infra.local.api import Api
from infra.local.assembly import StackArtifact, read_assembly
from infra.local.clients import ACCOUNT, REGION
from infra.local.deploy import deploy, describe
from infra.local.stack import LocalStack, local_stack
from infra.local.synthesise import assembly
from infra.stages import local_stage

pytestmark = [pytest.mark.integration, pytest.mark.engines]

STAGE = replace(local_stage(), protect_data=True)
DATA, SERVICE = f"{STAGE.prefix}-data", f"{STAGE.prefix}-service"


class ProtectedStage:
    """The local stage, with tables and a key that survive their stack."""

    def __init__(self, local: LocalStack) -> None:
        self.local = local
        artifacts: tuple[StackArtifact, ...] = read_assembly(assembly(), account=ACCOUNT, region=REGION)
        self._artifacts = artifacts
        self.template: dict[str, Any] = json.loads(artifacts[0].body())
        for made in self.template["Resources"].values():
            made["DeletionPolicy"] = "Retain"
        self.stacks = Stacks(
            local.client,
            bucket=artifacts[0].assets[0].bucket,
            url=f"{local.endpoint}/{{bucket}}/{{key}}",
            poll_seconds=0.05,
        )
        self.stacks.update(DATA, self.template)

    def attach(self, **given: str) -> dict[str, str]:
        plan = plan_attachment(self.stacks, self.template, STAGE, given)
        attach(self.stacks, self.template, STAGE, plan, lambda line: None)
        return dict(plan.names)

    def deploy(self) -> None:
        """What `cdk deploy --all` does, and the last step of `make attach`."""
        self.stacks.update(DATA, self.template)
        deploy(self._artifacts[1:], self.local.clients)
        resume(self.stacks, SERVICE)

    def outputs(self) -> dict[str, str]:
        return dict(describe([DATA, SERVICE], self.local.clients).outputs)

    def status_of_jobs(self, key: str) -> int:
        host = self.outputs()["ApiUrl"].removeprefix("https://").removeprefix("http://").partition(":")[0]
        return Api(port=self.local.emulator.port, host=host, key=key).request("GET", "/v1/jobs").status

    def live_tables(self) -> set[str]:
        """The executions tables of the versions that are invoked."""
        lambdas = self.local.client("lambda")
        names = [value for output, value in self.outputs().items() if output.endswith("FunctionName")]
        found = [lambdas.get_function_configuration(FunctionName=name, Qualifier="live") for name in names]
        variables = [made["Environment"]["Variables"] for made in found]
        # The reader of the archive has no tables.
        return {each["EXECUTIONS_TABLE"] for each in variables if "EXECUTIONS_TABLE" in each}

    def reserved(self) -> set[int | None]:
        lambdas = self.local.client("lambda")
        names = [value for output, value in self.outputs().items() if output.endswith("FunctionName")]
        found = [lambdas.get_function_concurrency(FunctionName=name) for name in names]
        return {made.get("ReservedConcurrentExecutions") for made in found}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProtectedStage]:
    root: Path = tmp_path_factory.mktemp("lifecycle") / "local"
    with local_stack(root, fresh=True, warm_up=False) as local:
        yield ProtectedStage(local)


def test_stage_that_was_torn_down_is_attached_with_its_tenants_and_tables(stage: ProtectedStage) -> None:
    tenant = stage.local.create_tenant("acme")
    before = physical_names(stage.stacks, DATA)
    lines: list[str] = []
    teardown(stage.stacks, STAGE, lines.append)
    names = dict(pair.split("=") for pair in lines[0].partition('TABLES="')[2].removesuffix('"').split())
    assert names == before
    assert not stage.stacks.exists(DATA)
    assert not stage.stacks.exists(SERVICE)
    assert {names["executions"], names["jobs"]} <= set(
        stage.local.client("dynamodb").list_tables()["TableNames"]
    )
    with pytest.raises(LifecycleError, match="the name of executions is missing"):
        stage.attach(**{name: value for name, value in names.items() if name != "executions"})
    stage.attach(**names)
    stage.deploy()
    assert physical_names(stage.stacks, DATA) == before
    assert stage.live_tables() == {before["executions"]}
    assert stage.status_of_jobs(tenant.api_key) == 200


def test_restored_table_takes_the_place_of_the_damaged_one_and_the_api_keeps_its_url(
    stage: ProtectedStage,
) -> None:
    dynamodb = stage.local.client("dynamodb")
    before, url = physical_names(stage.stacks, DATA), stage.outputs()["ApiUrl"]
    described = dynamodb.describe_table(TableName=before["executions"])["Table"]
    dynamodb.create_table(
        TableName="restored-executions",
        KeySchema=described["KeySchema"],
        AttributeDefinitions=described["AttributeDefinitions"],
        GlobalSecondaryIndexes=[
            {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
            for index in described["GlobalSecondaryIndexes"]
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    with pytest.raises(LifecycleError, match="name those to adopt"):
        stage.attach()
    with pytest.raises(LifecycleError, match=r"there is no table unknown .* an existing table for jobs"):
        stage.attach(jobs="unknown")
    assert stage.reserved() == {None}, "a refused command stops nothing"
    names = stage.attach(executions="restored-executions")
    assert stage.reserved() == {0}, "the functions are stopped"
    stage.deploy()
    assert stage.reserved() == {None}
    assert names == before | {"executions": "restored-executions"}
    assert physical_names(stage.stacks, DATA) == names
    assert stage.live_tables() == {"restored-executions"}
    assert stage.outputs()["ApiUrl"] == url
    assert before["executions"] in dynamodb.list_tables()["TableNames"]


def test_sweeps_begin_again_at_the_named_instant_if_they_have_a_mark(stage: ProtectedStage) -> None:
    dynamodb, leases = stage.local.client("dynamodb"), physical_names(stage.stacks, DATA)["leases"]
    key = {"pk": {"S": f"{REGION}#swept"}, "sk": {"S": "through"}}
    instant = datetime(2026, 11, 20, 3, tzinfo=UTC)
    dynamodb.delete_item(TableName=leases, Key=key)
    reopen_buckets(dynamodb, leases, REGION, instant)
    assert "Item" not in dynamodb.get_item(TableName=leases, Key=key)
    dynamodb.put_item(TableName=leases, Item={**key, "th": {"N": "99999999"}, "sn": {"S": "kept"}})
    reopen_buckets(dynamodb, leases, REGION, instant)
    found = dynamodb.get_item(TableName=leases, Key=key)["Item"]
    assert found == {**key, "th": {"N": str(int(instant.timestamp()) // 60 - 1)}, "sn": {"S": "kept"}}
