"""A limit is reached: the announcing process is hit before or after the admission, the row and its message."""

from typing import Any

from shared.domain.tenancy.quota import Quota
from shared.usecases.filing.file_limit_alert import RETRY_MS
from tests.crashes.limit_scenarios import limited
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

HOUR_SECONDS = 3_600
DUE_SECONDS = 10
announced = Catalogue("api", delay_seconds=60)


def _subscribe(stage: Stage, quota: Quota) -> None:
    """In an hour without an alert: there is one in an hour at most."""
    stage.run(HOUR_SECONDS - stage.clock.now_ms() / 1000 % HOUR_SECONDS + 2)
    stage.limit_alerts.subscribe(quota)


@announced("UpdateItem", "PutItem")
def announces_a_limit_that_refuses_jobs(stage: Stage) -> None:
    _subscribe(stage, Quota.RECURRING_JOBS)
    stage.allow(recurring_jobs=0)
    stage.mark("api")
    stage.limit_alerts.be_refused()
    stage.wait(RETRY_MS / 1000 + 1)
    stage.limit_alerts.be_refused()
    stage.limit_alerts.is_promised = True


@limited("UpdateItem", "PutItem")
def announces_a_limit_that_makes_executions_wait(stage: Stage) -> None:
    _subscribe(stage, Quota.CONCURRENCY)
    limits: dict[str, Any] = {Quota.CONCURRENCY.value: 1}
    stage.limit(**limits)
    for _ in range(2):
        stage.clients.order({"delay_seconds": DUE_SECONDS})
    stage.wait(DUE_SECONDS + 1)
    stage.mark("executor")
    stage.execute()
