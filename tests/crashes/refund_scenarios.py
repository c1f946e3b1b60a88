"""Batches in which an executor is hit that claims and cannot call: KMS unwraps no data key."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shared.names import Env
from tests.crashes.deployment import VISIBILITY_SECONDS
from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

refunds = Catalogue("executor", delay_seconds=VISIBILITY_SECONDS)
WAITS_SECONDS = (3, 5)
"""Longer than the waits after the first and after the second refund."""


@contextmanager
def _without_data_keys(stage: Stage) -> Iterator[None]:
    """KMS refuses to unwrap data keys, and no process remembers an unwrapped key."""
    key = {"KeyId": stage.deployment.environment[Env.KMS_KEY_ID]}
    kms: Any = stage.deployment.engines.others.client("kms")
    stage.workers.renew()
    kms.disable_key(**key)
    try:
        yield
    finally:
        kms.enable_key(**key)


def _refunded(stage: Stage) -> None:
    """More refunds than the customer has attempts: if one counted, none would be left for the call."""
    for seconds in WAITS_SECONDS:
        stage.execute()
        stage.wait(seconds)


@refunds("BatchExecuteStatement", "Decrypt", "UpdateItem", "SendMessageBatch")
def refunds_an_attempt(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, max_attempts=2)
    stage.wait(11)
    with _without_data_keys(stage):
        _refunded(stage)
        stage.mark("executor")
        stage.execute()


@refunds("BatchExecuteStatement", "Decrypt", "UpdateItem", "PutItem")
def refunds_an_attempt_of_a_recurring_job(stage: Stage) -> None:
    stage.clients.order({"rate_seconds": 60}, max_attempts=2)
    stage.wait(61)
    with _without_data_keys(stage):
        stage.mark("executor")
        stage.execute()


@refunds("BatchExecuteStatement", "UpdateItem")
def calls_after_refunds(stage: Stage) -> None:
    stage.clients.order({"delay_seconds": 10}, max_attempts=2)
    stage.wait(11)
    with _without_data_keys(stage):
        _refunded(stage)
    stage.mark("executor")
    stage.execute()
