"""TLS servers that mean harm: costly key exchanges, demands for certificates, and floods below HTTP."""

import asyncio
import base64
import ssl
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from tests.support.fakes.receiver import Peer, Script

MODULUS_BITS = 10_000
"""The largest Diffie-Hellman modulus that OpenSSL accepts from a server. It need not be prime."""


def large_modulus(context: ssl.SSLContext) -> None:
    """TLS 1.2 with a finite-field Diffie-Hellman exchange over `MODULUS_BITS`."""
    modulus = (1 << MODULUS_BITS) - 1
    numbers = _der(0x02, b"\0" + modulus.to_bytes(MODULUS_BITS // 8, "big")) + _der(0x02, b"\x02")
    text = base64.encodebytes(_der(0x30, numbers)).decode()
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(f"-----BEGIN DH PARAMETERS-----\n{text}-----END DH PARAMETERS-----\n")
        file.flush()
        context.load_dh_params(file.name)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:@SECLEVEL=0")


def large_group(context: ssl.SSLContext) -> None:
    """TLS 1.3 with the largest group of RFC 7919."""
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_ecdh_curve("ffdhe8192")


def client_certificate(context: ssl.SSLContext) -> None:
    """TLS 1.3 that refuses callers without a certificate, which it says after the handshake."""
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.verify_mode = ssl.CERT_REQUIRED


def floods_key_updates(context: ssl.SSLContext) -> Script:
    """After the handshake of TLS 1.3, send KeyUpdate with update_requested for as long as the caller stays."""
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0  # a ticket would be a record before the first KeyUpdate

    one_at_a_time = asyncio.Lock()  # the log of keys belongs to the context

    async def script(peer: Peer) -> None:
        async with one_at_a_time:
            with tempfile.TemporaryDirectory() as directory:
                log = Path(directory) / "keys"
                context.keylog_filename = str(log)
                await _shake_hands(peer, context)
                records = _key_updates(_secret(log))
        while True:
            await peer.send(b"".join(next(records) for _ in range(500)))
            await asyncio.sleep(0)

    return script


def shakes_hands(configure: Callable[[ssl.SSLContext], None]) -> Callable[[ssl.SSLContext], Script]:
    """Only shake hands. Unlike a server of asyncio, this one tells the caller by an alert what was wrong."""

    def speaks_tls(context: ssl.SSLContext) -> Script:
        configure(context)

        async def script(peer: Peer) -> None:
            await _shake_hands(peer, context)
            await peer.reader.read()

        return script

    return speaks_tls


async def _shake_hands(peer: Peer, context: ssl.SSLContext) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(incoming, outgoing, server_side=True)
    is_done = False
    while not is_done:
        try:
            server.do_handshake()
            is_done = True
        except ssl.SSLWantReadError:
            await peer.send(outgoing.read())
            if not (data := await peer.reader.read(65_536)):
                raise ConnectionResetError from None
            incoming.write(data)
        except ssl.SSLError:
            is_done = True
    await peer.send(outgoing.read())


def _secret(log: Path) -> bytes:
    """The secret of the server's first traffic key."""
    lines = [line.split() for line in log.read_text().splitlines()]
    return next(bytes.fromhex(line[2]) for line in lines if line[0] == "SERVER_TRAFFIC_SECRET_0")


def _key_updates(secret: bytes) -> Iterator[bytes]:
    """KeyUpdate records without end. Each is the first record under its key, for it changes the next."""
    digest = hashes.SHA384() if len(secret) == 48 else hashes.SHA256()
    message = b"\x18\x00\x00\x01\x01" + b"\x16"
    head = b"\x17\x03\x03" + (len(message) + 16).to_bytes(2, "big")
    while True:
        key = _expanded(secret, "key", 32 if len(secret) == 48 else 16, digest)
        nonce = _expanded(secret, "iv", 12, digest)
        yield head + AESGCM(key).encrypt(nonce, message, head)
        secret = _expanded(secret, "traffic upd", len(secret), digest)


def _expanded(secret: bytes, label: str, length: int, digest: hashes.HashAlgorithm) -> bytes:
    """HKDF-Expand-Label of RFC 8446, without a context."""
    name = b"tls13 " + label.encode()
    info = length.to_bytes(2, "big") + bytes([len(name)]) + name + b"\0"
    return HKDFExpand(digest, length, info).derive(secret)


def _der(tag: int, content: bytes) -> bytes:
    size = len(content).to_bytes(2, "big")
    return bytes([tag]) + (b"\x82" + size if len(content) > 127 else bytes([len(content)])) + content
