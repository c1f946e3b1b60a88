"""Runs of the archiver in which it is hit."""

from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

archiver = Catalogue("archiver", delay_seconds=0)
HOUR_SECONDS = 3_600
SWEPT_SECONDS = 180
"""After the end of an hour, its last minute has been swept."""
SEALABLE_SECONDS = 660
"""After the end of an hour, a pass seals it."""


def _go_beyond_hour(stage: Stage, seconds: float) -> None:
    """To so many seconds after the end of the expected hour; the sweeper has closed the hour."""
    stage.wait((seconds * 1000 - stage.clock.now_ms()) % (HOUR_SECONDS * 1000) / 1000)
    for _ in range(3):
        stage.sweep()


def _fill_hour(stage: Stage) -> None:
    """A success, a failure with a body, and a cancelled job, all in an hour that the archiver begins with."""
    if stage.clock.now_ms() % (HOUR_SECONDS * 1000) > (HOUR_SECONDS - 120) * 1000:
        stage.run(240)
    stage.archived_rows.expect_present_hour()
    stage.clients.order({"delay_seconds": 5})
    stage.clients.order({"delay_seconds": 5}, behaviour="fails", max_attempts=1)
    stage.clients.cancel(stage.clients.order({"delay_seconds": 60}))
    stage.run(10)


@archiver("Query", "GetItem", "PutObject", "UpdateItem", "Decrypt")
def archives_an_hour(stage: Stage) -> None:
    _fill_hour(stage)
    _go_beyond_hour(stage, SWEPT_SECONDS)
    stage.mark("archiver")
    stage.archive()


@archiver("GetObject", "PutObject", "UpdateItem", "DeleteItem")
def seals_an_hour_that_it_has_archived(stage: Stage) -> None:
    _fill_hour(stage)
    _go_beyond_hour(stage, SWEPT_SECONDS)
    stage.archive()
    stage.wait(SEALABLE_SECONDS - SWEPT_SECONDS)
    stage.mark("archiver")
    stage.archive()
