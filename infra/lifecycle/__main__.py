"""`make teardown` and `make attach`: the life of a stage beyond its deployments.

python -m infra.lifecycle teardown prod --confirm prod
python -m infra.lifecycle attach prod [--sweep-from INSTANT] [executions=<name> …]
python -m infra.lifecycle resume prod
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.config import StageConfig
from infra.deploy.aws_account import AwsAccount
from infra.deploy.cdk import ASSEMBLY, run_cdk
from infra.deploy.preflight import problems, wrong_account
from infra.lifecycle.commands import resume, service_stack, teardown
from infra.lifecycle.stacks import LifecycleError, Stacks
from infra.lifecycle.steps import attach_stage
from infra.stage_files.environment import stage_of_environment
from infra.stage_files.values import StageFileError


def main(arguments: Sequence[str]) -> int:
    """Run one command. The exit status is 0 after success, and 1 after a refusal, with what to do on stderr."""
    given = parse(arguments)
    try:
        _run(given, stage_of_environment(given.stage))
    except (StageFileError, LifecycleError, ClientError, BotoCoreError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _run(given: argparse.Namespace, stage: StageConfig) -> None:
    if given.command == "teardown":
        _check_confirmed(stage, given.confirm)
    account = AwsAccount(stage.region)
    failed = problems(stage, account) if given.command == "attach" else [wrong_account(stage, account)]
    if sentences := list(filter(None, failed)):
        raise LifecycleError("\n".join(["Nothing was changed:", *sentences]))
    session = boto3.Session(region_name=stage.region)
    stacks = Stacks(
        lambda service: session.client(service),  # type: ignore[call-overload]
        bucket=f"cdk-hnb659fds-assets-{account.account_id()}-{stage.region}",
        url=f"https://s3.{stage.region}.amazonaws.com/{{bucket}}/{{key}}",
    )
    if given.command == "teardown":
        teardown(stacks, stage, _report)
    elif given.command == "resume":
        resume(stacks, service_stack(stage))
    else:
        tables = dict(given.tables)
        attach_stage(stage, stacks, run_cdk, tables, given.sweep_from, assembly=ASSEMBLY, report=_report)


def _check_confirmed(stage: StageConfig, confirmed: str) -> None:
    if confirmed == stage.name:
        return
    loss = (
        "is protected. Its teardown deletes the functions, the queues and the URL of the API, and keeps the tables, "
        "the key, the buckets and the logs of the API"
        if stage.protect_data
        else "is not protected. Its teardown deletes all jobs and tenants"
    )
    raise LifecycleError(f"The stage {stage.name} {loss}: confirm with CONFIRM={stage.name}")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; SystemExit for options that cannot be obeyed."""
    parser = argparse.ArgumentParser(
        prog="python -m infra.lifecycle", description="Tear down or attach a stage.", allow_abbrev=False
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("teardown", "delete the stacks of a stage"),
        ("attach", "deploy a stage with existing tables and buckets"),
        ("resume", "start functions that an interrupted attach stopped"),
    ):
        command = commands.add_parser(name, help=summary, allow_abbrev=False)
        command.add_argument("stage", help="the name of a file in stages/, without .toml")
        if name == "teardown":
            command.add_argument("--confirm", default="", help="the name of the stage, again")
        if name == "attach":
            command.add_argument("--sweep-from", type=_instant, help="the oldest unfinished execution")
            command.add_argument(
                "tables",
                nargs="*",
                type=_pair,
                help="such as executions=<name of a table> or archive=<bucket>",
            )
    return parser.parse_args(arguments)


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not (separator and name and value):
        raise argparse.ArgumentTypeError(
            f"give a table as executions=<name>, or a bucket as archive=<name>, not {text!r}"
        )
    return name, value


def _instant(text: str) -> datetime:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"give an instant as 2026-11-20T03:00Z, not {text!r}") from None
    return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)


def _report(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(
            "\nInterrupted. What had begun goes on in CloudFormation; repeat the command when it is done."
        )
