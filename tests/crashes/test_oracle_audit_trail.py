"""The oracle of the audit trail: each record is in one segment."""

from tests.crashes.exported_records import trail_faults


def test_records_that_are_exported_once_are_nothing_to_find() -> None:
    assert trail_faults(["a", "b"], ["b", "a"]) == []


def test_lost_and_doubled_records_are_found() -> None:
    assert trail_faults(["a", "b"], ["b", "b"]) == [
        "audit trail: a is in no segment",
        "audit trail: b is in 2 segments",
    ]
