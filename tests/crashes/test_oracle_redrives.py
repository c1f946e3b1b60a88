"""The oracle of redrives: one at a time, none after a success, and what was taken back stays so."""

from typing import Any

import pytest

from tests.crashes.arrivals import Arrival
from tests.crashes.bulk_redrives import Bulk, bulk_faults
from tests.crashes.forged import DUE_AT, T0, arrival, attempted, order, record, text, verdict
from tests.crashes.orders import Order, Press

PRESSED_AT = DUE_AT + 60_000
FAILED = {"state": "failed", "end_reason": "attempts_used_up", "attempts": [attempted(1, "http_status")]}
TAKEN_BACK = {"is_cancel_asked": True, "cancel_acked_at": PRESSED_AT}
CANCELLED = {"state": "cancelled", "attempts_begun": 0, "attempts": []}
Records = list[dict[str, Any]]


def pressed(*answers: str | None, **changes: Any) -> Order:
    presses = [Press(original="exe_1", redrive_id=answer, **changes) for answer in answers]
    return order(max_attempts=1, presses=presses)


def chain(*ends: dict[str, Any]) -> Records:
    """A dead letter and its redrives, each a second after the one before."""
    made = [record(**FAILED), *(record(**end) for end in ends)]
    for number, each in enumerate(made[1:], start=2):
        due = text(PRESSED_AT + number * 1_000)
        each.update(id=f"exe_{number}", redrive_of="exe_1", due_at=due)
        made[number - 2]["redriven_by"] = f"exe_{number}"
    return made


def calls(records: Records) -> list[Arrival]:
    return [
        arrival(
            execution_id=each["id"],
            began_at=PRESSED_AT + 9_000 if each["redrive_of"] else DUE_AT + 20,
            status=200 if each["state"] == "succeeded" else 500,
        )
        for each in records
        if each["attempts_begun"]
    ]


def checked(asked: Order, records: Records, made: list[Arrival] | None = None) -> list[str]:
    return verdict(asked, records, calls(records) if made is None else made, blows=1)


@pytest.mark.parametrize(
    ("asked", "records"),
    [
        (pressed("exe_2"), chain({})),
        (pressed("exe_2", "exe_2"), chain({})),
        (pressed("exe_2", "exe_3"), chain(FAILED, {})),
        (pressed("exe_2", **TAKEN_BACK), chain(CANCELLED)),
    ],
)
def test_redrives_that_were_asked_for_are_fine(asked: Order, records: Records) -> None:
    assert checked(asked, records) == []


@pytest.mark.parametrize(
    ("word", "asked", "records"),
    [
        ("doubled", pressed("exe_3"), chain(FAILED, {})),
        ("doubled", pressed("exe_2", "exe_3"), chain({}, {})),
        ("lost", pressed("exe_9"), chain({})),
        ("lost", pressed("exe_2"), [record(**FAILED, redriven_by="exe_2")]),
        ("lost", pressed("exe_2"), chain(CANCELLED)),
        ("answer", pressed(None), chain({})),
        ("cancel", pressed("exe_2", **TAKEN_BACK), chain({})),
        ("history", pressed("exe_2"), [chain({})[0] | {"redriven_by": "exe_3"}, chain({})[1]]),
    ],
)
def test_a_redrive_too_many_or_too_few_is_found(word: str, asked: Order, records: Records) -> None:
    assert any(fault.startswith(word) for fault in checked(asked, records))


def test_a_redrive_that_is_called_before_it_is_due_is_found() -> None:
    records = chain({})
    early = arrival(execution_id="exe_2", began_at=PRESSED_AT)
    faults = checked(pressed("exe_2"), records, [*calls(records[:1]), early])
    assert [fault.partition(":")[0] for fault in faults] == ["early"]


def test_a_call_that_no_record_tells_of_is_found() -> None:
    records = chain({})
    stray = arrival(execution_id="exe_7", began_at=PRESSED_AT + 9_000, status=500)
    faults = checked(pressed("exe_2"), records, [*calls(records), stray])
    assert [fault.partition(":")[0] for fault in faults] == ["history"]


def bulk(state: str = "finished", *, is_undone: bool = False, **counts: int) -> Bulk:
    zero = dict.fromkeys(("redriven", "skipped", "refused", "cancelled", "already_started"), 0)
    shown = {"state": state, "created_at": text(PRESSED_AT), "ended_at": text(PRESSED_AT + 5_000)}
    return Bulk(from_at=T0, rate=1, id="rdr_1", is_undone=is_undone, shown=shown | {"counts": zero | counts})


def history(number: int, due_at: int, **end: Any) -> Records:
    dead, redrive = chain(end)
    dead["id"], redrive["id"] = f"dead_{number}", f"redrive_{number}"
    redrive.update(redrive_of=dead["id"], due_at=text(due_at))
    return [dead, redrive]


TWO = [history(1, PRESSED_AT), history(2, PRESSED_AT + 1_000)]
UNDONE = [history(1, PRESSED_AT, **CANCELLED), history(2, PRESSED_AT + 1_000)]


def test_bulk_redrives_that_are_as_they_should_be_are_fine() -> None:
    assert list(bulk_faults(bulk(redriven=2), TWO, [])) == []
    undone = bulk("undone", is_undone=True, cancelled=1, already_started=1)
    assert list(bulk_faults(undone, UNDONE, [])) == []


@pytest.mark.parametrize(
    ("word", "asked", "histories"),
    [
        ("lost", bulk("running", redriven=2), TWO),
        ("lost", bulk(redriven=2), [TWO[0], TWO[1][:1]]),
        ("lost", bulk("finished", is_undone=True), TWO),
        ("history", bulk(redriven=1), TWO),
        ("history", bulk("undone", is_undone=True, cancelled=2), UNDONE),
        ("pace", bulk(redriven=2), [TWO[0], history(2, PRESSED_AT + 999)]),
    ],
)
def test_a_bulk_redrive_that_is_not_is_found(word: str, asked: Bulk, histories: list[Records]) -> None:
    faults = list(bulk_faults(asked, histories, []))
    assert faults
    assert all(fault.startswith(word) for fault in faults), faults


def test_a_first_call_after_the_undoing_is_found() -> None:
    undone = bulk("undone", is_undone=True, cancelled=1, already_started=1)
    late = arrival(execution_id="redrive_2", began_at=PRESSED_AT + 5_001)
    assert [fault[:6] for fault in bulk_faults(undone, UNDONE, [late])] == ["cancel"]
    in_time = arrival(execution_id="redrive_2", began_at=PRESSED_AT + 5_000)
    assert list(bulk_faults(undone, UNDONE, [in_time, late])) == []
