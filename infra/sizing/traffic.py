"""The traffic that a deployment is planned for, and the errors that say what to give instead."""

import math
import re
from dataclasses import dataclass

from infra.capacity import READS_PER_JOB, JobSize
from infra.sizing import figures
from shared.names import EXECUTOR_BATCH, MAX_CALLBACK_TIMEOUT_SECONDS, MAX_PAYLOAD_BYTES

MOST_JOBS_PER_SECOND = 1_000_000
MOST_TENANTS = 10_000_000
MOST_JOBS_PER_REQUEST = 100
SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
BYTES = {"b": 1, "kb": 1_000, "kib": 1_024, "mb": 1_000_000}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([kKmM]?i?[bB])")
_EVERY = re.compile(r"([0-9]+)([smhd])")


def parse_bytes(text: str) -> int:
    """Read a size such as 70B, 2kB, 2KiB or 100KB."""
    found = _SIZE.fullmatch(text)
    unit = BYTES.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise ValueError(f"a size is a number with B, kB or KiB, such as 70B, 2kB or 100KB, not {text!r}")
    return round(float(found[1]) * unit)


def parse_seconds(text: str) -> int:
    """Read an interval such as 90s, 1m, 1h or 1d."""
    found = _EVERY.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise ValueError(f"an interval is a whole number with s, m, h or d, such as 5m or 1h, not {text!r}")
    return int(found[1]) * SECONDS[found[2]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What tenants ask of one deployment. Rates are means over a month, but for the burst."""

    jobs_per_second: float
    """Executions a second of all kinds."""
    burst: int = 0
    """Jobs that are due at one instant, beside the steady rate."""
    tenants: int = 1
    body_bytes: int = 400
    recurring: int = 0
    """Recurring jobs; their runs are a part of `jobs_per_second`."""
    every_seconds: int = 3_600
    """Interval of the recurring jobs."""
    jobs_per_request: float = 1
    """Jobs that a request creates on average; more than one in batches."""
    keyed: float = 0.0
    """Share of the requests that carry an Idempotency-Key."""
    due_soon: float = 0.0
    """Share of the one-off jobs that are due within two minutes of their creation."""
    callback_ms: float = figures.CALLBACK_MS.value
    jobs_per_batch: float = figures.JOBS_PER_BATCH.value
    """Jobs in a batch of an executor: 1 in thin traffic, 10 in full batches."""

    def __post_init__(self) -> None:
        """Raise ValueError for a value that no deployment could have."""
        _within("--jobs-per-second", self.jobs_per_second, 0.001, MOST_JOBS_PER_SECOND)
        _within("--burst", self.burst, 0, 60 * MOST_JOBS_PER_SECOND)
        _within("--tenants", self.tenants, 1, MOST_TENANTS)
        _within("--body", self.body_bytes, 0, MAX_PAYLOAD_BYTES, "bytes")
        _within("--recurring", self.recurring, 0, 60 * MOST_JOBS_PER_SECOND)
        _within("--every", self.every_seconds, 1, 366 * 86_400, "seconds")
        _within("--jobs-per-request", self.jobs_per_request, 1, MOST_JOBS_PER_REQUEST)
        _within("--keyed", self.keyed, 0, 1)
        _within("--due-soon", self.due_soon, 0, 1)
        _within("--callback-ms", self.callback_ms, 1, MAX_CALLBACK_TIMEOUT_SECONDS * 1_000)
        _within("--jobs-per-batch", self.jobs_per_batch, 1, EXECUTOR_BATCH)
        if self.runs_per_second > self.jobs_per_second:
            raise ValueError(
                f"--recurring {self.recurring} with --every {self.every_seconds}s makes "
                f"{self.runs_per_second:,.1f} runs a second: --jobs-per-second must be at least that"
            )
        if self.tenants > self.executions_per_month:
            raise ValueError(
                f"--tenants {self.tenants} is more than the {self.executions_per_month:,.0f} executions of a "
                "month: give the tenants that have jobs, or a higher --jobs-per-second"
            )

    @property
    def runs_per_second(self) -> float:
        """Runs of recurring jobs."""
        return self.recurring / self.every_seconds

    @property
    def one_offs_per_second(self) -> float:
        return self.jobs_per_second - self.runs_per_second

    @property
    def executions_per_month(self) -> float:
        return self.jobs_per_second * figures.HOURS_PER_MONTH.value * 3_600

    @property
    def due_in_one_minute(self) -> int:
        """The most jobs that are due in one minute: the steady rate and the burst."""
        return math.ceil(self.jobs_per_second * 60) + self.burst

    @property
    def whole_jobs_per_second(self) -> int:
        """What a stage states: a whole number."""
        return math.ceil(self.jobs_per_second)

    @property
    def whole_jobs_per_request(self) -> int:
        return math.floor(self.jobs_per_request)

    @property
    def job_size(self) -> JobSize:
        """What capacity.py takes into account of a job."""
        item = Item(self.body_bytes)
        return JobSize(write_units=item.units, read_units=item.scan_units, callback_ms=self.callback_ms)


@dataclass(frozen=True, slots=True)
class Item:
    """The stored item of an execution. A long request is stored apart, in an item of its own."""

    body_bytes: int

    @property
    def is_apart(self) -> bool:
        return self.body_bytes + figures.ENVELOPE_BYTES.value > figures.INLINE_BYTES.value

    @property
    def size(self) -> float:
        """Bytes of the execution's item."""
        return figures.ITEM_BYTES.value + (
            -figures.ENVELOPE_BYTES.value if self.is_apart else self.body_bytes
        )

    @property
    def payload_size(self) -> float:
        """Bytes of the request's own item; 0 if the execution's item carries the request."""
        return figures.PAYLOAD_BYTES.value + self.body_bytes if self.is_apart else 0

    @property
    def units(self) -> int:
        """Write units of each write of the item."""
        return math.ceil(self.size / 1_024)

    @property
    def payload_units(self) -> int:
        return math.ceil(self.payload_size / 1_024)

    @property
    def scan_units(self) -> float:
        """Read units of all scans of the item: those of the presets' items of 0.84 KB, by size."""
        return READS_PER_JOB * self.size / 1_024 / figures.ITEM_KB.value


def _within(option: str, value: float, least: float, most: float, unit: str = "") -> None:
    """Raise ValueError unless the value is a finite number in the range."""
    if not math.isfinite(value) or not least <= value <= most:
        named = f" {unit}" if unit else ""
        raise ValueError(f"{option} is a number from {least:,g} to {most:,.15g}{named}, not {value}")
