"""How late calls begin on the laptop stack, and the processor time of its executors beside that of the emulator.

The jobs are created long before they are due, so that watchers find them. Receivers answer at once. The stages of the
latest calls, as the API explains them, say where their time went.
"""

import os
import statistics
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local.api import Api
from infra.local.calls import Call
from infra.local.progress import Report, silent
from infra.local.receiver import Receiver
from infra.local.stack import LocalStack, Tenant, local_stack
from shared.domain.executions.stages import Stage
from tests.bench.cell import instant
from tests.bench.laptop import BODY, CLIENTS, LANE, MachineTooSlowError, warm

IN_REQUEST = 100
PATIENCE_SECONDS = 300
BEFORE_ARRIVAL = (Stage.SENT, Stage.QUEUE, Stage.WAIT, Stage.CLAIM, Stage.READY, Stage.CONNECT)
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
    late_ms: Mapping[str, float]
    """The mean of each stage of the latest hundredth of the calls, from the due time to the connection."""

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
        late_ms=_late_ms(stack.api(tenant.api_key), arrived),
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


def _late_ms(api: Api, calls: Sequence[Call]) -> dict[str, float]:
    latest = sorted(calls, key=lambda call: call.lag_ms or 0)[-max(1, len(calls) // 100) :]
    stages = [_stages_of(api, call.execution_id) for call in latest]
    return {stage: sum(each.get(stage, 0) for each in stages) / len(stages) for stage in BEFORE_ARRIVAL}


def _stages_of(api: Api, execution_id: str) -> dict[str, int]:
    """By name, in ms. The outcome has the stages, and is recorded after the call."""
    for _ in range(PATIENCE_SECONDS):
        attempts = api.request("GET", f"/v1/executions/{execution_id}/explain", timeout=60).json()["attempts"]
        if attempts and any(span["stage"] == Stage.CLAIM for span in attempts[0]["stages"]):
            return {span["stage"]: span["duration_ms"] or 0 for span in attempts[0]["stages"]}
        time.sleep(1)
    raise MachineTooSlowError(f"{execution_id} has no outcome")


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
    return "\n".join([*lines, "", _late_table(runs)])


def _late_table(runs: list[LagRun]) -> str:
    lines = [
        f"| the latest 1 % of the calls, mean | {' | '.join(BEFORE_ARRIVAL)} |",
        "|---" * (1 + len(BEFORE_ARRIVAL)) + "|",
    ]
    lines += [
        f"| {run.name} | {' | '.join(f'{run.late_ms[stage]:,.0f} ms' for stage in BEFORE_ARRIVAL)} |"
        for run in runs
    ]
    return "\n".join(lines)
