"""Windows of alerts, in memory."""

from shared.domain.delivery.alerts import AlertWindow
from shared.domain.executions.alert_window import SuppressedAlert
from shared.domain.ids import ExecutionId

Window = tuple[str, AlertWindow]


class FakeAlertWindows:
    """Each call is atomic."""

    def __init__(self) -> None:
        self.admitted: dict[Window, list[ExecutionId]] = {}
        self.records: dict[Window, dict[ExecutionId, SuppressedAlert]] = {}

    def admit(
        self, tenant_id: str, window: AlertWindow, alert_id: ExecutionId, *, at_most: int, expires_at_s: int
    ) -> bool:
        admitted = self.admitted.setdefault((tenant_id, window), [])
        if alert_id not in admitted and len(admitted) < at_most:
            admitted.append(alert_id)
        return alert_id in admitted

    def record(
        self, tenant_id: str, window: AlertWindow, suppressed: SuppressedAlert, expires_at_s: int
    ) -> None:
        self.records.setdefault((tenant_id, window), {})[suppressed.alert_id] = suppressed

    def suppressed(self, tenant_id: str, window: AlertWindow, *, at_most: int) -> list[SuppressedAlert]:
        return list(self.records.get((tenant_id, window), {}).values())[:at_most]
