"""Which URLs `--forward-to` and `--to` take, and what they become."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctual.hooks.target import parse_target


@pytest.mark.parametrize(
    ("text", "authority", "asked"),
    [
        ("http://localhost:3000", "localhost:3000", b"/"),
        ("http://localhost", "localhost", b"/"),
        ("http://localhost:80/hooks?a=1", "localhost", b"/hooks?a=1"),
        ("https://127.0.0.1:443/a%20b", "127.0.0.1", b"/a%20b"),
        ("https://127.0.0.1:8443?x", "127.0.0.1:8443", b"/?x"),
        ("http://[::1]:3000/", "[::1]:3000", b"/"),
        ("http://LOCALHOST:3000/A", "localhost:3000", b"/A"),
        ("http://127.9.9.9:1", "127.9.9.9:1", b"/"),
    ],
)
def test_url_of_this_machine_is_taken(text: str, authority: str, asked: bytes) -> None:
    target = parse_target(text)
    assert (target.authority, target.request_target) == (authority, asked)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("localhost:3000", "give one such as http://localhost:3000/hooks"),
        ("3000", "give one such as"),
        ("", "give one such as"),
        ("ftp://localhost/", "give one such as"),
        ("http://", "give one such as"),
        ("http://localhost:0/", "give one such as"),
        ("http://localhost:99999/", "malformed"),
        ("http://[::1/", "malformed"),
        ("http://localhost/a b", "no spaces"),
        ("http://localhost/ä", "only ASCII"),
        ("http://localhost/\r\nX: 1", "no spaces"),
        ("http://user:hunter2@localhost/", "user name"),
        ("http://localhost/#a", "fragment"),
    ],
)
def test_text_that_is_no_url_of_a_receiver_is_refused(text: str, message: str) -> None:
    for is_remote_allowed in (False, True):
        with pytest.raises(ValueError, match=message) as caught:
            parse_target(text, is_remote_allowed=is_remote_allowed)
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "http://example.com/",
        "http://10.0.0.1/",
        "http://0.0.0.0:3000/",
        "http://169.254.169.254/latest/meta-data",
        "http://localhost.example.com/",
        "http://127.0.0.1.example.com/",
        "http://[fe80::1]/",
        "http://2130706433/",
    ],
)
def test_other_machine_has_to_be_allowed(text: str) -> None:
    with pytest.raises(ValueError, match="add --allow-remote"):
        parse_target(text)
    assert parse_target(text, is_remote_allowed=True).is_remote_allowed


@given(st.text(max_size=60))
def test_text_of_any_form_is_a_target_of_this_machine_or_an_error(text: str) -> None:
    for candidate in (text, f"http://{text}", f"http://localhost{text}"):
        try:
            target = parse_target(candidate)
        except ValueError:
            continue
        assert target.host.endswith("localhost") or target.host.startswith("127.") or ":" in target.host
        assert not set(target.request_target) & set(b" \r\n\t#") and 0 < target.port < 65536
