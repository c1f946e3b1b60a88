"""JobKeys: the id that is assigned to the key of a tenant's job, by compare-and-swap."""

from dataclasses import replace

from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.job_items import job_item
from shared.adapters.dynamodb.jobs.job_keys import key_item
from shared.domain.ids import RecurringJobId
from shared.domain.jobs.job import JobState
from shared.domain.jobs.job_key import KeyedId
from shared.names import PROJECTED
from tests.bench.units import IndexShape, write_units
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence
from tests.support.conformance.labs import Lab
from tests.support.conformance.tables import INDEXES

KEY = "billing.nightly"
FIRST, SECOND, THIRD = (
    KeyedId(job_id=RecurringJobId(job(number).id), assigned_at=DUE_AT + number) for number in (1, 2, 3)
)


def test_key_has_no_id_until_one_is_assigned(lab: Lab) -> None:
    assert lab.job_keys.find(TENANT, KEY) is None
    assert lab.job_keys.assign(TENANT, KEY, None, FIRST)
    assert lab.job_keys.find(TENANT, KEY) == FIRST
    assert lab.job_keys.find(TENANT, "billing") is None
    assert lab.job_keys.find("acme-2", KEY) is None


def test_first_of_two_assignments_wins(lab: Lab) -> None:
    assert lab.job_keys.assign(TENANT, KEY, None, FIRST)
    assert not lab.job_keys.assign(TENANT, KEY, None, SECOND)
    assert lab.job_keys.find(TENANT, KEY) == FIRST


def test_assignment_replaces_the_id_that_was_read_and_no_other(lab: Lab) -> None:
    lab.job_keys.assign(TENANT, KEY, None, FIRST)
    assert lab.job_keys.assign(TENANT, KEY, FIRST, SECOND)
    assert not lab.job_keys.assign(TENANT, KEY, FIRST, THIRD)
    assert lab.job_keys.find(TENANT, KEY) == SECOND


def test_assignment_whose_response_was_lost_is_repeated(lab: Lab) -> None:
    assert lab.job_keys.assign(TENANT, KEY, None, FIRST)
    assert lab.job_keys.assign(TENANT, KEY, None, FIRST)
    assert lab.job_keys.assign(TENANT, KEY, FIRST, SECOND)
    assert lab.job_keys.assign(TENANT, KEY, FIRST, SECOND)


def test_id_is_not_assigned_in_place_of_one_that_is_gone(lab: Lab) -> None:
    assert not lab.job_keys.assign(TENANT, KEY, FIRST, SECOND)
    assert lab.job_keys.find(TENANT, KEY) is None


def test_job_keeps_its_key_and_its_set(lab: Lab) -> None:
    plain = job(1, key=KEY, set_name="billing")
    lab.jobs.create(plain, occurrence(plain))
    assert lab.jobs.get(TENANT, plain.id) == plain


def test_item_of_a_keyed_job_has_a_version_that_keeps_the_key() -> None:
    assert job_item(job(1, key=KEY))["v"] == {"N": "3"}
    assert job_item(job(1))["v"] == {"N": "1"}


def test_record_of_a_key_expires_with_the_job_that_has_ended(lab: Lab) -> None:
    lab.job_keys.assign(TENANT, KEY, None, FIRST)
    plain = job(1, key=KEY)
    lab.jobs.create(plain, occurrence(plain))
    deleting = replace(plain, state=JobState.DELETING, revision=2)
    assert lab.jobs.replace(plain, deleting)
    assert lab.key_expiry(TENANT, KEY) is None
    assert lab.jobs.replace(deleting, replace(deleting, state=JobState.DELETED), expires_at_s=EXPIRES_AT_S)
    assert lab.key_expiry(TENANT, KEY) == EXPIRES_AT_S


def test_end_of_an_earlier_job_leaves_the_key_of_its_successor(lab: Lab) -> None:
    lab.job_keys.assign(TENANT, KEY, None, SECOND)
    plain = job(1, key=KEY)
    lab.jobs.create(plain, occurrence(plain))
    assert lab.jobs.replace(plain, replace(plain, state=JobState.DELETED), expires_at_s=EXPIRES_AT_S)
    assert lab.key_expiry(TENANT, KEY) is None


def test_new_id_of_a_key_does_not_expire(lab: Lab) -> None:
    lab.job_keys.assign(TENANT, KEY, None, FIRST)
    plain = job(1, key=KEY)
    lab.jobs.create(plain, occurrence(plain))
    lab.jobs.replace(plain, replace(plain, state=JobState.DELETED), expires_at_s=EXPIRES_AT_S)
    assert lab.job_keys.assign(TENANT, KEY, FIRST, SECOND)
    assert lab.key_expiry(TENANT, KEY) is None
    assert lab.job_keys.find(TENANT, KEY) == SECOND


def test_longest_key_costs_one_write_unit_at_a_creation_and_none_of_a_run() -> None:
    shapes = [IndexShape(key, PROJECTED[name]) for name, key in INDEXES["jobs"].items()]
    plain, keyed = job(1), job(1, key="k" * 128, set_name="s" * 64)
    assert write_units(None, key_item("t" * 64, "k" * 128, FIRST), shapes) == 1
    assert write_units(None, job_item(keyed), shapes) == write_units(None, job_item(plain), shapes) == 2
    assert execution_item(occurrence(keyed), "eu-west-1") == execution_item(occurrence(plain), "eu-west-1")
