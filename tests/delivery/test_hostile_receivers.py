"""Receivers that mean harm: each call ends in time, in bounded memory, with its reason, and slows no other.

All of them are called at once, as by one batch of an executor, while an honest receiver is called again and again.
"""

import asyncio
import datetime as dt
import json
import resource
import ssl
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest
import trustme

from shared.adapters.http import dial
from shared.adapters.http.sender import CallbackSender
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.delivery.hostile import CROWD, CROWDED, RECEIVERS
from tests.support.delivery.hostile_server import HONEST
from tests.support.delivery.sending import AT_MOST, post, sending
from tests.support.delivery.silence import crowd, full_listener
from tests.support.delivery.trust import NAME, trusting
from tests.support.slowdown import STARVED, Slowdown
from tests.support.sources import ROOT

TIMEOUT_SECONDS = 2.0
LATE_SECONDS = 1.0
"""A call ends at most this long after its deadline, whatever the receiver does."""
ROUNDS = 4
USUAL_HONEST_SECONDS = 0.1
SLOWEST_HONEST_SECONDS = 1.5
DESCRIPTORS = 1_024
"""The limit of a Lambda function."""
LONGEST_BLOCK_SECONDS = 0.05
"""Processor time for which one callback of the loop may hold up all others."""
MOST_MEMORY_BYTES = 12_000_000
"""For all of them together, a fraction of a megabyte each; several of them send fifty."""


@dataclass(slots=True)
class Batch:
    """The outcome of one round. Bounds of time are multiples of the slowdown of the machine in that round."""

    timeout_seconds: float = TIMEOUT_SECONDS
    slowdown: float = 1.0
    answers: dict[str, CallbackResponse] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    honest: list[float] = field(default_factory=list)
    """How long each call of the honest receiver took while the others were under way."""
    longest_block: float = 0.0
    """The processor time of the longest callback of the loop."""

    @property
    def is_starved(self) -> bool:
        """Whether the machine gave the round too little time for a receiver to finish before the deadline."""
        return self.slowdown >= STARVED


@pytest.fixture(scope="module")
def ports(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, int]]:
    """Where the receivers listen."""
    directory = tmp_path_factory.mktemp("certificates")
    certificates = {
        "good": authority.issue_cert(NAME),
        "RSA": authority.issue_cert(NAME, key_type=trustme.KeyType.RSA),
        "expired": authority.issue_cert(NAME, not_after=dt.datetime.now(dt.UTC) - dt.timedelta(days=1)),
        "wrong name": authority.issue_cert("other.test"),
        "unknown authority": trustme.CA().issue_cert(NAME),
    }
    for name, certificate in certificates.items():
        certificate.private_key_and_cert_chain_pem.write_to_path(directory / f"{name}.pem")
    with serving(directory) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        assert process.poll() is None
        process.communicate(timeout=30)


def serving(certificates: Path) -> subprocess.Popen[str]:
    """The process of the receivers."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.delivery.hostile_server", str(certificates)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module", autouse=True)
def as_many_descriptors_as_a_lambda_function_has() -> Iterator[None]:
    """Limit the process of the sender."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module", autouse=True)
def no_deadline_of_connecting() -> Iterator[None]:
    """It would precede that of the call on a busy machine; `test_budgets.py` is about it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dial, "CONNECT_SECONDS", None)
        yield


@pytest.fixture(scope="module")
def batch(ports: dict[str, int], authority: trustme.CA, slowdown: Slowdown) -> Batch:
    """One round against the clock, and others while the machine is starved."""
    trusted = trusting(authority)  # reading the system's authorities takes its time once
    for _ in range(ROUNDS):
        began_at = time.time()
        timeout_seconds = TIMEOUT_SECONDS * min(slowdown.since(began_at), STARVED)
        with measuring_blocks() as blocks:
            done = asyncio.run(
                asyncio.wait_for(call_all(ports, trusted, timeout_seconds), AT_MOST + timeout_seconds)
            )
        done.longest_block = max(blocks)
        done.slowdown = slowdown.since(began_at)
        if not done.is_starved:
            break
    return done


@contextmanager
def measuring_blocks() -> Iterator[list[float]]:
    """The processor time, in seconds, of each callback of the loop."""
    blocks: list[float] = []
    run = asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> None:
        begun = time.thread_time()
        run(handle)
        blocks.append(time.thread_time() - begun)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", measured)
        yield blocks


def look_up(name: str) -> list[str]:
    """The loopback address, or the many addresses of the crowded name."""
    return crowd(CROWD) if name == CROWDED else ["127.0.0.1"]


async def call_all(ports: dict[str, int], trusted: ssl.SSLContext, timeout_seconds: float) -> Batch:
    """Every receiver at once."""
    done = Batch(timeout_seconds)
    with full_listener() as full:
        ports = ports | {name: full for name, row in RECEIVERS.items() if row.host == CROWDED}
        async with sending(ssl_context=trusted, look_up=look_up) as sender:
            return await _call_all(sender, ports, done)


async def _call_all(sender: CallbackSender, ports: dict[str, int], done: Batch) -> Batch:
    honest = f"http://{NAME}:{ports[HONEST]}/"
    await sender.send(post(honest), timeout_seconds=done.timeout_seconds)
    under_way = asyncio.gather(*(call(sender, name, ports[name], done) for name in RECEIVERS))
    while not under_way.done():
        begun = time.monotonic()
        answer = await sender.send(post(honest), timeout_seconds=done.timeout_seconds)
        done.honest.append(time.monotonic() - begun)
        assert answer.reason is Reason.OK
        await asyncio.sleep(0.01)
    await under_way
    return done


async def call(sender: CallbackSender, name: str, port: int, done: Batch) -> None:
    """One call, noted."""
    row = RECEIVERS[name]
    scheme = row.scheme or ("https" if row.tls else "http")
    begun = time.monotonic()
    target = post(f"{scheme}://{row.host}:{port}/hook?token=x", b"{}" * 100)
    done.answers[name] = await sender.send(target, timeout_seconds=done.timeout_seconds)
    done.seconds[name] = time.monotonic() - begun


@pytest.mark.parametrize("name", RECEIVERS)
def test_call_of_a_hostile_receiver_ends_in_time_and_with_its_reason(batch: Batch, name: str) -> None:
    row, answer, seconds = RECEIVERS[name], batch.answers[name], batch.seconds[name]
    if batch.is_starved and answer.reason is Reason.TIMEOUT:
        assert seconds <= batch.timeout_seconds + LATE_SECONDS * batch.slowdown
        return
    assert answer.reason in (row.reason, row.or_else)
    assert answer.status == row.status
    assert answer.duration_ms == pytest.approx(seconds * 1000, abs=200 * batch.slowdown)
    if row.lasts:
        latest = batch.timeout_seconds + LATE_SECONDS * batch.slowdown
        assert batch.timeout_seconds - 0.05 <= seconds <= latest
    else:
        assert seconds < batch.timeout_seconds, "it held the call although it could have been left"


def test_honest_calls_of_the_same_batch_are_not_slowed(batch: Batch) -> None:
    assert len(batch.honest) > 20 or batch.is_starved
    assert median(batch.honest) < USUAL_HONEST_SECONDS * batch.slowdown
    assert max(batch.honest) < SLOWEST_HONEST_SECONDS * batch.slowdown


def test_no_receiver_holds_up_the_loop(batch: Batch) -> None:
    """One callback of the loop is one block: a handshake, a read, a step of a call."""
    assert batch.longest_block < LONGEST_BLOCK_SECONDS * batch.slowdown


def test_memory_is_bounded(ports: dict[str, int], authority: trustme.CA, batch: Batch) -> None:
    tracemalloc.start()
    try:
        bound = AT_MOST + batch.timeout_seconds
        asyncio.run(asyncio.wait_for(call_all(ports, trusting(authority), batch.timeout_seconds), bound))
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY_BYTES
    finally:
        tracemalloc.stop()
