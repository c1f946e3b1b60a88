"""The CDK's command line, which `make` puts on the PATH."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

Cdk = Callable[[Sequence[str]], int]
"""Runs a command of the CDK with these arguments, and returns its exit status."""
AT_ONCE = ("-c", "rollout=at_once")
"""Makes the API switch to a release without a gradual rollout."""
ASSEMBLY = Path(__file__).resolve().parents[2] / "build" / "cdk.out"
"""Where the templates and bundles of the latest synthesis are."""


def run_cdk(arguments: Sequence[str]) -> int:
    try:
        done = subprocess.run(["cdk", *arguments], check=False)  # noqa: S603, S607 - the Makefile sets PATH
    except FileNotFoundError:
        sys.stderr.write("The CDK command line is not installed: run `make tools`.\n")
        return 1
    return done.returncode
