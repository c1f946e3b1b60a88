"""What processes share about limits: leased slots, cooldowns of the store, the index of hot scopes."""

from tests.mutants.mutant import Mutant

_BREAKER = "tests/unit/usecases/limits/test_breaker.py"
_SLOTS = "tests/unit/usecases/limits/test_slots_given_back.py"
_COOLDOWNS = "tests/unit/usecases/limits/test_scope_cooldowns.py"

SLOTS = (
    Mutant(
        name="slots that are never given back",
        file="shared/usecases/limits/settle_limits.py",
        old="        return not keeps or self._may_write(scope)\n",
        new="        return not keeps and not limit\n",
        killer=_SLOTS,
    ),
    Mutant(
        name="slots kept by processes that stand still",
        file="shared/usecases/limits/settle_limits.py",
        old="self.clock.now_ms() - self._ended_at < HOLD_MS",
        new="self.clock.now_ms() > 0",
        killer=_SLOTS,
    ),
    Mutant(
        name="slots kept that others lack",
        file="shared/usecases/limits/settle_limits.py",
        old="self._expects_more and self.limits.may_keep(scope, limit)",
        new="self._expects_more and limit > 0",
        killer=_SLOTS,
    ),
    Mutant(
        name="large limit that is never reached",
        file="shared/domain/limits/slots.py",
        old="    return min(MAX_LARGE_HOLDERS, max(MAX_HOLDERS, -(-limit // EXECUTOR_BATCH)))\n",
        new="    return MAX_HOLDERS if limit else EXECUTOR_BATCH\n",
        killer=_SLOTS,
    ),
    Mutant(
        name="probe of something that had ended, waited for",
        file="shared/usecases/limits/settle_limits.py",
        old="                circuit = circuit.without_probe_of(owner)\n",
        new="                circuit = circuit.without_probe_of('')\n",
        killer=_BREAKER,
    ),
    Mutant(
        name="trouble that nobody else hears of",
        file="shared/usecases/limits/settle_limits.py",
        old="            self.limits.hot_scopes.note({scope: max(now_ms, circuit.open_until) + TROUBLE_MS})\n",
        new="            return\n",
        killer=_BREAKER,
    ),
    Mutant(
        name="slots that never expire",
        file="shared/domain/limits/slots.py",
        old="if now_ms < lease.until)",
        new="if lease.until)",
        killer="tests/unit/domain/limits/test_slots.py",
    ),
    Mutant(
        name="swap of whatever version stands",
        file="shared/adapters/dynamodb/limits/limit_store.py",
        old='{"ConditionExpression": "vn = :vn", ',
        new='{"ConditionExpression": "vn = :vn OR vn <> :vn", ',
        killer="tests/conformance/test_limit_store.py",
    ),
    Mutant(
        name="hot scope that lifts everybody's limits",
        file="shared/usecases/limits/limit_cache.py",
        old="        self.cooldowns.record_failure(confirmed_slots)\n",
        new="        self.backoff.start()\n",
        killer=_COOLDOWNS,
    ),
    Mutant(
        name="slots that are called with though they may be given back",
        file="shared/usecases/limits/limit_cache.py",
        old="min(slots.values()))",
        new="max(slots.values()))",
        killer=_COOLDOWNS,
    ),
    Mutant(
        name="doubt that ends by changing nothing",
        file="shared/usecases/limits/limit_cache.py",
        old="            if after == before and not self.cooldowns.is_in_doubt(scope):\n",
        new="            if after == before:\n",
        killer=_COOLDOWNS,
    ),
    Mutant(
        name="hot scope that stops its work for ever",
        file="shared/usecases/limits/limit_cache.py",
        old="return ChangeResult.STORE_DOWN if self._has_no_limit(scope) else ChangeResult.CONTENDED",
        new="return ChangeResult.CONTENDED",
        killer=_COOLDOWNS,
    ),
    Mutant(
        name="crowd that writes about a large limit with each batch",
        file="shared/usecases/limits/settle_limits.py",
        old="        if self._expects_more and self._is_contended(scope, limit):\n            return False\n",
        new="",
        killer=_COOLDOWNS,
    ),
    Mutant(
        name="refused all at once again",
        file="shared/usecases/limits/limit_cache.py",
        old="        self.pause(MIN_PAUSE_MS + round(jitter_ms))\n",
        new="        self.pause(MIN_PAUSE_MS)\n",
        killer="tests/unit/usecases/limits/test_limit_cache.py",
    ),
    Mutant(
        name="answers of short batches that are never told",
        file="shared/usecases/limits/settle_limits.py",
        old="may_report = releases or self._may_write(scope)",
        new="may_report = self._may_write(scope)",
        killer="tests/unit/usecases/limits/test_settle_limits.py",
    ),
    Mutant(
        name="settling that looks at every destination of the process",
        file="shared/usecases/limits/settle_limits.py",
        old="*batch, *sorted(self._unreported))",
        new="*batch, *self._tallies)",
        killer="tests/unit/usecases/limits/test_settle_limits.py",
    ),
    Mutant(
        name="slots given back that wipe out who waits",
        file="shared/usecases/limits/settle_limits.py",
        old="gone=[scope] if recovers else ())",
        new="gone=[scope])",
        killer=_SLOTS,
    ),
    Mutant(
        name="slots forgotten for want of room",
        file="shared/usecases/limits/limit_cache.py",
        old="if scope not in self.slot_limits and scope not in self.probing\n",
        new="if scope not in self.probing\n",
        killer="tests/unit/usecases/limits/test_limit_cache.py",
    ),
)
