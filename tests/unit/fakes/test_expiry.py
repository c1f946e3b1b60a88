"""TTL in the fake table: nothing goes before it has expired, and what has expired may linger, readable as ever."""

from shared.domain.dispatch.retry_reminder import LIFE_MS, RetryReminder
from shared.domain.executions.states import EndReason, Transition
from tests.support.builders import DUE_AT, one_off
from tests.support.fakes.execution_store import FakeExecutionStore
from tests.support.fakes.table import FakeTable

EXPIRES_AT_S = DUE_AT // 1000 + 86_400
EXPIRED = EXPIRES_AT_S * 1000


def with_three_rows() -> tuple[FakeTable, FakeExecutionStore]:
    """Two executions that ended, and one that did not."""
    table = FakeTable()
    store = FakeExecutionStore(table)
    for number in range(3):
        store.put_if_absent(one_off(number))
    for number in range(2):
        store.cancel(
            one_off(number).id, Transition.CANCEL, reason=EndReason.CANCELLED, expires_at_s=EXPIRES_AT_S
        )
    return table, store


def test_execution_is_not_deleted_before_its_expiry() -> None:
    table, _ = with_three_rows()
    assert table.drop_expired(EXPIRED - 1, lambda: True) == []
    assert len(table.executions) == 3


def test_expired_execution_is_deleted_and_an_open_execution_stays() -> None:
    table, store = with_three_rows()
    assert table.drop_expired(EXPIRED, lambda: True) == [one_off(0).id, one_off(1).id]
    assert [store.get(one_off(number).id) is None for number in range(3)] == [True, True, False]


def test_lingering_expired_execution_is_readable_and_keeps_its_key() -> None:
    table, store = with_three_rows()
    goes = iter([True, False])
    table.drop_expired(EXPIRED, lambda: next(goes))
    standing = store.put_if_absent(one_off(1))
    assert standing is not None
    assert standing.state.is_terminal
    assert store.put_if_absent(one_off(0)) is None


def test_pointers_definitions_and_payloads_go_too() -> None:
    table, store = with_three_rows()
    target = one_off(0)
    pointer = RetryReminder(
        dispatch_at=EXPIRED - LIFE_MS,
        target=target.id,
        claims=1,
        tenant_id="acme",
        lane=target.lane,
        created_at=DUE_AT,
    )
    store.put_reminder(pointer)
    table.payloads["acme", "job"] = b"sealed"
    table.payload_expires_at_s["acme", "job"] = EXPIRES_AT_S
    table.drop_expired(EXPIRED - 1, lambda: True)
    assert (len(table.pointers), len(table.payloads)) == (1, 1)
    table.drop_expired(EXPIRED, lambda: True)
    assert (len(table.pointers), len(table.payloads), table.payload_expires_at_s) == (0, 0, {})
