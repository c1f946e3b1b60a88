"""The oracle of keys of owners finds what it is there to find: a forged log for each verdict."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.simulation.changed_evidence import CREATED_AT, SERIES, STEP_MS, call, evidence, order, record
from tests.simulation.evidence import Evidence, Order
from tests.simulation.habits import Change, Habits, OwnKey, Version
from tests.simulation.oracle import verdict
from tests.simulation.rhythms import every
from tests.simulation.verdicts import Verdict

CHANGED_AT, REPEATED_AT, DELETED_AT = (CREATED_AT + minutes * STEP_MS + 20_000 for minutes in (3, 5, 7))
FIRST, SECOND = 2, 3
"""The versions of the two descriptions; each request has a version of its own."""


def put(version: int, at: int, revision: int, made_from: int | None = None, **fields: Any) -> Change:
    defaults: dict[str, Any] = {
        "verb": "update",
        "versions": [version],
        "asked_at": at,
        "acked_at": at + 100,
        "tries": 1,
        "made_from": made_from,
        "revision": revision,
        "state": "active",
        "shown": version,
        "is_absolute": True,
    }
    return Change(**defaults | fields)


def keyed() -> Evidence:
    """Created by the first description, changed after three runs by the second, which is sent once more."""
    versions = {
        number: Version(number=number, rhythm=every(60), since=CREATED_AT, start_at=CREATED_AT)
        for number in (FIRST, SECOND)
    }
    changes = [
        put(FIRST, CREATED_AT, 1),
        put(SECOND, CHANGED_AT, 2, made_from=1),
        put(SECOND, REPEATED_AT, 2),
    ]
    job = order(
        key=None,
        own_key=OwnKey(name="own.0", answered_with={SERIES}, stored={SERIES: CREATED_AT}),
        habits=Habits(versions=versions, changes=changes, numbered=SECOND),
        cancel_asked_at=DELETED_AT,
        cancel_acked_at=DELETED_AT + 100,
        cancelled=True,
    )
    calls = [call(number, FIRST if number < 4 else SECOND) for number in range(1, 8)]
    return evidence(job, calls, [record(number) for number in range(1, 8)])


def of(case: Evidence) -> tuple[Order, OwnKey, list[Change]]:
    made = case.orders[0]
    assert made.own_key is not None and made.habits is not None
    return made, made.own_key, made.habits.changes


def call_another_job(case: Evidence) -> None:
    case.calls.append(call(2, FIRST, job_id="job_rother", execution_id="exe_other"))


def change_what_is_described_so(case: Evidence) -> None:
    _, _, changes = of(case)
    changes[2].made_from, changes[2].revision = 2, 3


def show_another(case: Evidence) -> None:
    _, _, changes = of(case)
    changes[0].shown = SECOND


FORGERIES: list[tuple[Verdict, Callable[[Evidence], None]]] = [
    (Verdict.DOUBLED, call_another_job),
    (Verdict.DOUBLED, lambda case: of(case)[1].answered_with.add("job_rother")),
    (Verdict.DOUBLED, lambda case: of(case)[1].stored.update({"job_rother": CREATED_AT + 1})),
    (Verdict.UPDATE, lambda case: setattr(of(case)[2][2], "revision", 1)),
    (Verdict.UPDATE, change_what_is_described_so),
    (Verdict.UPDATE, show_another),
]


def test_an_honest_log_of_a_key_is_found_in_order() -> None:
    assert verdict(keyed()) == []


@pytest.mark.parametrize(("expected", "forge"), FORGERIES)
def test_a_forged_log_of_a_key_is_found_out(expected: Verdict, forge: Callable[[Evidence], None]) -> None:
    case = keyed()
    forge(case)
    assert expected in {fault.verdict for fault in verdict(case)}


def test_run_of_the_description_before_is_found_out() -> None:
    """Only where each description was sent once is it certain which one stands."""
    case = keyed()
    del of(case)[2][2]
    case.calls[5].body = str(FIRST)
    assert Verdict.UPDATE in {fault.verdict for fault in verdict(case)}


def test_late_try_of_a_description_may_bring_it_back() -> None:
    case = keyed()
    changes = of(case)[2]
    del changes[2]
    changes[0].tries = 2
    case.calls[5].body = str(FIRST)
    assert verdict(case) == []


def test_job_that_a_late_request_creates_after_the_deletion_is_no_second_job() -> None:
    case = keyed()
    of(case)[1].stored["job_rlate"] = DELETED_AT + 1
    assert verdict(case) == []


def test_answer_that_shows_the_change_right_behind_is_true() -> None:
    case = keyed()
    changes = of(case)[2]
    changes[1].shown, changes[1].revision = FIRST, 3
    changes[2].revision, changes[2].shown, changes[2].made_from = 4, SECOND, 3
    assert "answered" not in " ".join(fault.text for fault in verdict(case))
    changes[1].revision = 2
    assert "was put, and 2 answered" in " ".join(fault.text for fault in verdict(case))
