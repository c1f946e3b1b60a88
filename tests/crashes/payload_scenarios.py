"""What writes, changes and keeps requests that are too large for an item."""

from infra.local.clients import REGION
from shared.adapters.dynamodb.dispatch.ledger import DynamoShardLedger
from shared.adapters.dynamodb.dispatch.reconcile_progress import DynamoReconcileProgress
from shared.domain.bucket import bucket_of
from shared.domain.executions.retention import DAY_SECONDS
from shared.ports.dispatch import MinuteProgress
from tests.crashes.api_scenarios import LARGE
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage
from tests.crashes.tick_scenarios import FIRST_SWEEP_SECOND, sweep_on

large = Catalogue("api", delay_seconds=0)
kept = Catalogue("sweeper", delay_seconds=60)
NEAR_SECONDS = 20
FAR_DAYS = 200
"""Beyond the expiry that a large request gets at its birth."""
LATE_DAYS = 17
"""So late that the record outlives the first expiry of its request, which is not yet reached."""


def _move_far_off(stage: Stage, payload: str | None) -> None:
    """The job is due too late for the scenario: it is cancelled once its request was checked."""
    order = stage.clients.order({"delay_seconds": NEAR_SECONDS}, payload=f"first {LARGE}")
    revision = stage.clients.revision(order)
    at = stage.clock.now_ms() + FAR_DAYS * DAY_SECONDS * 1000
    stage.mark("api")
    stage.clients.change(order, revision, payload=payload, at=at)
    stage.check_payloads()
    stage.clients.cancel(order)


@large("UpdateItem", "TransactWriteItems")
def moves_a_large_request_far_off(stage: Stage) -> None:
    _move_far_off(stage, None)


@large("PutItem", "TransactWriteItems")
def edits_a_large_request_and_moves_it_far_off(stage: Stage) -> None:
    _move_far_off(stage, f"second {LARGE}")


@kept("GetItem", "UpdateItem", "SendMessageBatch")
def keeps_the_large_request_of_what_is_very_late(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": NEAR_SECONDS}, payload=LARGE)
    stage.wait(NEAR_SECONDS)
    sweep_on(stage, 2)
    _skip_days(stage, LATE_DAYS)
    stage.mark("sweeper")
    stage.sweep()


def _skip_days(stage: Stage, days: int) -> None:
    """No function runs for 17 days, and no tick has to catch up with the minutes that passed."""
    stage.wait(days * DAY_SECONDS)
    stage.lane.lose()
    stage.wait_until_second(FIRST_SWEEP_SECOND)
    tables = stage.deployment.tables
    ledger = DynamoShardLedger(stage.deployment.engines.store.client("dynamodb"), tables.leases, REGION)
    latest = bucket_of(stage.clock.now_ms()) - 1
    ledger.note_swept_through(latest)
    progress = DynamoReconcileProgress(
        stage.deployment.engines.store.client("dynamodb"), tables.leases, REGION
    )
    progress.note_minutes(MinuteProgress(through=latest))
