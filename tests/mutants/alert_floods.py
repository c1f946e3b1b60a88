"""Floods of alerts: bounded, counted, and lost neither in a crash nor between two minutes."""

from tests.mutants.mutant import Mutant

_FLOODS = "tests/unit/usecases/outcomes/test_alert_floods.py"
_FILE = "shared/usecases/outcomes/file_alert.py"

ALERT_FLOODS = (
    Mutant(
        name="skipped run that nobody announces",
        file="shared/usecases/outcomes/notify_outcome.py",
        old="        if events:\n            alert = Alert(",
        new="        if events and ended.state is not State.SKIPPED:\n            alert = Alert(",
    ),
    Mutant(
        name="flood of alerts without a bound",
        file=_FILE,
        old="        return is_admitted\n",
        new="        return True\n",
        killer=_FLOODS,
    ),
    Mutant(
        name="suppressed alert that no summary counts",
        file=_FILE,
        old="            self.windows.record(ended.tenant_id, window, suppressed, expires_at_s)\n",
        new="",
        killer=_FLOODS,
    ),
    Mutant(
        name="suppressed alert filed before it is counted",
        file=_FILE,
        old="        for _ in range(TRIES):\n",
        new="        self.file.store.put_if_absent(\n"
        "            draft.progressed(state=State.SKIPPED, end_reason=EndReason.COALESCED), expires_at_s=expires_at_s\n"
        "        )\n"
        "        for _ in range(TRIES):\n",
        killer=_FLOODS,
    ),
    Mutant(
        name="summary that starts before its last record",
        file=_FILE,
        old="            if summary.state in NOT_STARTED:\n",
        new="            if summary is not None:\n",
        killer=_FLOODS,
    ),
    Mutant(
        name="alert that was sent and is counted too",
        file=_FILE,
        old="        elif self.file.store.get(identity) is None:\n",
        new="        else:\n",
        killer=_FLOODS,
    ),
    Mutant(
        name="message for each suppressed alert",
        file=_FILE,
        old="        if identity in self._filed:\n",
        new="        if False:\n",
        killer=_FLOODS,
    ),
    Mutant(
        name="bound for all URLs of a tenant together",
        file="shared/domain/executions/alert_window.py",
        old="    return AlertWindow(key=key, minute=now_ms // MINUTE_MS)\n",
        new='    return AlertWindow(key="", minute=now_ms // MINUTE_MS)\n',
        killer=_FLOODS,
    ),
    Mutant(
        name="window that admits one alert twice",
        file="shared/adapters/dynamodb/jobs/alert_windows.py",
        old='            return str(alert_id) in existing.get("al", [])\n',
        new="            return False\n",
        killer="tests/conformance/test_alert_windows.py",
    ),
)
