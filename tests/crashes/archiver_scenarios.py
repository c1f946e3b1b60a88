"""Runs of the archiver in which it is hit."""

from shared.domain.tenancy.deletion import SETTLED_MS
from shared.domain.tenancy.forgetting import FORGET_AFTER_MS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

archiver = Catalogue("archiver", delay_seconds=0)
HOUR_SECONDS = 3_600
SWEPT_SECONDS = 180
"""After the end of an hour, its last minute has been swept."""
TICK_SECONDS, DELETION_PASSES = 300, 2
SEALABLE_SECONDS = 660
"""After the end of an hour, a pass seals it."""


def _go_beyond_hour(stage: Stage, seconds: float) -> None:
    """To so many seconds after the end of the expected hour; the sweeper has closed the hour."""
    stage.wait((seconds * 1000 - stage.clock.now_ms()) % (HOUR_SECONDS * 1000) / 1000)
    for _ in range(3):
        stage.sweep()


def _fill_hour(stage: Stage) -> None:
    """A success, a failure with a body, and a cancelled job, all in an hour that the archiver begins with."""
    second = stage.clock.now_ms() / 1000 % HOUR_SECONDS
    if not SWEPT_SECONDS < second < HOUR_SECONDS - 120:
        stage.run((SWEPT_SECONDS + 60 - second) % HOUR_SECONDS)
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


def _leave_sealed_hour(stage: Stage) -> None:
    """A sealed hour with executions of a tenant whose deletion has ended over an hour ago."""
    _fill_hour(stage)
    leaver = stage.leavers.live()
    _go_beyond_hour(stage, SWEPT_SECONDS)
    stage.archive()
    stage.wait(SEALABLE_SECONDS - SWEPT_SECONDS)
    stage.archive()
    stage.leavers.ask_for_deletion(leaver)
    for _ in range(DELETION_PASSES):
        stage.redrive()
        stage.wait(SETTLED_MS // 1000 + 1)
    stage.wait(FORGET_AFTER_MS / 1000)
    for _ in range(3):
        stage.sweep()


@archiver("Query", "GetItem", "DeleteItem", "PutItem", "GetObject", "PutObject")
def forgets_a_deleted_tenant(stage: Stage) -> None:
    _leave_sealed_hour(stage)
    stage.mark("archiver")
    stage.archive()


@archiver("Query", "GetItem", "TransactWriteItems")
def ends_to_forget_a_deleted_tenant(stage: Stage) -> None:
    _leave_sealed_hour(stage)
    stage.archive()
    stage.wait(TICK_SECONDS)
    stage.mark("archiver")
    stage.archive()


@archiver("GetObject", "GetItem")
def compares_a_sealed_file_again(stage: Stage) -> None:
    _fill_hour(stage)
    _go_beyond_hour(stage, SWEPT_SECONDS)
    stage.archive()
    stage.wait(SEALABLE_SECONDS - SWEPT_SECONDS)
    stage.archive()
    _go_beyond_hour(stage, SWEPT_SECONDS)
    stage.mark("archiver")
    stage.archive()
