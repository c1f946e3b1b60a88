"""Items of definitions, of ended chains and of large requests in the jobs table."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Value, encode_all
from shared.adapters.dynamodb.codec.execution_fields import call_attributes, read_call
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.keys import extra_key, job_key, past_chain_key, payload_key
from shared.adapters.dynamodb.codec.recurrence_fields import (
    read_counts,
    read_recurrence,
    read_rules,
    recurrence_attributes,
    rule_attributes,
)
from shared.adapters.dynamodb.codec.versions import KEYED, call_version, known, rules, version_of
from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import ENDED, Chain, Definition, Job, JobState
from shared.domain.listings.position import history_position
from shared.domain.schedules.schedule import decode_series, encode_series
from shared.names import Attr, Lane
from shared.ports.jobs import Payload

NAME = "n"
"""Attribute of a name."""


def job_item(job: Job, expires_at_s: int | None = None) -> Item:
    pk, sk = job_key(job.tenant_id, job.id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: expires_at_s,
            Attr.LIVE_PK: None if job.state in ENDED else job.tenant_id,
            "v": _version_of(job),
            "s": job.state.value,
            "id": job.id,
            "t": job.tenant_id,
            "rv": job.revision,
            **_definition_attributes(job.definition),
            **recurrence_attributes(job.recurrence),
            "fp": job.fingerprint,
            "c": job.created_at,
            "cf": job.chain_from,
            "cr": job.chain_revision,
            "hf": job.history_from,
            "ix": job.index_shard,
            "ch": _definition_attributes(job.change) if job.change else None,
            "ca": job.changed_at,
            "pr": job.pause_reason,
            "rb": job.runs_before or None,
            "ef": job.ended_from,
            "et": job.ended_through,
            "ky": job.key,
        }
    )


def _version_of(job: Job) -> int:
    definitions = [each for each in (job.definition, job.change) if each is not None]
    values = (value for each in definitions for value in (each.call.lane, *rules(each)))
    calls = [call_version(each.call) for each in definitions]
    return max(version_of(job.state, *values), *calls, 1 if job.key is None else KEYED)


def read_job(item: Mapping[str, Value]) -> Job:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        job = Job(
            id=plain["id"],
            tenant_id=plain["t"],
            revision=plain["rv"],
            state=known(JobState, plain["s"]),
            definition=_read_definition(plain),
            counts=read_counts(plain["sn"]),
            fingerprint=plain["fp"],
            created_at=plain["c"],
            chain_from=plain["cf"],
            chain_revision=plain["cr"],
            history_from=plain.get("hf"),
            index_shard=plain["ix"],
            change=_read_definition(plain["ch"]) if "ch" in plain else None,
            changed_at=plain.get("ca"),
            pause_reason=plain.get("pr"),
            runs_before=plain.get("rb", 0),
            ended_from=plain.get("ef"),
            ended_through=plain.get("et"),
            key=plain.get("ky"),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise UnreadableItemError(f"job {plain.get('id')} is broken") from error
    return job


def past_chain_item(past: Chain) -> Item:
    pk, sk = past_chain_key(past.tenant_id, past.job_id, past.revision)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: past.expires_at_s,
            "v": version_of(*rules(past.recurrence)),
            "id": past.job_id,
            "t": past.tenant_id,
            "rv": past.revision,
            **recurrence_attributes(past.recurrence),
            "hf": past.history_from,
            "hu": past.history_until,
            "pf": past.skipped_from,
        }
    )


def read_past_chain(item: Mapping[str, Value]) -> Chain:
    """Raises like `read_job`."""
    plain = plain_item(item)
    try:
        return Chain(
            job_id=plain["id"],
            tenant_id=plain["t"],
            revision=plain["rv"],
            recurrence=read_recurrence(plain),
            history_from=plain["hf"],
            history_until=plain["hu"],
            skipped_from=plain.get("pf"),
            expires_at_s=plain[Attr.TTL],
        )
    except (KeyError, ValueError, TypeError) as error:
        raise UnreadableItemError(f"a past chain of {plain.get('id')} is broken") from error


def extra_item(execution: Execution, expires_at_s: int) -> Item:
    """The record by which a job finds an execution outside its schedule; the key has all data."""
    pk, sk = extra_key(execution.tenant_id, execution.job_id, history_position(execution))
    return encode_all({Attr.PK: pk, Attr.SK: sk, Attr.TTL: expires_at_s, "v": version_of()})


def _definition_attributes(definition: Definition) -> dict[str, Any]:
    call = definition.call
    attributes = {
        "sc": encode_series(definition.schedule),
        **rule_attributes(definition.jitter_ms, definition.catch_up, definition.overlap_policy),
        "mr": definition.max_runs,
        "ln": call.lane.value,
        **call_attributes(call),
        "rt": [call.retry.base_seconds, call.retry.factor, call.retry.cap_seconds],
        NAME: definition.name,
        "tg": list(definition.tags) or None,
        "se": definition.set_name,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _read_definition(plain: Mapping[str, Any]) -> Definition:
    return Definition(
        schedule=decode_series(plain["sc"]),
        call=read_call(plain, known(Lane, plain["ln"]), plain["rt"]),
        name=plain.get(NAME),
        tags=tuple(plain.get("tg", ())),
        set_name=plain.get("se"),
        **read_rules(plain),
    )


def payload_item(payload: Payload) -> Item:
    pk, sk = payload_key(payload.tenant_id, payload.payload_id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            "v": version_of(),
            "rq": payload.sealed,
            Attr.STORED_AT: payload.stored_at,
            Attr.TTL: payload.expires_at_s,
            Attr.LIVE_PK: payload.tenant_id if payload.expires_at_s is None else None,
        }
    )
