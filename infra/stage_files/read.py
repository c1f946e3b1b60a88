"""Reads a stage file into the value that the stacks are built from."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from infra.alarm_targets import AlarmTargets
from infra.api_domain import ApiDomain
from infra.config import StageConfig
from infra.event_bus import EventBusConfig
from infra.pipeline import Pipeline
from infra.stage_files.keys import read_keys
from infra.stage_files.values import Key, StageFileError
from infra.stages import PRESETS
from shared.names import Transport

STAGES_DIR = Path(__file__).resolve().parents[2] / "stages"
MOST_BYTES = 100_000
_STAGE_NAME = re.compile(r"[a-z][a-z0-9]{0,19}")
FIELDS = {
    "protected": "protect_data",
    "shards": "shard_plan",
    "lanes": "lane_concurrency",
    "quotas": "default_quotas",
    "capacity.maximum": "maximum_units",
    "capacity.warm": "warm_throughput",
    "capacity.provisioned": "provisioned",
    "alarms": "alarm_targets",
}
"""Fields of StageConfig by their keys, where the names differ."""
_IN_PART = ("lanes", "memory", "quotas", "reserved")
"""Tables that change a part of the preset's value."""


def read_stage(name: str, directory: Path = STAGES_DIR) -> StageConfig:
    """The stage of `stages/<name>.toml`; StageFileError."""
    if not _STAGE_NAME.fullmatch(name):
        raise StageFileError(f"a stage is named by 1 to 20 lower-case letters and digits, not {name[:60]!r}")
    path, file = directory / f"{name}.toml", f"stages/{name}.toml"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        names = ", ".join(sorted(each.stem for each in directory.glob("*.toml"))) or "none"
        raise StageFileError(
            f"there is no {file}: choose one of the stages that exist ({names}), or copy "
            f"stages/prod.toml.example to {file}"
        ) from None
    except OSError as error:
        raise StageFileError(f"{file} cannot be read: {error.strerror}") from None
    return parse_stage(name, content, file)


def parse_stage(name: str, content: bytes, file: str) -> StageConfig:
    """The stage of this name with the content of a file; StageFileError."""
    if len(content) > MOST_BYTES:
        raise StageFileError(f"{file} has {len(content)} bytes, and a stage file has at most {MOST_BYTES}")
    try:
        given = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise StageFileError(f"{file} is not UTF-8 text: save it as UTF-8") from None
    except (ValueError, RecursionError) as error:  # a number of too many digits is no TOMLDecodeError
        raise StageFileError(f"{file} is no valid TOML: {error}") from None
    values = read_keys(Key(file), given)
    if "region" not in values:
        raise StageFileError(f'{file}: region is missing: add a line such as region = "eu-west-1"')
    try:
        stage = _stage(name, values)
    except ValueError as error:
        raise StageFileError(f"{file}: {error}") from None
    _check_protected(stage, file)
    return stage


def _stage(name: str, values: dict[str, Any]) -> StageConfig:
    """Raise ValueError for values that do not fit together."""
    base = PRESETS[values.pop("preset", "small")]
    changes: dict[str, Any] = {"name": name, "account": None}
    values |= {f"capacity.{key}": value for key, value in values.pop("capacity", {}).items()}
    if "pipeline" in values:
        values["pipeline"] = {"environment": name, **values["pipeline"]}
    for key, value in values.items():
        field = FIELDS.get(key, key)
        if key in _IN_PART and value is not None:
            changes[field] = replace(getattr(base, field), **value)
        else:
            changes[field] = _MAKERS[key](value) if key in _MAKERS else value
    return replace(base, **changes)


def _domain(given: Mapping[str, str]) -> ApiDomain:
    for key in ("name", "certificate"):
        if key not in given:
            raise ValueError(f"domain.{key} is missing: a domain has a name and a certificate")
    return ApiDomain(name=given["name"], certificate_arn=given["certificate"])


def _alarms(given: Mapping[str, Any]) -> AlarmTargets:
    emails, https, topic = given.get("emails", ()), given.get("https", ()), given.get("topic")
    return AlarmTargets(emails=emails, https=https, topic_arn=topic)


def _pipeline(given: Mapping[str, str]) -> Pipeline:
    if "repository" not in given:
        raise ValueError("pipeline.repository is missing: add it, such as 'example/punctual'")
    return Pipeline(
        repository=given["repository"],
        environment=given["environment"],
        provider_arn=given.get("provider"),
    )


_MAKERS: Mapping[str, Callable[[Any], Any]] = {
    "domain": _domain,
    "alarms": _alarms,
    "pipeline": _pipeline,
    "event_bus": lambda given: EventBusConfig(**given),
    "transport": Transport,
}
"""Keys whose values make fields of another form."""


def _check_protected(stage: StageConfig, file: str) -> None:
    """Data that must not be lost is deployed into the account that is meant, and its alarms reach a person."""
    if not stage.protect_data:
        return
    if stage.account is None:
        raise StageFileError(
            f'{file}: account is missing: add a line such as account = "111111111111", or set protected = false'
        )
    if not stage.alarm_targets:
        raise StageFileError(
            f"{file}: alarms has no target: add alarms.emails, alarms.https or alarms.topic, or set "
            "protected = false"
        )
