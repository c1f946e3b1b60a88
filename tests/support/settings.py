"""Settings of a deployment under test: complete settings of the API."""

from dataclasses import fields
from typing import Any, TypeVar

from shared.domain.bucket import ShardPlan
from shared.domain.executions.retention import Retention
from shared.domain.ids import DEFAULT_CELL
from shared.names import QueueName
from shared.settings import ApiSettings, Settings
from tests.support.fakes.budgets import GENEROUS

S = TypeVar("S", bound=Settings)
AUDIT_DAYS = 400
ARCHIVE_DAYS = 400
ISSUER = "https://api.punctual.example"
CONSOLE = "https://console.punctual.example"


def settings_of(plan: ShardPlan, retention: Retention, **others: Any) -> ApiSettings:
    """Placeholder names of tables and queues, with the policies of a test."""
    given: dict[str, Any] = {
        "stage": "test",
        "region": "eu-west-1",
        "cell": DEFAULT_CELL,
        "executions_table": "executions",
        "jobs_table": "jobs",
        "tenants_table": "tenants",
        "leases_table": "leases",
        "audit_table": "audit",
        "history_table": "history",
        "archive_days": ARCHIVE_DAYS,
        "audit_retention_days": AUDIT_DAYS,
        "audit_one_offs": False,
        "lane_queue_urls": {name: f"https://sqs.example/{name.value}" for name in QueueName},
        "shard_plan": plan,
        "retention": retention,
        "kms_key_id": "alias/punctual",
        "dial_exceptions": (),
        "api_hosts": frozenset({"api.punctual.example"}),
        "console_origin": CONSOLE,
        "default_quotas": GENEROUS,
        "token_issuer": ISSUER,
        "token_keys": (1,),
        "target_roles": "arn:aws:iam::*:role/punctual/*",
    }
    return ApiSettings(**(given | others))


def only(kind: type[S], settings: ApiSettings) -> S:
    """The settings of a function that has no more, such as a sweeper."""
    return kind(**{each.name: getattr(settings, each.name) for each in fields(kind)})
