"""Alerts about limits: at most one in an hour, none without a subscription, and none between a claim and its call."""

from tests.mutants.mutant import Mutant

_KILLER = "tests/unit/usecases/filing/test_file_limit_alert.py"
_FILE = "shared/usecases/filing/file_limit_alert.py"
_ALERT = "shared/domain/executions/limit_alert.py"
_GATE = "shared/usecases/limits/throttle_batch.py"

LIMIT_ALERTS = (
    Mutant(
        name="alert about a limit in each minute",
        file=_ALERT,
        old="minute=hour_ms // MINUTE_MS)",
        new="minute=now_ms // MINUTE_MS)",
        killer=_KILLER,
    ),
    Mutant(
        name="alert about a limit without an admission",
        file=_FILE,
        old="        if is_admitted:\n",
        new="        if is_admitted or True:\n",
        killer=_KILLER,
    ),
    Mutant(
        name="alert about a limit that each process files anew",
        file=_ALERT,
        old='{now_ms // MINUTE_MS}".encode()',
        new='{now_ms}".encode()',
        killer=_KILLER,
    ),
    Mutant(
        name="limit announced to a tenant that does not subscribe to it",
        file=_FILE,
        old=" or AlertEvent.LIMIT_REACHED not in to.rules.events",
        new="",
        killer=_KILLER,
    ),
    Mutant(
        name="limit that hides another limit of the tenant",
        file=_ALERT,
        old='key=f"limit.{quota.value}"',
        new='key="limit"',
        killer=_KILLER,
    ),
    Mutant(
        name="alert about a limit before the claims of its batch",
        file=_GATE,
        old="            self._reached.update(_reached(candidates, deferred))\n",
        new="            self._reached.update(_reached(candidates, deferred))\n            self._announce()\n",
        killer=_KILLER,
    ),
    Mutant(
        name="calls that wait without an alert",
        file=_GATE,
        old="            self._reached.update(_reached(candidates, deferred))\n",
        new="",
        killer=_KILLER,
    ),
    Mutant(
        name="refused request that fails with its alert",
        file=_FILE,
        old="        except PunctualError:\n            self._quiet_until",
        new="        except ZeroDivisionError:\n            self._quiet_until",
        killer=_KILLER,
    ),
    Mutant(
        name="store of windows asked again at each refusal",
        file=_FILE,
        old="            self._quiet_until[tenant.id, quota] = now_ms + RETRY_MS\n",
        new="            pass\n",
        killer=_KILLER,
    ),
    Mutant(
        name="refusal of a batch that is not announced",
        file="shared/usecases/tenancy/check_quota.py",
        old="        self._announce(tenant, refusals)\n",
        new="",
        killer="tests/unit/usecases/tenancy/test_check_quota.py",
    ),
    Mutant(
        name="alert about a limit that is shown as a job",
        file="shared/domain/executions/execution.py",
        old="return self.notification_of is None and self.job_id",
        new="return self.job_id",
        killer=_KILLER,
    ),
    Mutant(
        name="alert about a limit that the first release sends",
        file="shared/adapters/dynamodb/codec/versions.py",
        old="        *(execution.alert.events if execution.alert is not None else ()),\n",
        new="",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="event of a tenant in the alerts of a job",
        file="functions/api/alert_models.py",
        old="    if AlertEvent.LIMIT_REACHED in events:\n",
        new="    if False:\n",
        killer="tests/unit/api/test_alerts.py",
    ),
)
