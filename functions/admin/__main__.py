"""The operators' command line, with the operator's AWS credentials and a deployed function's settings.

python -m functions.admin --function <ApiFunctionName of the deployed stack> create-tenant acme
"""

import argparse
import os
import sys
from collections.abc import Mapping

import orjson

from functions.admin.commands import COMMANDS, add_commands
from shared.bootstrap.aws import function_environment
from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.errors import InvalidValueError, PunctualError
from shared.names import Env
from shared.settings import ApiSettings


def use_cases_from(environment: Mapping[str, str]) -> UseCases:
    """The use cases over the tables that an environment names."""
    settings = ApiSettings.from_env(environment)
    return use_cases(dynamo_ports(settings), settings)


def main(arguments: list[str]) -> int:
    """Run one command. The exit status is 0 after success, and 1 after a refusal, with one line on stderr.

    A command that has found something wrong prints its findings, and the exit status is 1 too.
    """
    parser = argparse.ArgumentParser(prog="python -m functions.admin", description="Commands for operators.")
    parser.add_argument(
        "--function", help="read the settings of this deployed function; default: environment"
    )
    add_commands(parser)
    given = parser.parse_args(arguments)
    try:
        command = COMMANDS[given.command]
        document = command.run(use_cases_from(_settings(given.function)), given)
    except PunctualError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n")
    return int(command.has_failed(document))


def _settings(function: str | None) -> Mapping[str, str]:
    if function:
        return function_environment(function, os.environ.get("AWS_REGION") or None)
    if Env.TENANTS_TABLE not in os.environ:
        raise InvalidValueError("there are no settings here: name the deployed API function with --function")
    return os.environ


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
