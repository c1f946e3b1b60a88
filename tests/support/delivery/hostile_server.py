"""Every hostile receiver at its own port, in a separate process, so that the sender's process is not slowed.

    python -m tests.support.delivery.hostile_server <directory with the certificates>

prints one line of JSON, the ports by name, and serves until its standard input ends.
"""

import asyncio
import json
import ssl
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from tests.support.delivery.hostile import RECEIVERS, Hostile
from tests.support.fakes.receiver import Receiver, replies, reply

HONEST = "honest"


def _receiver(certificates: Path, row: Hostile) -> Receiver:
    if row.tls is None:
        return Receiver(row.script)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / f"{row.tls}.pem")
    if row.speaks_tls is not None:
        return Receiver(row.speaks_tls(context))
    return Receiver(row.script, ssl_context=context)


async def serve(certificates: Path) -> None:
    """Serve until the standard input ends."""
    asyncio.get_running_loop().set_exception_handler(
        lambda *_: None
    )  # callers disconnect in the middle on purpose
    async with AsyncExitStack() as stack:
        opened = {HONEST: await stack.enter_async_context(Receiver(replies(reply())))}
        for name, row in RECEIVERS.items():
            opened[name] = await stack.enter_async_context(_receiver(certificates, row))
        print(json.dumps({name: receiver.port for name, receiver in opened.items()}), flush=True)  # noqa: T201
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
