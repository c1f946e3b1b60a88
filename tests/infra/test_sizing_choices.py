"""The choices of a stage: which memory and which billing the sizing recommends, and what each costs."""

from dataclasses import replace

import pytest

from infra.config import StageConfig
from infra.executor_memory import LaneMemory
from infra.sizing import figures
from infra.sizing.batches import cold_start_seconds
from infra.sizing.bill import bill
from infra.sizing.choices import MEMORIES, Choices, cold_share
from infra.sizing.cost import Billing, Cost
from infra.sizing.plan import plan_for
from infra.sizing.prices import PRICES
from infra.sizing.quotas import provisioned_quotas
from infra.sizing.report import Report
from infra.sizing.traffic import Item, Traffic
from infra.sizing.usage import Execution, Kind
from infra.stage_files.read import parse_stage
from infra.stage_files.write import stage_lines
from infra.stages import PRESETS
from shared.names import QueueName

PRICE = PRICES["us-east-1"]
STEADY = Traffic(jobs_per_second=100, tenants=50)
MANY = [
    STEADY,
    Traffic(jobs_per_second=0.001),
    Traffic(jobs_per_second=1, body_bytes=0),
    Traffic(jobs_per_second=100, burst=54_000),
    Traffic(jobs_per_second=2_000, burst=80_000, body_bytes=2_800),
    Traffic(jobs_per_second=10_000, burst=400_000, jobs_per_request=10),
    Traffic(jobs_per_second=500, body_bytes=100_000, callback_ms=5_000),
]


def choices_for(traffic: Traffic) -> Choices:
    return Choices(Cost(traffic, plan_for(traffic).stage, PRICE))


def provisioned(traffic: Traffic) -> Cost:
    return choices_for(traffic).cost.with_billing(Billing.PROVISIONED)


def test_steady_traffic_is_cheaper_with_provisioned_units_and_bursts_on_demand() -> None:
    assert choices_for(STEADY).billing is Billing.PROVISIONED
    assert choices_for(replace(STEADY, burst=5_000)).billing is Billing.PROVISIONED
    assert choices_for(replace(STEADY, burst=54_000)).billing is Billing.ON_DEMAND
    assert choices_for(Traffic(jobs_per_second=0.01)).billing is Billing.ON_DEMAND


def test_recommended_billing_is_never_the_dearer_one() -> None:
    for choices in map(choices_for, MANY):
        assert choices.dollars(choices.billing) == min(map(choices.dollars, Billing))


def test_reserve_is_paid_for_in_every_hour_whatever_its_use() -> None:
    """The units of the table and its indexes: 429, 143 and 143 writes, and 215, 72 and 72 reads."""
    cost = provisioned(STEADY)
    hours = figures.HOURS_PER_MONTH.value
    assert cost.billed.write_unit_hours == (429 + 143 + 143) * hours
    assert cost.billed.read_unit_hours == (215 + 72 + 72) * hours
    assert cost.billed.table_writes == cost.billed.table_reads == 0
    dollars = bill(cost.billed, PRICE)
    others = cost.variable.write_units * PRICE.write_units.each
    assert dollars["DynamoDB writes"] == pytest.approx(715 * hours * 0.00065 + others)


def test_burst_raises_the_provisioned_bill_and_not_the_bill_on_demand() -> None:
    burst = replace(STEADY, burst=10_000)
    on_demand = [choices_for(traffic).cost.billed for traffic in (STEADY, burst)]
    assert on_demand[0].table_writes == on_demand[1].table_writes
    assert provisioned(burst).total() > 1.1 * provisioned(STEADY).total()


def test_bill_of_other_components_is_the_same_with_either_billing_but_for_the_alarms_of_autoscaling() -> None:
    usual, own = (choices_for(STEADY).cost.with_billing(each).by_component() for each in Billing)
    different = {name for name in usual if own[name] != usual[name]}
    assert different == {"DynamoDB writes", "DynamoDB reads", "idle, and metrics of jobs"}
    idle = "idle, and metrics of jobs"
    assert own[idle] - usual[idle] == pytest.approx(24 * 0.10)


def test_full_batches_with_provisioned_units_of_a_steady_rate_are_used_to_70_percent() -> None:
    execution = Execution(kind=Kind.HOURLY, item=Item(70))
    usage = execution.provisioned_usage
    assert usage.write_unit_hours * 3_600 == pytest.approx((4 + 1) / 0.7)
    assert usage.read_unit_hours * 3_600 == pytest.approx(Item(70).scan_units / 0.7)
    assert (usage.write_units, usage.gb_seconds) == (execution.usage.write_units, execution.usage.gb_seconds)


@pytest.mark.parametrize("traffic", MANY, ids=str)
def test_recommended_fields_make_a_stage_that_synth_accepts(traffic: Traffic) -> None:
    choices = choices_for(traffic)
    stage: StageConfig = choices.cost.stage
    assert replace(stage, **choices.changed).memory.executor == choices.memory_mb
    assert replace(stage, provisioned=choices.provisioned).provisioned is not None


def test_quotas_of_the_maximum_units_are_to_be_asked_for() -> None:
    large = choices_for(Traffic(jobs_per_second=10_000, jobs_per_request=10))
    asked = {each.name: each.needed for each in provisioned_quotas(large.provisioned) if each.must_be_raised}
    assert asked == {
        "Table-level write throughput limit": 85_716,
        "Account-level write throughput limit": 142_860,
        "Table-level read throughput limit": 42_858,
    }
    text = Report(plan_for(large.cost.traffic), large.cost, "us-east-1").text()
    assert "Ask for 85,716 of the quota 'Table-level write throughput limit' (default 40,000)." in text
    assert not any(each.must_be_raised for each in provisioned_quotas(choices_for(STEADY).provisioned))


def test_lanes_with_memory_of_their_own_are_billed_by_it_and_get_what_is_recommended() -> None:
    usual = choices_for(STEADY).cost
    memory = replace(usual.stage.memory, lanes=LaneMemory(critical=512, standard=2_048))
    cost = replace(usual, stage=replace(usual.stage, memory=memory))
    assert cost.total() == pytest.approx(usual.with_memory(2_048).total())
    assert cost.total() > usual.total()
    changed = Choices(cost).changed["memory"]
    assert {changed.of_executor(queue) for queue in QueueName} == {512}


def test_lines_of_a_stage_have_only_the_lanes_with_memory_of_their_own() -> None:
    base = PRESETS["small"]
    memory = replace(base.memory, lanes=LaneMemory(critical=1_769, slow_bulk=512))
    assert list(stage_lines({"memory": memory}, base)) == [
        "memory.lanes = { critical = 1_769, slow_bulk = 512 }"
    ]


def test_printed_keys_make_what_is_recommended_below_the_lines_of_the_plan() -> None:
    for traffic in MANY:
        plan, choices = plan_for(traffic), choices_for(traffic)
        lines = [*plan.stage_file, *stage_lines(choices.changed, plan.stage)]
        text = "\n".join(['region = "us-east-1"', "protected = false", *lines])
        found = replace(parse_stage("prod", text.encode(), "stages/prod.toml"), protect_data=True)
        assert found == replace(plan.stage, **choices.changed)


def test_executors_that_stay_warm_get_the_least_memory_and_those_of_a_burst_start_within_a_second() -> None:
    assert choices_for(STEADY).memory_mb == 512
    assert choices_for(replace(STEADY, burst=1)).memory_mb == 1_024
    assert choices_for(Traffic(jobs_per_second=0.001)).memory_mb == 1_024
    for choices in map(choices_for, MANY):
        is_warm = cold_share(choices.cost.traffic) <= 0.01
        assert is_warm or cold_start_seconds(choices.memory_mb) <= 1


def test_thin_traffic_is_cold_once_its_gaps_outlast_an_idle_sandbox() -> None:
    assert cold_share(Traffic(jobs_per_second=1 / 300)) == pytest.approx(0.368, abs=0.001)
    assert cold_share(Traffic(jobs_per_second=1 / 60)) < 0.01
    assert cold_share(Traffic(jobs_per_second=1 / 60, burst=2)) == 1


@pytest.mark.parametrize("traffic", MANY, ids=str)
def test_less_memory_costs_less(traffic: Traffic) -> None:
    """Waits are most of a batch, so that the stretched processor time weighs less than the memory."""
    dollars = [choices_for(traffic).dollars_with(memory) for memory in MEMORIES]
    assert dollars == sorted(dollars)


def test_presets_have_one_of_the_memories_that_are_priced() -> None:
    assert {preset.memory.executor for preset in PRESETS.values()} <= set(MEMORIES)
