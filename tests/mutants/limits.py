"""Limits, breakers, fairness and backpressure: what waits, for how long, and what that costs."""

from tests.mutants.mutant import Mutant

_ADMIT = "tests/unit/usecases/test_admit.py"
_BREAKER = "tests/unit/usecases/test_breaker.py"
_CIRCUIT = "tests/unit/domain/test_circuit.py"
_SWEEP = "tests/unit/domain/test_sweep.py"
_GIVE_WAY = "tests/unit/usecases/test_give_way.py"

LIMITS = (
    Mutant(
        name="limits asked after the claim",
        file="shared/usecases/run_attempts.py",
        old="                if key not in held:\n",
        new="                if key is not None:\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="wait that uses up receives",
        file="shared/usecases/gate_calls.py",
        old="is_done=key not in unsent",
        new="is_done=False",
        killer=_ADMIT,
    ),
    Mutant(
        name="deferral that drops the message without a new one",
        file="shared/usecases/defer_keys.py",
        old="                    fresh.append(later)\n",
        new="                    seen.update(later.keys)\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="deferral done though its message was not taken",
        file="shared/usecases/defer_keys.py",
        old="for key in wakeup.keys} if fresh else set()",
        new="for key in wakeup.keys if not key} if fresh else set()",
        killer=_ADMIT,
    ),
    Mutant(
        name="copies of a sweep that never end",
        file="shared/usecases/defer_keys.py",
        old="                if later.ends_at is None or later.not_before < later.ends_at:\n",
        new="                if later.keys:\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="refused token that costs a write",
        file="shared/usecases/admit_calls.py",
        old="chunk, looks_first=True)",
        new="chunk, looks_first=False)",
        killer=_ADMIT,
    ),
    Mutant(
        name="new work before what waits",
        file="shared/usecases/admit_calls.py",
        old="key=lambda one: (one.waited == 0, one.key.dispatch_at)",
        new="key=lambda one: (one.waited, one.key.dispatch_at)",
        killer=_ADMIT,
    ),
    Mutant(
        name="new work that never waits",
        file="shared/usecases/admit_calls.py",
        old="self.clock.now_ms() - refused_at < STAND_ASIDE_MS",
        new="self.clock.now_ms() < refused_at",
        killer=_ADMIT,
    ),
    Mutant(
        name="silent store that stops calls",
        file="shared/usecases/admit_calls.py",
        old="        if is_changed is None:\n            return wanted\n",
        new="        if is_changed is None:\n            return 0\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="slots that are never given back",
        file="shared/usecases/settle_limits.py",
        old="        return are_all_taken or self._may_write(scope)\n",
        new="        return are_all_taken and not limit\n",
        killer=_ADMIT,
    ),
    Mutant(
        name="probe of something that had ended, waited for",
        file="shared/usecases/settle_limits.py",
        old="                circuit = circuit.without_probe_of(owner)\n",
        new="                circuit = circuit.without_probe_of('')\n",
        killer=_BREAKER,
    ),
    Mutant(
        name="trouble that nobody else hears of",
        file="shared/usecases/settle_limits.py",
        old="            self.states.note({scope: max(now_ms, circuit.open_until) + TROUBLE_MS})\n",
        new="            return\n",
        killer=_BREAKER,
    ),
    Mutant(
        name="slots that never expire",
        file="shared/domain/slots.py",
        old="if now_ms < lease.until)",
        new="if lease.until)",
        killer="tests/unit/domain/test_slots.py",
    ),
    Mutant(
        name="breaker that never half-opens",
        file="shared/domain/circuit.py",
        old="return Phase.OPEN if now_ms < self.open_until else Phase.HALF_OPEN",
        new="return Phase.OPEN",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="breaker that everybody probes",
        file="shared/domain/circuit.py",
        old=" is Phase.HALF_OPEN and now_ms >= self.probe_until",
        new=" is Phase.HALF_OPEN",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="breaker closed by an answer to an earlier call",
        file="shared/domain/circuit.py",
        old="        if self.prober != owner or not (tally.good or tally.bad):\n",
        new="        if not (tally.good or tally.bad):\n",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="limit halved by each who hears of one overload",
        file="shared/domain/circuit.py",
        old="        if self.limit is not None and now_ms - self.limited_at < CUT_EVERY_MS:\n",
        new="        if self.limit is not None and now_ms < self.limited_at:\n",
        killer=_CIRCUIT,
    ),
    Mutant(
        name="swap of whatever version stands",
        file="shared/adapters/dynamodb/limit_store.py",
        old='{"ConditionExpression": "vn = :vn", ',
        new='{"ConditionExpression": "vn = :vn OR vn <> :vn", ',
        killer="tests/conformance/test_limit_store.py",
    ),
    Mutant(
        name="weight ignored",
        file="shared/domain/wakeup.py",
        old="    if weight == 1:\n",
        new="    if weight:\n",
        killer="tests/unit/usecases/test_tenant_weights.py",
    ),
    Mutant(
        name="sweep that sends again while a lane stands still",
        file="shared/domain/sweep.py",
        old="    if row.state is State.RUNNING or not lane.backlog:\n",
        new="    if row.state or not lane.backlog:\n",
        killer=_SWEEP,
    ),
    Mutant(
        name="sweep that sends again what waits for a breaker",
        file="shared/domain/sweep.py",
        old="    if may_wait(row, board, context.now_ms):\n        return True\n",
        new="",
        killer=_SWEEP,
    ),
    Mutant(
        name="bulk that makes no room",
        file="shared/usecases/give_way.py",
        old="        if queue is QueueName.BULK and self._others_are_behind():\n",
        new="        if queue is QueueName.BULK and not arrived:\n",
        killer=_GIVE_WAY,
    ),
    Mutant(
        name="fresh work behind late work",
        file="shared/usecases/give_way.py",
        old="        if queue is QueueName.STANDARD and len(arrived) >= EXECUTOR_BATCH:\n",
        new="        if queue is QueueName.STANDARD and not arrived:\n",
        killer=_GIVE_WAY,
    ),
)
