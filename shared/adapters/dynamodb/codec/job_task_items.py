"""Items of bulk operations on jobs, and of the records of their pages, in the jobs table."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Plain, Value, encode_all
from shared.adapters.dynamodb.codec.bulk_keys import bulk_page_key, job_task_key
from shared.adapters.dynamodb.codec.items import plain_item
from shared.adapters.dynamodb.codec.patch_fields import encode_former, encode_patch, read_former, read_patch
from shared.adapters.dynamodb.codec.versions import BULK_SETS, known, version_of
from shared.domain.bulk.actions import BulkAction, Refusal
from shared.domain.bulk.job_task import JobTask, JobTaskCounts, JobTaskState
from shared.domain.bulk.pages import BulkEntry, BulkPage, Result
from shared.domain.errors import UnreadableItemError
from shared.domain.ids import parse_execution_id
from shared.domain.listings.filters import JobFilter, Kind
from shared.domain.listings.position import JobPosition, read_position
from shared.names import Attr

_MALFORMED = (KeyError, ValueError, TypeError, AttributeError)


def job_task_item(task: JobTask, expires_at_s: int | None = None) -> Item:
    (pk, sk), patch = job_task_key(task.tenant_id, task.id), task.patch
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: expires_at_s,
            "v": max(
                version_of(
                    *(task.state, task.action, task.criteria.kind),
                    *(patch.values.values() if patch else ()),
                    *task.counts.refused,
                ),
                1 if task.criteria.set_name is None else BULK_SETS,
            ),
            "vn": task.version,
            "a": task.action.value,
            "s": task.state.value,
            "rt": task.rate,
            "c": task.created_at,
            "nd": task.next_due_at,
            "ps": _encode_position(task.position),
            "w": _encode_filter(task.criteria),
            "n": task.total,
            "nx": task.is_total,
            "pr": task.reason,
            "pt": encode_patch(patch) if patch else None,
            "gr": task.grace_ms,
            "pg": task.page,
            "pn": task.pages,
            "da": task.deletes_at,
            "ct": _encode_counts(task.counts),
            "ua": task.undo_asked_at,
            "pb": task.pass_began_at,
            "lu": task.lease_until or None,
            "ea": task.ended_at,
        }
    )


def read_job_task(item: Mapping[str, Value]) -> JobTask:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        return JobTask(
            id=plain[Attr.SK].partition("#")[2],
            tenant_id=plain[Attr.PK],
            criteria=_read_filter(plain["w"]),
            action=known(BulkAction, plain["a"]),
            total=plain["n"],
            is_total=plain["nx"],
            reason=plain.get("pr"),
            patch=read_patch(plain["pt"]) if "pt" in plain else None,
            grace_ms=plain["gr"],
            rate=plain["rt"],
            created_at=plain["c"],
            next_due_at=plain["nd"],
            position=_read_position(plain.get("ps")),
            state=known(JobTaskState, plain["s"]),
            version=plain["vn"],
            page=plain["pg"],
            pages=plain["pn"],
            deletes_at=plain.get("da"),
            counts=_read_counts(plain["ct"]),
            undo_asked_at=plain.get("ua"),
            pass_began_at=plain.get("pb"),
            lease_until=plain.get("lu", 0),
            ended_at=plain.get("ea"),
        )
    except _MALFORMED as error:
        raise UnreadableItemError(f"item {plain.get(Attr.SK)} is broken") from error


def bulk_page_item(page: BulkPage, expires_at_s: int) -> Item:
    pk, sk = bulk_page_key(page.tenant_id, page.task_id, page.number)
    entries: list[Plain] = [_encode_entry(entry) for entry in page.entries]
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: expires_at_s,
            "v": version_of(*(each for entry in page.entries for each in (entry.result, entry.refusal))),
            "c": page.recorded_at,
            "e": entries,
            "d": page.is_finished or None,
            "ps": _encode_position(page.next_position),
        }
    )


def read_bulk_page(item: Mapping[str, Value]) -> BulkPage:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        _, task_id, number = plain[Attr.SK].split("#")
        return BulkPage(
            tenant_id=plain[Attr.PK],
            task_id=task_id,
            number=int(number),
            recorded_at=plain["c"],
            entries=tuple(_read_entry(entry) for entry in plain["e"]),
            next_position=_read_position(plain.get("ps")),
        )
    except _MALFORMED as error:
        raise UnreadableItemError(f"item {plain.get(Attr.SK)} is broken") from error


def _present(values: Mapping[str, Plain | None]) -> dict[str, Plain]:
    return {name: value for name, value in values.items() if value is not None}


def _encode_entry(entry: BulkEntry) -> dict[str, Plain]:
    return _present(
        {
            "j": entry.job_id,
            "b": entry.revision,
            "h": entry.was_held or None,
            "pr": entry.pause_reason,
            "x": str(entry.execution) if entry.execution else None,
            "fm": encode_former(entry.former) if entry.former else None,
            "r": entry.result.value if entry.result else None,
            "a": entry.after,
            "f": entry.refusal.value if entry.refusal else None,
        }
    )


def _read_entry(plain: Mapping[str, Any]) -> BulkEntry:
    return BulkEntry(
        job_id=plain["j"],
        revision=plain["b"],
        was_held=plain.get("h", False),
        pause_reason=plain.get("pr"),
        execution=parse_execution_id(plain["x"]) if "x" in plain else None,
        former=read_former(plain["fm"]) if "fm" in plain else None,
        result=known(Result, plain["r"]) if "r" in plain else None,
        after=plain.get("a"),
        refusal=known(Refusal, plain["f"]) if "f" in plain else None,
    )


def _encode_filter(criteria: JobFilter) -> dict[str, Plain]:
    return _present(
        {
            "s": criteria.state,
            "t": criteria.tag,
            "se": criteria.set_name,
            "q": criteria.name_prefix,
            "k": criteria.kind.value if criteria.kind else None,
            "cf": criteria.created_from,
            "cb": criteria.created_before,
            "r": criteria.recurs,
        }
    )


def _read_filter(plain: Mapping[str, Any]) -> JobFilter:
    return JobFilter(
        state=plain.get("s"),
        tag=plain.get("t"),
        set_name=plain.get("se"),
        name_prefix=plain.get("q"),
        kind=known(Kind, plain["k"]) if "k" in plain else None,
        created_from=plain.get("cf"),
        created_before=plain.get("cb"),
        recurs=plain["r"],
        is_live=True,
    )


def _encode_counts(counts: JobTaskCounts) -> dict[str, Plain]:
    return asdict(counts) | {"refused": {reason.value: count for reason, count in counts.refused.items()}}


def _read_counts(plain: Mapping[str, Any]) -> JobTaskCounts:
    refused = {known(Refusal, reason): count for reason, count in plain["refused"].items()}
    return JobTaskCounts(**{**plain, "refused": refused})


def _encode_position(position: JobPosition | None) -> str | None:
    """One part for a position among recurring jobs, two among one-off jobs; empty at the beginning."""
    if position is None:
        return None
    place = position.index_position
    return f"{place.at}#{place.id_text}" if place is not None else position.job_id or ""


def _read_position(text: str | None) -> JobPosition | None:
    if text is None:
        return None
    at, separator, id_text = text.partition("#")
    if separator:
        return JobPosition(index_position=read_position(int(at), id_text))
    return JobPosition(job_id=text or None)
