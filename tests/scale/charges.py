"""The price of each port call: units of DynamoDB, requests, processor time and latency."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any

from infra.sizing import figures
from shared.domain.errors import ThrottledError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State, Transition
from shared.domain.ids import ExecutionId, one_off_job_id
from shared.names import FAILURE_PARTITIONS, LEDGER_PARTITIONS
from shared.ports.dispatch import OpenShard
from shared.ports.executions import Claim, ClaimRejected, Finish, WriteUnknown
from shared.ports.jobs import Payload
from tests.scale.machines import Machine
from tests.scale.meters import Key, Meters

if TYPE_CHECKING:
    from tests.scale.world import ScaleWorld

STATEMENTS = 25
SDK_TRIES = 3
SDK_PAUSE_MS = 50
_ITEM = ceil(figures.ITEM_KB.value)
_READ_UNITS = ceil(figures.ITEM_KB.value / 4)


def execution_key(location: ExecutionId) -> Key:
    return Key("executions", f"{location.bucket}#{location.shard}")


def index_key(execution: Execution) -> Key:
    kind = "job#" if execution.job_id == one_off_job_id(execution.id) else ""
    return Key("by_tenant", f"{execution.tenant_id}#{kind}{execution.index_shard}")


def failed_key(execution: Execution, suffix: str = "") -> Key:
    return Key("failed", f"{execution.tenant_id}#{execution.id.entropy % FAILURE_PARTITIONS}{suffix}")


def ledger_key(shard: int) -> Key:
    return Key("ledger", str(shard % LEDGER_PARTITIONS))


class Biller:
    """Charges the calls of one machine."""

    def __init__(self, world: ScaleWorld, machine: Machine) -> None:
        self.meters: Meters = world.meters
        self.machine = machine
        self._hub = world.hub

    def request(self, latency: str, cpu_ms: float = 0, more_ms: float = 0) -> None:
        self.meters.counts["requests"].add(self._hub.now_ms, 1)
        self.machine.spend(figures.cpu("request") + cpu_ms, figures.latency(latency) + more_ms)

    def write(
        self, table: str, keys: Sequence[tuple[Key, float]], latency: str = "write", cpu_ms: float = 0
    ) -> None:
        """One write, with the keys of indexes that it changes; ThrottledError after the tries of the SDK."""
        self._try(latency, cpu_ms, lambda: all(self._write(table, key, units) for key, units in keys))

    def read(self, table: str, key: Key, units: float, latency: str = "get", cpu_ms: float = 0) -> None:
        self._try(latency, cpu_ms, lambda: self.meters.read(table, key, units, self._hub.now_ms))

    def read_many(self, table: str, keys: Sequence[tuple[Key, float]], cpu_ms: float = 0) -> None:
        """One BatchGetItem; unprocessed keys are read again."""
        left = list(keys)

        def attempt() -> bool:
            left[:] = [(key, units) for key, units in left if not self._read(table, key, units)]
            return not left

        self._try("batch_get", cpu_ms, attempt)

    def statements(
        self, table: str, keys: Sequence[Sequence[tuple[Key, float]]], cpu_ms: float
    ) -> list[bool]:
        """One BatchExecuteStatement: whether each statement had capacity. The SDK repeats none."""
        self.request("batch_statement", cpu_ms)
        return [all(self._write(table, key, units) for key, units in each) for each in keys]

    def page(self, table: str, key: Key, rows: int, kb: float, cpu_ms: float) -> None:
        """One strongly consistent Query."""
        more_ms = rows * figures.latency("query_row")
        units = max(1, ceil(kb / 4))
        self._try("query_page", cpu_ms, lambda: self._read(table, key, units), more_ms)

    def ledger_page(self, partition: int, kb: float, rows: float) -> None:
        """All pages of one partition of the whole stage's ledger."""
        pages = max(1, ceil(kb / 1000))
        cpu_ms = rows * figures.cpu("ledger_row") + (pages - 1) * figures.cpu("request")
        more_ms = (pages - 1) * figures.latency("query_page") + rows * figures.latency("query_row")
        self.request("query_page", cpu_ms, more_ms)
        # The meter multiplies what a slice reads of a partition.
        units = max(1, ceil(kb / 4)) / self.meters.scales.get("ledger", 1)
        self.meters.read("leases", Key("ledger", str(partition)), units, self._hub.now_ms)

    @contextmanager
    def fixed(self) -> Iterator[None]:
        """These calls last as long in the stage as in the slice."""
        began_ms = self._hub.now_ms
        yield
        self.machine.fixed_ms += self._hub.now_ms - began_ms

    def _write(self, table: str, key: Key, units: float) -> bool:
        return self.meters.write(table, key, units, self._hub.now_ms)

    def _read(self, table: str, key: Key, units: float) -> bool:
        return self.meters.read(table, key, units, self._hub.now_ms)

    def _try(self, latency: str, cpu_ms: float, attempt: Callable[[], bool], more_ms: float = 0) -> None:
        for number in range(SDK_TRIES):
            self.request(latency, cpu_ms if number == 0 else 0, more_ms)
            if attempt():
                return
            self._hub.sleep(SDK_PAUSE_MS << number)
        raise ThrottledError("the key has no capacity left")


class Charged:
    """A port whose methods are charged by a class of their own; a method without a price is refused."""

    def __init__(self, prices: Any, target: Any) -> None:
        self._prices = prices
        self._target = target

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method, price = getattr(self._target, name), getattr(self._prices, name)
        call = price(method)
        setattr(self, name, call)
        return call


def _before(charge: Callable[..., None]) -> Callable[..., Any]:
    """A write: it takes its time, then has its effect."""

    def price(self: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(method: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                charge(self.bill, *args, **kwargs)
                return method(*args, **kwargs)

            return call

        return wrap

    return property(price)  # type: ignore[return-value]


def _after(charge: Callable[..., None]) -> Callable[..., Any]:
    """A read: its price depends on what it finds."""

    def price(self: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(method: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                result = method(*args, **kwargs)
                charge(self.bill, result, *args, **kwargs)
                return result

            return call

        return wrap

    return property(price)  # type: ignore[return-value]


def _finish(bill: Biller, execution: Execution, finish: Finish) -> None:
    keys: list[tuple[Key, float]] = [(execution_key(execution.id), _ITEM)]
    if finish.transition is Transition.RETRY:
        if execution.attempt < 2:  # A later retry moves nothing in the index.
            keys.append((failed_key(execution, "#retry"), 1))
    elif finish.transition.target is State.FAILED:
        keys.append((failed_key(execution), 1))
        if execution.attempt > 1:
            keys.append((failed_key(execution, "#retry"), 1))
    bill.write("executions", keys)


def _put(bill: Biller, execution: Execution, **_: Any) -> None:
    keys = [(execution_key(execution.id), _ITEM), (index_key(execution), 1)]
    bill.write("executions", keys, cpu_ms=figures.cpu("put"))


def _get_many(bill: Biller, _result: Any, ids: Sequence[ExecutionId]) -> None:
    if ids:
        keys = [(execution_key(each), _READ_UNITS) for each in ids]
        bill.read_many("executions", keys, len(ids) * figures.cpu("batch_get_row"))


def _scan(bill: Biller, page: Any, bucket: int, shard: int, **_: Any) -> None:
    rows = len(page.rows)
    kb, cpu_ms = rows * figures.ITEM_KB.value, rows * figures.cpu("scanned_row")
    bill.page("executions", Key("executions", f"{bucket}#{shard}"), rows, kb, cpu_ms)


def _read_rows(bill: Biller, _page: Any, bucket: int, shard: int, sort_keys: Sequence[str]) -> None:
    keys = [(Key("executions", f"{bucket}#{shard}"), _READ_UNITS)] * len(sort_keys)
    bill.read_many("executions", keys, len(sort_keys) * figures.cpu("batch_get_row"))


def _write_execution(bill: Biller, execution: Execution, **_: Any) -> None:
    bill.write("executions", [(execution_key(execution.id), _ITEM)])


class ExecutionPrices:
    def __init__(self, bill: Biller) -> None:
        self.bill = bill

    put_if_absent = _before(_put)
    put_reminder = _before(
        lambda bill, reminder: bill.write("executions", [(execution_key(reminder.location), 1)])
    )
    get = _after(
        lambda bill, _, key: bill.read(
            "executions", execution_key(key), _READ_UNITS, cpu_ms=figures.cpu("execution")
        )
    )
    get_many = _after(_get_many)
    finish = _before(_finish)
    extend_lease = _before(_write_execution)
    give_up = _before(_write_execution)
    repair_index = _before(lambda bill, row: bill.write("executions", [(execution_key(row.id), 1)]))
    scan = scan_pending = _after(_scan)
    read_rows = _after(_read_rows)


class ChargedClaimer:
    """Each statement is throttled by itself."""

    def __init__(self, bill: Biller, target: Any) -> None:
        self._bill = bill
        self._target = target

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | ClaimRejected | WriteUnknown]:
        results: list[Execution | ClaimRejected | WriteUnknown] = []
        for start in range(0, len(claims), STATEMENTS):
            batch = claims[start : start + STATEMENTS]
            cpu_ms = len(batch) * (figures.cpu("claim") + figures.cpu("execution"))
            keys = [[(execution_key(claim.execution_id), float(_ITEM))] for claim in batch]
            granted = self._bill.statements("executions", keys, cpu_ms)
            for claim, has_capacity in zip(batch, granted, strict=True):
                if has_capacity:
                    results += self._target.claim([claim], now_ms)
                else:
                    results.append(WriteUnknown("ThrottlingError", is_throttled=True))
        return results


class ChargedBatches:
    """Puts in BatchExecuteStatement, each throttled by itself."""

    def __init__(self, bill: Biller, target: Any) -> None:
        self._bill = bill
        self._target = target

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[Execution | WriteUnknown | None]:
        results: list[Execution | WriteUnknown | None] = []
        for start in range(0, len(executions), STATEMENTS):
            batch = executions[start : start + STATEMENTS]
            keys = [[(execution_key(each.id), float(_ITEM)), (index_key(each), 1.0)] for each in batch]
            granted = self._bill.statements("executions", keys, len(batch) * figures.cpu("put"))
            for each, has_capacity in zip(batch, granted, strict=True):
                if has_capacity:
                    results += self._target.put_all_if_absent([each])
                else:
                    results.append(WriteUnknown("ThrottlingError"))
        return results

    def put_payloads(self, payloads: Sequence[Payload]) -> list[WriteUnknown | None]:
        raise AssertionError("the bodies of these jobs are small")


def _definition(bill: Biller, _result: Any, tenant_id: str, *_args: Any, **_: Any) -> None:
    bill.read("jobs", Key("jobs", tenant_id), 1)


def _jump(bill: Biller, skipped: Execution, target: Execution, _expires_at_s: int) -> None:
    keys = [
        (execution_key(skipped.id), 2.0 * _ITEM),
        (index_key(skipped), 1.0),
        (execution_key(target.id), 2.0 * _ITEM),
        (index_key(target), 1.0),
        (Key("jobs", target.tenant_id), 2.0),
    ]
    bill.write("executions", keys, "transaction")


def _file_if_active(bill: Biller, execution: Execution) -> None:
    keys = [
        (execution_key(execution.id), 2.0 * _ITEM),
        (index_key(execution), 1.0),
        (Key("jobs", execution.tenant_id), 2.0),
    ]
    bill.write("executions", keys, "transaction")


class JobPrices:
    def __init__(self, bill: Biller) -> None:
        self.bill = bill

    get = _after(_definition)
    jump = _before(_jump)
    file_if_active = _before(_file_if_active)


def _ledger_bytes(shard: OpenShard) -> float:
    rows = len(shard.open_rows or ())
    return figures.LEDGER_ROW_BYTES.value + rows * figures.OPEN_ROW_BYTES.value


def _of_lease(bill: Biller, lease: Any, *_args: Any, **_: Any) -> None:
    shard = lease.shard if isinstance(lease.shard, int) else lease.shard.shard
    bill.write("leases", [(ledger_key(shard), 1)])


def _of_shard(bill: Biller, _bucket: int, shard: int, *_args: Any, **_: Any) -> None:
    bill.write("leases", [(ledger_key(shard), 1)])


def _take_pass(bill: Biller, shard: OpenShard, _now_ms: int) -> None:
    bill.write("leases", [(ledger_key(shard.shard), ceil(_ledger_bytes(shard) / 1024))])


def _record_pass(bill: Biller, lease: Any, *, open_rows: Sequence[str] | None = None, **_: Any) -> None:
    after = figures.LEDGER_ROW_BYTES.value + len(open_rows or ()) * figures.OPEN_ROW_BYTES.value
    units = ceil(max(after, _ledger_bytes(lease.shard)) / 1024)
    bill.write("leases", [(ledger_key(lease.shard.shard), units)])


def _mark_read(bill: Biller, *_args: Any, **_: Any) -> None:
    bill.read("leases", Key("marks"), 1)


class LedgerPrices:
    """`list_factor`: the open shards of the stage, in those of the slice, for one list of all partitions."""

    def __init__(self, bill: Biller, list_factor: float, part_factor: float) -> None:
        self.bill = bill
        self._list_factor = list_factor
        self._part_factor = part_factor

    take = _before(_of_shard)
    advance = finish = suspend_pass = close = _before(_of_lease)
    reopen = list_shard = _before(_of_shard)
    take_pass = _before(_take_pass)
    record_pass = _before(_record_pass)
    open_until = _after(lambda bill, _, _bucket, shard: bill.read("leases", ledger_key(shard), 1))
    swept_through = _after(_mark_read)
    note_swept_through = _before(lambda bill, *_: bill.write("leases", [(Key("marks"), 1)]))

    @property
    def open_before(self) -> Callable[[Callable[..., list[OpenShard]]], Callable[..., list[OpenShard]]]:
        """One query for each partition and megabyte, one after another."""

        def wrap(method: Callable[..., list[OpenShard]]) -> Callable[..., list[OpenShard]]:
            def call(bucket: int, *part: Any) -> list[OpenShard]:
                found = method(bucket, *part)
                factor = self._part_factor if part else self._list_factor
                queries = LEDGER_PARTITIONS // (part[0].of if part else 1)
                kb = sum(map(_ledger_bytes, found)) / 1024 * factor
                rows = len(found) * factor
                with self.bill.fixed():
                    for number in range(queries):
                        self.bill.ledger_page(number, kb / queries, rows / queries)
                return found

            return call

        return wrap


def _hot_scope_units(entries: int) -> float:
    return max(1, ceil(entries * figures.HOT_SCOPE_BYTES.value / 4096)) / 2


def _note_hot(bill: Biller, part: int, until: Any, gone: Any = ()) -> None:
    units = max(1, ceil(len(until) * figures.HOT_SCOPE_BYTES.value / 1024))
    bill.write("leases", [(Key("hot_scopes", str(part)), units)])


def _read_hot(bill: Biller, found: Any, parts: Sequence[int]) -> None:
    if parts:
        keys = [(Key("hot_scopes", str(part)), _hot_scope_units(len(found.get(part, ())))) for part in parts]
        bill.read_many("leases", keys)


def _read_scopes(bill: Biller, _result: Any, scopes: Sequence[str]) -> None:
    if scopes:
        bill.read_many("leases", [(Key("scopes", scope), 0.5) for scope in scopes])


class LimitPrices:
    def __init__(self, bill: Biller) -> None:
        self.bill = bill

    read = _after(_read_scopes)
    swap = _before(lambda bill, scope, *_: bill.write("leases", [(Key("scopes", scope), 1)]))
    hot_scopes = _after(_read_hot)
    note_hot_scopes = _before(_note_hot)


def _weights(bill: Biller, _result: Any, tenant_ids: Sequence[str]) -> None:
    with bill.fixed():
        bill.read_many("tenants", [(Key("tenants", each), 0.5) for each in tenant_ids])


class TenantPrices:
    def __init__(self, bill: Biller) -> None:
        self.bill = bill

    get = _after(lambda bill, _, tenant_id: bill.read("tenants", Key("tenants", tenant_id), 1))
    weights = _after(_weights)


class ProgressPrices:
    def __init__(self, bill: Biller) -> None:
        self.bill = bill

    report = _before(lambda bill, lane, _: bill.write("leases", [(Key("progress", lane), 1)]))
    read = _after(lambda bill, _, lane: bill.read("leases", Key("progress", lane), 1))


class ShardCountPrices:
    def __init__(self, bill: Biller) -> None:
        self.bill = bill

    read = _after(lambda bill, _: bill.read("jobs", Key("marks", "shard counts"), 1))
    begin = swap = _before(lambda bill, *_: bill.write("jobs", [(Key("marks", "shard counts"), 1)]))


class BudgetPrices:
    def __init__(self, bill: Biller) -> None:
        self.bill = bill

    take = _before(lambda bill, key, *_: bill.write("leases", [(Key("budgets", key.tenant_id), 1)]))
    usage = _after(lambda bill, _, key: bill.read("leases", Key("budgets", key.tenant_id), 1))
