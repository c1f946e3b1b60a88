"""The concurrent executions of a stage: of its lanes by their event sources, and of the other functions by
reservations."""

from dataclasses import dataclass, fields

from shared.names import QueueName

DEAD_LETTER_CONCURRENCY = 2
"""For each dead-letter queue. Low, because dead messages arrive in large numbers while another fault is
active."""
RUNS_PER_RANGE = 2
"""A tick may run for longer than the minute until the next tick of its range."""
LEAST_UNRESERVED = 100
"""Lambda refuses a reservation that leaves fewer concurrent executions of the account."""
CANARY_CONCURRENCY = {"canary_prober": 1, "canary_receiver": 3}
"""By package. Lambda lets a function URL take ten requests a second for each reserved execution: strangers who call
the receiver get 429 beyond that, and cannot take executions from other functions."""
BATCHES_PER_POLLER = 10
"""Batches that one provisioned poller of an SQS event source has under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pollers:
    """Provisioned pollers of an event source. `minimum` of them are paid for while the queue is empty.

    They take a burst at once, where a source with a maximum concurrency begins with 5 batches.
    """

    minimum: int
    maximum: int

    def __post_init__(self) -> None:
        """Raise ValueError outside the ranges that CloudFormation accepts for SQS."""
        if not (2 <= self.minimum <= 200 and self.minimum <= self.maximum <= 2_000):
            raise ValueError(
                "pollers have a minimum of 2 to 200, and a maximum of at least the minimum and at most 2000, "
                f"not {self.minimum} and {self.maximum}"
            )


Source = int | Pollers
"""A maximum concurrency or provisioned pollers: AWS refuses an event source with both."""


def executors_of(source: Source) -> int:
    """Return the concurrent executors that an event source may start."""
    return source if isinstance(source, int) else source.maximum * BATCHES_PER_POLLER


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneConcurrency:
    """The event source of each queue: its maximum number of concurrent executors, or provisioned pollers."""

    critical: Source
    standard: Source
    bulk: Source
    slow_critical: Source
    slow_standard: Source
    slow_bulk: Source

    def __post_init__(self) -> None:
        """Raise ValueError outside the range of an SQS event source."""
        for each in fields(self):
            source: Source = getattr(self, each.name)
            if isinstance(source, int) and not 2 <= source <= 1000:
                raise ValueError(
                    f"lanes.{each.name} is 2 to 1000 executors, not {source}; more needs provisioned pollers"
                )

    def of(self, queue: QueueName) -> Source:
        source: Source = getattr(self, queue.name.lower())
        return source

    @property
    def total(self) -> int:
        """The concurrent executors of all queues."""
        return sum(executors_of(self.of(queue)) for queue in QueueName)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservedConcurrency:
    """Concurrent executions that Lambda keeps for a function, and never exceeds. Executors have none: the rest
    of the account is theirs, up to `lane_concurrency`."""

    api: int = 146
    watcher: int = 4
    sweeper: int = 4
    reconciler: int = 2
    redriver: int = RUNS_PER_RANGE
    dead_letter: int = DEAD_LETTER_CONCURRENCY * len(QueueName)
    archiver: int = RUNS_PER_RANGE
    archive_reader: int = 4

    @property
    def total(self) -> int:
        return sum(getattr(self, each.name) for each in fields(self))

    def of(self, package: str) -> int | None:
        """None for a package under `functions/` without a reservation."""
        limit: int | None = getattr(self, package, None) or CANARY_CONCURRENCY.get(package)
        return limit

    def total_with(self, *, canary: bool) -> int:
        """With the reservations of the canary's functions, if the stage has them."""
        return self.total + (sum(CANARY_CONCURRENCY.values()) if canary else 0)

    def check(self, watchers: int, sweepers: int, reconcilers: int) -> None:
        """Raise ValueError if a function could not do its ticks or messages beside one another."""
        least = {
            "api": 1,
            "watcher": RUNS_PER_RANGE * watchers,
            "sweeper": RUNS_PER_RANGE * sweepers,
            "reconciler": reconcilers + 1,
            "redriver": RUNS_PER_RANGE,
            "dead_letter": DEAD_LETTER_CONCURRENCY * len(QueueName),
            "archiver": 1,
            "archive_reader": 1,
        }
        for name, runs in least.items():
            if getattr(self, name) < runs:
                raise ValueError(f"reserved.{name} is at least {runs}, not {getattr(self, name)}")


def check_account(
    reserved: ReservedConcurrency, lanes: LaneConcurrency, account: int, *, canary: bool = False
) -> None:
    """Raise ValueError unless reservations and lanes fit into the account together, as Lambda demands."""
    needed = reserved.total_with(canary=canary) + max(LEAST_UNRESERVED, lanes.total)
    if needed > account:
        raise ValueError(
            f"account_concurrency is at least {needed}, not {account}, because reserved and lanes need {needed} "
            "concurrent executions: raise the quota of the account, lower lanes, or write reserved = false"
        )
