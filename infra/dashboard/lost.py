"""Is anything lost?"""

from collections.abc import Iterator

from infra.components.function_specs import EVENT_RECEIVER
from infra.components.metrics import MAXIMUM
from infra.dashboard.section import Graph, Section
from infra.dashboard.sources import Sources
from shared.names import Metric

_GUARANTEES = ("MissingExecutions", "DoubleCompleted", "ChainsRepaired", "Quarantined")
_RECONCILER = ("ReconcilerCoverage", "ReconcilerCheckedThrough")
_ARCHIVE = ("ArchiveUnsealed", "ArchiveMismatch")
_AUDIT_TRAIL = ("AuditTrailBehind", "AuditTrailMismatch")
_ENDS = (Metric.CLAIMED, Metric.SUCCEEDED, Metric.RETRIED, Metric.FAILED, Metric.ASYNC_ACCEPTED)
_EVENTS = (
    Metric.EVENTS_RECEIVED,
    Metric.EVENTS_UNMAPPED,
    Metric.EVENTS_NO_TENANT,
    Metric.EVENTS_REFUSED,
    Metric.EVENTS_DELAYED,
    Metric.EVENTS_GIVEN_UP,
)
_EVENT_ALARMS = ("DeadEvents", "EventsInFlight", "EventsFailing", "ErrorsEventReceiver")
_DEAD = (Metric.DEAD_LETTER_RESCHEDULED, Metric.DEAD_LETTER_PARKED, Metric.DEAD_LETTER_FAILED)


def lost(sources: Sources) -> Section:
    own, archive = sources.own, _ARCHIVE if sources.stage.archive_days else ()
    trail = _AUDIT_TRAIL if sources.stage.audit_lock_days else ()
    wakeups = [
        own.of("watcher", name) for name in (Metric.DUE_FOUND, Metric.WAKEUPS_SENT, Metric.SEND_FAILED)
    ]
    recovered = [own.of("sweeper", name) for name in (Metric.RESENT, Metric.WORKER_LOST)]
    repeated = [sources.all_executors(name) for name in (Metric.MESSAGES_RETURNED, Metric.FENCED)]
    parked = own.of("redriver", Metric.PARKED_WAITING, MAXIMUM)
    redriven = [own.of("redriver", name) for name in (Metric.REDRIVEN, Metric.REDRIVES_UNDONE)]
    return Section(
        question="Is anything lost?",
        good="No guarantee is broken, and both ages of the reconcilers stay under an hour. Each claim ends, and dead "
        "messages leave their queue within a minute.",
        alarms=(
            *_GUARANTEES,
            *_RECONCILER,
            *archive,
            *trail,
            "DeadMessages",
            "DeadMessagesLeft",
            "ErrorsDeadLetter",
            "Parked",
            "AuditFailed",
            *(_EVENT_ALARMS if sources.stage.event_bus is not None else ()),
        ),
        graphs=(
            Graph(
                title="Broken guarantees",
                metrics=sources.watched(*_GUARANTEES),
                limits=sources.lines(_GUARANTEES[0]),
            ),
            Graph(
                title="Age of what is reconciled (s)",
                metrics=sources.watched(*_RECONCILER),
                limits=sources.lines(_RECONCILER[0]),
            ),
            Graph(
                title="Dead messages in their queues",
                metrics=sources.each_queue("ApproximateNumberOfMessagesVisible", dead=True),
            ),
            Graph(title="Executions", metrics=[sources.all_executors(name) for name in _ENDS]),
            Graph(title="Due executions and wake-ups", metrics=wakeups),
            Graph(title="Recovered", metrics=[*recovered, *repeated]),
            Graph(
                title="Dead messages, settled",
                metrics=[*sources.watched("DeadMessages"), *(own.of("dead-letter", name) for name in _DEAD)],
                limits=sources.lines("DeadMessages"),
            ),
            Graph(title="Redrives and parked messages", metrics=[*redriven, parked]),
            *(
                _graphs(
                    sources, ("Hours that wait for the archive (s)", "Damaged files of the archive"), archive
                )
            ),
            *(_graphs(sources, ("Hours that wait for the audit trail (s)", "Broken segments"), trail)),
            Graph(
                title="Errors that lose no job",
                metrics=sources.watched("ErrorsDeadLetter", "AuditFailed"),
                limits=sources.lines("ErrorsDeadLetter"),
            ),
            *_events(sources),
        ),
    )


def _events(sources: Sources) -> Iterator[Graph]:
    """Of the event bus, if the stage has one."""
    if sources.stage.event_bus is None:
        return
    yield Graph(
        title="Events of the bus",
        metrics=[sources.own.of(EVENT_RECEIVER, name) for name in _EVENTS],
    )
    yield Graph(
        title="Dead events",
        metrics=sources.watched("DeadEvents", "EventsFailing", "ErrorsEventReceiver"),
        limits=sources.lines("DeadEvents"),
    )
    yield Graph(
        title="Events in flight",
        metrics=sources.watched("EventsInFlight"),
        limits=sources.lines("EventsInFlight"),
    )


def _graphs(sources: Sources, titles: tuple[str, ...], alarms: tuple[str, ...]) -> Iterator[Graph]:
    """A graph for each alarm; none for a stage without them."""
    for title, alarm in zip(titles, alarms, strict=False):
        yield Graph(title=title, metrics=sources.watched(alarm), limits=sources.lines(alarm))
