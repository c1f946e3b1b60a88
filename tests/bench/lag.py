"""How late calls begin on the laptop stack, and the processor time of its executors beside that of the emulator.

The jobs are created long before they are due, so that watchers find them. Receivers answer at once.
"""

import os
import statistics
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local.progress import Report, silent
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack, Tenant, local_stack
from tests.bench.cell import instant
from tests.bench.laptop import BODY, CLIENTS, LANE, MachineTooSlowError, warm

IN_REQUEST = 100
PATIENCE_SECONDS = 300
_TICKS = int(os.sysconf("SC_CLK_TCK"))


@dataclass(frozen=True, slots=True)
class Load:
    """Jobs of one tenant, `rate` of them due in each second; 0 makes all of them due at one instant."""

    name: str
    jobs: int
    rate: int
    ahead_seconds: int
    """Enough to create all jobs before their messages are sent, two minutes before the first is due."""


LOADS = (
    Load("2,000 jobs at one instant", jobs=2_000, rate=0, ahead_seconds=180),
    Load("100 jobs/s for 5 minutes", jobs=30_000, rate=100, ahead_seconds=420),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LagRun:
    """What happened from the first due time to the last call."""

    name: str
    lags_ms: list[float]
    """In order of size."""
    executor_cpu_s: float
    """Of the executors of the lane."""
    emulator_cpu_s: float
    """Of the emulator, without the processes of functions."""

    def percentile_ms(self, share: float) -> float:
        return self.lags_ms[min(len(self.lags_ms) - 1, int(len(self.lags_ms) * share))]


def run_loads(report: Report = silent) -> list[LagRun]:
    """Run every load, one after another, on one stack. MachineTooSlowError if jobs were not created in time."""
    with TemporaryDirectory() as root, local_stack(Path(root), fresh=True, report=report) as stack:
        tenant = stack.create_tenant("bench")
        warm(stack)
        return [_run(stack, tenant, load, report) for load in LOADS]


def _run(stack: LocalStack, tenant: Tenant, load: Load, report: Report) -> LagRun:
    with Receiver() as receiver:
        first_at = (int(time.time()) + load.ahead_seconds) * 1_000
        report(f"creating {load.name}")
        _create(stack, tenant, receiver.url, load, first_at)
        time.sleep(max(0.0, first_at / 1_000 - 1 - time.time()))
        before = _cpu_seconds(stack)
        report("waiting for the calls")
        arrived = receiver.wait_for(
            load.jobs, timeout=PATIENCE_SECONDS + (load.jobs / load.rate if load.rate else 0)
        )
        spent = {pid: seconds - before.get(pid, 0.0) for pid, seconds in _cpu_seconds(stack).items()}
    lags_ms = sorted(call.lag_ms for call in arrived if call.lag_ms is not None)
    assert lags_ms[0] >= 0, "a call was early"
    assert len({call.execution_id for call in arrived}) == len(lags_ms) == load.jobs, "a job was called twice"
    executors = set(stack.worker_pids(LANE))
    workers = {pid for service in stack.functions for pid in stack.worker_pids(service)}
    return LagRun(
        name=load.name,
        lags_ms=lags_ms,
        executor_cpu_s=sum(seconds for pid, seconds in spent.items() if pid in executors),
        emulator_cpu_s=sum(seconds for pid, seconds in spent.items() if pid not in workers),
    )


def _create(stack: LocalStack, tenant: Tenant, url: str, load: Load, first_at: int) -> None:
    def create(start: int) -> set[int]:
        at = [
            first_at + (number * 1_000 // load.rate if load.rate else 0)
            for number in range(start, start + IN_REQUEST)
        ]
        jobs = [{"schedule": {"at": instant(each)}, "request": {"url": url, "json": BODY}} for each in at]
        answer = stack.api(tenant.api_key).request("POST", "/v1/jobs/batch", {"jobs": jobs}, timeout=60)
        return (
            {result["status"] for result in answer.json()["results"]}
            if answer.status == 200
            else {answer.status}
        )

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = set().union(*pool.map(create, range(0, load.jobs, IN_REQUEST)))
    if answers != {201} or time.time() * 1_000 > first_at - 120_000:
        raise MachineTooSlowError(f"{load.jobs} jobs were not created in time: {answers}")


def _cpu_seconds(stack: LocalStack) -> Mapping[int, float]:
    """Processor time so far, of each process of the emulator."""
    found = {}
    for process in stack.emulator.processes():
        # The second field is the name in parentheses; the times of the user and of the system are fields 14 and 15.
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        found[process.pid] = (int(fields[11]) + int(fields[12])) / _TICKS
    return found


def lag_table(runs: list[LagRun]) -> str:
    """The runs in Markdown."""
    lines = [
        "| a load on the laptop stack | p50 | p90 | p99 | last call | executors | emulator | µs of executors a job |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        cells = [
            run.name,
            f"{statistics.median(run.lags_ms):,.0f} ms",
            *(f"{run.percentile_ms(share):,.0f} ms" for share in (0.9, 0.99, 1)),
            f"{run.executor_cpu_s:.1f} s",
            f"{run.emulator_cpu_s:.1f} s",
            f"{run.executor_cpu_s * 1e6 / len(run.lags_ms):,.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
