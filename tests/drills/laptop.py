"""A laptop stack of its own under a steady load, with a log of each call at its receivers."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from infra.local.progress import Report
from infra.local.stack import LocalStack, Tenant, local_stack
from tests.crashes.arrivals import ArrivalLog
from tests.crashes.clients import Clients
from tests.crashes.clock import SharedClock
from tests.crashes.gateway import NOBODY, Answer
from tests.crashes.orders import Wanted
from tests.drills.metrics import Collector, Metrics

LOAD_SECONDS = 5.0
DELAYS_SECONDS = (3, 20, 150)
"""Only watchers send what is due in more than two minutes."""
OVERDUE_MS = 60_000


class Laptop:
    """The stack, one tenant, and the jobs that are judged when the drill ends."""

    def __init__(
        self,
        stack: LocalStack,
        folder: Path,
        *,
        delays: Sequence[int] = DELAYS_SECONDS,
        seconds: float = LOAD_SECONDS,
    ) -> None:
        """`delays` are those of the jobs of the load in turn, one job every so many `seconds`."""
        self.stack = stack
        self._delays, self._seconds = delays, seconds
        self.tenant: Tenant = stack.create_tenant(f"drill-{token_hex(3)}", scopes="read,write,admin")
        self.clock = SharedClock.create(_made(folder / "clock"), goes=True)
        self.log = ArrivalLog(self.clock, self.tenant.signing_secret)
        self.log.heal()
        self.clients = Clients(self.clock, self.log.url, partial(send, stack, self.tenant.api_key))
        self.metrics = Metrics()
        self.collector = Collector(stack, self.metrics)
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._ends = ExitStack()
        self._ends.callback(self.log.stop)

    def on_end(self, act: Callable[[], None]) -> None:
        """Do something when the drill ends."""
        self._ends.callback(act)

    def repeat(self, act: Callable[[], object], seconds: float) -> None:
        """Run an action again and again in a thread until the drill ends."""

        def run() -> None:
            while not self._stopping.wait(seconds):
                act()

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()

    def load(self) -> None:
        """Create a job every few seconds, each with a path of its own."""
        delays = itertools.cycle(self._delays)
        self.repeat(
            lambda: self.clients.create(Wanted(schedule={"delay_seconds": next(delays)})), self._seconds
        )

    def rest(self) -> None:
        """Stop everything that was started with `repeat`."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def end(self) -> None:
        """Stop everything but the stack."""
        self.rest()
        self._ends.close()

    def overdue(self) -> list[str]:
        """The paths of acknowledged jobs that were due a minute ago and have not been called with success."""
        called = {arrival.path for arrival in self.log.arrivals() if arrival.status == 200}
        until = self.clock.now_ms() - OVERDUE_MS
        return [
            order.path
            for order in self.clients.orders
            if order.acked_at is not None and order.due_at < until and order.path not in called
        ]


def send(
    stack: LocalStack,
    key: str,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Send a request with a tenant's key, as a client over HTTP does."""
    try:
        response = stack.api(key).request(method, path, body, headers)
        return Answer(status=response.status, body=response.json() if response.body else None)
    except (OSError, ValueError):
        time.sleep(1)
        return NOBODY


@contextmanager
def laptop(root: Path, report: Report) -> Iterator[Laptop]:
    """Start a stack in a folder, on free ports; nothing of it is left at the end."""
    # The functions start one after the other, so that a busy machine needs only patience.
    with local_stack(root / "local", fresh=True, warm_up=False, report=report) as stack:
        report("starting the functions of the ticks, and creating a tenant")
        stack.tick()
        made = Laptop(stack, root)
        try:
            yield made
        finally:
            made.end()


def _made(path: Path) -> Path:
    path.touch()
    return path
