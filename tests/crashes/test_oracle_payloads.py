"""Forged large requests: one that is gone, ends too early or stays for ever is found."""

import pytest

from shared.domain.ids import DEFAULT_CELL, one_off_job_id, recurring_job_id
from tests.crashes.payloads import PayloadUse, payload_faults
from tests.support.builders import DUE_AT, one_off

UNTIL_S = 1_000
ONCE = one_off_job_id(one_off().id)
AGAIN = recurring_job_id(DUE_AT, 7, cell=DEFAULT_CELL)


def used(payload_id: str) -> PayloadUse:
    return PayloadUse(execution_id="exe", payload_id=payload_id, until_s=UNTIL_S)


@pytest.mark.parametrize(
    ("stored", "uses", "words"),
    [
        ({}, [used(ONCE)], "is gone"),
        ({ONCE: UNTIL_S - 1}, [used(ONCE)], "expires before"),
        ({AGAIN: UNTIL_S - 1}, [used(AGAIN)], "expires before"),
        ({ONCE: None}, [used(ONCE)], "stays for ever"),
        ({f"{ONCE}.7": None}, [], "stays for ever"),
    ],
)
def test_a_request_that_ends_too_early_or_never_is_found(
    stored: dict[str, int | None], uses: list[PayloadUse], words: str
) -> None:
    (fault,) = payload_faults(stored, uses)
    assert words in fault


def test_requests_that_outlive_their_executions_are_fine() -> None:
    stored = {ONCE: UNTIL_S, f"{ONCE}.7": 1, AGAIN: None}
    assert [*payload_faults(stored, [used(ONCE), used(AGAIN)])] == []
