"""Destinations: one for each scheme, host and port, and not a word of them in the code."""

import re

import pytest

from shared.domain.delivery.destination import DESTINATION, destination_id, origin_of


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://example.com/a?b=c", b"https://example.com:443"),
        ("https://Example.COM", b"https://example.com:443"),
        ("https://example.com:443/a:b", b"https://example.com:443"),
        ("https://example.com:8443?x", b"https://example.com:8443"),
        ("http://example.com/a", b"http://example.com:80"),
        ("http://127.0.0.1:8080/a", b"http://127.0.0.1:8080"),
        ("https://[2001:db8::1]/a", b"https://[2001:db8::1]:443"),
        ("https://[2001:db8::1]:444/a", b"https://[2001:db8::1]:444"),
    ],
)
def test_the_same_place_has_one_spelling(url: str, origin: bytes) -> None:
    assert origin_of(url) == origin


def test_an_id_is_ten_characters_that_messages_accept() -> None:
    ids = [destination_id(bytes([value]) * 32) for value in range(256)]
    assert all(re.fullmatch(DESTINATION, one) for one in ids)
    assert len(set(ids)) == 256
