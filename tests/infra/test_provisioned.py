"""Provisioned units of the executions table: what is refused, and what a template has."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App

from infra.capacity import HEAD_ROOM, reserves, shares
from infra.components.resource_alarms import throttles_alarm
from infra.components.tables import Capacity
from infra.config import StageConfig
from infra.provisioned import Autoscaled, MaximumUnits, Provisioned, ProvisionedUnits
from infra.sizing.prices import PRICES
from infra.stacks.data import DataStack
from infra.stages import PRESETS, cloud_stage
from infra.warm_throughput import Units, WarmThroughput
from shared.names import Index
from tests.support.template import Resource, Template

TABLE = ProvisionedUnits(
    reads=Autoscaled(minimum=2_200, maximum=4_400), writes=Autoscaled(minimum=3_000, maximum=9_000)
)
BY_TENANT = ProvisionedUnits(
    reads=Autoscaled(minimum=80, maximum=800),
    writes=Autoscaled(minimum=150, maximum=1_500, target_percent=50),
)
FAILED = ProvisionedUnits(
    reads=Autoscaled(minimum=90, maximum=900), writes=Autoscaled(minimum=160, maximum=1_600)
)
UNITS = Provisioned(executions=TABLE, by_tenant=BY_TENANT, failed=FAILED)
STAGE = cloud_stage("prod", "eu-west-1", "111111111111")
PRICE = PRICES["us-east-1"]
PROVISIONED = replace(STAGE, provisioned=UNITS)


def with_writes(name: str, **change: int) -> Provisioned:
    """The units with another minimum of writes."""
    units = UNITS.by_name[name]
    return replace(UNITS, **{name: replace(units, writes=replace(units.writes, **change))})


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"minimum": 0}, "minimum is at least 1 unit per second, not 0"),
        ({"minimum": -5}, "at least 1 unit"),
        ({"minimum": 101}, "maximum is at least the minimum of 101 units, not 100"),
        ({"minimum": 1.5}, "minimum is a whole number, such as 3000, not 1.5"),
        ({"minimum": True}, "minimum is a whole number"),
        ({"maximum": float("inf")}, "maximum is a whole number, such as 6000, not inf"),
        ({"maximum": float("nan")}, "maximum is a whole number"),
        ({"maximum": "100"}, "maximum is a whole number, such as 6000, not '100'"),
        ({"maximum": None}, "maximum is a whole number"),
        ({"target_percent": 19}, "target_percent is from 20 to 90, such as 70, not 19"),
        ({"target_percent": 91}, "from 20 to 90"),
        ({"target_percent": 0.7}, "target_percent is a whole number, such as 70, not 0.7"),
    ],
    ids=str,
)
def test_units_that_dynamodb_refuses_are_refused_with_what_to_give(
    change: dict[str, Any], answer: str
) -> None:
    with pytest.raises(ValueError, match=answer):
        Autoscaled(**{"minimum": 10, "maximum": 100} | change)


def test_reserve_of_the_busiest_minute_is_two_writes_a_due_job_and_one_a_new_job_with_head_room() -> None:
    found = reserves(100, 60_000)
    assert found["executions"] == (2_143, 3_000)
    assert found["by_tenant"] == found["failed"] == (72, 143)


@pytest.mark.parametrize("name", ["executions", "by_tenant", "failed"])
def test_minimum_below_the_busiest_minute_is_refused_with_the_minimum_to_give(name: str) -> None:
    least = reserves(STAGE.jobs_per_second, STAGE.due_in_one_minute)[name].writes
    assert replace(STAGE, provisioned=with_writes(name, minimum=least)).provisioned is not None
    with pytest.raises(
        ValueError, match=rf"the writes of {name} need a minimum of {least} units.*: give {least}"
    ):
        replace(STAGE, provisioned=with_writes(name, minimum=least - 1))


def test_reads_have_a_reserve_of_their_own() -> None:
    few = replace(UNITS, executions=replace(TABLE, reads=Autoscaled(minimum=2_142, maximum=4_400)))
    with pytest.raises(ValueError, match="the reads of executions need a minimum of 2143 units"):
        replace(STAGE, provisioned=few)


def test_stage_without_bursts_needs_a_fraction_of_the_reserve() -> None:
    steady = replace(STAGE, due_in_one_minute=6_000, provisioned=with_writes("executions", minimum=429))
    assert steady.at_once["executions"].writes == 429


def test_provisioned_units_replace_warm_throughput() -> None:
    warm = replace(STAGE, warm_throughput=WarmThroughput(executions=Units(writes=9_000)))
    assert Capacity.of(warm, "executions").warm is not None
    for name in UNITS.by_name:
        capacity = Capacity.of(replace(warm, provisioned=UNITS), name)
        assert (capacity.warm, capacity.units) == (None, UNITS.by_name[name])


def test_components_are_measured_by_the_reserve_and_not_by_what_autoscaling_may_reach() -> None:
    table_writes = "executions, writes"
    assert shares(PROVISIONED)[table_writes] == pytest.approx(0.7)
    assert shares(STAGE)[table_writes] == pytest.approx(2_100 / 4_000)


def _data(stage: StageConfig, outdir: Path) -> Template:
    """The template of the tables alone."""
    app = App(outdir=str(outdir), analytics_reporting=False)
    stack = DataStack(app, stage)
    path = app.synth().get_stack_by_name(stack.stack_name).template_full_path
    return Template(json.loads(Path(path).read_text()))


@pytest.fixture(scope="module")
def provisioned(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return _data(PROVISIONED, tmp_path_factory.mktemp("provisioned"))


@pytest.fixture(scope="module")
def on_demand(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return _data(STAGE, tmp_path_factory.mktemp("on_demand"))


def test_executions_alone_have_provisioned_units(provisioned: Template) -> None:
    tables = provisioned.of_type("AWS::DynamoDB::GlobalTable")
    modes = {name: made["Properties"]["BillingMode"] for name, made in tables.items()}
    assert sorted(modes.values()) == ["PAY_PER_REQUEST"] * 5 + ["PROVISIONED"]
    assert all(("Executions" in name) == (mode == "PROVISIONED") for name, mode in modes.items())


def test_table_and_each_index_follow_their_reads_and_writes(provisioned: Template) -> None:
    """Writes are of the table in all regions, and reads are of a replica. An on-demand table switches to the seed."""
    tables = provisioned.of_type("AWS::DynamoDB::GlobalTable").items()
    (table,) = (made["Properties"] for name, made in tables if "Executions" in name)
    (replica,) = table["Replicas"]
    followed: dict[str, list[tuple[int, int, int]]] = {}
    for whole, part in ((table, replica), *_indexes(table, replica)):
        reads = part["ReadProvisionedThroughputSettings"]["ReadCapacityAutoScalingSettings"]
        writes = whole["WriteProvisionedThroughputSettings"]["WriteCapacityAutoScalingSettings"]
        followed[whole.get("IndexName", "table")] = [_range(reads), _range(writes)]
    assert followed == {
        "table": [(2_200, 4_400, 70), (3_000, 9_000, 70)],
        Index.BY_TENANT: [(80, 800, 70), (150, 1_500, 50)],
        Index.FAILED: [(90, 900, 70), (160, 1_600, 70)],
    }


def _indexes(table: Resource, replica: Resource) -> Iterator[tuple[Resource, Resource]]:
    """Each index, and what its replica says of it."""
    parts = {index["IndexName"]: index for index in replica["GlobalSecondaryIndexes"]}
    return ((index, parts[index["IndexName"]]) for index in table["GlobalSecondaryIndexes"])


def _range(settings: Resource) -> tuple[int, int, int]:
    assert settings["SeedCapacity"] == settings["MinCapacity"]
    target = settings["TargetTrackingScalingPolicyConfiguration"]["TargetValue"]
    return settings["MinCapacity"], settings["MaxCapacity"], target


def test_autoscaling_uses_the_role_of_the_service_and_no_role_of_the_stack(provisioned: Template) -> None:
    kinds = {made["Type"] for made in provisioned.body["Resources"].values()}
    assert "AWS::DynamoDB::GlobalTable" in kinds
    assert {kind for kind in kinds if kind.startswith(("AWS::IAM", "AWS::ApplicationAutoScaling"))} == set()


def test_tables_on_demand_have_neither_units_nor_autoscaling(on_demand: Template) -> None:
    text = json.dumps(on_demand.body)
    assert "AutoScaling" not in text
    assert "ProvisionedThroughput" not in text


def test_throttles_of_two_full_hours_are_an_alarm_with_provisioned_executions_alone() -> None:
    """The burst of a full hour throttles for a minute or two, which three of five minutes never see."""
    own, usual = throttles_alarm(PROVISIONED), throttles_alarm(STAGE)
    assert (own.minutes, own.of_minutes) == (2, 90)
    assert own.of_minutes > 60 + own.minutes
    assert "raise the minimum units" in own.description
    assert (usual.minutes, usual.of_minutes) == (3, 5)


def test_presets_are_billed_on_demand_without_a_maximum() -> None:
    assert {(preset.provisioned, preset.maximum_units) for preset in PRESETS.values()} == {(None, None)}


def test_maximum_on_demand_bounds_the_table_and_each_index(on_demand: Template, tmp_path: Path) -> None:
    stage = replace(STAGE, maximum_units=MaximumUnits(reads=9_000, writes=8_000))
    template = _data(stage, tmp_path)
    writes, reads = {"MaxWriteRequestUnits": 8_000}, {"MaxReadRequestUnits": 9_000}
    tables = template.properties("AWS::DynamoDB::GlobalTable")
    (table,) = (made for made in tables if "WriteOnDemandThroughputSettings" in made)
    (replica,) = table["Replicas"]
    for part, setting, bound in (
        (table, "WriteOnDemandThroughputSettings", writes),
        (replica, "ReadOnDemandThroughputSettings", reads),
    ):
        assert part[setting] == bound
        assert [index[setting] for index in part["GlobalSecondaryIndexes"]] == [bound, bound]
    assert "OnDemandThroughput" not in json.dumps(on_demand.body)


@pytest.mark.parametrize(("kind", "least"), [("reads", 2_143), ("writes", 3_000)])
def test_maximum_below_the_busiest_minute_is_refused(kind: str, least: int) -> None:
    units = MaximumUnits(reads=9_000, writes=9_000)
    assert replace(STAGE, maximum_units=replace(units, **{kind: least}))
    with pytest.raises(
        ValueError, match=rf"capacity\.maximum\.{kind} is at least {least} .* not {least - 1}"
    ):
        replace(STAGE, maximum_units=replace(units, **{kind: least - 1}))


def test_provisioned_units_break_even_at_the_documented_use() -> None:
    """An hour of a unit on demand, over an hour of a provisioned unit: configure.md says 29 % and 2.4 times."""
    for on_demand, hour in (
        (PRICE.write_units, PRICE.write_unit_hours),
        (PRICE.read_units, PRICE.read_unit_hours),
    ):
        use = hour.each / (on_demand.each * 3_600)
        assert use == pytest.approx(0.29, abs=0.005)
        assert HEAD_ROOM / use == pytest.approx(2.4, abs=0.05)
