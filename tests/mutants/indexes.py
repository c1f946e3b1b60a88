"""Mutants of the indexes: failures never stand in the way of an outcome, and a list costs what it shows."""

from tests.mutants.mutant import Mutant

_UPDATES = "shared/adapters/dynamodb/executions/execution_updates.py"
_CONFORMANCE = "tests/conformance/test_failure_index.py"
_SWEEP = "tests/unit/usecases/ticks/test_sweep_index.py"
_PAGES = "tests/unit/usecases/listings/test_page_costs.py"
_ONE_OFFS = "tests/conformance/test_one_off_store.py"

INDEXES = (
    Mutant(
        name="moved job listed under its former name",
        file="shared/adapters/dynamodb/executions/one_off_store.py",
        old="        if origin is None or _listed(before) == _listed(after):\n",
        new="        if before:\n",
        killer=_ONE_OFFS,
    ),
    Mutant(
        name="second move that keeps the former name in the index",
        file="shared/adapters/dynamodb/executions/one_off_store.py",
        old="self._redirect(origin, {**forward, **_listed(after)})",
        new="self._redirect(origin, forward)",
        killer=_ONE_OFFS,
    ),
    Mutant(
        name="filter that walks an index to its end",
        file="shared/usecases/reading/read_page.py",
        old="        if only is not None and entries >= _ENTRIES_AT_MOST:\n",
        new="        if False:\n",
        killer=_PAGES,
    ),
    Mutant(
        name="filter that reads as many keys as a plain page",
        file="shared/usecases/reading/read_page.py",
        old="    return FILTERED_AT_MOST if is_filtered else EXAMINED_AT_MOST\n",
        new="    return EXAMINED_AT_MOST\n",
        killer=_PAGES,
    ),
    Mutant(
        name="index page that ends at its last match",
        file="shared/adapters/dynamodb/listings/queries.py",
        old='            edge=parse_position(last[sk_name]["S"]) if last else None,\n',
        new='            edge=(parse_position(answer["Items"][-1][sk_name]["S"]) if answer["Items"] else None),\n',
        killer="tests/conformance/test_queries.py",
    ),
    Mutant(
        name="redrive listed as a failed job",
        file="shared/usecases/listings/list_jobs.py",
        old="        return {key: execution for key, execution in found.items() if is_job(key)}\n",
        new="        return found if is_job else {}\n",
        killer="tests/unit/usecases/listings/test_list_jobs.py",
    ),
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
