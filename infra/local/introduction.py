"""What `make run` prints when it is up: lines to paste, and where to look."""

import json
import shlex
import sys

from rich.console import Console

from infra.local.clients import CREDENTIALS, REGION
from infra.local.clock_offset import clock_variables
from infra.local.demo import Demo
from infra.local.demo_receiver import PATHS
from infra.local.stack import LocalStack


def introduce(stack: LocalStack, demo: Demo, receiver: str, console: Console) -> None:
    """Print the variables of the documentation's examples, and a command that creates a job."""

    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    def paste(line: str) -> None:
        # `out` adds no line breaks and no markup, so the line can be copied.
        console.out(line, highlight=False)

    if offset := stack.clock_offset:
        direction = "ahead of" if offset > 0 else "behind"
        say(f"The stack's clock is {abs(offset)} s {direction} this machine's.\n")
    say("Three jobs are running: once in 5 s, every 5 s, and on the minute.\n")
    say("The console, in a browser, signed in with the demo's key:\n")
    paste(demo.console(stack.api_url))
    say(
        "\nPaste these lines into another terminal. They set the variables of the examples in docs/, and of clients:\n"
    )
    paste(demo.exports(stack.api_url))
    paste(demo.client_exports())
    say("\nCreate a job. It calls the receiver of this program in a second:\n")
    paste(demo.curl(receiver))
    say("\nThe receiver answers by path:\n")
    for path, answer in PATHS.items():
        say(f"  {receiver}{path:8} {answer}")
    say("\nThe API's documentation, in a browser:\n")
    paste(f"{stack.api_url}/v1/docs")
    say("\nTenants, keys and quotas, as an operator, from this directory (--help lists the commands):\n")
    paste(_admin(stack))
    say(f"\nThe emulator of AWS is at {stack.endpoint}, and its log in {stack.emulator.home.log}.\n")


def as_json(stack: LocalStack, demo: Demo, receiver: str, seconds: float) -> str:
    """Return the same for scripts, as one line."""
    ready = {
        "event": "ready",
        "seconds": round(seconds, 1),
        "clock_offset": stack.clock_offset,
        "api": stack.api_url,
        "console": demo.console(stack.api_url),
        "docs": f"{stack.api_url}/v1/docs",
        "key": demo.tenant.api_key,
        "secret": demo.tenant.signing_secret,
        "receiver": receiver,
        "curl": f"{demo.exports(stack.api_url)}; {demo.curl(receiver)}",
        "admin": _admin(stack),
    }
    return json.dumps(ready)


def _admin(stack: LocalStack) -> str:
    """Return a shell line that runs an operator command against the stack."""
    aws = {**CREDENTIALS, "AWS_REGION": REGION, "AWS_ENDPOINT_URL": stack.endpoint}
    aws |= clock_variables(stack.clock_offset)
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in aws.items())
    python = shlex.quote(sys.executable)
    return f"{variables} {python} -m functions.admin --function {stack.functions['api']} list-tenants"
