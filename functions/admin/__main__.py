"""The operator's commands, run with the operator's own AWS credentials and the settings of a function.

python -m functions.admin --function <ApiFunctionName of the deployed stack> create-tenant acme
"""

import argparse
import os
import sys
from collections.abc import Mapping

import orjson
from pydantic import BaseModel, ValidationError

from functions.admin.commands import COMMANDS, Shown, add_commands
from functions.api.operations.accounts import AccountOperations, account_operations, audit_operations
from shared.adapters.clients import function_environment
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.errors import InvalidValueError, PunctualError
from shared.names import Env
from shared.settings import ApiSettings


def operations_from(environment: Mapping[str, str]) -> AccountOperations:
    """The operations over the tables that an environment names."""
    settings = ApiSettings.from_env(environment)
    cases = use_cases(dynamo_ports(settings), settings)
    return account_operations(cases, audit_operations(cases))


def main(arguments: list[str]) -> int:
    """Run one command; 0 when it was done, 1 with a line on stderr when it was refused."""
    parser = argparse.ArgumentParser(prog="python -m functions.admin", description="Commands for operators.")
    parser.add_argument("--function", help="take the settings from this deployed function, not from here")
    add_commands(parser)
    given = parser.parse_args(arguments)
    try:
        shown = COMMANDS[given.command].run(operations_from(_settings(given.function)), given)
    except ValidationError as refused:
        told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in refused.errors())
        sys.stderr.write(f"{told}\n")
        return 1
    except PunctualError as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    sys.stdout.write(_text(shown))
    return 0


def _settings(function: str | None) -> Mapping[str, str]:
    """Those of a deployed function, or of this process where it has some."""
    if function:
        return function_environment(function, os.environ.get("AWS_REGION") or None)
    if Env.TENANTS_TABLE not in os.environ:
        raise InvalidValueError("there are no settings here: name the deployed API function with --function")
    return os.environ


def _text(shown: Shown) -> str:
    plain = shown.model_dump(mode="json") if isinstance(shown, BaseModel) else shown
    return orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode() + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
