"""AlertWindows: the first alerts of a window are admitted, and all others are recorded."""

from shared.domain.delivery.alerts import AlertEvent, AlertWindow
from shared.domain.executions.alert_window import SuppressedAlert
from tests.support.builders import EXPIRES_AT_S, TENANT, execution_id
from tests.support.conformance.labs import Lab

WINDOW = AlertWindow(key="0123456789", minute=29_000_000)
OTHERS = (
    ("acme-2", WINDOW),
    (TENANT, AlertWindow(key="9876543210", minute=WINDOW.minute)),
    (TENANT, AlertWindow(key=WINDOW.key, minute=WINDOW.minute + 1)),
)


def admit(lab: Lab, number: int, tenant_id: str = TENANT, window: AlertWindow = WINDOW) -> bool:
    return lab.alert_windows.admit(
        tenant_id, window, execution_id(number), at_most=3, expires_at_s=EXPIRES_AT_S
    )


def suppressed(number: int) -> SuppressedAlert:
    events = (AlertEvent.FAILED, AlertEvent.LATE)[: 1 + number % 2]
    return SuppressedAlert(alert_id=execution_id(number), job_id=f"job_{number % 3}", events=events)


def test_window_admits_its_first_alerts_and_no_more(lab: Lab) -> None:
    assert [admit(lab, number) for number in range(1, 6)] == [True, True, True, False, False]


def test_alert_that_was_admitted_is_admitted_again(lab: Lab) -> None:
    assert [admit(lab, number) for number in (1, 1, 2, 2, 3, 4)] == [True, True, True, True, True, False]
    assert [admit(lab, number) for number in (1, 2, 3, 4)] == [True, True, True, False]


def test_alert_of_one_window_takes_no_place_in_another(lab: Lab) -> None:
    assert [admit(lab, number) for number in range(4)] == [True, True, True, False]
    for tenant_id, window in OTHERS:
        assert admit(lab, 4, tenant_id, window)


def test_suppressed_alerts_are_read_back_once_each(lab: Lab) -> None:
    assert lab.alert_windows.suppressed(TENANT, WINDOW, at_most=10) == []
    made = [suppressed(number) for number in range(20)]
    for _ in range(2):
        for each in made:
            lab.alert_windows.record(TENANT, WINDOW, each, EXPIRES_AT_S)
    found = lab.alert_windows.suppressed(TENANT, WINDOW, at_most=100)
    assert sorted(found, key=lambda each: each.alert_id.entropy) == made
    for at_most in (1, 7, 19):
        assert len(lab.alert_windows.suppressed(TENANT, WINDOW, at_most=at_most)) == at_most
    for tenant_id, window in OTHERS:
        assert lab.alert_windows.suppressed(tenant_id, window, at_most=100) == []


def test_admitted_alerts_are_not_among_the_suppressed(lab: Lab) -> None:
    admit(lab, 1)
    lab.alert_windows.record(TENANT, WINDOW, suppressed(2), EXPIRES_AT_S)
    assert lab.alert_windows.suppressed(TENANT, WINDOW, at_most=100) == [suppressed(2)]
