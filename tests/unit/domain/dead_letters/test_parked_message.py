"""Parked messages: bounded whatever came, and shown so that nothing in them acts on who looks at them."""

import pytest

from shared.domain.dead_letters.parked_message import (
    KEPT_CHARACTERS,
    REASON_CHARACTERS,
    displayed,
    park,
    parse_parked_id,
)
from shared.domain.errors import NotFoundError
from shared.names import QueueName
from tests.support.builders import DUE_AT

HOSTILE = [
    "\x1b[2J\x1b]0;owned\x07",
    "\u202egpj.exe",
    "\ud800",
    "\x00\x7f\x9b31m",
    "<script>\u2028</script>",
    "\r",
]


def test_parked_message_keeps_the_beginning_and_the_size_of_a_huge_body() -> None:
    parked = park("m", QueueName.BULK, "x" * 1_000_000, "y" * 10_000, DUE_AT)
    assert (len(parked.body), parked.size) == (KEPT_CHARACTERS, 1_000_000)
    assert len(parked.reason) == REASON_CHARACTERS


@pytest.mark.parametrize("body", [*HOSTILE, "\ud800" * 1_000_000])
def test_parked_message_is_small_enough_to_store(body: str) -> None:
    parked = park("m", QueueName.BULK, body, body, DUE_AT)
    assert len(parked.body.encode()) < 50_000
    assert len(parked.reason.encode()) < 50_000


@pytest.mark.parametrize("text", HOSTILE)
def test_displayed_body_has_no_control_characters(text: str) -> None:
    shown = displayed(text)
    assert all(one.isprintable() for one in shown)
    assert displayed("plain text, Grüße 💥\n\tindented") == "plain text, Grüße 💥\n\tindented"


def test_an_id_leads_back_to_when_and_which() -> None:
    parked = park("1f6a2f0e-3a5d", QueueName.SLOW_STANDARD, "", "", DUE_AT)
    assert parse_parked_id(parked.id) == (DUE_AT, "1f6a2f0e-3a5d")


@pytest.mark.parametrize("text", ["", "-", "5", "5-", "-m", "x-m", "1" * 16 + "-m", "5-" + "m" * 129, "²-m"])
def test_malformed_id_of_a_parked_message_is_not_found(text: str) -> None:
    with pytest.raises(NotFoundError):
        parse_parked_id(text)
