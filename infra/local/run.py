"""`make run`: runs Punctual on this machine with three demo jobs, and shows each call as it arrives.

python -m infra.local.run [--fresh] [--home DIR] [--port N] [--faults LIST]
    [--clock-offset SECONDS] [--seconds N] [--json]
"""

import argparse
import json
import queue
import signal
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

from rich.console import Console

from infra.local.calls import Call
from infra.local.clock_offset import parse_clock_offset
from infra.local.console import Screen
from infra.local.demo import Demo, load_demo
from infra.local.demo_receiver import DemoReceiver
from infra.local.faults import Faults, parse_faults
from infra.local.introduction import as_json, introduce
from infra.local.progress import progress
from infra.local.receiver import Receiver, Reply
from infra.local.sockets import in_use
from infra.local.stack import LocalStack, local_stack
from infra.local.state_dir import DEFAULT_STATE_DIR, LocalStackError, StateDir

EMULATOR_PORT = 14566
RECEIVER_PORT = 14567
API_PORT = 14568
Calls = queue.SimpleQueue[tuple[Call, int]]
"""Calls, each with the status that it was answered with."""


class Stop(BaseException):
    """The user's request to stop. A BaseException, so that no error handler catches it."""


def main(arguments: list[str]) -> int:
    """Run until a signal or for the given time; returns 0, or 1 after an error."""
    options = parse_options(arguments)
    console = Console(stderr=options.json)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    screen = Screen(Console(), as_json=options.json)
    try:
        with ExitStack() as exits:
            _run(options, console, screen, exits)
    except Stop:
        pass
    except LocalStackError as error:
        console.print(str(error), style="bold red", highlight=False, markup=False)
        return 1
    if options.json:
        Console().out(json.dumps({"event": "stopped", **screen.totals.as_dict()}), highlight=False)
    console.print(f"Stopped: {screen.totals.line()}. The state is kept in {options.home}.", soft_wrap=True)
    return 0


def _run(options: argparse.Namespace, console: Console, screen: Screen, exits: ExitStack) -> None:
    """Start all parts, register their cleanup on `exits`, then show calls."""
    begun = time.monotonic()
    console.print(
        "Starting Punctual: 10 to 40 s; the first time, and after a change of the sources, up to 2 minutes.",
        highlight=False,
        soft_wrap=True,
    )
    calls: Calls = queue.SimpleQueue()
    with progress(console) as report:
        stack = exits.enter_context(
            local_stack(
                options.home,
                fresh=options.fresh,
                emulator_port=EMULATOR_PORT,
                api_port=api_port(options.port),
                faults=options.faults,
                clock_offset=options.clock_offset,
                report=report,
            )
        )
        receiver = exits.enter_context(_receiver(calls, stack.api_url))
        report("creating the demo's tenant and jobs")
        demo = load_demo(stack, StateDir(options.home))
        receiver.secret = demo.tenant.signing_secret
        exits.callback(_end_jobs, demo)
        demo.start_jobs(receiver.url)
    seconds = time.monotonic() - begun
    if options.json:
        Console().out(as_json(stack, demo, receiver.url, seconds), highlight=False)
    else:
        console.print(f"Up in {seconds:.1f} s. Ctrl-C stops.\n", highlight=False)
        introduce(stack, demo, receiver.url, console)
    exits.callback(console.print, "Stopping …")
    with screen.live():
        _show(calls, screen, stack, options.seconds)


def api_port(chosen: int | None) -> int:
    """Return the port for the API: the chosen one, or else the usual one if it is free, or 0 for any."""
    if chosen is not None:
        return chosen
    return 0 if in_use(API_PORT) else API_PORT


def _end_jobs(demo: Demo) -> None:
    """Delete the demo jobs; if the API is unreachable, the next start deletes them."""
    with suppress(OSError):
        demo.stop_jobs()


def _show(calls: Calls, screen: Screen, stack: LocalStack, seconds: float | None) -> None:
    """Show each call; LocalStackError if the emulator has stopped."""
    end = time.monotonic() + seconds if seconds is not None else float("inf")
    while time.monotonic() < end:
        try:
            screen.add(*calls.get(timeout=0.5))
        except queue.Empty:
            if not stack.emulator.alive():
                raise LocalStackError(f"the emulator has stopped; see {stack.emulator.home.log}") from None


def _receiver(calls: Calls, api_url: str) -> Receiver:
    """Return a receiver that queues each call.

    It reuses the usual port if free, because existing jobs call it.
    """
    demo = DemoReceiver(api_url)

    def respond(call: Call) -> Reply:
        reply = demo.respond(call)
        calls.put((call, reply.status))
        return reply

    return Receiver(port=0 if in_use(RECEIVER_PORT) else RECEIVER_PORT, respond=respond, keep=1)


def parse_options(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line; SystemExit for options that cannot be obeyed."""
    parser = argparse.ArgumentParser(
        prog="python -m infra.local.run", description="Run Punctual on this machine."
    )
    parser.add_argument("--home", type=Path, default=DEFAULT_STATE_DIR, help="directory of the saved state")
    parser.add_argument("--fresh", action="store_true", help="delete all jobs and tenants of earlier runs")
    parser.add_argument(
        "--port", type=_port, help=f"port of the API on 127.0.0.1; by default {API_PORT}, or a free one"
    )
    parser.add_argument(
        "--faults", type=_faults, metavar="LIST", help="faults of the API, such as throttled=0.1,lost=0.05"
    )
    parser.add_argument(
        "--clock-offset",
        type=_clock_offset,
        default=0,
        metavar="SECONDS",
        help="seconds that the stack's clock is ahead of this machine's, such as 90 or -90",
    )
    parser.add_argument("--seconds", type=float, help="stop after this time")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")
    return int(text)


def _faults(text: str) -> Faults:
    try:
        return parse_faults(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _clock_offset(text: str) -> int:
    try:
        return parse_clock_offset(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Raise Stop once; further signals are ignored, so that they cannot interrupt the cleanup."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise Stop


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
