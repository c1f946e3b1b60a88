"""The sizing of a deployment: its arithmetic, its configurations, and what it answers to bad input."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from infra.capacity import HEAD_ROOM, PRESET_JOB, shares
from infra.config import StageConfig
from infra.sizing import __main__ as command
from infra.sizing import figures
from infra.sizing.bill import bill, total
from infra.sizing.cost import FULL, THIN, Cost
from infra.sizing.idle import idle_usage, shards_of
from infra.sizing.plan import computed_stage, plan_for
from infra.sizing.prices import PRICES, RIVALS
from infra.sizing.quotas import quotas
from infra.sizing.report import Report
from infra.sizing.tables import tables
from infra.sizing.traffic import Item, Traffic, parse_bytes, parse_seconds
from infra.sizing.usage import Usage
from infra.stage_files.read import parse_stage
from infra.stages import PRESETS
from shared.domain.delivery.request import INLINE_BYTES
from shared.domain.executions.retention import PAYLOAD_SPARE_DAYS
from shared.domain.limits.hot_scopes import HOT_SCOPE_PARTS
from tests.support.sources import ROOT

REGION = "us-east-1"
PRICE = PRICES[REGION]
EXAMPLE = Traffic(jobs_per_second=3_000, burst=50_000, tenants=2_000, body_bytes=2_000, recurring=20_000)
OF_PRESETS = {
    "small": Traffic(jobs_per_second=100, burst=54_000, tenants=50),
    "medium": Traffic(jobs_per_second=2_000, burst=80_000, tenants=500),
    "large": Traffic(jobs_per_second=10_000, burst=400_000, tenants=10_000, jobs_per_request=10),
}
MANY = [
    EXAMPLE,
    *OF_PRESETS.values(),
    Traffic(jobs_per_second=0.01),
    Traffic(jobs_per_second=1, body_bytes=100_000, callback_ms=60_000),
    Traffic(jobs_per_second=100, burst=2_000_000, tenants=3),
    Traffic(jobs_per_second=6_000, jobs_per_request=1.5, recurring=300_000, every_seconds=60),
    Traffic(jobs_per_second=16_800, jobs_per_request=100, recurring=5_000_000),
    Traffic(jobs_per_second=500, burst=20_000, callback_ms=5_000, due_soon=1, body_bytes=2_800),
]


def cost_of(traffic: Traffic, stage: StageConfig = PRESETS["large"]) -> Cost:
    return Cost(traffic, stage, PRICE)


def variable(traffic: Traffic) -> Mapping[str, float]:
    return bill(cost_of(traffic).variable, PRICE)


@pytest.mark.parametrize("traffic", [EXAMPLE, OF_PRESETS["small"]], ids=["3,000/s", "100/s"])
def test_twice_the_jobs_cost_twice_as_much_in_every_component(traffic: Traffic) -> None:
    twice = replace(traffic, jobs_per_second=2 * traffic.jobs_per_second, recurring=2 * traffic.recurring)
    assert variable(twice) == {name: pytest.approx(2 * each) for name, each in variable(traffic).items()}
    assert cost_of(twice).fixed == cost_of(traffic).fixed


@pytest.mark.parametrize(
    "change",
    [
        {"jobs_per_second": 3_001},
        {"body_bytes": 2_700},
        {"body_bytes": 20_000},
        {"callback_ms": 200},
        {"tenants": 20_000},
        {"due_soon": 0.5},
        {"keyed": 0.5},
        {"jobs_per_batch": 1},
    ],
    ids=str,
)
def test_more_of_anything_costs_more(change: dict[str, Any]) -> None:
    assert cost_of(replace(EXAMPLE, **change)).total() > cost_of(EXAMPLE).total()


def test_jobs_in_one_request_share_its_cost() -> None:
    batches = cost_of(replace(EXAMPLE, jobs_per_request=100))
    assert variable(batches.traffic)["API Gateway"] == pytest.approx(variable(EXAMPLE)["API Gateway"] / 100)
    assert batches.total() < cost_of(EXAMPLE).total()


def test_cost_of_full_and_thin_batches_encloses_that_of_the_mean() -> None:
    cost = cost_of(EXAMPLE)
    assert cost.with_batches(FULL).total() < cost.total() < cost.with_batches(THIN).total()


def test_units_are_priced_on_demand_or_by_the_hour() -> None:
    on_demand = Usage(table_writes=600_000, write_units=400_000, table_reads=600_000, read_units=400_000)
    assert bill(on_demand, PRICE)["DynamoDB writes"] == pytest.approx(0.625)
    assert bill(on_demand, PRICE)["DynamoDB reads"] == pytest.approx(0.125)
    hours = on_demand.provisioned(write_unit_hours=1_000, read_unit_hours=2_000)
    assert bill(hours, PRICE)["DynamoDB writes"] == pytest.approx(0.4 * 0.625 + 0.65)
    assert bill(hours, PRICE)["DynamoDB reads"] == pytest.approx(0.4 * 0.125 + 0.26)


@pytest.mark.parametrize("preset", PRESETS)
def test_traffic_of_a_preset_is_answered_with_the_preset(preset: str) -> None:
    plan = plan_for(OF_PRESETS[preset])
    assert plan.preset == preset
    assert plan.changed == {}


@pytest.mark.parametrize("preset", PRESETS)
def test_stage_computed_for_the_traffic_of_a_preset_needs_no_more_than_the_preset(preset: str) -> None:
    """The presets keep more than the 30 % of head room, which the computed stage uses up."""
    computed, given = computed_stage(OF_PRESETS[preset]), PRESETS[preset]
    assert shards_of(computed.shard_plan[0]) <= shards_of(given.shard_plan[0])
    assert (computed.watchers, computed.sweepers) <= (given.watchers, given.sweepers)
    assert computed.lane_concurrency.total <= given.lane_concurrency.total
    assert computed.warm.executions.writes <= given.warm.executions.writes
    assert computed.account_concurrency <= given.account_concurrency


@pytest.mark.parametrize("traffic", MANY, ids=str)
def test_no_component_of_a_planned_stage_needs_more_than_70_percent_of_its_limit(traffic: Traffic) -> None:
    for stage in (plan_for(traffic).stage, computed_stage(traffic)):
        assert max(shares(stage, traffic.job_size).values()) <= HEAD_ROOM


@pytest.mark.parametrize("traffic", MANY, ids=str)
def test_printed_lines_make_the_planned_stage(traffic: Traffic) -> None:
    plan = plan_for(traffic, name="prod")
    text = "\n".join([f'region = "{REGION}"', "protected = false", *plan.stage_file])
    found = parse_stage("prod", text.encode(), "stages/prod.toml")
    assert replace(found, protect_data=True) == plan.stage


def test_quota_above_its_default_is_to_be_asked_for() -> None:
    plan = plan_for(OF_PRESETS["large"])
    asked = {quota.name: quota.needed for quota in quotas(plan) if quota.must_be_raised}
    assert asked == {
        "Concurrent executions": 5_000,
        "Table-level write throughput limit": 80_000,
        "Cryptographic operations (symmetric) request rate": 26_000,
    }
    assert not any(quota.must_be_raised for quota in quotas(plan_for(OF_PRESETS["small"])))


def test_burst_waits_for_executors_and_provisioned_pollers_shorten_it() -> None:
    traffic = Traffic(jobs_per_second=10, burst=20_000)
    stage = replace(PRESETS["large"], jobs_per_second=10, due_in_one_minute=20_600)
    slow = plan_for(traffic)
    assert slow.preset == "small"
    assert slow.burst_seconds() > 10
    assert replace(slow, stage=stage).burst_seconds() < 2
    assert plan_for(Traffic(jobs_per_second=10)).burst_seconds() == 0


def test_plan_above_one_stage_says_how_many_stages_to_plan() -> None:
    with pytest.raises(ValueError, match=r"at most 16,800 jobs a second.*plan 3 stages"):
        plan_for(Traffic(jobs_per_second=50_000))
    with pytest.raises(ValueError, match="recurring jobs within the hour: plan several stages"):
        plan_for(Traffic(jobs_per_second=10_000, recurring=30_000_000))
    with pytest.raises(ValueError, match="a smaller --burst"):
        plan_for(Traffic(jobs_per_second=100, burst=5_000_000))
    with pytest.raises(ValueError, match=r"in flight of a queue.*answered with 202"):
        plan_for(Traffic(jobs_per_second=10_000, callback_ms=60_000))


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["--jobs-per-second", "0"], "--jobs-per-second is a number from 0.001 to 1,000,000, not 0.0"),
        (["--jobs-per-second", "-5"], "from 0.001"),
        (["--jobs-per-second", "nan"], "from 0.001"),
        (["--jobs-per-second", "inf"], "from 0.001"),
        (["--jobs-per-second", "1e12"], "from 0.001"),
        (["--jobs-per-second", "many"], "invalid float value"),
        (["--jobs-per-second", "1", "--burst", "-1"], "--burst is a number from 0"),
        (["--jobs-per-second", "1", "--burst", "1.5"], "invalid int value"),
        (["--jobs-per-second", "1", "--tenants", "0"], "--tenants is a number from 1"),
        (["--jobs-per-second", "0.001", "--tenants", "9999999"], "give the tenants that have jobs"),
        (["--jobs-per-second", "1", "--body", "2"], "such as 70B, 2kB or 100KB, not '2'"),
        (["--jobs-per-second", "1", "--body=-2kB"], "a number with B, kB or KiB"),
        (["--jobs-per-second", "1", "--body", "5iB"], "a number with B, kB or KiB"),
        (
            ["--jobs-per-second", "1", "--body", "1MB"],
            "--body is a number from 0 to 204,800 bytes, not 1000000",
        ),
        (["--jobs-per-second", "1", "--recurring", "7200"], "--jobs-per-second must be at least that"),
        (["--jobs-per-second", "1", "--every", "0m"], "such as 5m or 1h, not '0m'"),
        (["--jobs-per-second", "1", "--every", "hourly"], "such as 5m or 1h"),
        (["--jobs-per-second", "1", "--every", "9999d"], "--every is a number from 1"),
        (["--jobs-per-second", "1", "--jobs-per-request", "101"], "from 1 to 100, not 101"),
        (["--jobs-per-second", "1", "--jobs-per-request", "nan"], "from 1 to 100, not nan"),
        (["--jobs-per-second", "1", "--due-soon", "20"], "from 0 to 1, not 20"),
        (["--jobs-per-second", "1", "--keyed", "-1"], "from 0 to 1, not -1"),
        (["--jobs-per-second", "1", "--callback-ms", "60001"], "from 1 to 60,000"),
        (["--jobs-per-second", "1", "--jobs-per-batch", "0.5"], "from 1 to 10, not 0.5"),
        (["--jobs-per-second", "1", "--region", "mars-1"], "there are prices of us-east-1 only"),
        (["--jobs-per-second", "50000"], "plan 3 stages"),
        ([], "--jobs-per-second"),
    ],
    ids=str,
)
def test_bad_input_is_refused_with_what_to_give_instead(
    arguments: list[str], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert answer in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("text", "size"), [("70B", 70), ("2kB", 2_000), ("100KB", 100_000), ("2 KiB", 2_048)]
)
def test_sizes_are_read_with_their_units(text: str, size: int) -> None:
    assert parse_bytes(text) == size
    assert parse_seconds("5m") == 300


def test_json_has_the_figures_of_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--jobs-per-second", "3000", "--burst", "50000", "--tenants", "2000", "--body", "2kB"]
    command.main([*arguments, "--json"])
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    command.main(arguments)
    text = capsys.readouterr().out
    assert f"{found['cost']['dollars_per_million']['on demand']:,.3f}" in text
    assert f"{sum(found['cost']['dollars_per_month']['provisioned'].values()):,.2f}" in text
    choices = found["choices"]
    assert f"Recommended: {choices['memory_mb']:,} MB and tables {choices['billing']}." in text
    assert all(f"{dollars:,.2f}" in text for dollars in choices["dollars_per_month_by_memory_mb"].values())
    assert all(f"{quota['needed']:,}" in text for quota in found["quotas"])
    assert all(f"{share:.0%}" in text for share in found["shares"].values())
    assert {figure["source"] for figure in found["inputs"].values()} == set(figures.Source)


@pytest.mark.parametrize("traffic", MANY, ids=str)
def test_report_is_finite_and_fits_a_terminal(traffic: Traffic) -> None:
    plan = plan_for(traffic)
    report = Report(plan, cost_of(traffic, plan.stage), REGION)
    json.dumps(report.json(), allow_nan=False)
    assert [line for line in report.text().splitlines() if len(line) > 110 and "=" not in line] == []


def test_command_runs_without_the_cdk() -> None:
    """The CDK takes seconds to start."""
    code = "import sys, infra.sizing.__main__; sys.exit('aws_cdk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_tables_of_the_cost_page_are_those_that_the_model_gives() -> None:
    """`python -m infra.sizing.tables` prints them anew."""
    page = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8")
    assert [table for table in tables() if table not in page] == []


def test_every_price_names_its_page() -> None:
    named = [getattr(PRICE, name) for name in PRICE.__dataclass_fields__]
    assert all(price.page.startswith("https://") and price.dollars > 0 for price in named)
    assert all(rival.page.startswith("https://") for rival in RIVALS)


def test_figures_of_the_domain_are_those_of_the_sizing() -> None:
    """Spelt twice, since infrastructure imports no run-time code."""
    assert figures.INLINE_BYTES.value == INLINE_BYTES
    assert figures.PAYLOAD_SPARE_DAYS.value == PAYLOAD_SPARE_DAYS
    assert figures.SWEEPER_READS.value == 2 + HOT_SCOPE_PARTS / 2
    assert {int(PRESET_JOB.executor_jobs(preset.memory.executor)) for preset in PRESETS.values()} == {15}


@pytest.mark.parametrize(("body", "units", "payload"), [(70, 1, 0), (400, 1, 0), (401, 1, 1), (2_500, 1, 3)])
def test_item_keeps_below_a_kilobyte_and_a_request_apart_costs_a_unit_for_each(
    body: int, units: int, payload: int
) -> None:
    assert (Item(body).units, Item(body).payload_units) == (units, payload)


def test_idle_stage_costs_more_with_more_shards() -> None:
    dollars = [total(idle_usage(stage), PRICE) for stage in PRESETS.values()]
    assert dollars == sorted(dollars)
    assert all(10 < each < 60 for each in dollars)
    assert dollars[0] < 18
