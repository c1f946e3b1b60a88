"""`punctual listen`: shows the calls that reach this machine, and forwards them to a receiver."""

from typing import TYPE_CHECKING, Annotated

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Format
from punctual.cli.session import Session, session_of
from punctual.cli.signing_secrets import SecretFile, signing_secrets_of

if TYPE_CHECKING:
    import asyncio

    from punctual.hooks.faults import Faults
    from punctual.hooks.target import Target

HOST, PORT = "127.0.0.1", 14569
"""The port after those of `make run`."""
SEEDS = 1_000_000


def listen(
    context: typer.Context,
    forward_to: Annotated[
        str,
        typer.Option(
            "--forward-to", metavar="URL", help="The receiver, such as http://localhost:3000/hooks."
        ),
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 is any free one.")
    ] = PORT,
    bind: Annotated[str, typer.Option(metavar="ADDRESS", help="The address to listen on.")] = HOST,
    fail: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STATUS[:SHARE]", help="Answer a share of the calls by itself, such as 503:30%."
        ),
    ] = None,
    slow: Annotated[
        list[str] | None,
        typer.Option(metavar="DELAY[:SHARE]", help="Delay a share of the answers, such as 5s or 500ms:10%."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Draw the same faults again.", show_default=False)
    ] = None,
    calls: Annotated[
        int | None, typer.Option(min=1, help="End after so many calls.", show_default=False)
    ] = None,
    secret_file: SecretFile = None,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Allow other machines as the receiver and as callers.")
    ] = False,
) -> None:
    """Show the calls to an address of this machine, and forward them, byte by byte, to a receiver.

    Jobs of the laptop stack can call the address; a deployment in the cloud cannot. The path of a call is added to
    that of the receiver. Wrong signatures are shown, and forwarded as well: the receiver has to refuse them. Ctrl-C
    ends with 0.
    """
    import asyncio
    from contextlib import suppress

    from punctual.hooks.faults import parse_faults
    from punctual.hooks.target import parse_target

    session = session_of(context)
    if session.format not in (Format.TABLE, Format.JSON):
        raise CommandError("listen writes lines: use -o table or json", Exit.USAGE)
    target = parse_target(forward_to, is_remote_allowed=allow_remote)
    if target.query:
        raise CommandError("--forward-to has a query: leave out ? and what follows", Exit.USAGE)
    _check_bind(bind, allow_remote)
    faults = parse_faults(fail or (), slow or ())
    secrets = signing_secrets_of(session, secret_file)
    with suppress(KeyboardInterrupt):
        asyncio.run(_listen(session, target, (bind, port), faults, seed, calls, secrets))


def _check_bind(address: str, allow_remote: bool) -> None:
    from punctual._config import is_loopback

    if not (allow_remote or is_loopback(address)):
        raise CommandError(
            f"other machines could call {address}: bind {HOST}, or add --allow-remote", Exit.USAGE
        )


async def _listen(
    session: Session,
    target: "Target",
    address: tuple[str, int],
    faults: "Faults",
    seed: int | None,
    calls: int | None,
    secrets: list[str],
) -> None:
    import asyncio
    import random

    from punctual.cli.arrivals import Shown
    from punctual.hooks.faults import FaultDraw
    from punctual.hooks.listener import Listener, Surroundings

    stop = asyncio.Event()
    _stop_on_signals(stop)
    drawn = random.randrange(SEEDS) if seed is None else seed  # noqa: S311 - no secret
    shown = Shown(session, calls, stop.set)
    around = Surroundings(
        now=session.around.now,
        monotonic=session.around.monotonic,
        sleep=asyncio.sleep,
        show=shown.add,
        note=session.note,
    )

    def ready(port: int) -> None:
        host = f"[{address[0]}]" if ":" in address[0] else address[0]
        session.note(f"Listening on http://{host}:{port}, and forwarding to {target.url}. Ctrl-C ends.")
        session.note(_about_signatures(secrets))
        if faults.failing or faults.slow:
            session.note(f"Faults are drawn: --seed {drawn} draws the same ones again.")

    listener = Listener(target, around, secrets=secrets, faults=FaultDraw(faults, drawn))
    try:
        await listener.serve(*address, ready=ready, stop=stop)
    except OSError as error:
        raise CommandError(
            f"cannot listen on {address[0]}:{address[1]}: {error.strerror or error}",
            Exit.USAGE,
            hint="choose another port with --port",
        ) from None
    session.note(shown.totals)
    shown.check()


def _about_signatures(secrets: list[str]) -> str:
    if not secrets:
        return "Signatures are not checked: set PUNCTUAL_SIGNING_SECRET, or give --secret-file."
    return f"Signatures are checked with {len(secrets)} secret{'s' if len(secrets) > 1 else ''}."


def _stop_on_signals(stop: "asyncio.Event") -> None:
    import asyncio
    import signal
    from contextlib import suppress

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows, and threads other than the first one, have no handlers; Ctrl-C then raises KeyboardInterrupt.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, stop.set)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("listen")(listen)
