"""A plan and its cost, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from textwrap import fill
from typing import Any

from infra.capacity import HEAD_ROOM
from infra.sizing import figures
from infra.sizing.batches import cold_start_seconds
from infra.sizing.choices import MEMORIES, Choices
from infra.sizing.cost import FULL, THIN, Billing, Cost
from infra.sizing.plan import Plan
from infra.sizing.prices import AS_OF, NOT_PRICED, RIVALS
from infra.sizing.quotas import provisioned_quotas, quotas
from infra.stage_files.write import stage_lines

WIDTH = 110
BURST_SHARES = {"half": 0.5, "last": 1.0}
USED = (
    "key_writes",
    "in_flight",
    "table_quota",
    "pollers_first",
    "pollers_per_minute",
    "item_bytes",
    "inline_bytes",
    "creation_leases",
    "executor_wait_ms",
    "callback_ms",
    "executor_cpu_ms",
    "executor_start_cpu_ms",
    "latency cold_start",
    "sandbox_idle_seconds",
    "occurrence_cpu_ms",
    "jobs_per_batch",
    "executor_log_bytes",
    "accepted_log_bytes",
    "call_bytes",
    "idle_polls_per_minute",
    "watch_writes",
    "sweep_writes",
    "alarm_metrics",
    "idle_metrics",
    "cpu reconciled",
)
"""The inputs that decide most; `python -m tests.scale --figures` prints every figure."""


@dataclass(frozen=True)
class Report:
    """What `python -m infra.sizing` prints."""

    plan: Plan
    cost: Cost
    region: str

    @property
    def choices(self) -> Choices:
        return Choices(self.cost)

    def json(self) -> dict[str, Any]:
        """The same figures as the text."""
        plan, cost = self.plan, self.cost
        named = figures.all_figures()
        return {
            "traffic": asdict(plan.traffic),
            "preset": plan.preset,
            "stage_file": list(plan.stage_file),
            "shares": plan.shares,
            "burst_seconds": {
                name: seconds if isfinite(seconds) else None
                for name, share in BURST_SHARES.items()
                for seconds in (plan.burst_seconds(share),)
            },
            "quotas": [asdict(quota) | {"ask": quota.must_be_raised} for quota in quotas(plan)],
            "choices": {
                "memory_mb": self.choices.memory_mb,
                "dollars_per_month_by_memory_mb": {
                    str(each): self.choices.dollars_with(each) for each in MEMORIES
                },
                "cold_start_seconds_by_memory_mb": {str(each): cold_start_seconds(each) for each in MEMORIES},
                "billing": str(self.choices.billing),
                "provisioned": asdict(self.choices.provisioned),
            },
            "cost": {
                "region": self.region,
                "prices_as_of": AS_OF,
                "executions_per_month": plan.traffic.executions_per_month,
                "dollars_per_month": {
                    str(each): dict(cost.with_billing(each).by_component()) for each in Billing
                },
                "dollars_per_million": {str(each): cost.with_billing(each).per_million() for each in Billing},
                "dollars_per_million_by_jobs_per_batch": {
                    str(jobs): cost.with_batches(jobs).per_million() for jobs in (THIN, FULL)
                },
                "rivals_per_million": dict(cost.rivals),
                "not_priced": list(NOT_PRICED),
            },
            "inputs": {name: asdict(named[name]) for name in USED},
        }

    def text(self) -> str:
        """At most 110 columns wide, but for the lines of a stage file."""
        parts = (
            self._stage(),
            self._shares(),
            self._quotas(),
            self._costs(),
            self._choices(),
            self._rivals(),
            self._inputs(),
        )
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    def _stage(self) -> Iterator[str]:
        plan = self.plan
        if plan.preset is not None:
            yield f"CONFIGURATION  the preset `{plan.preset}` bears this traffic. Write into stages/<name>.toml:"
        else:
            yield "CONFIGURATION  no preset bears this traffic. Write into stages/<name>.toml:"
        yield from (f"  {line}" for line in plan.stage_file)
        burst = plan.burst_seconds()
        if plan.traffic.burst and isfinite(burst):
            half = plan.burst_seconds(0.5)
            yield f"Half of the burst's calls begin within {half:,.1f} s of its instant, all within {burst:,.1f} s,"
            yield "where executors are warm (computed)."
        elif plan.traffic.burst:
            yield "The steady rate keeps all executors of the standard lane busy: the burst waits."

    def _shares(self) -> Iterator[str]:
        yield f"UTILISATION  computed as in docs/design/capacity.md; at most {HEAD_ROOM:.0%}"
        ordered = sorted(self.plan.shares.items(), key=lambda row: -row[1])
        yield from _table([(name, f"{share:.0%}") for name, share in ordered])

    def _quotas(self) -> Iterator[str]:
        yield "QUOTAS  by their names in Service Quotas; defaults are documented, needs are computed"
        rows = [
            (
                quota.service,
                quota.name,
                f"{quota.default:,}",
                f"{quota.needed:,}",
                "ask for it" if quota.must_be_raised else "enough",
            )
            for quota in quotas(self.plan)
        ]
        yield from _table([("service", "quota", "default", "needed", ""), *rows])
        yield "New accounts have 10 concurrent executions. The default of KMS is higher in large regions."

    def _costs(self) -> Iterator[str]:
        cost, millions = self.cost, self.cost.millions
        yield (
            f"COST  {millions:,.1f} million executions a month in {self.region}, list prices of {AS_OF}; computed"
        )
        demand, provisioned = (cost.with_billing(each).by_component() for each in Billing)
        rows = [
            (name, f"{demand[name]:,.2f}", f"{provisioned[name]:,.2f}", f"{demand[name] / millions:,.3f}")
            for name in demand
        ]
        totals = (self.choices.dollars(each) for each in Billing)
        last = ("total", *(f"{dollars:,.2f}" for dollars in totals), f"{cost.per_million():,.3f}")
        heads = ("", "$ a month on demand", "$ a month provisioned", "$ a million on demand")
        yield from _table([heads, *rows, last])
        thin, full = (cost.with_batches(jobs).per_million() for jobs in (THIN, FULL))
        yield f"With one job in each batch ${thin:,.2f} a million, with full batches of ten ${full:,.2f}."
        yield "Provisioned: units of the executions table that bear the busiest minute at 70 %, in every hour."
        yield fill(f"Without free tiers and discounts. Not priced: {'; '.join(NOT_PRICED)}.", WIDTH)

    def _choices(self) -> Iterator[str]:
        choices = self.choices
        yield "CHOICES  memory of executors, with the time in which a cold one starts and does its first job; computed"
        rows = [
            (f"{each:,} MB", f"{choices.dollars_with(each):,.2f}", f"{cold_start_seconds(each):.2f}")
            for each in MEMORIES
        ]
        yield from _table([("", "$ a month on demand", "s cold"), *rows])
        yield (
            f"Recommended: {choices.memory_mb:,} MB and tables {choices.billing}. docs/operations/configure.md says"
            " what each choice trades."
        )
        if choices.changed:
            yield "Keys to set for that:"
            yield from (f"  {line}" for line in stage_lines(choices.changed, self.cost.stage))
        if choices.billing is Billing.PROVISIONED:
            for quota in provisioned_quotas(choices.provisioned):
                if quota.must_be_raised:
                    yield f"Ask for {quota.needed:,} of the quota {quota.name!r} (default {quota.default:,})."

    def _rivals(self) -> Iterator[str]:
        yield "OTHER SERVICES  the same executions, list prices; their own limits are not considered"
        millions = self.cost.millions
        rows = [
            (rival.name, f"{each:,.2f}", f"{each * millions:,.2f}", rival.how)
            for rival in RIVALS
            for each in (self.cost.rivals[rival.name],)
        ]
        yield from _table([("", "$ a million", "$ a month", "for a call"), *rows])

    def _inputs(self) -> Iterator[str]:
        yield "INPUTS  every figure above is computed from these, and from the prices in infra/sizing/prices.py"
        named = figures.all_figures()
        for name in USED:
            figure = named[name]
            head = f"  {name:<22}{figure.value:>8,g}  {figure.source:<11}"
            yield fill(figure.note, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their longest cell; those of numbers to the right."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    are_numbers = [column[-1][:1].isdigit() for column in columns]
    for row in rows:
        cells = (
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, are_numbers, strict=True)
        )
        yield "  " + "  ".join(cells).rstrip()
