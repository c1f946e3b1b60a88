"""`make run`: runs Punctual on this machine with three demo jobs, and shows each call as it arrives.

python -m infra.local.run [--fresh] [--home DIR] [--port N] [--seconds N] [--json]
"""

import argparse
import json
import queue
import shlex
import signal
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

from rich.console import Console

from infra.local.calls import Call
from infra.local.clients import CREDENTIALS, REGION
from infra.local.console import Screen
from infra.local.demo import Demo, load_demo
from infra.local.receiver import OK, Receiver, Reply
from infra.local.sockets import in_use
from infra.local.stack import LocalStack, local_stack
from infra.local.state_dir import DEFAULT_STATE_DIR, LocalStackError, StateDir

PREFERRED_PORT = 14566
RECEIVER_PORT = 14567


class Stop(BaseException):
    """The user's request to stop. A BaseException, so that no error handler catches it."""


def main(arguments: list[str]) -> int:
    """Run until a signal or for the given time; returns 0, or 1 after an error."""
    options = _options(arguments)
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
    console.print("Starting the AWS emulator and deploying the stacks into it …")
    stack = exits.enter_context(local_stack(options.home, fresh=options.fresh, port=options.port))
    calls: queue.SimpleQueue[Call] = queue.SimpleQueue()
    receiver = exits.enter_context(_receiver(calls))
    demo = load_demo(stack, StateDir(options.home))
    receiver.secret = demo.tenant.signing_secret
    exits.callback(_end_jobs, demo)
    demo.start_jobs(receiver.url)
    _introduce(stack, demo, receiver.url, time.monotonic() - begun, console, options)
    exits.callback(console.print, "Stopping …")
    with screen.live():
        _show(calls, screen, stack, options.seconds)


def _end_jobs(demo: Demo) -> None:
    """Delete the demo jobs; if the API is unreachable, the next start deletes them."""
    with suppress(OSError):
        demo.stop_jobs()


def _show(calls: "queue.SimpleQueue[Call]", screen: Screen, stack: LocalStack, seconds: float | None) -> None:
    """Show each call; LocalStackError if the emulator has stopped."""
    end = time.monotonic() + seconds if seconds is not None else float("inf")
    while time.monotonic() < end:
        try:
            screen.add(calls.get(timeout=0.5))
        except queue.Empty:
            if not stack.emulator.alive():
                raise LocalStackError(f"the emulator has stopped; see {stack.emulator.home.log}") from None


def _receiver(calls: "queue.SimpleQueue[Call]") -> Receiver:
    """Return a receiver that queues each call.

    It reuses the usual port if free, because existing jobs call it.
    """

    def respond(call: Call) -> Reply:
        calls.put(call)
        return OK

    return Receiver(port=0 if in_use(RECEIVER_PORT) else RECEIVER_PORT, respond=respond, keep=1)


def _introduce(
    stack: LocalStack,
    demo: Demo,
    receiver: str,
    seconds: float,
    console: Console,
    options: argparse.Namespace,
) -> None:
    """Print the variables of the documentation's examples, and a command that creates a job."""
    curl = demo.curl(receiver)
    if options.json:
        ready = {
            "event": "ready",
            "seconds": round(seconds, 1),
            "api": stack.api_url,
            "key": demo.tenant.api_key,
            "curl": f"{demo.exports()}; {curl}",
            "admin": _admin(stack),
        }
        Console().out(json.dumps(ready), highlight=False)
        return
    console.print(
        f"Up in {seconds:.1f} s. API {stack.api_url}, AWS at {stack.endpoint}, "
        f"log in {stack.emulator.home.log}.\n"
        "Three jobs are running: once in 5 s, every 5 s, and on the minute.\n"
        "\nPaste these lines into another terminal: variables for the examples in docs/, and a first job.\n",
        highlight=False,
        soft_wrap=True,
    )
    # `out` adds no line breaks and no markup, so the line can be copied.
    console.out(demo.exports(), highlight=False)
    console.out(curl, highlight=False)
    console.print("\nThe API's documentation, in a browser:\n", highlight=False)
    console.out(f"{stack.api_url}/v1/docs", highlight=False)
    console.print(
        "\nFor tenants, keys and quotas, as an operator, from this directory (--help lists the commands):\n",
        highlight=False,
        soft_wrap=True,
    )
    console.out(_admin(stack), highlight=False)
    console.out("")


def _admin(stack: LocalStack) -> str:
    """Return a shell line that runs an operator command against the stack."""
    aws = {**CREDENTIALS, "AWS_REGION": REGION, "AWS_ENDPOINT_URL": stack.endpoint}
    variables = " ".join(f"{name}={value}" for name, value in aws.items())
    python = shlex.quote(sys.executable)
    return f"{variables} {python} -m functions.admin --function {stack.functions['api']} list-tenants"


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m infra.local.run", description="Run Punctual on this machine."
    )
    parser.add_argument("--home", type=Path, default=DEFAULT_STATE_DIR, help="directory of the saved state")
    parser.add_argument("--fresh", action="store_true", help="delete all jobs and tenants of earlier runs")
    parser.add_argument("--port", type=int, default=PREFERRED_PORT, help="port of the emulator, if free")
    parser.add_argument("--seconds", type=float, help="stop after this time")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    return parser.parse_args(arguments)


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Raise Stop once; further signals are ignored, so that they cannot interrupt the cleanup."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise Stop


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
