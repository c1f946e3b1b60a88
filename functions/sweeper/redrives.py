"""The sweeper's work on dead letters: bulk redrives, and the number of parked messages."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.errors import UnavailableError
from shared.names import Metric
from shared.observability import count, logger
from shared.ports.dead_letters import ParkedMessageStore
from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives

MAX_PARKED_COUNT = 10
"""The alarm needs no higher count of parked messages."""


@dataclass(frozen=True, slots=True)
class DeadLetterWork:
    """Runs after the sweep, because due work is more urgent than failed work."""

    process: ProcessBulkRedrives
    parked_messages: ParkedMessageStore

    def __call__(self, has_time: Callable[[], bool]) -> None:
        """One run, counted in metrics. After a store error the next run continues."""
        try:
            report = self.process.execute(has_time)
            count(Metric.REDRIVEN, report.redriven)
            count(Metric.REDRIVES_UNDONE, report.undone)
            for task_id in report.unreadable:
                logger.error("unreadable redrive", extra={"redrive": task_id})
            count(Metric.PARKED_WAITING, len(self.parked_messages.parked(MAX_PARKED_COUNT)))
        except UnavailableError:
            logger.warning("dead letters are left to the next run")
