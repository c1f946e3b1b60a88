"""The sender over TLS: the name of the host is what is asked for and what is believed."""

import asyncio
import datetime as dt
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from shared.adapters.http.tls import harden
from shared.domain.delivery.callback import Reason
from tests.support.delivery.names import always
from tests.support.delivery.sending import LONG, SHORT, post, run, sending, without_descriptors
from tests.support.delivery.trust import NAME, trusting
from tests.support.fakes.receiver import Peer, Receiver, replies, reply


def server_with(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """What a receiver with this certificate listens with."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.configure_cert(context)
    return context


def test_tls_names_the_host_and_is_kept_alive(authority: trustme.CA) -> None:
    context = server_with(authority.issue_cert(NAME))
    names: list[str | None] = []
    context.sni_callback = lambda _, name, __: names.append(name)

    async def scenario() -> None:
        async with (
            Receiver(replies(reply()), ssl_context=context) as receiver,
            sending(ssl_context=trusting(authority), look_up=always("127.0.0.1")) as sender,
        ):
            for _ in range(2):
                answer = await sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG)
                assert answer.reason is Reason.OK
            assert receiver.requests[1].header("host") == f"{NAME}:{receiver.port}"
            assert (receiver.connections, names) == (1, [NAME])

    run(scenario)


def _issued(*names: str, **options: object) -> Callable[[trustme.CA], trustme.LeafCert]:
    return lambda authority: authority.issue_cert(*names, **options)  # type: ignore[arg-type]


PAST = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)


@pytest.mark.parametrize(
    "certificate",
    [
        pytest.param(_issued(NAME, not_after=PAST), id="expired"),
        pytest.param(_issued("other.test"), id="wrong name"),
        pytest.param(_issued("127.0.0.1"), id="the address instead of the name"),
        pytest.param(_issued("*.hook.test"), id="a wildcard below the name"),
        pytest.param(lambda _: trustme.CA().issue_cert(NAME), id="an authority that nobody knows"),
    ],
)
def test_certificates_are_verified(
    authority: trustme.CA, certificate: Callable[[trustme.CA], trustme.LeafCert]
) -> None:
    context = server_with(certificate(authority))

    async def scenario() -> None:
        async with (
            Receiver(replies(reply()), ssl_context=context) as receiver,
            sending(ssl_context=trusting(authority), look_up=always("127.0.0.1")) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.TLS_FAILED, None)
            assert receiver.requests == []

    run(scenario)


def test_by_default_the_authorities_of_the_system_are_trusted_and_no_others(authority: trustme.CA) -> None:
    context = server_with(authority.issue_cert(NAME))

    async def scenario() -> None:
        async with (
            Receiver(replies(reply()), ssl_context=context) as receiver,
            sending(look_up=always("127.0.0.1")) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG)
            assert (answer.reason, receiver.requests) == (Reason.TLS_FAILED, [])

    run(scenario)


def test_tls_below_1_2_is_refused(authority: trustme.CA) -> None:
    context = server_with(authority.issue_cert(NAME))
    with pytest.warns(DeprecationWarning):
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")

    async def scenario() -> None:
        async with (
            Receiver(replies(reply()), ssl_context=context) as receiver,
            sending(ssl_context=trusting(authority), look_up=always("127.0.0.1")) as sender,
        ):
            answer = await sender.send(post(receiver.url(host=NAME)), timeout_seconds=LONG)
            assert answer.reason in (Reason.TLS_FAILED, Reason.CONNECT_FAILED)
            assert receiver.requests == []

    run(scenario)


def test_a_listener_without_tls() -> None:
    async def greets(peer: Peer) -> None:
        await peer.send(reply())
        await peer.reader.read()

    async def scenario() -> None:
        async with Receiver(greets) as receiver, sending() as sender:
            answer = await sender.send(post(receiver.url(scheme="https")), timeout_seconds=LONG)
            assert (answer.reason, answer.status) == (Reason.TLS_FAILED, None)

    run(scenario)


def test_tls_whose_authorities_could_not_be_read_is_not_kept(
    authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenSSL reports no error, and each later call would fail."""
    authority.cert_pem.write_to_path(tmp_path / "authorities.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authorities.pem"))
    with pytest.raises(OSError, match="authorities could not be read"), without_descriptors():
        harden()
    assert harden().cert_store_stats()["x509_ca"] > 0


def test_the_deadline_covers_the_tls_handshake() -> None:
    async def mute(peer: Peer) -> None:
        await peer.reader.read()

    async def scenario() -> None:
        async with Receiver(mute) as receiver, sending() as sender:
            answer = await sender.send(post(receiver.url(scheme="https")), timeout_seconds=SHORT)
            assert answer.reason is Reason.TIMEOUT

    run(scenario)


def test_cancellation_during_the_tls_handshake() -> None:
    async def mute(peer: Peer) -> None:
        await peer.reader.read()

    async def scenario() -> None:
        async with Receiver(mute) as receiver, sending() as sender:
            target = post(receiver.url(scheme="https"))
            call = asyncio.create_task(sender.send(target, timeout_seconds=LONG))
            while not receiver.connections:
                await asyncio.sleep(0.001)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    run(scenario)
