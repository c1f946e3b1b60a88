"""The tables of docs/cost.md: `python -m infra.sizing.tables` prints them, and a test compares them."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from infra.config import FunctionMemory
from infra.sizing.archive import statistics_usage
from infra.sizing.batches import cold_start_seconds
from infra.sizing.bill import bill, total
from infra.sizing.canary import canary_usage
from infra.sizing.choices import MEMORIES
from infra.sizing.cost import FULL, MILLION, THIN, Billing, Cost
from infra.sizing.deletion import Leaver, archive_usage_of, table_usage
from infra.sizing.figures import JOBS_PER_BATCH
from infra.sizing.idle import idle_usage
from infra.sizing.prices import DEFAULT_REGION, PRICES, RIVALS
from infra.sizing.traffic import Item, Traffic
from infra.sizing.usage import Execution, Kind, Usage
from infra.stages import PRESETS

TENANTS = 100
IN_A_BATCH = 100
SMALL_BODY = 70
BODIES: Mapping[str, int] = {"70 B": SMALL_BODY, "2.5 kB": 2_500, "100 kB": 100_000}
MEAN_JOBS = 100
"""Jobs per second, bursts included."""
BURSTS: Mapping[str, int] = {
    "no burst": 0,
    "2,000 jobs at each full hour": 2_000,
    "10,000 jobs at each full hour": 10_000,
    "54,000 jobs at each full hour": 54_000,
}
LEAVERS: Mapping[str, Leaver] = {
    "1,000 executions in a day": Leaver(executions=1_000, hours=24, rows=1_000),
    "100,000 executions, and a year of hours": Leaver(executions=100_000, hours=8_760, rows=10_000),
    "10 million executions, and a year of hours": Leaver(executions=10_000_000, hours=8_760, rows=100_000),
}
"""By a name that says what they have in the tables and in the archive."""
_PRICES = PRICES[DEFAULT_REGION]
_ONE_OFF = Execution(
    kind=Kind.ONE_OFF, item=Item(SMALL_BODY), tenants=TENANTS, memory=PRESETS["small"].memory
)
EXECUTIONS: Mapping[str, Execution] = {
    "one-off, a request each": _ONE_OFF,
    "one-off, with an Idempotency-Key": replace(_ONE_OFF, keyed=1),
    "one-off, due within two minutes": replace(_ONE_OFF, kind=Kind.DUE_SOON),
    "one-off, created in batches of 100": replace(_ONE_OFF, jobs_per_request=IN_A_BATCH),
    "run of an hourly job": replace(_ONE_OFF, kind=Kind.HOURLY),
    "run of a minutely job": replace(_ONE_OFF, kind=Kind.MINUTELY),
}


def tables() -> list[str]:
    """All tables, in the order of the page."""
    return [
        *(kinds(), bodies(), components(), memories(), billings(), levers(), idle(), statistics()),
        *(deletions(), canary()),
    ]


def kinds() -> str:
    """A million executions by kind and by the fullness of batches."""
    rows = [[name, *_by_fullness(each)] for name, each in EXECUTIONS.items()]
    rows += [[rival.name, *[_text(rival.dollars_per_million(SMALL_BODY))] * 4] for rival in RIVALS]
    heads = ["$ a million", "thin: 1 job a batch", "2.5 jobs", "full: 10 jobs", "full, provisioned tables"]
    return _markdown(heads, rows)


def bodies() -> str:
    """A million executions by the size of the body, in full batches."""
    rows = [
        [name, *(_dollars(replace(each, item=Item(size), jobs_per_batch=FULL)) for size in BODIES.values())]
        for name, each in EXECUTIONS.items()
    ]
    rows += [
        [rival.name, *(_text(rival.dollars_per_million(size)) for size in BODIES.values())]
        for rival in RIVALS
    ]
    return _markdown(["$ a million, full batches", *BODIES], rows)


def components() -> str:
    """Where the dollars of a million executions go."""
    shown = {name: bill(each.usage * MILLION, _PRICES) for name, each in EXECUTIONS.items()}
    names = [
        name for name in bill(_ONE_OFF.usage, _PRICES) if any(row[name] >= 0.005 for row in shown.values())
    ]
    rows = [[name, *(_text(row[name]) for row in shown.values())] for name in names]
    return _markdown(["$ a million, 2.5 jobs a batch", *shown], rows)


def memories() -> str:
    """A million hourly runs, and the start of a cold executor, by its memory."""
    run = EXECUTIONS["run of an hourly job"]
    rows = [
        [
            f"{each:,} MB",
            *list(_by_fullness(replace(run, memory=FunctionMemory(executor=each))))[:3],
            f"{cold_start_seconds(each):.2f}",
        ]
        for each in MEMORIES
    ]
    heads = [
        "$ a million runs of hourly jobs",
        "thin: 1 job a batch",
        "2.5 jobs",
        "full: 10 jobs",
        "cold start, s",
    ]
    return _markdown(heads, rows)


def billings() -> str:
    """A month of reads and writes at one mean rate, by the burst at each full hour."""
    mean = Cost(Traffic(jobs_per_second=MEAN_JOBS), PRESETS["small"], _PRICES)
    rows = []
    for name, burst in BURSTS.items():
        traffic = Traffic(jobs_per_second=MEAN_JOBS - burst / 3_600, burst=burst)
        cost = replace(mean, traffic=traffic, billing=Billing.PROVISIONED)
        hours = cost.billed
        provisioned = mean.variable.provisioned(
            write_unit_hours=hours.write_unit_hours, read_unit_hours=hours.read_unit_hours
        )
        units = f"{cost.reserves['executions'].writes:,}"
        rows.append([name, units, _reads_and_writes(mean.variable), _reads_and_writes(provisioned)])
    heads = ["100 jobs/s on average", "minimum writes of the table", "$ on demand", "$ provisioned"]
    return _markdown(heads, rows)


def _reads_and_writes(usage: Usage) -> str:
    dollars = bill(usage, _PRICES)
    return _text(dollars["DynamoDB writes"] + dollars["DynamoDB reads"])


def levers() -> str:
    """What a decision changes, a million hourly runs."""
    run = EXECUTIONS["run of an hourly job"]
    changed = {
        "as it is": run,
        "calls of 1 s in place of 100 ms": replace(run, callback_ms=1_000),
        "records kept for 90 days in place of 14": replace(run, retention_days=90),
    }
    rows = [
        [name, _dollars(each), _dollars(replace(each, jobs_per_batch=FULL))] for name, each in changed.items()
    ]
    return _markdown(["$ a million runs of hourly jobs", "2.5 jobs a batch", "full batches"], rows)


def idle() -> str:
    """A month of each preset without jobs."""
    shown = {name: bill(idle_usage(stage), _PRICES) for name, stage in PRESETS.items()}
    names = [name for name in next(iter(shown.values())) if any(row[name] for row in shown.values())]
    rows = [[name, *(_text(row[name]) for row in shown.values())] for name in names]
    rows.append(["total", *(_text(sum(row.values())) for row in shown.values())])
    return _markdown(["$ a month", *(f"`{name}`" for name in shown)], rows)


def statistics() -> str:
    """A month of statistics, by the tenants that have executions in each hour."""
    rows = [
        [
            f"{tenants:,}",
            *(_text(total(statistics_usage(stage, tenants), _PRICES)) for stage in PRESETS.values()),
        ]
        for tenants in (100, 1_000, 10_000)
    ]
    return _markdown(["$ a month, by tenants", *(f"`{name}`" for name in PRESETS)], rows)


def deletions() -> str:
    """The deletion of a tenant, by its executions in the tables and in the archive of `small`."""
    stage, rows = PRESETS["small"], []
    for name, leaver in LEAVERS.items():
        used = table_usage(leaver), archive_usage_of(leaver, stage)
        rows.append([name, *(_text(total(each, _PRICES)) for each in (*used, used[0] + used[1]))])
    return _markdown(["$ a deletion", "tables", "statistics and archive", "total"], rows)


def canary() -> str:
    """A month of the canary, on a stage without other jobs."""
    dollars = bill(canary_usage(PRESETS["small"]), _PRICES)
    rows = [[name, _text(each)] for name, each in dollars.items() if each >= 0.005]
    return _markdown(["$ a month", "the canary"], [*rows, ["total", _text(sum(dollars.values()))]])


def _by_fullness(execution: Execution) -> Iterator[str]:
    for jobs in (THIN, JOBS_PER_BATCH.value, FULL):
        yield _dollars(replace(execution, jobs_per_batch=jobs))
    yield _text(total(replace(execution, jobs_per_batch=FULL).provisioned_usage * MILLION, _PRICES))


def _dollars(execution: Execution) -> str:
    return _text(total(execution.usage * MILLION, _PRICES))


def _text(dollars: float) -> str:
    return f"{dollars:,.2f}"


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.stdout.write("\n\n".join(tables()) + "\n")
