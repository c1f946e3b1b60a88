"""`python -m infra.deploy <stage>`: check the account, show the changes, ask, and deploy both stacks."""

import argparse
import sys
from collections.abc import Sequence

from infra.deploy.aws_account import AwsAccount
from infra.deploy.cdk import run_cdk
from infra.deploy.steps import deploy
from infra.stage_files.environment import stage_of_environment
from infra.stage_files.values import StageFileError


def main(arguments: Sequence[str]) -> int:
    """Return 0 after a deployment, and otherwise the status of the step that ended it."""
    parser = argparse.ArgumentParser(
        prog="python -m infra.deploy", description="Deploy a stage.", allow_abbrev=False
    )
    parser.add_argument("stage", help="the name of a file in stages/, without .toml")
    parser.add_argument("--yes", action="store_true", help="deploy without a question, as pipelines need")
    parser.add_argument("--at-once", action="store_true", help="let the API switch without a gradual rollout")
    options = parser.parse_args(arguments)
    try:
        stage = stage_of_environment(options.stage)
    except StageFileError as error:
        _say(str(error))
        return 1
    return deploy(
        stage,
        AwsAccount(stage.region),
        run_cdk,
        say=_say,
        ask=None if options.yes else input,
        at_once=options.at_once,
    )


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. A deployment that had begun goes on in CloudFormation.")
