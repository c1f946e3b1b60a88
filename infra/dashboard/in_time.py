"""Are calls in time?"""

from collections.abc import Iterator

from infra.components.burn_alarms import start_objective
from infra.components.metrics import MAXIMUM, P99
from infra.dashboard.section import Graph, Section, capacity_line, objective_line
from infra.dashboard.shares import share_graph
from infra.dashboard.sources import Sources
from infra.sizing.figures import IN_FLIGHT
from shared.names import LATE_START_MS, Lane, Metric

_TICKS = ("WatcherHeartbeat", "SweeperHeartbeat", "RedriverHeartbeat")
_CANARY = ("CanaryMissing", "CanaryLate", "CanaryRefused")


def in_time(sources: Sources) -> Section:
    own = sources.own
    slow_paths, dropped, errors = map(sources.named, ("QueueAge", "TicksDropped", "ErrorsExecutor"))
    undelivered = sources.named("TicksUndelivered")
    seconds = LATE_START_MS // 1_000
    late = f"First attempts over {seconds} s late (%, of five minutes)"
    started = [own.of(f"executor-{lane}", Metric.START_LAG_MS, P99).with_(label=lane) for lane in Lane]
    canary = _CANARY if sources.stage.canary else ()
    waiting = own.of("sweeper", Metric.OLDEST_WAITING_DUE_SECONDS, MAXIMUM).with_(label="throttled")
    return Section(
        question="Are calls in time?",
        good=f"99.9 % of first attempts start within {seconds} seconds. Every part of the shards has a tick each "
        "minute, and queues are empty but for messages that are not due yet.",
        alarms=(
            "StartBurnFast",
            "StartBurnSlow",
            "OldestUnclaimedDue",
            *_TICKS,
            *dropped,
            *undelivered,
            *errors,
            *slow_paths,
            *canary,
        ),
        graphs=(
            share_graph(late, start_objective(sources.stage), sources),
            Graph(
                title="Start lag, p99 (ms)",
                metrics=started,
                limits=[objective_line(LATE_START_MS, f"late: over {LATE_START_MS:,}")],
            ),
            Graph(
                title="Oldest due execution (s)",
                metrics=[*sources.watched("OldestUnclaimedDue"), waiting],
                limits=sources.lines("OldestUnclaimedDue"),
            ),
            Graph(title="Ticks", metrics=sources.watched(*_TICKS), limits=sources.lines(*_TICKS)),
            Graph(title="Failed and dropped ticks", metrics=sources.watched(*dropped)),
            Graph(title="Errors of executors", metrics=sources.watched(*errors)),
            Graph(
                title="Oldest message (s)",
                metrics=sources.each_queue("ApproximateAgeOfOldestMessage"),
                limits=sources.lines(slow_paths[0]),
            ),
            Graph(title="Visible messages", metrics=sources.each_queue("ApproximateNumberOfMessagesVisible")),
            Graph(
                title="Messages in flight",
                metrics=sources.each_queue("ApproximateNumberOfMessagesNotVisible"),
                limits=[capacity_line(IN_FLIGHT.value, f"SQS: {IN_FLIGHT.value:,} in a queue")],
            ),
            *(_canary_graphs(sources) if canary else ()),
        ),
    )


def _canary_graphs(sources: Sources) -> Iterator[Graph]:
    """Of a cycle, but for the failures of a minute."""
    for title, alarms in (
        ("Calls of the canary", ("CanaryMissing",)),
        ("Lag of the canary's calls (ms)", ("CanaryLate",)),
        ("Failures of the canary", ("CanaryRefused",)),
    ):
        yield Graph(title=title, metrics=sources.watched(*alarms), limits=sources.lines(*alarms))
