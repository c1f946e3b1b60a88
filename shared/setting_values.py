"""The variable of each setting, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from shared.domain.bucket import ShardCounts, ShardEpoch, ShardPlan, bucket_of
from shared.domain.errors import InvalidValueError
from shared.domain.executions.retention import Retention
from shared.names import ORIGIN, ROLE_PATTERN, Env, QueueName, Transport

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

    from shared.domain.tenancy.quota import Quotas

_EPOCH = {"from": str, "normal": int, "quarter": int, "midnight": int}


def _text(value: str) -> str:
    if not value or not isinstance(value, str):
        raise InvalidValueError("it has no text")
    return value


def _cell(value: str) -> str:
    # Imported late, as in the readers below: a tick does not load what other functions read.
    from shared.domain.ids import CELL

    if re.fullmatch(CELL, value) is None:
        raise InvalidValueError("no id can have it")
    return value


def _every_queue(value: str) -> dict[QueueName, str]:
    given = orjson.loads(value)
    missing = [name.value for name in QueueName if not given.get(name.value)]
    if missing:
        raise InvalidValueError(f"it has nothing for {', '.join(missing)}")
    return {QueueName(name): _text(text) for name, text in given.items()}


def _plan(value: str) -> ShardPlan:
    return ShardPlan(tuple(_epoch(epoch) for epoch in orjson.loads(value)))


def _epoch(given: Mapping[str, Any]) -> ShardEpoch:
    if given.keys() != _EPOCH.keys() or any(type(given[name]) is not kind for name, kind in _EPOCH.items()):
        raise InvalidValueError(f"an epoch needs {', '.join(_EPOCH)}, and nothing else")
    since = datetime.fromisoformat(given["from"])
    if since.tzinfo is None:
        raise InvalidValueError("an epoch begins at an instant such as 2026-01-31T00:00Z")
    return ShardEpoch(
        from_bucket=bucket_of(int(since.timestamp() * 1000)),
        counts=ShardCounts(normal=given["normal"], quarter=given["quarter"], midnight=given["midnight"]),
    )


def _quotas(value: str) -> Quotas:
    """Read a limit for each quota; a misspelt name would otherwise be ignored."""
    from shared.domain.tenancy.quota import Quota, Quotas

    limits = orjson.loads(value)
    if limits.keys() != set(Quota) or any(type(limit) is not int for limit in limits.values()):
        raise InvalidValueError(f"a limit is needed for each of {', '.join(Quota)}, and for nothing else")
    return Quotas(**limits).checked()


def _networks(value: str) -> tuple[IPv4Network | IPv6Network, ...]:
    from ipaddress import ip_network

    return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())


def _hosts(value: str) -> frozenset[str]:
    """Read host names or URLs without a path; a misspelt host would otherwise not be blocked."""
    host = re.compile(r"(?:https?://)?(?P<host>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)(?::[0-9]+)?/?")
    matches = [host.fullmatch(part.strip()) for part in value.split(",") if part.strip()]
    found = frozenset(match["host"].lower() for match in matches if match)
    if not found or None in matches:
        raise InvalidValueError("each part must be a host name, or a URL without a path")
    return found


def _origin(value: str) -> str:
    """Read a URL without a path. Names of hosts have no case."""
    origin = value.removesuffix("/")
    if re.fullmatch(ORIGIN, origin, re.IGNORECASE) is None:
        raise InvalidValueError("it is no https URL without a path")
    return origin


def _numbers(value: str) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in value.split(",") if part.strip())
    if len(set(numbers)) != len(numbers) or any(number < 1 for number in numbers):
        raise InvalidValueError("each number is at least 1, and there once")
    return numbers


def _role_pattern(value: str) -> str:
    if re.fullmatch(ROLE_PATTERN, value) is None:
        raise InvalidValueError("it is no pattern of ARNs of roles")
    return value


def _days(value: str) -> int:
    days = int(value)
    if days < 1:
        raise InvalidValueError("it must be at least 1")
    return days


def _whole(value: str) -> int:
    days = int(value)
    if days < 0:
        raise InvalidValueError("it must not be negative")
    return days


def _bool(value: str) -> bool:
    return {"true": True, "false": False}[value.lower()]


VARIABLES: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "stage": (Env.STAGE, _text, "the name of the stage"),
    "region": (Env.REGION, _text, "the region of the tables, such as eu-west-1"),
    "cell": (Env.CELL, _cell, "the cell of the stage: one digit, or one small letter but i, l, o and u"),
    "executions_table": (Env.EXECUTIONS_TABLE, _text, "the name of the table of executions"),
    "jobs_table": (Env.JOBS_TABLE, _text, "the name of the table of jobs"),
    "tenants_table": (Env.TENANTS_TABLE, _text, "the name of the table of tenants"),
    "leases_table": (Env.LEASES_TABLE, _text, "the name of the table of leases"),
    "lane_queue_urls": (Env.LANE_QUEUE_URLS, _every_queue, "a JSON object with the URL of each queue"),
    "shard_plan": (Env.SHARD_PLAN, _plan, "a JSON list of epochs, as the stage's shard plan has them"),
    "retention": (Env.RETENTION_DAYS, lambda days: Retention(int(days)), "a whole number of days"),
    "audit_table": (Env.AUDIT_TABLE, _text, "the name of the table of audit records"),
    "audit_bucket": (Env.AUDIT_BUCKET, _text, "the name of the bucket of the audit trail"),
    "audit_lock_days": (Env.AUDIT_LOCK_DAYS, _days, "a whole number of days"),
    "audit_retention_days": (Env.AUDIT_RETENTION_DAYS, _days, "a whole number of days"),
    "audit_one_offs": (Env.AUDIT_ONE_OFFS, _bool, "true or false"),
    "default_quotas": (Env.DEFAULT_QUOTAS, _quotas, "a JSON object with the limit of each quota"),
    "kms_key_id": (Env.KMS_KEY_ID, _text, "the id or the alias of the KMS key"),
    "dial_exceptions": (
        Env.DIAL_EXCEPTIONS,
        _networks,
        "private networks that calls may reach, such as 10.0.0.0/8, with commas between them, or nothing",
    ),
    "api_hosts": (Env.API_HOSTS, _hosts, "the host names or URLs of the API, with commas between them"),
    "console_origin": (Env.CONSOLE_ORIGIN, _origin, "the https URL of the console, without a path"),
    "lane": (Env.LANE, QueueName, f"one of {', '.join(QueueName)}"),
    "dead_letter_arns": (
        Env.DEAD_LETTER_ARNS,
        _every_queue,
        "a JSON object with the ARN of the dead-letter queue of each queue",
    ),
    "events_queue_url": (Env.EVENTS_QUEUE_URL, _text, "the URL of the queue of the event bus"),
    "dead_events_queue_url": (
        Env.DEAD_EVENTS_QUEUE_URL,
        _text,
        "the URL of the dead-letter queue of the event bus",
    ),
    "api_log_group": (Env.API_LOG_GROUP, _text, "the name of the API's log group"),
    "api_url": (Env.API_URL, _origin, "the https URL of the API, without a path"),
    "archive_bucket": (Env.ARCHIVE_BUCKET, _text, "the name of the bucket of archived executions"),
    "archive_days": (Env.ARCHIVE_DAYS, _whole, "a whole number of days, or 0 without an archive"),
    "history_table": (Env.HISTORY_TABLE, _text, "the name of the table of statistics"),
    "archive_reader": (Env.ARCHIVE_READER, _text, "the function that reads the archive, with its alias"),
    "token_issuer": (Env.TOKEN_ISSUER, _origin, "the https URL of the API, without a path"),
    "token_keys": (
        Env.TOKEN_KEYS,
        _numbers,
        "the numbers of the keys of identity tokens, such as 2,1: the first one signs",
    ),
    "target_roles": (
        Env.TARGET_ROLES,
        _role_pattern,
        "the pattern of the roles that executors may assume, such as arn:aws:iam::*:role/punctual/*",
    ),
    "receiver_url": (Env.CANARY_RECEIVER_URL, _text, "the URL that the jobs of the canary call"),
    "transport": (Env.TRANSPORT, Transport, f"one of {', '.join(Transport)}"),
}
"""The variable of each setting, what reads it, and what an operator sets."""
