"""Items that are not as the adapters write them: named as unreadable, whatever is wrong with them, and left alone."""

from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.dynamodb.codec.attributes import Item
from shared.adapters.dynamodb.codec.items import execution_item, read_execution
from shared.adapters.dynamodb.codec.job_items import job_item, past_chain_item, read_job
from shared.adapters.dynamodb.codec.job_task_items import bulk_page_item, job_task_item
from shared.adapters.dynamodb.codec.keys import item_key, job_key, payload_key, shard_counts_key
from shared.adapters.dynamodb.codec.redrive_task_items import redrive_task_item
from shared.adapters.dynamodb.codec.search_task_items import search_task_item
from shared.adapters.dynamodb.codec.tenant_items import key_item, read_key, read_tenant, tenant_item
from shared.adapters.dynamodb.codec.versions import VERSION
from shared.domain.bulk.pages import BulkEntry, BulkPage
from shared.domain.delivery.callback import Reason
from shared.domain.errors import UnavailableError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import JobState
from shared.domain.tenancy.quota import Quota
from shared.names import Attr
from shared.ports.executions import Claim, WriteUnknown
from shared.ports.jobs import Payload
from tests.support.builders import (
    BUCKET,
    DUE_AT,
    EXPIRES_AT_S,
    TENANT,
    api_key,
    execution_id,
    in_state,
    job,
    job_task,
    occurrence,
    one_off,
    redrive_task,
    search_task,
    tenant,
)
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.live_items import all_live

OUTCOME = AttemptOutcome(attempt=1, started_at=DUE_AT, duration_ms=1, status=500, reason=Reason.HTTP_STATUS)
RUNNING = in_state(occurrence(), State.RUNNING, outcomes=(OUTCOME,))
NEWER = {"N": str(VERSION + 1)}
BROKEN: dict[str, dict[str, dict[str, Any] | None]] = {
    "no tenant": {"t": None},
    "no state": {"s": None},
    "no policy": {"rt": None},
    "no fingerprint": {"fp": None},
    "no owner while running": {"ow": None},
    "no lease while running": {"ca": None},
    "no index shard": {Attr.TENANT_PK: None},
    "a policy of words": {"rt": {"S": "often"}},
    "a policy out of range": {"rt": {"S": "0/0/0"}},
    "more attempts than the policy has": {"a": {"N": "6"}},
    "a fractional attempt": {"a": {"N": "1.5"}},
    "an attempt that is text": {"a": {"S": "1"}},
    "outcomes cut short": {"oc": {"B": b"\x01\x02\x03"}},
    "outcomes that are text": {"oc": {"S": "0123456789abc"}},
    "a cron line that is none": {"sc": {"M": {"k": {"S": "c"}, "l": {"S": "* *"}, "z": {"S": "UTC"}}}},
    "a zone that is none": {"sc": {"M": {"k": {"S": "c"}, "l": {"S": "* * * * *"}, "z": {"S": "Mars"}}}},
    "rules of a zone that are none": {
        "sc": {"M": {"k": {"S": "c"}, "l": {"S": "* * * * *"}, "z": {"S": "Asia/Tokyo"}, "r": {"S": "JST-9"}}}
    },
    "a one-off schedule": {"sc": {"M": {"k": {"S": "o"}, "t": {"N": "1"}}}},
    "no shard counts": {"sn": None},
    "shard counts of nought": {"sn": {"S": "0/0/0"}},
    "a set": {"t": {"SS": ["acme"]}},
    "a null": {"t": {"NULL": True}},
    "a record of missed instants cut short": {"mi": {"S": "7/1"}},
    "limits of going on that are cut short": {"ap": {"S": "3600"}},
    "limits of going on out of range": {"ap": {"S": "1/1"}},
    "a deadline of no attempt": {"au": {"S": "1740000000000"}},
    "a deadline that is a number": {"au": {"N": "1740000000000"}},
}
NEWER_VALUES: dict[str, dict[str, dict[str, Any] | None]] = {
    "an unknown state": {"s": {"S": "Z"}},
    "an unknown lane": {"ln": {"S": "z"}},
    "an unknown end reason": {"rs": {"S": "boredom"}},
    "outcomes of an unknown reason": {"oc": {"B": b"\x01" + bytes(11) + b"\xff"}},
    "a schedule of an unknown kind": {"sc": {"M": {"k": {"S": "tides"}}}},
    "an unknown overlap policy": {"op": {"S": "sometimes"}},
    "an unknown catch-up mode": {"cu": {"S": "half/1/1/1"}},
    "an unknown DST policy": {
        "sc": {"M": {"k": {"S": "c"}, "l": {"S": "* * * * *"}, "z": {"S": "UTC"}, "g": {"S": "leap"}}}
    },
}
"""Values that a newer release may have added."""
BROKEN_DEFINITIONS: list[dict[str, Any]] = [
    {"s": {"S": "napping"}},
    {"sc": {"M": {"k": {"S": "tides"}}}},
    {"rt": {"L": []}},
    {"cf": None},
    {"cr": None},
    {"rv": {"SS": ["1"]}},
    {"ch": {"S": "anything"}},
    {"ch": {"M": {}}},
    {"cu": {"S": "all/often"}},
    {"op": {"S": "sometimes"}},
    {"tg": {"N": "1"}},
]
BROKEN_CHAINS: list[dict[str, Any]] = [
    {"sc": {"M": {"k": {"S": "tides"}}}},
    {"sn": {"S": "0/0/0"}},
    {"hf": None},
    {"hu": None},
    {"rv": {"SS": ["1"]}},
    {Attr.TTL: None},
    {"v": NEWER},
]


BROKEN_TENANTS: list[dict[str, Any]] = [
    {"id": None},
    {"id": {"S": "No tenant"}},
    {"dk": None},
    {"ss": None},
    {"ss": {"L": []}},
    {"ss": {"L": [{"S": "secret"}]}},
    {"ss": {"N": "1"}},
    {"ix": {"N": "0"}},
    {"w": {"S": "much"}},
    {"q": None},
    {"q": {"S": "tags"}},
    {"q": {"M": {"tags": {"N": "-1"}}}},
    {"q": {"M": {"tags": {"S": "many"}}}},
    {"ki": {"N": "1"}},
    {"os": {"S": "https://told.example/"}},
    {"of": {"N": "1"}},
    {"rv": {"SS": ["1"]}},
    {"c": {"N": "1.5"}},
]
BROKEN_KEYS: list[dict[str, Any]] = [
    {"t": None},
    {"h": None},
    {"sp": {"N": "1"}},
    {"n": {"S": ""}},
    {"ex": {"SS": ["1"]}},
]


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_item_is_unreadable_and_not_of_an_unknown_version(fault: str) -> None:
    item = {**execution_item(RUNNING, REGION), **BROKEN[fault]}
    with pytest.raises(UnreadableItemError) as raised:
        read_execution({name: value for name, value in item.items() if value is not None})
    assert not isinstance(raised.value, UnknownVersionError)


@pytest.mark.parametrize("value", NEWER_VALUES)
def test_item_with_a_value_of_a_newer_release_is_newer_and_not_broken(value: str) -> None:
    item = {**execution_item(RUNNING, REGION), **NEWER_VALUES[value]}
    with pytest.raises(UnknownVersionError):
        read_execution({name: value for name, value in item.items() if value is not None})


@pytest.mark.parametrize("value", NEWER_VALUES)
def test_item_with_a_value_of_a_newer_release_is_never_failed(value: str, engine_lab: DynamoLab) -> None:
    engine_lab.executions.put_if_absent(running(1))
    engine_lab.rewrite(running(1).id, NEWER_VALUES[value])
    before = engine_lab.contents()
    assert not engine_lab.executions.mark_unreadable(running(1).id, EXPIRES_AT_S)
    assert engine_lab.contents() == before


def test_definition_with_a_value_of_a_newer_release_is_newer_and_not_broken() -> None:
    for newer in ({"s": {"S": "napping"}}, {"ln": {"S": "express"}}, {"op": {"S": "sometimes"}}):
        with pytest.raises(UnknownVersionError):
            read_job(job_item(job()) | newer)


def test_a_broken_item_is_touched_by_nobody_but_those_who_fail_it(engine_lab: DynamoLab) -> None:
    ids = file_broken(engine_lab)
    before = engine_lab.contents()
    for number, broken in enumerate(ids):
        with pytest.raises(UnreadableItemError):
            engine_lab.executions.put_if_absent(running(number))
        assert engine_lab.executions.mark_unreadable(broken, EXPIRES_AT_S)
    assert len(before[engine_lab.names.executions]) == len(ids)
    for was, item in zip(before[engine_lab.names.executions], executions_of(engine_lab), strict=True):
        assert item == {
            **{name: value for name, value in was.items() if name != "ca"},
            "s": {"S": "F"},
            "rs": {"S": "unreadable"},
            Attr.TTL: {"N": str(EXPIRES_AT_S)},
        }


def test_a_claim_of_a_broken_item_is_undecided(engine_lab: DynamoLab) -> None:
    claims = [Claim(execution_id=broken, owner="mine") for broken in file_broken(engine_lab)]
    answers = engine_lab.claimer.claim(claims, DUE_AT)
    assert [type(answer) for answer in answers] == [WriteUnknown] * len(claims)


def executions_of(lab: DynamoLab) -> list[dict[str, Any]]:
    return lab.contents()[lab.names.executions]


def running(number: int) -> Execution:
    return replace(RUNNING, id=execution_id(number))


def file_broken(lab: DynamoLab) -> list[ExecutionId]:
    """One item of each kind of fault."""
    for number, changes in enumerate(BROKEN.values()):
        lab.executions.put_if_absent(running(number))
        lab.rewrite(running(number).id, changes)
    return [running(number).id for number in range(len(BROKEN))]


def test_a_row_that_cannot_be_read_is_named_by_its_key(engine_lab: DynamoLab) -> None:
    faults: list[dict[str, Any]] = [{"v": NEWER}, {"v": None}, {"s": {"S": "Z"}}]
    for number, changes in enumerate([*faults, {}]):
        engine_lab.executions.put_if_absent(one_off(number))
        engine_lab.rewrite(one_off(number).id, changes)
    page = engine_lab.executions.scan(BUCKET, 0, after=None, limit=10)
    assert page.unreadable == tuple(f"12345#{one_off(number).id}" for number in range(3))
    assert [row.id for row in page.rows] == [one_off(3).id]


def test_a_definition_of_a_newer_version_is_left_alone(engine_lab: DynamoLab) -> None:
    engine_lab.jobs.create(job(), occurrence())
    _rewrite_job(engine_lab, {"v": NEWER})
    before = engine_lab.contents()
    with pytest.raises(UnknownVersionError):
        engine_lab.jobs.get(TENANT, job().id)
    with pytest.raises(UnknownVersionError):
        engine_lab.jobs.create(job(), occurrence())
    skipped = occurrence(nominal_at=DUE_AT + 60_000, state=State.SKIPPED)
    assert not engine_lab.jobs.jump(skipped, occurrence(nominal_at=DUE_AT + 120_000), EXPIRES_AT_S)
    assert not engine_lab.jobs.file_if_active(occurrence(nominal_at=DUE_AT + 60_000))
    assert [(item.content, item.is_unreadable) for item in all_live(engine_lab)] == [(None, True)]
    changed = job(state=JobState.PAUSED, revision=2)
    assert not engine_lab.jobs.replace(job(), changed)
    assert not engine_lab.jobs.replace(job(), changed, past=job().chain(DUE_AT, EXPIRES_AT_S))
    assert engine_lab.contents() == before


def test_a_broken_definition_is_unreadable(engine_lab: DynamoLab) -> None:
    engine_lab.jobs.create(job(), occurrence())
    for changes in BROKEN_DEFINITIONS:
        _rewrite_job(engine_lab, {"s": {"S": "active"}, **changes})
        with pytest.raises(UnreadableItemError):
            engine_lab.jobs.get(TENANT, job().id)


def test_a_broken_past_chain_is_unreadable(engine_lab: DynamoLab) -> None:
    engine_lab.jobs.create(job(), occurrence())
    engine_lab.jobs.replace(job(), job(revision=2), past=job().chain(DUE_AT, EXPIRES_AT_S))
    whole = past_chain_item(job().chain(DUE_AT, EXPIRES_AT_S))
    for changes in BROKEN_CHAINS:
        kept = {name: value for name, value in (whole | changes).items() if value is not None}
        engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=kept)
        with pytest.raises(UnreadableItemError):
            engine_lab.jobs.past_chains(TENANT, job().id, limit=1)


def test_a_payload_of_a_newer_version_is_not_guessed_at(engine_lab: DynamoLab) -> None:
    engine_lab.jobs.put_payload(Payload(TENANT, job().id, b"sealed", stored_at=0))
    key = item_key(*payload_key(TENANT, job().id))
    engine_lab.client.put_item(
        TableName=engine_lab.names.jobs, Item={**key, "v": NEWER, "rq": {"B": b"otherwise sealed"}}
    )
    with pytest.raises(UnknownVersionError):
        engine_lab.jobs.get_payload(TENANT, job().id)


def _changed(item: Item, changes: dict[str, Any]) -> Item:
    return {name: value for name, value in (item | changes).items() if value is not None}


@pytest.mark.parametrize("changes", BROKEN_TENANTS)
def test_a_broken_tenant_is_unreadable_and_not_of_an_unknown_version(changes: dict[str, Any]) -> None:
    with pytest.raises(UnreadableItemError, match="acme") as raised:
        read_tenant(_changed(tenant_item(tenant()), changes))
    assert not isinstance(raised.value, UnknownVersionError)


@pytest.mark.parametrize("changes", BROKEN_KEYS)
def test_broken_key_is_unreadable_and_not_of_an_unknown_version(changes: dict[str, Any]) -> None:
    with pytest.raises(UnreadableItemError) as raised:
        read_key(_changed(key_item(api_key()), changes))
    assert not isinstance(raised.value, UnknownVersionError)


def test_tenant_or_key_with_a_value_of_a_newer_release_is_newer_and_not_broken() -> None:
    with pytest.raises(UnknownVersionError):
        read_tenant(_changed(tenant_item(tenant()), {"s": {"S": "napping"}}))
    with pytest.raises(UnknownVersionError):
        read_key(_changed(key_item(api_key()), {"sp": {"L": [{"S": "everything"}]}}))


@pytest.mark.parametrize("version", [None, NEWER, {"N": "0"}, {"BOOL": True}])
def test_a_tenant_or_key_of_another_version_is_not_guessed_at(version: dict[str, str] | None) -> None:
    with pytest.raises(UnknownVersionError):
        read_tenant(_changed(tenant_item(tenant()), {"v": version}))
    with pytest.raises(UnknownVersionError):
        read_key(_changed(key_item(api_key()), {"v": version}))


def test_a_quota_that_is_not_known_is_passed_over() -> None:
    owner = tenant(quotas={Quota.TAGS: 3})
    later = {"q": {"M": {"tags": {"N": "3"}, "kinds_of_tea": {"N": "7"}}}}
    assert read_tenant(tenant_item(owner) | later) == owner


def _rewrite_job(lab: DynamoLab, changes: dict[str, Any]) -> None:
    key = item_key(*job_key(TENANT, job().id))
    item = lab.client.get_item(TableName=lab.names.jobs, Key=key, ConsistentRead=True)["Item"]
    kept = {name: value for name, value in (item | changes).items() if value is not None}
    lab.client.put_item(TableName=lab.names.jobs, Item=kept)


@pytest.mark.parametrize(
    "broken", [{"s": {"S": "sideways"}}, {"rt": {"N": "0"}}, {"ct": {"S": "many"}}, {"ps": {"S": ""}}]
)
def test_a_broken_redrive_is_told_from_one_that_does_not_exist(
    engine_lab: DynamoLab, broken: dict[str, dict[str, str]]
) -> None:
    task = redrive_task()
    engine_lab.redrives.create(task)
    item = redrive_task_item(task) | broken
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item)
    with pytest.raises(UnreadableItemError):
        engine_lab.redrives.get(TENANT, task.id)
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item | {"v": NEWER})
    with pytest.raises(UnknownVersionError):
        engine_lab.redrives.get(TENANT, task.id)


@pytest.mark.parametrize(
    "broken",
    [
        {"s": {"S": "paused"}},
        {"a": {"S": "multiply"}},
        {"rt": {"N": "0"}},
        {"ct": {"S": "many"}},
        {"ct": {"M": {"refused": {"M": {"dislike": {"N": "1"}}}}}},
        {"ps": {"S": "x#y"}},
        {"w": {"M": {}}},
        {"pt": {"M": {"at": {"L": []}, "rt": {"L": []}, "mt": {"N": "3"}}}},
    ],
)
def test_a_broken_bulk_operation_is_told_from_one_that_does_not_exist(
    engine_lab: DynamoLab, broken: dict[str, dict[str, Any]]
) -> None:
    task = job_task()
    engine_lab.job_tasks.create(task)
    item = job_task_item(task) | broken
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item)
    with pytest.raises(UnreadableItemError):
        engine_lab.job_tasks.get(TENANT, task.id)
    assert engine_lab.job_tasks.latest(TENANT, before=None, limit=5) == ([], None)
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item | {"v": NEWER})
    with pytest.raises(UnknownVersionError):
        engine_lab.job_tasks.get(TENANT, task.id)


@pytest.mark.parametrize(
    "broken",
    [
        {"s": {"S": "paused"}},
        {"ps": {"S": "x#y"}},
        {"ps": {"S": "5#exe_nothing"}},
        {"wf": {"S": "soon"}},
        {"wb": {"N": "0"}},
        {"f": {"L": [{"N": "1"}]}},
        {"f": {"S": "none"}},
    ],
)
def test_a_broken_search_is_told_from_one_that_does_not_exist(
    engine_lab: DynamoLab, broken: dict[str, dict[str, Any]]
) -> None:
    task = search_task()
    engine_lab.search_tasks.create(task)
    item = search_task_item(task) | broken
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item)
    with pytest.raises(UnreadableItemError):
        engine_lab.search_tasks.get(TENANT, task.id)
    assert engine_lab.search_tasks.latest(TENANT, before=None, limit=5) == ([], None)
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item | {"v": NEWER})
    with pytest.raises(UnknownVersionError):
        engine_lab.search_tasks.get(TENANT, task.id)


@pytest.mark.parametrize(
    "broken",
    [
        {"e": {"S": "many"}},
        {"e": {"L": [{"M": {}}]}},
        {"e": {"L": [{"M": {"j": {"S": "job"}, "b": {"N": "1"}, "x": {"S": "exe"}}}]}},
        {"e": {"L": [{"M": {"j": {"S": "job"}, "b": {"N": "1"}, "r": {"S": "won"}}}]}},
        {"c": None},
    ],
)
def test_a_broken_record_of_a_page_is_told_from_one_that_does_not_exist(
    engine_lab: DynamoLab, broken: dict[str, dict[str, Any] | None]
) -> None:
    entry = BulkEntry(job_id=job().id, revision=1)
    page = BulkPage(
        tenant_id=TENANT, task_id="blk_1", number=0, recorded_at=DUE_AT, entries=(entry,), next_position=None
    )
    item = {name: value for name, value in (bulk_page_item(page, 1) | broken).items() if value is not None}
    engine_lab.bulk_pages.begin(page, 1)
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item)
    with pytest.raises(UnreadableItemError):
        engine_lab.bulk_pages.get(TENANT, "blk_1", 0)
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item | {"v": NEWER})
    with pytest.raises(UnknownVersionError):
        engine_lab.bulk_pages.get(TENANT, "blk_1", 0)


@pytest.mark.parametrize(
    "broken",
    [
        {"sn": {"S": "4/8"}},
        {"sn": {"S": "0/0/0"}},
        {"sn": {"N": "4"}},
        {"v": NEWER},
        {"sn": None},
        {"fb": {"S": "1"}},
    ],
)
def test_unreadable_record_of_the_shard_counts_counts_as_not_answered(
    engine_lab: DynamoLab, broken: dict[str, dict[str, str] | None]
) -> None:
    key = item_key(*shard_counts_key(REGION))
    item = _changed({**key, "v": {"N": "1"}, "sn": {"S": "4/8/16"}}, broken)
    engine_lab.client.put_item(TableName=engine_lab.names.jobs, Item=item)
    with pytest.raises(UnavailableError):
        engine_lab.shard_counts.read()
