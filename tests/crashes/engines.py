"""What the workers work on: DynamoDB Local, the emulator's queues and keys, and one clock."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.local.clients import CREDENTIALS, REGION, Clients
from infra.local.dynamodb_local import DynamoDbLocal
from tests.crashes.clock import SharedClock
from tests.crashes.emulator import ClockedEmulator


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """Running engines."""

    clock: SharedClock
    store: Clients
    """DynamoDB."""
    others: Clients
    """SQS and KMS."""
    root: Path

    @property
    def environment(self) -> dict[str, str]:
        """What points the SDK of a worker at them, and nowhere else."""
        return {
            **CREDENTIALS,
            "PATH": "/usr/bin:/bin",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_CONFIG_FILE": "/nonexistent",
            "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
            "AWS_ENDPOINT_URL": self.others.endpoint,
            "AWS_ENDPOINT_URL_DYNAMODB": self.store.endpoint,
            "NO_PROXY": "*",
            "no_proxy": "*",
            "PYTHONUNBUFFERED": "1",
        }


@contextmanager
def engines(root: Path, *, goes: bool) -> Iterator[Engines]:
    """Start them over an empty directory; stop them at the end. `goes`: whether the clock goes by itself."""
    root.mkdir(parents=True, exist_ok=True)
    clock = SharedClock.create(root / "clock", goes=goes)
    with contextlib.ExitStack() as stack:
        emulator = ClockedEmulator(root, clock)
        stack.callback(emulator.stop)
        store = stack.enter_context(DynamoDbLocal(lives_long=True))
        emulator.await_answer()
        yield Engines(
            clock=clock, store=Clients(store.endpoint), others=Clients(emulator.endpoint), root=root
        )
