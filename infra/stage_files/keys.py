"""The keys of a stage file. docs/operations/configure.md describes each of them."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, get_args

from infra.components.shard_plan import MAX_SHARDS, ShardEpoch
from infra.concurrency import Pollers
from infra.config import FunctionMemory, LockMode, Rollout
from infra.default_quotas import DefaultQuotas
from infra.executor_memory import LaneMemory, check_memory
from infra.provisioned import Autoscaled, MaximumUnits, Provisioned, ProvisionedUnits
from infra.stage_files.values import (
    Key,
    Kind,
    flag,
    host,
    list_of,
    matching,
    network,
    one_of,
    secret,
    table,
    tags,
    text,
    whole,
)
from infra.stages import PRESETS
from infra.warm_throughput import Units, WarmThroughput
from shared.names import MAX_PAYLOAD_BYTES, QueueName, Transport

Keys = Mapping[str, "Kind | Keys"]

_MANY = 1_000_000_000
_RATE = whole(1, 100_000)
_DAYS = whole(1, 36_500)
_UNITS = whole(1, _MANY)
_COUNT = whole(1, MAX_SHARDS)
_UNLIMITED = 100_000
_POLLERS = table(Pollers, {"minimum": whole(2, 200), "maximum": whole(2, 2_000)})
_WARM = table(Units, {}, {"reads": _UNITS, "writes": _UNITS})
_AUTOSCALED = table(Autoscaled, {"minimum": _UNITS, "maximum": _UNITS}, {"target_percent": whole(20, 90)})
_PROVISIONED = table(ProvisionedUnits, {"reads": _AUTOSCALED, "writes": _AUTOSCALED})
_QUOTA_BOUNDS = {
    "recurring_jobs": (0, 1_000_000),
    "creates_per_second": (0, 100_000),
    "due_per_minute": (0, 10_000_000),
    "payload_bytes": (0, MAX_PAYLOAD_BYTES),
    "tags": (0, 10),
    "api_keys": (2, 50),
    "workflows": (0, 100_000),
}
"""Of the other quotas, 100,000 is the highest and means unlimited."""


def _lane(key: Key, value: object) -> int | Pollers:
    if isinstance(value, Mapping):
        pollers: Pollers = _POLLERS(key, value)
        return pollers
    if type(value) is not int or not 2 <= value <= 1_000:
        raise key.wrong("2 to 1000 executors, or pollers such as { minimum = 10, maximum = 80 }", value)
    return value


def _memory(name: str) -> Kind:
    def read(key: Key, value: object) -> int:
        if type(value) is not int:
            raise key.wrong("a whole number of MB, such as 1024", value)
        try:
            check_memory(name, value)
        except ValueError as error:
            raise key.error(f"is refused: {error}") from None
        return value

    return read


def _since(key: Key, value: object) -> str:
    """A UTC minute, as a text or as an instant of TOML."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")
    found: str = matching(r"\d{4}-\d\d-\d\dT\d\d:\d\dZ", 'a UTC minute, such as "2026-01-31T00:00Z"')(
        key, value
    )
    try:
        datetime.fromisoformat(found)
    except ValueError:
        raise key.wrong("a minute of the calendar", value) from None
    return found


SHARDS = list_of(
    table(ShardEpoch, {"since": _since, "normal": _COUNT, "quarter": _COUNT, "midnight": _COUNT})
)
RESERVED: Mapping[str, Kind] = {
    name: whole(1, 100_000)
    for name in (
        "api",
        "watcher",
        "sweeper",
        "reconciler",
        "redriver",
        "dead_letter",
        "archiver",
        "archive_reader",
    )
}

_ACCOUNT = matching(r"[0-9]{12}", 'an account of AWS, 12 digits in quotes, such as "111111111111"')

KEYS: Keys = {
    "account": _ACCOUNT,
    "region": matching(r"[a-z]{2}(-[a-z]+)+-[1-9]", 'a region of AWS, such as "eu-west-1"'),
    "cell": text,
    "preset": one_of(*PRESETS),
    "protected": flag,
    "jobs_per_second": whole(1, 1_000_000),
    "due_in_one_minute": whole(1, 100_000_000),
    "jobs_per_request": whole(1, 100),
    "watchers": _COUNT,
    "sweepers": _COUNT,
    "reconcilers": _COUNT,
    "shards": SHARDS,
    "lanes": {queue.name.lower(): _lane for queue in QueueName},
    "account_concurrency": whole(1, 1_000_000),
    "account_concurrency_quota": whole(1, 1_000_000),
    "reserved": RESERVED,
    "memory": {
        **{name: _memory(name) for name in FunctionMemory.__dataclass_fields__},
        "lanes": table(
            LaneMemory, {}, {name: _memory(f"lanes.{name}") for name in LaneMemory.__dataclass_fields__}
        ),
    },
    "capacity": {
        "maximum": table(MaximumUnits, {"reads": _UNITS, "writes": _UNITS}),
        "warm": table(WarmThroughput, {"executions": _WARM}, {"by_tenant": _WARM, "failed": _WARM}),
        "provisioned": table(
            Provisioned, {"executions": _PROVISIONED, "by_tenant": _PROVISIONED, "failed": _PROVISIONED}
        ),
    },
    "retention_days": _DAYS,
    "queue_retention_days": whole(1, 14),
    "dead_letter_retention_days": whole(1, 14),
    "audit_retention_days": _DAYS,
    "audit_lock_days": whole(0, 36_500),
    "audit_lock_mode": one_of(*get_args(LockMode)),
    "archive_days": whole(0, 36_500),
    "audit_one_offs": flag,
    "log_retention_days": _DAYS,
    "log_level": one_of("INFO", "WARNING", "ERROR"),
    "quotas": {
        name: whole(*_QUOTA_BOUNDS.get(name, (1, _UNLIMITED))) for name in DefaultQuotas.__dataclass_fields__
    },
    "transport": one_of(*Transport),
    "api_rate_limit": _RATE,
    "api_burst_limit": _RATE,
    "api_rollout": one_of(*get_args(Rollout)),
    "domain": {"name": text, "certificate": text},
    "api_domains": list_of(host),
    "console_origin": text,
    "cors_origins": list_of(text),
    "dial_exceptions": list_of(network),
    "target_roles": text,
    "token_keys": list_of(whole(1, 1_000)),
    "event_bus": {"accounts": list_of(_ACCOUNT)},
    "alarms": {"emails": list_of(text), "https": secret(list_of(text)), "topic": text},
    "canary": flag,
    "dashboard": flag,
    "contributor_insights": flag,
    "monthly_dollars": whole(1, 100_000_000),
    "pipeline": {"repository": text, "environment": text, "provider": text},
    "tags": tags,
}


def paths(keys: Keys = KEYS, above: str = "") -> Iterator[str]:
    """The full name of each key, such as `lanes.standard`."""
    for name, kind in keys.items():
        if isinstance(kind, Mapping):
            yield from paths(kind, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def read_keys(key: Key, given: Mapping[str, Any], keys: Keys = KEYS) -> dict[str, Any]:
    """The values of a table by the names of its keys; StageFileError."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        own = key.below(name)
        kind = keys.get(name)
        if kind is None:
            raise key.unknown(name, keys)
        if not isinstance(kind, Mapping):
            found[name] = kind(own, value)
        elif kind is RESERVED and value is False:
            found[name] = None
        elif isinstance(value, Mapping):
            found[name] = read_keys(own, value, kind)
        else:
            raise own.wrong(f"a table with keys such as {next(iter(kind))}", value)
    return found
