"""What processes share about limits: slots that are leased, silence of the store, the board of what waits."""

from tests.mutants.mutant import Mutant

_BREAKER = "tests/unit/usecases/limits/test_breaker.py"
_SLOTS = "tests/unit/usecases/limits/test_slots_given_back.py"
_SILENT = "tests/unit/usecases/limits/test_scope_cooldowns.py"

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
        old="self._expects_more and self.states.may_keep(scope, limit)",
        new="self._expects_more and limit > 0",
        killer=_SLOTS,
    ),
    Mutant(
        name="large limit that is never reached",
        file="shared/domain/limits/slots.py",
        old="    return min(MOST_HOLDERS, max(MAX_HOLDERS, -(-limit // EXECUTOR_BATCH)))\n",
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
        old="            self.states.note({scope: max(now_ms, circuit.open_until) + TROUBLE_MS})\n",
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
        old="        self._silent.record_failure(slots)\n        self._read_hot_scopes()\n",
        new="        self._silent_until = self.clock.now_ms() + COOLDOWN_MS\n",
        killer=_SILENT,
    ),
    Mutant(
        name="slots that are called with though they may be given back",
        file="shared/usecases/limits/limit_cache.py",
        old="min(slots.values()))",
        new="max(slots.values()))",
        killer=_SILENT,
    ),
    Mutant(
        name="doubt that ends by changing nothing",
        file="shared/usecases/limits/limit_cache.py",
        old="            if after == before and not self._silent.is_in_doubt(scope):\n",
        new="            if after == before:\n",
        killer=_SILENT,
    ),
    Mutant(
        name="hot scope that stops its work for ever",
        file="shared/usecases/limits/limit_cache.py",
        old="                return None if self._is_lost(scope) else False\n",
        new="                return False\n",
        killer=_SILENT,
    ),
    Mutant(
        name="crowd that writes about a large limit with each batch",
        file="shared/usecases/limits/settle_limits.py",
        old="        if self._expects_more and self._is_crowded(scope, limit):\n            return False\n",
        new="",
        killer=_SILENT,
    ),
    Mutant(
        name="refused all at once again",
        file="shared/usecases/limits/limit_cache.py",
        old="        self.pause(LEAST_PAUSE_MS + round(drawn))\n",
        new="        self.pause(LEAST_PAUSE_MS)\n",
        killer="tests/unit/usecases/limits/test_limit_cache.py",
    ),
    Mutant(
        name="answers of short batches that are never told",
        file="shared/usecases/limits/settle_limits.py",
        old="may_tell = releases or self._may_write(scope)",
        new="may_tell = self._may_write(scope)",
        killer="tests/unit/usecases/limits/test_settle_limits.py",
    ),
    Mutant(
        name="slots given back that wipe out who waits",
        file="shared/usecases/limits/settle_limits.py",
        old="gone=[scope] if heals else ())",
        new="gone=[scope])",
        killer=_SLOTS,
    ),
    Mutant(
        name="slots forgotten for want of room",
        file="shared/usecases/limits/limit_cache.py",
        old="if scope not in self.slots_of and scope not in self.probing\n",
        new="if scope not in self.probing\n",
        killer="tests/unit/usecases/limits/test_limit_cache.py",
    ),
)
