"""The windows of alerts: which alerts are sent one by one, and which a summary counts."""

from typing import Protocol

from shared.domain.delivery.alerts import AlertWindow
from shared.domain.executions.alert_window import SuppressedAlert
from shared.domain.ids import ExecutionId


class AlertWindows(Protocol):
    """Every method is safe to repeat with the same arguments. The items of a window expire."""

    def admit(
        self, tenant_id: str, window: AlertWindow, alert_id: ExecutionId, *, at_most: int, expires_at_s: int
    ) -> bool:
        """Whether the alert is one of the first `at_most` of its window: one conditional write."""
        ...

    def record(
        self, tenant_id: str, window: AlertWindow, suppressed: SuppressedAlert, expires_at_s: int
    ) -> None:
        """Record an alert that the summary of the window counts."""
        ...

    def suppressed(self, tenant_id: str, window: AlertWindow, *, at_most: int) -> list[SuppressedAlert]:
        """The recorded alerts of a window, strongly consistent."""
        ...
