"""The sender: what goes over the wire."""

import pytest

from shared.adapters.http.request import encode_request
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.delivery.sending import LONG, SIGNATURE, answer_to, post, run, sending
from tests.support.fakes.receiver import Receiver, replies, reply


def test_sends_what_it_is_given_and_little_else() -> None:
    headers = (("X-One", "1"), ("content-type", "text/x"), ("X-Two", "a"), ("X-Two", "b"))
    answer, receiver = answer_to(replies(reply(204)), headers=headers, body=b"\x00\xffbody")
    assert answer == CallbackResponse(reason=Reason.OK, duration_ms=answer.duration_ms, status=204)
    (request,) = receiver.requests
    assert (request.method, request.target, request.body) == ("POST", "/hook", b"\x00\xffbody")
    assert sorted(request.headers) == sorted(
        [
            SIGNATURE,
            *headers,
            ("Host", f"127.0.0.1:{request.header('host').split(':')[1]}"),  # type: ignore[union-attr]
            ("Content-Length", "6"),
            ("User-Agent", "Punctual/0.1"),
        ]
    )


def test_a_callback_may_name_its_own_user_agent() -> None:
    _, receiver = answer_to(replies(reply()), headers=(("user-agent", "mine/1"),))
    assert [value for name, value in receiver.requests[0].headers if name.lower() == "user-agent"] == [
        "mine/1"
    ]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"])
def test_every_method_without_a_body(method: str) -> None:
    answer, receiver = answer_to(replies(reply()), method=method, body=b"")
    assert answer.reason is Reason.OK
    assert (receiver.requests[0].method, receiver.requests[0].body) == (method, b"")
    assert receiver.requests[0].header("transfer-encoding") is None
    assert receiver.requests[0].header("content-length") == (None if method in ("GET", "HEAD") else "0")


def test_the_url_is_sent_as_it_was_accepted() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply())) as receiver, sending() as sender:
            for path in ("/%7e/../a//b?x=%2f+%20~&y[]=", "?q=1", ""):
                await sender.send(post(receiver.url(path)), timeout_seconds=LONG)
            assert [request.target for request in receiver.requests] == [
                "/%7e/../a//b?x=%2f+%20~&y[]=",
                "/?q=1",
                "/",
            ]

    run(scenario)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://{address}:{port}/", "{address}:{port}"),
        ("http://LocalHost:{port}?q=1", "LocalHost:{port}"),
        ("http://[0:0::1]:{port}/", "[0:0::1]:{port}"),
    ],
)
def test_host_is_sent_as_the_url_spells_it(url: str, host: str) -> None:
    async def scenario() -> None:
        address = "::1" if "[" in url else "127.0.0.1"
        async with Receiver(replies(reply()), address=address) as receiver, sending() as sender:
            where = {"address": address, "port": receiver.port}
            answer = await sender.send(post(url.format(**where)), timeout_seconds=LONG)
            assert answer.reason is Reason.OK
            assert receiver.requests[0].header("host") == host.format(**where)

    run(scenario)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://name.test/", b"name.test", 80),
        ("http://name.test:80/", b"name.test", 80),
        ("http://name.test:443/", b"name.test:443", 443),
        ("https://name.test/", b"name.test", 443),
        ("https://name.test:443?q", b"name.test", 443),
        ("https://name.test:80/", b"name.test:80", 80),
        ("https://[2606:4700::1111]/", b"[2606:4700::1111]", 443),
    ],
)
def test_host_names_a_port_that_is_not_the_one_of_the_scheme(url: str, host: bytes, port: int) -> None:
    request = encode_request(post(url))
    assert request.data.split(b"\r\n")[1] == b"Host: " + host
    assert request.target.port == port


def test_cookies_are_not_kept() -> None:
    async def scenario() -> None:
        async with Receiver(replies(reply(200, b"", "Set-Cookie: a=b"))) as receiver, sending() as sender:
            for _ in range(2):
                await sender.send(post(receiver.url(host="localhost")), timeout_seconds=LONG)
            assert [request.header("cookie") for request in receiver.requests] == [None, None]

    run(scenario)


def test_the_environments_proxy_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with (
            Receiver(replies(reply())) as receiver,
            Receiver(replies(reply())) as proxy,
            sending() as sender,
        ):
            for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url())
            answer = await sender.send(post(receiver.url()), timeout_seconds=LONG)
            assert (answer.reason, len(receiver.requests), proxy.connections) == (Reason.OK, 1, 0)

    run(scenario)
