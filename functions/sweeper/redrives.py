"""The part of a sweeper's run that is about dead letters: bulk redrives, and messages that nobody has looked at."""

from collections.abc import Callable
from dataclasses import dataclass

from shared.domain.errors import UnavailableError
from shared.names import Metric
from shared.observability import count, logger
from shared.ports.dead_letters import ParkedMessageStore
from shared.usecases.dead_letters.process_bulk_redrives import ProcessBulkRedrives

SHOWN_AT_MOST = 10
"""More messages than this that wait for an operator are no worse."""


@dataclass(frozen=True, slots=True)
class DeadLetterWork:
    """Comes after the sweep, whatever becomes of it: what is due is more urgent than what has failed."""

    work_off: ProcessBulkRedrives
    parked_messages: ParkedMessageStore

    def __call__(self, has_time: Callable[[], bool]) -> None:
        """One run, told in metrics; what the stores do not answer for is left to the next."""
        try:
            report = self.work_off.execute(has_time)
            count(Metric.REDRIVEN, report.redriven)
            count(Metric.REDRIVES_UNDONE, report.undone)
            for task_id in report.unreadable:
                logger.error("unreadable redrive", extra={"redrive": task_id})
            count(Metric.PARKED_WAITING, len(self.parked_messages.parked(SHOWN_AT_MOST)))
        except UnavailableError:
            logger.warning("dead letters are left to the next run")
