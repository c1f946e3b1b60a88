"""Mutants of the index of failures, which must never stand in the way of an outcome."""

from tests.mutants.mutant import Mutant

_UPDATES = "shared/adapters/dynamodb/executions/execution_updates.py"
_CONFORMANCE = "tests/conformance/test_failure_index.py"
_SWEEP = "tests/unit/usecases/ticks/test_sweep_index.py"

INDEXES = (
    Mutant(
        name="outcome refused with its index",
        file=_UPDATES,
        old="            if entry is None or error.spares_indexes:\n",
        new="            if error is not None:\n",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="throttle of the table taken for one of an index",
        file=_UPDATES,
        old="            if entry is None or error.spares_indexes:\n",
        new="            if entry is None:\n",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="worker that waits for a throttled index",
        file="shared/adapters/clients.py",
        old="        leave_throttled_indexes(made)\n",
        new="        pass\n",
        killer="tests/unit/adapters/test_clients.py",
    ),
    Mutant(
        name="outcome without its entry and without a mark",
        file=_UPDATES,
        old="{**sets, STALE: True}",
        new="sets",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="mark that outlives its repair",
        file=_UPDATES,
        old="[*removes, STALE, *(",
        new="[*removes, *(",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="first success that depends on the index",
        file="shared/adapters/dynamodb/executions/execution_store.py",
        old="entry=entry if entry or has_entry else None",
        new="entry=entry",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="dead letters of a tenant under one key",
        file="shared/adapters/dynamodb/codec/keys.py",
        old="failed_index_pk(tenant_id, execution_id.entropy % FAILURE_PARTITIONS)",
        new="failed_index_pk(tenant_id, 0)",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="retries of a tenant under one key",
        file="shared/adapters/dynamodb/codec/keys.py",
        old="retry_index_pk(tenant_id, execution_id.entropy % FAILURE_PARTITIONS)",
        new="retry_index_pk(tenant_id, 0)",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="bucket closed over a dead letter without its entry",
        file="shared/usecases/ticks/sweep_shard.py",
        old="        for row in index.left:\n",
        new="        for row in index.left[:0]:\n",
        killer=_SWEEP,
    ),
    Mutant(
        name="hot index that takes the sweeper's time with each row",
        file="shared/usecases/ticks/repair_index.py",
        old="                    failed.add(row.tenant_id)\n",
        new="                    failed.add(row.sort_key)\n",
        killer=_SWEEP,
    ),
    Mutant(
        name="sweep that repairs no entry",
        file="shared/usecases/ticks/sweep_shard.py",
        old="        index = self.repair_index.execute(page.rows, has_time)\n",
        new="        index = self.repair_index.execute([], has_time)\n",
    ),
)
