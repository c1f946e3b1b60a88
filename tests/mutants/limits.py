"""Limits, breakers, fairness and backpressure: what waits, for how long, and what that costs."""

from tests.mutants.mutant import Mutant

_ADMIT = "tests/unit/usecases/limits/test_admit.py"
_CIRCUIT = "tests/unit/domain/limits/test_circuit_breaker.py"
_SWEEP = "tests/unit/domain/dispatch/test_sweep.py"
_COOLDOWNS = "tests/unit/usecases/limits/test_scope_cooldowns.py"
_OVERDUE = "tests/unit/usecases/ticks/test_overdue.py"
_BACKPRESSURE = "tests/unit/usecases/limits/test_backpressure.py"

LIMITS = (
    Mutant(
        name="limits asked after the claim",
        file="shared/usecases/attempts/run_attempts.py",
        old="                if key not in deferred:\n",
        new="                if key is not None:\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="wait that uses up receives",
        file="shared/usecases/limits/throttle_batch.py",
        old="is_done=key not in unsent",
        new="is_done=False",
        killer=_ADMIT,
    ),
    Mutant(
        name="deferral that drops the message without a new one",
        file="shared/usecases/limits/defer_keys.py",
        old="                    fresh.append(later)\n",
        new="                    seen.update(later.keys)\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="deferral done though its message was not taken",
        file="shared/usecases/limits/defer_keys.py",
        old="for key in wakeup.keys} if fresh else set()",
        new="for key in wakeup.keys if not key} if fresh else set()",
        killer=_ADMIT,
    ),
    Mutant(
        name="copies of a sweep that never end",
        file="shared/usecases/limits/defer_keys.py",
        old="                if later.ends_at is None or later.not_before < later.ends_at:\n",
        new="                if later.keys:\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="refused token that costs a write",
        file="shared/usecases/limits/admit_calls.py",
        old="chunk, read_first=True)",
        new="chunk, read_first=False)",
        killer=_ADMIT,
    ),
    Mutant(
        name="new work before what waits",
        file="shared/usecases/limits/admit_calls.py",
        old="key=lambda call: (call.waited == 0, call.key.dispatch_at)",
        new="key=lambda call: (call.waited, call.key.dispatch_at)",
        killer=_ADMIT,
    ),
    Mutant(
        name="new work that never waits",
        file="shared/usecases/limits/admit_calls.py",
        old="self.clock.now_ms() - refused_at < STAND_ASIDE_MS",
        new="self.clock.now_ms() < refused_at",
        killer=_ADMIT,
    ),
    Mutant(
        name="limit store that is down and stops calls",
        file="shared/usecases/limits/admit_calls.py",
        old="        if result is ChangeResult.STORE_DOWN:\n            return count\n",
        new="        if result is ChangeResult.STORE_DOWN:\n            return 0\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="breaker that never half-opens",
        file="shared/domain/limits/circuit_breaker.py",
        old="return Phase.OPEN if now_ms < self.open_until else Phase.HALF_OPEN",
        new="return Phase.OPEN",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="breaker that everybody probes",
        file="shared/domain/limits/circuit_breaker.py",
        old=" is Phase.HALF_OPEN and now_ms >= self.probe_until",
        new=" is Phase.HALF_OPEN",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="breaker closed by an answer to an earlier call",
        file="shared/domain/limits/circuit_breaker.py",
        old="        if self.prober != owner or not (tally.good or tally.bad):\n",
        new="        if not (tally.good or tally.bad):\n",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="limit halved by each who hears of one overload",
        file="shared/domain/limits/circuit_breaker.py",
        old="        if self.limit is not None and now_ms - self.limited_at < CUT_EVERY_MS:\n",
        new="        if self.limit is not None and now_ms < self.limited_at:\n",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="weight ignored",
        file="shared/domain/dispatch/wakeup.py",
        old="    if weight == 1:\n",
        new="    if weight:\n",
        killer="tests/unit/usecases/tenancy/test_tenant_weights.py",
    ),
    Mutant(
        name="sweep that sends again while a lane stands still",
        file="shared/domain/dispatch/sweep.py",
        old="    if row.state is State.RUNNING or not lane.backlog:\n",
        new="    if row.state or not lane.backlog:\n",
        killer=_SWEEP,
    ),
    Mutant(
        name="sweep that sends again what waits for a breaker",
        file="shared/domain/dispatch/sweep.py",
        old="    if may_wait(row, hot_scopes, context.now_ms):\n        return True\n",
        new="",
        killer=_SWEEP,
    ),
    Mutant(
        name="bulk that makes no room",
        file="shared/usecases/limits/apply_backpressure.py",
        old="        if left_ms <= 0:\n",
        new="        if left_ms:\n",
        killer=_BACKPRESSURE,
    ),
    Mutant(
        name="late work that waits for the lane it left",
        file="shared/usecases/limits/apply_backpressure.py",
        old="for message in messages if message.wakeup.lane is Lane.BULK]",
        new="for message in messages]",
        killer=_BACKPRESSURE,
    ),
    Mutant(
        name="fresh work behind late work",
        file="shared/usecases/limits/apply_backpressure.py",
        old="        if queue is QueueName.STANDARD and len(messages) >= EXECUTOR_BATCH:\n",
        new="        if queue is QueueName.STANDARD and not messages:\n",
        killer=_BACKPRESSURE,
    ),
    Mutant(
        name="waits that wake operators",
        file="shared/usecases/ticks/measure_overdue.py",
        old="        if self.lanes.is_throttled(row, now_ms):\n",
        new="        if row.attempt:\n",
        killer=_OVERDUE,
    ),
    Mutant(
        name="outage behind a tenant that waits",
        file="shared/usecases/ticks/measure_overdue.py",
        old="if self.lanes.is_working(lane, now_ms)}",
        new="if lane}",
        killer=_OVERDUE,
    ),
    Mutant(
        name="lane at work by what began long ago",
        file="shared/usecases/ticks/lane_snapshot.py",
        old="        if now_ms - self._begun_at.get(lane, 0) < RECENT_START_MS or",
        new="        if lane in self._begun_at or",
        killer=_OVERDUE,
    ),
    Mutant(
        name="lane at work where nothing can be told",
        file="shared/usecases/ticks/lane_snapshot.py",
        old="        return self._backlog_of(lane) == 0\n",
        new="        return not self._backlog_of(lane)\n",
        killer=_OVERDUE,
    ),
    Mutant(
        name="lag of what waited among the others",
        file="shared/usecases/attempts/run_attempts.py",
        old="        report.waited = {key for _, wakeup in ready if wakeup.waited for key in wakeup.keys}\n",
        new="        report.waited = {key for _, wakeup in ready if not wakeup.keys for key in wakeup.keys}\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="slots held that count for nothing while their scope is hot",
        file="shared/usecases/limits/admit_calls.py",
        old="granted if result is ChangeResult.APPLIED else self.limits.own_slots(scope))",
        new="granted if result is ChangeResult.APPLIED else 0)",
        killer=_COOLDOWNS,
    ),
    Mutant(
        name="hot scopes read with each question",
        file="shared/usecases/limits/explain_wait.py",
        old="self._hot_scopes if is_cached else None",
        new="None",
        killer="tests/unit/api/test_waiting_for.py",
    ),
    Mutant(
        name="bulk that looks again while what it waits for cannot have changed",
        file="shared/usecases/limits/apply_backpressure.py",
        old="        wait_ms = left_ms + int(",
        new="        wait_ms = int(",
        killer=_BACKPRESSURE,
    ),
    Mutant(
        name="waits that grow however short the backlog is",
        file="shared/domain/limits/scopes.py",
        old="min(MAX_WAIT_MS, by_waits, late_ms // LATE_DIVISOR)",
        new="min(MAX_WAIT_MS, by_waits)",
        killer="tests/unit/domain/limits/test_wait.py",
    ),
)
