"""What jobs cost that a calendar shifts, that send to a queue, or that events start."""

import json
import os
from collections.abc import Iterator
from typing import Any

from infra.local.clients import ACCOUNT, REGION, Clients
from shared.domain.bucket import MINUTE_MS
from shared.usecases.tenancy.manage_tenants import TenantChange
from tests.bench.cell import BATCH, Cell, instant
from tests.bench.counted import BODIES, JOBS, SOON_MS, Counted, Scenarios

ROLE = f"arn:aws:iam::{ACCOUNT}:role/punctual/bench"
QUEUE, CALENDAR, SOURCE = "bench-target", "plant", "shop"
WINDOWS = 10
DAY_MS = 86_400_000
HOURS = 4
EVENT = {"order": 4711, "amount": 129.5}


class OtherKinds(Scenarios):
    """Rows beside those of HTTP requests that are due by the clock."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self._numbers = 0

    def rows(self) -> Iterator[Counted]:
        """Every row of the table."""
        yield self._by_calendar()
        yield self._to_queue()
        yield from self._of_events()

    def _by_calendar(self) -> Counted:
        """An hourly cron line; the holidays of a country, and some windows."""
        now_ms = self._cell.clock.now_ms()
        edges = [now_ms // DAY_MS * DAY_MS + (10 + number) * DAY_MS for number in range(WINDOWS)]
        windows = [{"from": instant(edge), "until": instant(edge + DAY_MS // 8)} for edge in edges]
        content = {"country": "DE", "weekend": [], "blackouts": windows}
        self._cell.call("PUT", f"/v1/calendars/{CALENDAR}", json.dumps(content))
        start = now_ms // MINUTE_MS * MINUTE_MS + 10 * MINUTE_MS
        line = {"cron": f"{start // MINUTE_MS % 60} * * * *", "calendar": CALENDAR}
        made = [self._create(line) for _ in range(JOBS)]
        self._cell.skip_to_tick(start)
        assert self._cell.watch() == JOBS
        self._cell.clock.skip_to(start + 1_000)
        self._cell.work()
        self._occur(BATCH, 3_600)
        counted = self._count(
            f"occurrence, each hour, by a calendar with {WINDOWS} windows",
            JOBS * HOURS,
            lambda: self._occur(BATCH, 3_600, HOURS),
        )
        for job in made:
            self._cell.call("DELETE", f"/v1/jobs/{job['id']}")
        self._cell.take()
        return counted

    def _to_queue(self) -> Counted:
        """The message itself is billed to the tenant's account."""
        Clients(os.environ["AWS_ENDPOINT_URL"]).client("sqs").create_queue(QueueName=QUEUE)
        self._cell.cases.tenancy.change_tenant.execute("bench-0", TenantChange(target_roles=(ROLE,)))
        self._cell.clock.skip(2 * MINUTE_MS)
        self._send()
        return self._count("one-off, a message to a queue of SQS", JOBS, self._send)

    def _send(self) -> None:
        message = {"kind": "nightly", "text": "x" * BODIES["70 B"]}
        target = {"sqs": {"arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{QUEUE}", "json": message}}
        due_at = self._cell.clock.now_ms() + SOON_MS
        for _ in range(JOBS):
            job = {"schedule": {"at": instant(due_at)}, "target": target}
            self._cell.call("POST", "/v1/jobs", json.dumps(job))
        self._cell.clock.skip_to(due_at + 1_000)
        assert self._cell.work() == JOBS

    def _of_events(self) -> Iterator[Counted]:
        """The definitions are not counted."""
        job = self._create({"cron": "0 0 1 1 *"})["id"]
        self._put_trigger("unmatched", job, "never")
        self._emit(JOBS)
        yield self._count("event that no trigger matches", JOBS, lambda: self._emit(JOBS))
        self._put_trigger("paid", job, "order.paid")
        self._start_runs()
        yield self._count("event that starts a job, with its call", JOBS, self._start_runs)
        self._put_trigger("paid", job, "order.paid", debounce_seconds=60)
        self._start_one_run()
        yield self._count(f"event in a burst of {JOBS} that starts one run", JOBS, self._start_one_run)

    def _put_trigger(self, name: str, job: str, kind: str, **more: Any) -> None:
        body = {"pattern": {"source": [SOURCE], "type": [kind]}, "job_id": job} | more
        self._cell.call("PUT", f"/v1/triggers/{name}", json.dumps(body))

    def _emit(self, events: int) -> None:
        for _ in range(events):
            self._numbers += 1
            event = {"source": SOURCE, "type": "order.paid", "id": f"paid-{self._numbers}", "data": EVENT}
            self._cell.call("POST", "/v1/events", json.dumps(event))

    def _start_runs(self) -> None:
        self._emit(JOBS)
        self._cell.clock.skip(2_000)
        assert self._cell.work() == JOBS

    def _start_one_run(self) -> None:
        self._emit(JOBS)
        self._cell.clock.skip(61_000)
        assert self._cell.work() == 1
