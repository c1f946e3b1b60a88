"""Notifications of outcomes: told once, not before, not for ever, and not forgotten."""

from tests.mutants.mutant import Mutant

_NOTIFY = "tests/unit/usecases/outcomes/test_notify.py"
_INTERLEAVED = "tests/unit/usecases/outcomes/test_notify_interleaved.py"
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
        "        chosen = chosen and notification_id(ended.id, now_ms, self.plan.counts_at(bucket_of(now_ms)))\n",
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
        old=" is Transition.SUCCEED and finish.notification is None:\n",
        new=" is Transition.SUCCEED:\n",
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
        old="        notification = self.notify.choose(lost, State.FAILED)\n",
        new="        notification = None\n",
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
        name="success told where failures were asked for",
        file="shared/domain/delivery/outcome_callbacks.py",
        old="return self.on_success if succeeded else self.on_failure",
        new="return self.on_failure if succeeded else self.on_success",
    ),
)
