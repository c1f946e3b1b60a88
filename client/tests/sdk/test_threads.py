"""A client that threads share: the first answers of all operations may arrive at the same time."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from threading import Barrier
from typing import Any

from client.generate.__main__ import DOCUMENT
from punctual import _operations
from punctual._operation import Call, Operation
from punctual._retry import Reply, Success, judge

THREADS = 8


def examples() -> Iterator[tuple[Call[Any], Reply]]:
    """A call of each operation, and an answer, as the OpenAPI document has it."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    found = {each.id: each for each in vars(_operations).values() if isinstance(each, Operation)}
    for methods in document["paths"].values():
        for raw in methods.values():
            operation = found[raw["operationId"]]
            for status in operation.answers:
                examples = raw["responses"][str(status)]["content"]["application/json"].get("examples", {})
                for example in list(examples.values())[:1]:
                    value = document["components"]["examples"][example["$ref"].rsplit("/", 1)[1]]["value"]
                    yield Call(operation, operation.path), Reply(status, {}, json.dumps(value).encode())


def read_by_many() -> None:
    """Read each answer by several threads at the same time, in a process that has read none."""
    sys.setswitchinterval(1e-6)
    now = datetime.now(timezone.utc)
    for call, reply in examples():
        barrier = Barrier(THREADS)

        def read(_: int, call: Call[Any] = call, reply: Reply = reply, barrier: Barrier = barrier) -> bool:
            barrier.wait()
            return isinstance(judge(call, reply, now), Success)

        with ThreadPoolExecutor(THREADS) as pool:
            assert all(pool.map(read, range(THREADS))), call.operation.id


def test_first_answers_of_a_process_may_be_read_by_many_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from client.tests.sdk.test_threads import read_by_many; read_by_many()"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
