"""A burst on the laptop stack, and what happened: calls of AWS, batches, and how late the calls of receivers began.

The burst is of one-off jobs that a request each has created, all due at one instant. Their messages wait by then, so
that its lag is the time in which the executors of the lane get to them. Receivers take much longer than the
emulator, whose own processor time would otherwise decide.
"""

import math
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

from infra.local import emulator
from infra.local.api import Api
from infra.local.calls import Call
from infra.local.emulator_env import environment
from infra.local.prewarm import NO_RECORDS
from infra.local.progress import Report, silent
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack, local_stack
from infra.stages import local_stage
from tests.bench.cell import instant
from tests.bench.function_calls import ListedCall, listed_calls, listening_path

JOBS = 600
CALLBACK_MS = 600
"""Mean duration of a call."""
BODY = {"kind": "nightly", "text": "x" * 45}
CLIENTS = 4
AHEAD_SECONDS = 100
"""So soon that the API sends the messages, and so late that all jobs exist by then."""
PATIENCE_SECONDS = 600
STRATA = 20
_BATCH = re.compile(r"ESM: Lambda (\S+) processed (\d+) SQS messages")
LANE, API, _TABLE = "executor-standard", "api", "executions"


class MachineTooSlowError(Exception):
    """The jobs were not created in time, so that the run shows nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaptopRun:
    """What a burst used, from its first request to its last outcome."""

    jobs: int
    batches: int
    table_writes: float
    """Write units of the executions table."""
    other_writes: float
    """Of all other tables. They follow time, and not the jobs alone."""
    refused: float
    """Writes of that table that a condition refused."""
    sqs_requests: int
    """Of the API and of executors, without those of the event source. Ticks ask for the length of queues, too."""
    invocations: int
    """Of the API, and of executors."""
    p50_ms: float
    """Of the lag: from the instant of the burst to the arrival of a call."""
    last_ms: float
    callback_ms: float
    """Mean duration of a call, as the receiver chose it."""
    writes_ms: float
    """Mean duration of a claim and of an outcome, together."""
    cpu_ms: float
    """Processor time of the executors for each job."""


class Durations:
    """Exponential durations of calls, in shuffled strata: few of them already have the mean and the spread of many."""

    def __init__(self, mean_ms: float, seed: int = 1) -> None:
        self.drawn_ms: list[float] = []
        self._random, self._mean_ms = Random(seed), mean_ms
        self._next: list[float] = []

    def respond(self, _: Call) -> Reply:
        """Answer 200 after the next duration. Only the receiver's thread calls it."""
        if not self._next:
            shares = [(number + self._random.random()) / STRATA for number in range(STRATA)]
            self._next = [-self._mean_ms * math.log(1 - share) for share in shares]
            self._random.shuffle(self._next)
        self.drawn_ms.append(self._next.pop())
        return Reply(after_seconds=self.drawn_ms[-1] / 1_000)


def run_burst(jobs: int = JOBS, callback_ms: float = CALLBACK_MS, report: Report = silent) -> LaptopRun:
    """Start a stack of its own, run the burst, and stop. MachineTooSlowError if the jobs were not created in time."""
    durations = Durations(callback_ms)
    with (
        TemporaryDirectory() as root,
        _listening(Path(root)) as calls,
        local_stack(Path(root) / "local", fresh=True, report=report) as stack,
        Receiver(respond=durations.respond) as receiver,
    ):
        tenant = stack.create_tenant("bench")
        warm(stack)
        report("creating the jobs")
        known, log_from = len(listed_calls(calls)), stack.emulator.home.log.stat().st_size
        _create(stack.api(tenant.api_key), receiver.url, jobs)
        report("waiting for the calls")
        arrived = receiver.wait_for(jobs, timeout=PATIENCE_SECONDS)
        batches = _await_batches(stack, log_from, jobs)
        made = listed_calls(calls)[known:]
        executor = [call for call in made if call.function == stack.functions[LANE]]
        api = [call for call in made if call.function == stack.functions[API]]
    lags_ms = [call.lag_ms for call in arrived if call.lag_ms is not None]
    assert min(lags_ms) >= 0, "a call was early"
    assert len({call.execution_id for call in arrived}) == len(arrived) == jobs, "a job was called twice"
    return LaptopRun(
        jobs=jobs,
        batches=len(batches),
        table_writes=sum(call.units.get(_TABLE, 0) for call in made),
        other_writes=sum(units for call in made for name, units in call.units.items() if name != _TABLE),
        refused=sum(call.refused.get(_TABLE, 0) for call in made),
        sqs_requests=sum(call.service == "sqs" for call in [*api, *executor]),
        invocations=jobs + len(batches),
        p50_ms=statistics.median(lags_ms),
        last_ms=max(lags_ms),
        callback_ms=statistics.mean(durations.drawn_ms),
        writes_ms=_writes_ms(executor),
        cpu_ms=_cpu_ms(executor) / jobs,
    )


@contextmanager
def _listening(root: Path) -> Iterator[Path]:
    """A folder in which every function of a stack lists its calls."""
    folder = root / "calls"
    folder.mkdir()
    listening_path(folder)

    def listening(*, port: int, state: Path, tmp: Path) -> dict[str, str]:
        return environment(port=port, state=state, tmp=tmp) | {"PYTHONPATH": str(folder)}

    with patch.object(emulator, "environment", listening):
        yield folder


def warm(stack: LocalStack) -> None:
    """As many processes of the lane as it may have, and of the API as there are clients."""
    most = local_stage().lane_concurrency.standard
    assert isinstance(most, int)
    with ThreadPoolExecutor(most + CLIENTS) as pool:
        started = [pool.submit(stack.invoke, LANE, NO_RECORDS) for _ in range(most)]
        started += [
            pool.submit(stack.api().request, "GET", "/v1/health", timeout=120) for _ in range(CLIENTS)
        ]
        for each in started:
            each.result()


def _create(api: Api, url: str, jobs: int) -> None:
    due_at = (int(time.time()) + AHEAD_SECONDS) * 1_000
    job = {"schedule": {"at": instant(due_at)}, "request": {"url": url, "json": BODY}}
    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(
            pool.map(lambda _: api.request("POST", "/v1/jobs", job, timeout=60).status, range(jobs))
        )
    if set(answers) != {201} or time.time() * 1_000 > due_at - 2_000:
        raise MachineTooSlowError(f"{jobs} jobs were not created within {AHEAD_SECONDS} s: {set(answers)}")


def _await_batches(stack: LocalStack, log_from: int, jobs: int) -> list[int]:
    """The messages of each batch, once all of them have ended."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with stack.emulator.home.log.open("rb") as log:
            log.seek(log_from)
            found = _BATCH.findall(log.read().decode(errors="replace"))
        batches = [int(count) for function, count in found if function == stack.functions[LANE]]
        if sum(batches) >= jobs:
            return batches
        time.sleep(0.5)
    raise MachineTooSlowError(f"the executors have not finished {jobs} jobs")


def _writes_ms(executor: Sequence[ListedCall]) -> float:
    """Each batch waits for its claims, and for its last outcome, which is written alone or in a group."""
    claims = [call.ms for call in executor if call.is_claim]
    outcomes = [call.ms for call in executor if call.units and not call.is_claim]
    return statistics.mean(claims) + statistics.mean(outcomes)


def _cpu_ms(executor: Sequence[ListedCall]) -> float:
    """From the first to the last call of each process."""
    spent: dict[int, list[float]] = {}
    for call in executor:
        spent.setdefault(call.process, []).append(call.cpu_s)
    return sum(max(times) - min(times) for times in spent.values()) * 1_000
