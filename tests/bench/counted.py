"""What jobs and requests cost in units that AWS bills, counted through the handlers on DynamoDB Local and ministack."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from shared.domain.bucket import MINUTE_MS
from shared.domain.limits.scopes import ScopeState, tenant_scope
from shared.domain.limits.slots import SlotLease
from shared.domain.tenancy.quota import Quota
from shared.usecases.tenancy.manage_tenants import TenantChange
from tests.bench.cell import BATCH, TENANTS, Cell, instant
from tests.bench.meter import Bill

JOBS = 30
SOON_MS = 100_000
"""So soon that the API sends the message itself."""
FAR_MS = 1_800_000
HOUR_MS = 3_600_000
BODIES = {"70 B": 45, "2.5 kB": 2_500, "100 kB": 100_000}
"""The length of the text in each body."""
PER_BATCH = 100
BATCH_BODY = 2_000
"""A request may have 256 KiB."""
THIN_PAUSE_MS = 1_300
ATTEMPTS = 5
POLLS = 5
POLL_MS = 900_000
HELD_MS = 4 * HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What one job, request or tick of a scenario costs."""

    name: str
    bill: Bill


class Scenarios:
    """All rows, in the order of the table. Each one leaves nothing behind that the next one would pay for."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def rows(self) -> Iterator[Counted]:
        """Every row of the table."""
        # Processes record the shard counts of the deployment once.
        self._run()
        yield from self._one_offs()
        yield from self._occurrences()
        yield from self._ticks()
        yield from self._outcomes()
        yield from self._limits()
        yield from self._requests()

    def _one_offs(self) -> Iterator[Counted]:
        """From the request to the recorded outcome."""
        for label, size in BODIES.items():
            yield self._count(f"one-off, body of {label}", JOBS, partial(self._run, size=size))
        yield self._count("one-off with Idempotency-Key", JOBS, lambda: self._run(keyed=True))
        yield self._count(f"one-off, the first of {JOBS} tenants", JOBS, lambda: self._run(tenants=JOBS))
        yield self._count("one-off in a batch of 100", PER_BATCH, self._run_batch)
        yield self._count(
            "one-off in a batch of 100, body of 2 kB", PER_BATCH, lambda: self._run_batch(BATCH_BODY)
        )
        # Leases follow what the process has spent in the last minute.
        self._run_thin()
        yield self._count("one-off, thin: one each 1.3 s", JOBS, self._run_thin)

    def _run(self, *, size: int = BODIES["70 B"], keyed: bool = False, tenants: int = 1) -> None:
        due_at = self._cell.clock.now_ms() + SOON_MS
        for number in range(JOBS):
            key = {"idempotency-key": f"{due_at}-{number}"} if keyed else None
            self._create(_at(due_at), size=size, headers=key, tenant=number % tenants)
        self._cell.clock.skip_to(due_at + 1_000)
        assert self._cell.work() == JOBS

    def _run_batch(self, size: int = BODIES["70 B"]) -> None:
        due_at = self._cell.clock.now_ms() + SOON_MS
        body = json.dumps({"jobs": [self._job(_at(due_at), size)] * PER_BATCH})
        self._cell.call("POST", "/v1/jobs/batch", body)
        self._cell.clock.skip_to(due_at + 1_000)
        self._cell.work()

    def _run_thin(self) -> None:
        for _ in range(JOBS):
            self._create({"delay_seconds": 1})
            self._cell.clock.skip(THIN_PAUSE_MS)
            assert self._cell.work(batch=1) == 1

    def _occurrences(self) -> Iterator[Counted]:
        """Without the definition."""
        for name, jobs, batch, seconds, size in (
            ("occurrence, each minute", JOBS, BATCH, 60, BODIES["70 B"]),
            ("occurrence, each minute, thin", 1, 1, 60, BODIES["70 B"]),
            ("occurrence, each minute, body of 2.5 kB", JOBS, BATCH, 60, BODIES["2.5 kB"]),
            ("occurrence, each hour", JOBS, BATCH, 3_600, BODIES["70 B"]),
        ):
            made = self._recurring(jobs, seconds, size)
            self._occur(batch, seconds)
            yield self._count(name, jobs * 4, partial(self._occur, batch, seconds, 4))
            for job in made:
                self._cell.call("DELETE", f"/v1/jobs/{job['id']}")
            self._cell.take()

    def _occur(self, batch: int, seconds: int, times: int = 1) -> None:
        """Each of these times all jobs are due; a watcher sends what the API and the executors did not."""
        for _ in range(times):
            entries = self._cell.take()
            if not entries:
                self._cell.clock.skip((seconds - 60) * 1_000)
                assert self._cell.watch()
                entries = self._cell.take()
            self._cell.clock.skip(60_000)
            self._cell.execute(entries, batch)

    def _ticks(self) -> Iterator[Counted]:
        """Of a cell with four shards, each tick a minute after another: a tick after a gap scans more buckets."""
        self._tick_watcher()
        self._next_tick()
        yield self._count("watcher, an empty tick", 1, self._cell.watch)
        due_at = self._due_at_a_tick()
        for number in range(JOBS):
            self._create(_at(due_at), tenant=number % TENANTS)
        self._cell.skip_to_tick(due_at - MINUTE_MS)
        self._cell.watch()
        self._cell.skip_to_tick(due_at)
        yield self._count(f"watcher, a tick with {JOBS} due jobs", 1, self._cell.watch)
        self._cell.clock.skip_to(due_at + 1_000)
        self._cell.work()
        self._cell.clock.skip(2 * HOUR_MS)
        self._sweep_all()
        # The first tick closes what was left: how much depends on the second at which the loop above ended.
        self._tick_watcher()
        self._cell.sweep()
        self._tick_watcher()
        yield self._count("sweeper, a steady tick", 1, self._cell.sweep)

    def _outcomes(self) -> Iterator[Counted]:
        """Beyond a success at the first attempt; from the request to the last outcome."""
        yield self._count("one-off, succeeds at its second attempt", JOBS, self._run_retried)
        yield self._count("one-off, all 5 attempts failed", JOBS, self._run_dead)
        yield self._count("one-off, its success told", JOBS, self._run_told)

    def _run_retried(self) -> None:
        retry = {"max_attempts": 2, "delays_seconds": [1]}
        for number in range(JOBS):
            self._create(
                {"delay_seconds": 0}, path=f"/once/{self._cell.clock.now_ms()}-{number}", retry=retry
            )
        for _ in range(2):
            self._cell.clock.skip(2_000)
            assert self._cell.work() == JOBS

    def _run_dead(self) -> None:
        retry = {"max_attempts": ATTEMPTS, "delays_seconds": [60] * (ATTEMPTS - 1)}
        for _ in range(JOBS):
            self._create({"delay_seconds": 0}, path="/status/500", retry=retry)
        for _ in range(ATTEMPTS):
            self._cell.clock.skip(SOON_MS)
            assert self._cell.work() == JOBS

    def _run_told(self) -> None:
        for _ in range(JOBS):
            self._create({"delay_seconds": 0}, on_success=self._cell.url)
        for _ in range(2):
            self._cell.clock.skip(2_000)
            assert self._cell.work() == JOBS

    def _limits(self) -> Iterator[Counted]:
        """Of a tenant with a limit."""
        self._limit(1_000)
        yield self._count("one-off, its tenant limited, with room", JOBS, self._run)
        self._limit(1)
        self._take_last_slot()
        for _ in range(JOBS):
            self._create({"delay_seconds": 0})
        self._cell.work()
        yield self._count("wait for a limit, one poll", JOBS * POLLS, self._poll)
        self._cell.clock.skip(HELD_MS)
        self._cell.work()
        self._limit(None)
        while self._cell.work():
            self._cell.clock.skip(POLL_MS)

    def _poll(self) -> None:
        for _ in range(POLLS):
            self._cell.clock.skip(POLL_MS)
            assert self._cell.work()

    def _take_last_slot(self) -> None:
        limits, now_ms = self._cell.ports.limits, self._cell.clock.now_ms()
        scope = tenant_scope("bench-0")
        taken = SlotLease(owner="other", slots=1, until=now_ms + HELD_MS)
        standing = limits.read([scope])[scope]
        assert limits.swap(scope, standing, ScopeState(leases=(taken,)), now_ms) is None

    def _limit(self, concurrency: int | None) -> None:
        change = TenantChange(quotas={Quota.CONCURRENCY: concurrency})
        self._cell.cases.tenancy.change_tenant.execute("bench-0", change)
        self._cell.clock.skip(2 * MINUTE_MS)

    def _requests(self) -> Iterator[Counted]:
        """One request of the API; a redrive with its call."""
        cell, far = self._cell, {"delay_seconds": FAR_MS // 1000}
        yield self._count("create, due later", JOBS, lambda: self._each(lambda: self._create(far)))
        yield self._count("create in a batch of 100, due later", PER_BATCH, lambda: self._create_batch(far))
        yield self._count(
            "create, recurring", JOBS, lambda: self._each(lambda: self._create({"rate_seconds": 3_600}))
        )
        jobs = [self._create(far)["id"] for _ in range(JOBS)]
        edit = json.dumps({"request": {"json": {"kind": "daily"}}})
        move = json.dumps({"schedule": {"delay_seconds": 2 * FAR_MS // 1000}})
        yield self._verb("edit of a one-off", "PATCH", "", jobs, edit)
        yield self._verb("get a job", "GET", "", jobs)
        yield self._verb("reschedule of a one-off", "PATCH", "", jobs, move)
        yield self._verb("cancel of a one-off", "DELETE", "", [self._create(far)["id"] for _ in range(JOBS)])
        recurring = [self._create({"rate_seconds": 3_600})["id"] for _ in range(JOBS)]
        yield self._verb("pause", "POST", "/pause", recurring)
        yield self._verb("resume", "POST", "/resume", recurring)
        yield self._verb("trigger, without its call", "POST", "/trigger", recurring)
        cell.work()
        for job in recurring:
            cell.call("POST", f"/v1/jobs/{job}/pause")
        yield self._verb("delete of a paused job", "DELETE", "", recurring)
        dead = self._dead_letters()
        yield self._count("redrive, with its call", JOBS, lambda: self._redrive(dead))
        for limit in ("10", "100"):
            yield self._count(
                f"list {limit} jobs",
                1,
                partial(cell.call, "GET", "/v1/jobs", query={"limit": limit}),
            )
        yield self._count(
            "list 100 executions", 1, lambda: cell.call("GET", "/v1/executions", query={"limit": "100"})
        )
        preview = json.dumps({"cron": "0 9 * * *"})
        yield self._count("preview", 1, lambda: cell.call("POST", "/v1/schedules/preview", preview))

    def _verb(self, name: str, method: str, suffix: str, jobs: list[str], body: str | None = None) -> Counted:
        headers = {"if-match": "*"}
        if method == "PATCH":
            headers["content-type"] = "application/merge-patch+json"

        def act() -> None:
            for job in jobs:
                self._cell.call(method, f"/v1/jobs/{job}{suffix}", body, headers=headers)

        return self._count(name, len(jobs), act)

    def _dead_letters(self) -> list[str]:
        for _ in range(JOBS):
            self._create({"delay_seconds": 0}, path="/status/410")
        self._cell.clock.skip(2_000)
        self._cell.work()
        page = self._cell.call("GET", "/v1/dead-letters", query={"limit": "100", "status": "410"})
        assert len(page["executions"]) == JOBS
        return [each["id"] for each in page["executions"]]

    def _redrive(self, dead: list[str]) -> None:
        for execution in dead:
            self._cell.call("POST", f"/v1/executions/{execution}/redrive")
        assert self._cell.work() == len(dead)

    def _create_batch(self, schedule: dict[str, Any]) -> None:
        self._cell.call("POST", "/v1/jobs/batch", json.dumps({"jobs": [self._job(schedule)] * PER_BATCH}))

    def _create(
        self,
        schedule: dict[str, Any],
        *,
        size: int = BODIES["70 B"],
        path: str | None = None,
        headers: dict[str, str] | None = None,
        tenant: int = 0,
        **members: Any,
    ) -> dict[str, Any]:
        job = self._job(schedule, size, path) | members
        return self._cell.call("POST", "/v1/jobs", json.dumps(job), headers=headers, tenant=tenant)

    def _job(
        self, schedule: dict[str, Any], size: int = BODIES["70 B"], path: str | None = None
    ) -> dict[str, Any]:
        url = self._cell.url if path is None else self._cell.url.removesuffix("/hook") + path
        return {
            "schedule": schedule,
            "request": {"url": url, "json": {"kind": "nightly", "text": "x" * size}},
        }

    def _recurring(self, jobs: int, seconds: int, size: int) -> list[dict[str, Any]]:
        """The first run is due at the end of a minute that no watcher has looked at."""
        start = self._cell.clock.now_ms() // MINUTE_MS * MINUTE_MS + 10 * MINUTE_MS
        schedule = {"rate_seconds": seconds, "start_at": instant(start)}
        made = [self._create(schedule, size=size) for _ in range(jobs)]
        self._cell.skip_to_tick(start)
        assert self._cell.watch() == jobs
        self._cell.clock.skip_to(start + 1_000)
        self._cell.work()
        return made

    def _due_at_a_tick(self) -> int:
        return self._cell.clock.now_ms() // MINUTE_MS * MINUTE_MS + 10 * MINUTE_MS

    def _next_tick(self) -> None:
        self._cell.clock.skip_to((self._cell.clock.now_ms() // MINUTE_MS + 1) * MINUTE_MS + 1_000)

    def _tick_watcher(self) -> None:
        self._next_tick()
        self._cell.watch()

    def _sweep_all(self) -> None:
        """Until nothing is left to close."""
        while self._cell.sweep()["closed"]:
            pass

    @staticmethod
    def _each(act: Callable[[], object]) -> None:
        for _ in range(JOBS):
            act()

    def _count(self, name: str, each: int, act: Callable[[], object]) -> Counted:
        before = self._cell.bill()
        act()
        return Counted(name=name, bill=self._cell.bill().less(before, each))


def _at(due_at: int) -> dict[str, Any]:
    return {"at": instant(due_at)}
