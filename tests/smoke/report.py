"""The report of a run, as text and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.smoke.catalogue import BY_NAME
from tests.smoke.findings import Findings, Verdict


def as_text(findings: Findings) -> Iterator[str]:
    """The lines of one step."""
    step = BY_NAME[findings.step]
    yield f"{step.name:<4}{findings.verdict.upper()}  {step.title}, {findings.seconds:.0f} s: {step.passes_if}"
    yield from (f"      failed: {line}" for line in findings.failed)
    yield from (f"      not shown: {name} ({reason})" for name, reason in findings.not_shown.items())
    yield from (f"      {name}: {value}" for name, value in findings.figures.items())
    if findings.not_run:
        yield f"      not run: {findings.not_run}"


def summary(found: Sequence[Findings]) -> str:
    counts = {verdict: sum(each.verdict is verdict for each in found) for verdict in Verdict}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def as_json(stage: str, account: str, region: str, found: Sequence[Findings]) -> str:
    """One object: where the run was, and each step with its checks."""
    steps: list[dict[str, Any]] = [
        {
            "step": each.step,
            "title": BY_NAME[each.step].title,
            "verdict": each.verdict,
            "seconds": round(each.seconds, 1),
            "passed": each.passed,
            "failed": each.failed,
            "not_shown": each.not_shown,
            "not_run": each.not_run,
            "figures": each.figures,
        }
        for each in found
    ]
    dollars = sum(BY_NAME[each.step].dollars for each in found if not each.emulated and not each.not_run)
    where = {"stage": stage, "account": account, "region": region, "computed_dollars": round(dollars, 2)}
    return json.dumps(where | {"steps": steps}, indent=2, default=str)
