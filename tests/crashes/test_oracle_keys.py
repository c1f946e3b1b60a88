"""The oracle of keys of clients: a key has one job, and a description that differs changes it once."""

import pytest

from tests.crashes.forged import DELETED, T0, arrival, order, series, verdict
from tests.crashes.orders import Order, OwnKey, Version

DESCRIBED = Version(payload="", due_at=0, acked_at=T0 + 5)


def keyed(key: OwnKey, versions: int = 1) -> Order:
    return order(**DELETED, key=None, own_key=key, versions=[DESCRIBED] * versions)


@pytest.mark.parametrize("versions", [1, 2])
def test_oracle_accepts_one_job_at_the_revision_of_its_descriptions(versions: int) -> None:
    key = OwnKey(name="own", jobs={"job_1"}, revision=versions)
    assert verdict(keyed(key, versions), *series(1, 2, 3)) == []


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (OwnKey(name="own", jobs={"job_1", "job_2"}, revision=1), "doubled"),
        (OwnKey(name="own", jobs={"job_1"}, revision=2), "edit"),
        (OwnKey(name="own", jobs={"job_1"}), "edit"),
    ],
)
def test_oracle_finds_a_second_job_and_a_second_change(key: OwnKey, kind: str) -> None:
    faults = verdict(keyed(key), *series(1, 2, 3))
    assert [fault.partition(":")[0] for fault in faults] == [kind]


def test_oracle_finds_the_call_of_a_second_job() -> None:
    key = OwnKey(name="own", jobs={"job_1"}, revision=1)
    records, calls = series(1, 2, 3)
    second = arrival(job_id="job_2", execution_id="exe_second", scheduled_at=T0, began_at=T0 + 9)
    faults = verdict(keyed(key), records, [*calls, second])
    assert [fault for fault in faults if fault.startswith("doubled") and "job_2" in fault]
