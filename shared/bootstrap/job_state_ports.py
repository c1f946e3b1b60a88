"""Ports for the state that jobs have beside their definitions: run locks, health, and windows of alerts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.bootstrap.dynamo_ports import DynamoPorts
    from shared.ports.alerts import AlertWindows
    from shared.ports.jobs import JobHealthStore, RunLockStore


def run_locks(ports: DynamoPorts) -> RunLockStore:
    from shared.adapters.dynamodb.jobs.run_lock_store import DynamoRunLockStore

    return DynamoRunLockStore(ports._dynamodb, ports._jobs)


def job_health(ports: DynamoPorts) -> JobHealthStore:
    from shared.adapters.dynamodb.jobs.job_health_store import DynamoJobHealthStore

    return DynamoJobHealthStore(ports._dynamodb, ports._jobs)


def alert_windows(ports: DynamoPorts) -> AlertWindows:
    from shared.adapters.dynamodb.jobs.alert_windows import DynamoAlertWindows

    return DynamoAlertWindows(ports._dynamodb, ports._jobs)
