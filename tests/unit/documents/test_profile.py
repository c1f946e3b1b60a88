"""Samples of the part `profile` of `make bench` belong to the part of the product that spends the time."""

import time
from collections import Counter
from collections.abc import Callable
from types import FrameType

import pytest

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.signer import Signer
from shared.domain.ids import encode_base32
from tests.bench.profiled import (
    ASYNC,
    AWS,
    COMPILED,
    OWN,
    PYDANTIC,
    RULES,
    STANDARD,
    part_of,
    part_of_place,
    sampling,
)
from tests.support.sources import ROOT

BUSY_SECONDS = 0.3
SIGNER = Signer("dynamodb", "eu-central-1", "127.0.0.1", "application/x-amz-json-1.0")


def spell() -> None:
    encode_base32(1 << 120, 26)


def sign() -> None:
    SIGNER.headers("DynamoDB_20120810.GetItem", b"{}", Credentials("local", "local"), 0)


@pytest.mark.parametrize(("work", "part"), [(spell, RULES), (sign, AWS)])
def test_most_samples_of_a_function_belong_to_its_part(work: Callable[[], None], part: str) -> None:
    parts: Counter[str] = Counter()

    def note(frame: FrameType | None) -> None:
        parts[part_of(frame)] += 1

    ends_at = time.process_time() + BUSY_SECONDS
    with sampling(note):
        while time.process_time() < ends_at:
            for _ in range(100):
                work()
    assert parts[part] > sum(parts.values()) / 2


@pytest.mark.parametrize(
    ("place", "part"),
    [
        (f"{ROOT}/shared/domain/ids.py", OWN),
        (f"{ROOT}/.venv/lib/python3.11/site-packages/pydantic/main.py", PYDANTIC),
        (f"{ROOT}/.venv/lib/python3.11/site-packages/greenlet/__init__.py", COMPILED),
        ("/usr/lib/python3.11/asyncio/events.py", ASYNC),
        ("/usr/lib/python3.11/json/__init__.py", STANDARD),
    ],
)
def test_import_belongs_to_the_part_of_its_module(place: str, part: str) -> None:
    assert part_of_place(place) == part
