"""The operator's commands, run with the operator's own AWS credentials and the settings of a function.

python -m functions.admin --function <ApiFunctionName of the deployed stack> create-tenant acme
"""

import argparse
import os
import sys

import orjson

from shared.adapters.clients import function_environment
from shared.bootstrap.callbacks import create_tenant, parts_from
from shared.domain.errors import PunctualError


def main(arguments: list[str]) -> int:
    """Run one command; 0 when it was done, 1 with a line on stderr when it was refused."""
    parser = argparse.ArgumentParser(prog="python -m functions.admin", description="Commands for operators.")
    parser.add_argument("--function", help="take the settings from this deployed function, not from here")
    commands = parser.add_subparsers(dest="command", required=True)
    create = commands.add_parser("create-tenant", help="create a tenant and show its API key, once")
    create.add_argument("tenant", help="1 to 40 lower-case letters, digits and inner hyphens")
    chosen = parser.parse_args(arguments)
    try:
        environment = function_environment(chosen.function) if chosen.function else os.environ
        created = create_tenant(parts_from(environment))(chosen.tenant)
    except PunctualError as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    shown = {
        "tenant": created.tenant_id,
        "api_key": created.api_key,
        "signing_secret": created.signing_secret,
    }
    sys.stdout.write(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
