"""How much longer than on a quiet machine work takes at present.

Other programs take their share of the processors, and a hypervisor may give them to other machines: the processor
time that a process sees includes what was stolen, so the work itself is timed. A test that judges a lag multiplies
its bound by the slowdown of the moment, which a process of its own measures. On a quiet machine the slowdown is 1,
and the bound is the promise itself.
"""

import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from infra.local.calls import Call
from tests.support.sources import ROOT

BURST_SECONDS = 0.06
"""Processor time of one sample. Schedulers favour a process that has slept, but not for so long."""
STEPS_IN_SLICE = 200
"""A slice takes a millisecond or two, so that one of many is hardly ever interrupted."""
PAUSE_SECONDS = 0.4
MARGIN_SECONDS = 1.0
"""Samples this close to an interval count for it."""
PATIENCE_SECONDS = 60.0
STARVED = 4.0
"""At a larger slowdown the machine stands still at times, and the lag of a call says nothing about the product."""


class Sample(NamedTuple):
    """One burst of work: when it began and ended by the wall clock, and how much longer it took than it should."""

    began_at: float
    ended_at: float
    slowdown: float


@dataclass(slots=True)
class Slowdown:
    """Measures from `start` to `stop`."""

    _process: subprocess.Popen[str]
    _samples: list[Sample]
    _reader: threading.Thread

    @classmethod
    def start(cls) -> "Slowdown":
        """Start the measuring process, and wait for its first sample."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.slowdown"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        samples: list[Sample] = []
        reader = threading.Thread(target=_collect, args=(process, samples), name="slowdown", daemon=True)
        reader.start()
        started = cls(process, samples, reader)
        started._await_sample_after(0.0)
        return started

    def stop(self) -> None:
        """End the measuring process."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        if self._process.stdout:
            self._process.stdout.close()

    def between(self, since: float, until: float) -> float:
        """The worst slowdown of an interval, by the wall clock in seconds; at least 1."""
        self._await_sample_after(until)
        near = [
            sample.slowdown
            for sample in list(self._samples)
            if sample.ended_at >= since - MARGIN_SECONDS and sample.began_at <= until + MARGIN_SECONDS
        ]
        return max(1.0, *near)

    def since(self, began_at: float) -> float:
        """The worst slowdown from `began_at`, a value of `time.time`, until now."""
        return self.between(began_at, time.time())

    def during(self, call: Call) -> float:
        """The worst slowdown between the instant at which a call was due and its arrival."""
        assert call.scheduled_at is not None, "the call names no moment"
        return self.between(call.scheduled_at.timestamp(), call.arrived_at.timestamp())

    def late(self, calls: Iterable[Call], bound_ms: float) -> list[tuple[Call, str]]:
        """Each call that came later than the bound allows at the machine's speed of that moment, in words too.

        Calls on a starved machine are not judged.
        """
        found = []
        for call in calls:
            slowdown = self.during(call)
            assert call.lag_ms is not None
            if slowdown < STARVED and call.lag_ms > bound_ms * slowdown:
                found.append(
                    (call, f"{call.path} {call.lag_ms:.0f} ms late, at a slowdown of {slowdown:.1f}")
                )
        return found

    def _await_sample_after(self, moment: float) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._samples or self._samples[-1].began_at < moment:
            assert self._process.poll() is None, "the measuring process has ended"
            assert time.monotonic() < deadline, "the measuring process takes no samples"
            time.sleep(0.02)


def _collect(process: subprocess.Popen[str], samples: list[Sample]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        began_at, ended_at, slowdown = map(float, line.split())
        samples.append(Sample(began_at, ended_at, slowdown))


def measure(quickest: float) -> tuple[Sample, float]:
    """Work for a burst of processor time; also the seconds of the quickest slice so far."""
    began_at, began, spent, slices = time.time(), time.perf_counter(), time.process_time(), 0
    while not slices or time.process_time() - spent < BURST_SECONDS:
        slice_began = time.perf_counter()
        for _ in range(STEPS_IN_SLICE):
            sum(range(500))
        quickest = min(quickest, time.perf_counter() - slice_began)
        slices += 1
    took, used = time.perf_counter() - began, time.process_time() - spent
    return Sample(began_at, time.time(), took / min(used, slices * quickest)), quickest


def main() -> None:
    """Print a sample twice a second until killed or until nobody reads."""
    quickest = math.inf
    while True:
        sample, quickest = measure(quickest)
        try:
            print(*sample, flush=True)  # noqa: T201 - the parent process reads it
        except BrokenPipeError:
            return
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
