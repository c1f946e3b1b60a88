"""A worker that is killed in mid-work, over real sockets: the next attempt does the work, once."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx

from client.tests.support.long_work import eventually
from shared.domain.delivery.callback import Callback, CallbackResponse
from tests.support.api.api_world import ApiWorld
from tests.support.contract.gateway import Got, Sent, got, serving
from tests.support.delivery.sending import sending
from tests.support.sources import ROOT
from tests.support.usecases.lanes import Lanes

LOOPBACK = (ip_network("127.0.0.0/8"),)
HEARTBEAT_SECONDS = 60
AHEAD_SECONDS = 30
"""The clock of the deployment is at most so far ahead of that of the worker."""


class Deployment:
    """A deployment in memory, whose API and whose calls use real sockets."""

    def __init__(self) -> None:
        self.api = ApiWorld(dial_exceptions=LOOPBACK)
        self.world = self.api.world
        self.world.clock.time_ms = int(time.time() * 1000)
        self.world.sender.answer_to = self._call
        self._lanes = Lanes(self.world)
        self._pool = ThreadPoolExecutor(1)

    def answer(self, sent: Sent) -> Got:
        return got(self.api.api(sent.event(), SimpleNamespace(aws_request_id="worker")))

    def create(self, url: str) -> str:
        job = self.api.create(
            schedule={"delay_seconds": 0},
            request={"url": url, "json": {}},
            heartbeat_seconds=HEARTBEAT_SECONDS,
            retry={"max_attempts": 3, "base_seconds": 1},
        )
        return f"exe_{job['id'].removeprefix('job_')}"

    def pass_by(self, seconds: int) -> None:
        """All that is due meanwhile happens, and lost attempts are found."""
        end = self.world.clock.time_ms + seconds * 1000
        self._lanes.until(end)
        self.world.sweep.execute()
        self._lanes.until(end + 10_000)

    def execution(self, execution: str) -> Any:
        return self.api.get(f"/v1/executions/{execution}").json

    def _call(self, callback: Callback) -> CallbackResponse:
        return self._pool.submit(lambda: asyncio.run(_send(callback))).result()


async def _send(callback: Callback) -> CallbackResponse:
    async with sending() as sender:
        return await sender.send(callback, timeout_seconds=30)


@contextmanager
def worker(**settings: Any) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process, and its port."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client' / 'src'}"}
    with subprocess.Popen(
        [sys.executable, "-m", "client.tests.support.worker", json.dumps(settings)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def test_worker_that_is_killed_in_mid_work_is_replaced_by_the_next_attempt(tmp_path: Path) -> None:
    deployment = Deployment()
    log = tmp_path / "log"
    log.touch()

    def events() -> list[str]:
        return [line.split(" ")[0] for line in log.read_text().splitlines()]

    with serving(deployment.answer) as api:
        settings = {
            "secret": deployment.world.credentials.signing_secret,
            "api": api,
            "seen": str(tmp_path / "seen.db"),
            "log": str(log),
        }
        with worker(**settings, port=0, hangs=True, ahead_seconds=0) as (first, port):
            execution = deployment.create(f"http://127.0.0.1:{port}/hooks/export")
            deployment.pass_by(1)
            eventually(lambda: events() == ["began"])
            call = deployment.world.sender.calls[0].callback
            copy = httpx.post(call.url, headers=dict(call.headers), content=call.body)
            assert copy.status_code == 409
            assert 0 < int(copy.headers["Retry-After"]) <= HEARTBEAT_SECONDS + AHEAD_SECONDS
            assert deployment.execution(execution)["state"] == "running"
            first.kill()
        ahead = HEARTBEAT_SECONDS + AHEAD_SECONDS
        with worker(**settings, port=port, hangs=False, ahead_seconds=ahead):
            deployment.pass_by(ahead)
            eventually(lambda: events() == ["began", "began", "done"])
            eventually(lambda: deployment.execution(execution)["state"] == "succeeded")
            call = deployment.world.sender.calls[-1].callback
            copy = httpx.post(call.url, headers=dict(call.headers), content=call.body)
            assert (copy.status_code, copy.text) == (200, "this call was done before")
        assert deployment.execution(execution)["attempts_begun"] == 2
        assert len({line.split(" ")[1] for line in log.read_text().splitlines()}) == 2
