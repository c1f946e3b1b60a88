"""Notifications of outcomes: told once, not before, not for ever, and not forgotten."""

from tests.mutants.mutant import Mutant

_NOTIFY = "tests/unit/usecases/outcomes/test_notify.py"
_INTERLEAVED = "tests/unit/usecases/outcomes/test_notify_interleaved.py"
_ALERTS = "tests/unit/usecases/outcomes/test_alerts.py"
_ALERTS_INTERLEAVED = "tests/unit/usecases/outcomes/test_alerts_interleaved.py"
_EVENTS = "tests/unit/domain/executions/test_alert_events.py"
_HEALTH = "tests/unit/domain/executions/test_job_health.py"
_ALERT = "shared/domain/executions/alert.py"
_OUTBOX = "shared/usecases/outcomes/notify_outcome.py"
_RECOVERY = "shared/usecases/outcomes/track_recovery.py"
_NOTIFIED_JOB = "tests/unit/usecases/outcomes/test_notified_job.py"
_OPEN = "shared/usecases/requests/open_request.py"
_SETTLE = "shared/usecases/attempts/settle_attempt.py"

NOTIFICATIONS = (
    Mutant(
        name="outcome told before it is recorded",
        file=_SETTLE,
        old="        existing = self.store.finish(execution, finish)\n        if existing is not None and _was_stopped",
        new="        self._is_finalized(_ended(execution, finish))\n"
        "        existing = self.store.finish(execution, finish)\n        if existing is not None and _was_stopped",
        killer=_INTERLEAVED,
    ),
    Mutant(
        name="notification that is chosen anew each time",
        file="shared/usecases/outcomes/notify_outcome.py",
        old="        chosen, now_ms = ended.progress.notification, self.clock.now_ms()\n",
        new="        chosen, now_ms = ended.progress.notification, self.clock.now_ms()\n"
        "        counts = self.plan.counts_at(bucket_of(now_ms))\n"
        "        chosen = chosen and notification_id(ended.id, NotificationKind.OUTCOME, now_ms, counts)\n",
        killer=_NOTIFY,
    ),
    Mutant(
        name="notification of a notification",
        file="shared/domain/executions/notification.py",
        old="if execution.notification_of is not None or state not in (State.SUCCEEDED, State.FAILED):",
        new="if state not in (State.SUCCEEDED, State.FAILED):",
        killer=_NOTIFY,
    ),
    Mutant(
        name="notification that is lost with its worker",
        file="shared/usecases/ticks/sweep_shard.py",
        old="        missing = self.repair_notifications.execute(page.rows)\n",
        new="        missing = self.repair_notifications.execute([])\n",
        killer=_INTERLEAVED,
    ),
    Mutant(
        name="bucket closed while something in it is untold",
        file="shared/usecases/ticks/sweep_shard.py",
        old="        for row in missing.rows:\n            state.keep(row.sort_key)\n",
        new="",
        killer=_INTERLEAVED,
    ),
    Mutant(
        name="notification of an old bucket waits for the regular pass",
        file="shared/usecases/ticks/sweep_shard.py",
        old="        state.failed += len(missing.rows) - len(missing.quarantined)\n",
        new="",
        killer=_INTERLEAVED,
    ),
    Mutant(
        name="success that files no notification",
        file="shared/usecases/attempts/settle_attempt.py",
        old="is_followed = finish.notification is not None or ",
        new="is_followed = ",
        killer="tests/unit/usecases/outcomes/test_notify.py",
    ),
    Mutant(
        name="message done before the notification stands",
        file="shared/usecases/outcomes/finalize_execution.py",
        old="        self.notify.execute(ended)\n",
        new=(
            "        try:\n            self.notify.execute(ended)\n"
            "        except UnavailableError:\n            pass\n"
        ),
        killer=_NOTIFY,
    ),
    Mutant(
        name="end that a rival recorded told of once more",
        file=_SETTLE,
        old="        ended = existing or _ended(execution, finish)\n",
        new="        ended = _ended(execution, finish)\n",
        killer=_NOTIFY,
    ),
    Mutant(
        name="end of a lost attempt that nobody hears of",
        file="shared/usecases/outcomes/give_up_lost.py",
        old="notification = self.notify.choose(lost,",
        new="notification = None and self.notify.choose(lost,",
        killer=_NOTIFY,
    ),
    Mutant(
        name="deletion that silences what had ended",
        file="shared/usecases/attempts/call_receiver.py",
        old="        if execution.notification_of is not None:\n            return None\n",
        new="",
        killer=_NOTIFY,
    ),
    Mutant(
        name="receiver of a notification that pauses the job",
        file="shared/domain/executions/execution.py",
        old="        if self.notification_of is not None:\n            return False\n",
        new="",
        killer=_NOTIFY,
    ),
    Mutant(
        name="notification with the whole URL of the job",
        file=_OPEN,
        old="            return urlsplit(self.execute(tenant, ended).url).hostname\n",
        new="            return self.execute(tenant, ended).url\n",
        killer=_NOTIFIED_JOB,
    ),
    Mutant(
        name="notification that an unreadable request prevents",
        file=_OPEN,
        old="        except UnreadableItemError:\n            return None\n",
        new="        except ZeroDivisionError:\n            return None\n",
        killer=_NOTIFIED_JOB,
    ),
    Mutant(
        name="run that is notified without the name of its job",
        file=_OPEN,
        old="            if is_recurring_job_id(ended.job_id):\n",
        new="            if False:\n",
        killer=_NOTIFIED_JOB,
    ),
    Mutant(
        name="lag of a later attempt",
        file="shared/domain/executions/notification.py",
        old="    if first is None or first.attempt != 1:\n",
        new="    if first is None:\n",
        killer=_NOTIFIED_JOB,
    ),
    Mutant(
        name="alert of an alert",
        file=_ALERT,
        old="    if execution.notification_of is not None:\n        return None\n",
        new="",
        killer=_EVENTS,
    ),
    Mutant(
        name="subscription that cannot be disabled",
        file=_ALERT,
        old="    return None if subscribed == NO_ALERTS else subscribed\n",
        new="    return subscribed\n",
        killer=_EVENTS,
    ),
    Mutant(
        name="event that nobody subscribed to",
        file=_ALERT,
        old="if event in rules.events and happened[event])",
        new="if happened[event])",
        killer=_EVENTS,
    ),
    Mutant(
        name="missed instants announced as skipped runs",
        file=_ALERT,
        old="ended.state is State.SKIPPED and ended.progress.end_reason in _SKIPPED_RUN",
        new="ended.state is State.SKIPPED",
        killer=_EVENTS,
    ),
    Mutant(
        name="callback filed before the alert beside it",
        file=_OUTBOX,
        old="        self._file_alert(ended, chosen, tenant)\n",
        new="        early = target_for(ended, ended.state, tenant)\n"
        "        if early is not None and not is_alert_alone(chosen, ended.id):\n"
        "            self.file.execute(notification(ended, chosen, early, is_own=True, created_at=now_ms))\n"
        "        self._file_alert(ended, chosen, tenant)\n",
        killer=_ALERTS_INTERLEAVED,
    ),
    Mutant(
        name="callback in place of the alert that was chosen",
        file=_OUTBOX,
        old="None if is_alert_alone(chosen, ended.id) else target_for",
        new="target_for",
        killer=_ALERTS,
    ),
    Mutant(
        name="alert under the id of the callback",
        file=_OUTBOX,
        old="self.file_alert.execute(ended, alert_id(chosen, ended.id), subscribed, alert)",
        new="self.file_alert.execute(ended, chosen, subscribed, alert)",
        killer=_ALERTS,
    ),
    Mutant(
        name="alert to the tenant's URL with the secret of the job",
        file="shared/usecases/outcomes/file_alert.py",
        old="    is_own = ended.call.alerts is not None\n",
        new="    is_own = True\n",
        killer=_ALERTS,
    ),
    Mutant(
        name="skip that is announced with no id in its record",
        file="shared/usecases/attempts/guard_start.py",
        old="            notification=notification,\n        )\n        if existing",
        new="        )\n        if existing",
        killer=_ALERTS_INTERLEAVED,
    ),
    Mutant(
        name="every success after a failure a recovery",
        file="shared/domain/executions/job_health.py",
        old="            failing_from=self.failed_at if self.failed_at > at else None,\n",
        new="",
        killer=_ALERTS,
    ),
    Mutant(
        name="failure that is noted after its recovery",
        file="shared/domain/executions/job_health.py",
        old="        if is_known or at <= self.recovered_at:\n",
        new="        if is_known:\n",
        killer=_HEALTH,
    ),
    Mutant(
        name="recovery that two successes claim",
        file=_RECOVERY,
        old="                return is_recovery\n",
        new="                pass\n            return is_recovery\n",
        killer=_ALERTS,
    ),
    Mutant(
        name="recovery whose alert is lost with its worker",
        file=_RECOVERY,
        old="            if ended.id in before.recoveries:\n                return True\n",
        new="",
        killer=_ALERTS_INTERLEAVED,
    ),
    Mutant(
        name="health that every success reads",
        file=_OUTBOX,
        old="is_candidate = state is State.SUCCEEDED and AlertEvent.RECOVERED in subscribed.rules.events",
        new="is_candidate = state is State.SUCCEEDED",
        killer=_ALERTS,
    ),
    Mutant(
        name="health written without its version",
        file="shared/adapters/dynamodb/jobs/job_health_store.py",
        old='                    ConditionExpression="attribute_not_exists(n)" if is_new else "n = :n",\n',
        new='                    ConditionExpression="attribute_not_exists(n)" if is_new else "n = :n OR n <> :n",\n',
        killer="tests/conformance/test_job_health_store.py",
    ),
    Mutant(
        name="name of a job that mentions a channel",
        file="shared/domain/executions/slack_text.py",
        old='    plain = "".join(_ENTITIES.get(character, character) for character in text)\n',
        new="    plain = text\n",
        killer="tests/unit/domain/executions/test_slack_text.py",
    ),
    Mutant(
        name="name of a job that mentions everybody",
        file="shared/domain/executions/slack_text.py",
        old='    return _ACTIVE.sub(rf"\\g<0>{_WORD_JOINER}", plain)\n',
        new="    return plain\n",
        killer="tests/unit/domain/executions/test_slack_text.py",
    ),
    Mutant(
        name="link whose id is not encoded",
        file="shared/domain/executions/console_links.py",
        old='quote(part, safe="") for part in parts',
        new="part for part in parts",
        killer="tests/unit/domain/executions/test_console_links.py",
    ),
    Mutant(
        name="alert about a paused job that links to the run",
        file="shared/domain/executions/console_links.py",
        old='self._page("jobs", job_id) if AlertEvent.GONE in events else self.execution(execution_id)',
        new="self.execution(execution_id)",
        killer="tests/unit/domain/executions/test_console_links.py",
    ),
    Mutant(
        name="text for a chat without a link",
        file="shared/domain/executions/slack_text.py",
        old='links.alert(events, ended.job_id, str(ended.id)) or f"/v1/executions/{ended.id}"',
        new='f"/v1/executions/{ended.id}"',
        killer="tests/unit/domain/executions/test_slack_text.py",
    ),
    Mutant(
        name="subscription to a private address",
        file="shared/domain/delivery/request.py",
        old='        _check_notified(alerts.url, policy, path=("alerts", "url"))\n',
        new="        pass\n",
        killer="tests/unit/api/test_alerts.py",
    ),
    Mutant(
        name="success told where failures were asked for",
        file="shared/domain/delivery/outcome_callbacks.py",
        old="return self.on_success if succeeded else self.on_failure",
        new="return self.on_failure if succeeded else self.on_success",
    ),
)
