"""Deletions of tenants: where the redriver is hit that carries one out."""

from shared.domain.tenancy.deletion import SETTLED_MS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

deleted = Catalogue("redriver", delay_seconds=60)
PASSES = 4
BETWEEN_SECONDS = SETTLED_MS // 1000 + 1


def _finish(stage: Stage) -> None:
    """Until a pass has found nothing, also if a blow cost one."""
    for _ in range(PASSES):
        stage.wait(BETWEEN_SECONDS)
        stage.redrive()


@deleted("Query", "BatchGetItem", "BatchWriteItem", "PutItem", "ListObjectVersions", "DeleteObjects")
def deletes_what_is_stored_of_a_tenant(stage: Stage) -> None:
    stage.leavers.leave()
    stage.mark("redriver")
    stage.redrive()
    _finish(stage)


@deleted("Query", "TransactWriteItems")
def deletes_a_tenant_of_which_nothing_is_left(stage: Stage) -> None:
    stage.leavers.leave()
    stage.redrive()
    stage.wait(BETWEEN_SECONDS)
    stage.mark("redriver")
    stage.redrive()
    _finish(stage)
