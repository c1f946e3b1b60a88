"""The steps of a deployment, each of which can end it."""

from collections.abc import Callable

from infra.config import StageConfig
from infra.deploy.account import Account
from infra.deploy.cdk import ASSEMBLY, AT_ONCE, Cdk
from infra.deploy.preflight import problems

Say = Callable[[str], object]
Ask = Callable[[str], str]
"""Asks for a line; EOFError where there is no terminal."""
_SHOWN = ("--app", str(ASSEMBLY))


def deploy(
    stage: StageConfig, account: Account, cdk: Cdk, *, say: Say, ask: Ask | None, at_once: bool = False
) -> int:
    """Return the exit status. `ask` is None where the operator has confirmed already."""
    failed = problems(stage, account)
    if failed:
        say(f"Nothing was deployed, because the account is not ready for the stage {stage.name}:")
        for sentence in failed:
            say(f"- {sentence}")
        return 1
    context = ("-c", f"stage={stage.name}", *(AT_ONCE if at_once else ()))
    # One synthesis: the operator confirms the same templates and bundles that are deployed.
    for arguments in (("synth", "--quiet", "--output", str(ASSEMBLY), *context), ("diff", *_SHOWN)):
        if status := cdk(arguments):
            say("Nothing was deployed, because CDK could not show the changes.")
            return status
    if ask is not None and not _is_confirmed(stage, ask, say):
        return 1
    # The changes, also those of permissions, were shown and confirmed above.
    return cdk(("deploy", "--all", "--require-approval", "never", *_SHOWN))


def _is_confirmed(stage: StageConfig, ask: Ask, say: Say) -> bool:
    try:
        answer = ask(f"Deploy these changes to {stage.name} in {stage.region}? [y/N] ")
    except EOFError:
        say("\nNothing was deployed: there is no terminal to confirm at. Confirm with ARGS=--yes.")
        return False
    if answer.strip().lower() in ("y", "yes"):
        return True
    say("Nothing was deployed.")
    return False
