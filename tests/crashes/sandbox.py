"""The process in which a handler runs, as in Lambda's sandbox: an environment, one handler, one event at a time.

The pool imports the modules of all handlers once, and then forks a process for each sandbox: a killed
worker is back in a tenth of a second. Whatever the handlers themselves make, they make in their own process.
"""

import asyncio
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import sys
import uuid
from dataclasses import replace
from functools import partialmethod
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import shared
from shared.adapters import group_commit
from shared.adapters.aws.client import Params
from shared.adapters.aws.http_call import HttpCall
from shared.adapters.clock import SystemClock, pause
from shared.adapters.http.sender import CallbackSender
from shared.adapters.targets.sender import SERVICES
from shared.bootstrap import dynamo_ports
from shared.domain.archive import schedule
from shared.domain.delivery.aws_target import TargetKind
from shared.usecases.archive import find_matching as find_matching
from shared.usecases.attempts.join_ends import STEP_MS
from shared.usecases.bulk import process_job_tasks as process_job_tasks
from shared.usecases.dead_letters import process_bulk_redrives as process_bulk_redrives
from shared.usecases.ticks import sweep_shard, watch_buckets
from tests.crashes.clock import SharedClock
from tests.crashes.crash_points import CallWatch, CrashPoint, Hit
from tests.crashes.grant_check import GrantCheck
from tests.support.aws_steps import Call, Parsed, around_aws_calls

IMPORTED_FOR_ALL = (
    "functions.api.app",
    "functions.api.context",
    "functions.event_receiver.report",
    "functions.executor.records",
    "functions.executor.report",
    *(module.name for module in pkgutil.walk_packages(shared.__path__, "shared.")),
)
"""Functions import most of these late; a fork would import them again each time."""
GROUPS = "CRASHES_GROUPS"
"""The variable of a stage whose executors gather the writes of a whole batch. Elsewhere each write is a call of its
own, so that a crash point names the same call in every run."""
GATHER_SECONDS = 0.5
PAGE_ROWS = 3
"""Small pages, so that a few jobs already make a cursor move."""
SEALED_AFTER_MS = 600_000
"""From the end of an hour, instead of 12 days: runs last hours."""


class Context:
    """What the handlers ask of Lambda's context."""

    function_name = "crashes"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:000000000000:function:crashes"

    def __init__(self) -> None:
        self.aws_request_id = str(uuid.uuid4())

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        """Plenty: what a time limit does to a handler is the affair of other tests."""
        return 900_000


def serve(control: socket.socket) -> None:
    """Fork a sandbox for each request that comes with a pipe; end them all when whoever asks is gone."""
    for module in IMPORTED_FOR_ALL:
        importlib.import_module(module)
    gc.freeze()
    control.sendall(b"ready")
    alive: set[int] = set()
    while True:
        message, handles, _, _ = socket.recv_fds(control, 65_536, 1)
        if not message:
            break
        asked = json.loads(message)
        if "reap" in asked:
            # A dead child keeps its pid until here, so that no signal can reach a stranger.
            os.waitpid(asked["reap"], 0)
            alive.discard(asked["reap"])
            control.sendall(b"reaped")
            continue
        pid = os.fork()
        if pid == 0:
            control.close()
            live(Connection(handles[0]), asked)
        os.close(handles[0])
        alive.add(pid)
        control.sendall(str(pid).encode())
    for pid in alive:
        os.kill(pid, signal.SIGKILL)


def live(pipe: Connection, asked: dict[str, Any]) -> None:
    """Be one sandbox until the pipe closes."""
    log = os.open(asked["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(log, stream.fileno())
    os.environ.update(asked["environment"])
    clock = SharedClock(Path(asked["clock"]))
    _put_into_product(clock)
    watch_buckets.PAGE_ROWS = sweep_shard.PAGE_ROWS = PAGE_ROWS
    process_bulk_redrives.PAGE = process_job_tasks.PAGE = PAGE_ROWS
    search: Any = find_matching
    search.ROWS_OF_SEARCH = search.PAGE_ROWS = PAGE_ROWS
    archive: Any = schedule
    archive.SEALED_AFTER_MS = SEALED_AFTER_MS
    _set_groups(in_groups=GROUPS in asked["environment"])
    watch = CallWatch()
    grants = GrantCheck(asked["module"].split(".")[1], asked["environment"])

    def step(service: str, operation: str, params: Parsed, call: Call) -> Parsed:
        grants.check(service, operation, params)
        return watch.step(service, operation, params, call)

    _watch_targets(watch)
    with around_aws_calls(step):
        handler = importlib.import_module(asked["module"]).handler
        try:
            while True:
                answer = _invoke(handler, watch, json.loads(pipe.recv_bytes()))
                pipe.send_bytes(json.dumps(answer | grants.take()).encode())
        except (EOFError, OSError):
            os._exit(0)


def _watch_targets(watch: CallWatch) -> None:
    """Messages to queues of tenants, with the rights of their roles."""

    class WatchedCall(HttpCall):
        async def call(self, operation: str, params: Params) -> Parsed:
            return await watch.target_step(operation, lambda: HttpCall.call(self, operation, params))

    SERVICES[TargetKind.SQS] = replace(SERVICES[TargetKind.SQS], protocol=WatchedCall)


def _set_groups(*, in_groups: bool) -> None:
    patched: Any = group_commit
    if in_groups:
        patched.GATHER_SECONDS = GATHER_SECONDS
    else:
        patched.may_wait = lambda: False


def _put_into_product(clock: SharedClock) -> None:
    """The product's clocks show the run's time. Where that stands, a worker that waits moves it."""

    async def sleep_ms(_: SystemClock, duration_ms: int) -> None:
        if clock.goes:
            await asyncio.sleep(duration_ms / 1000)
        else:
            clock.advance(duration_ms / 1000)
            if duration_ms <= STEP_MS:
                # It waits for another call of its batch, which takes time by the machine's clock alone.
                await asyncio.sleep(duration_ms / 1000)

    def pause_ms(duration_ms: int) -> None:
        if clock.goes:
            pause(duration_ms)
        else:
            clock.advance(duration_ms / 1000)

    patched: tuple[Any, Any, Any] = SystemClock, CallbackSender, dynamo_ports
    patched[0].now_ms = lambda _: clock.now_ms()
    patched[0].sleep_ms = sleep_ms
    patched[1].__init__ = partialmethod(CallbackSender.__init__, monotonic=clock.seconds)
    patched[2].pause = pause_ms


def _invoke(handler: Any, watch: CallWatch, asked: dict[str, Any]) -> dict[str, Any]:
    point = asked["point"]
    watch.begin(CrashPoint(**point | {"hit": Hit(point["hit"])}) if point else None)
    answer, error = None, None
    try:
        answer = handler(asked["event"], Context())
    except Exception as fault:  # noqa: BLE001 - Lambda too reports any error of a handler and goes on
        error = f"{type(fault).__name__}: {fault}"
    return {"answer": answer, "error": error, "calls": watch.calls, "struck": watch.struck}


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
