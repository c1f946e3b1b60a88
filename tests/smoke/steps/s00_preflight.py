"""S0: the stage is the suite's to tear down, the account is the stage's, its quotas suffice, and CDK has prepared the
region."""

from infra.lifecycle.commands import data_stack, service_stack
from tests.smoke.findings import Findings
from tests.smoke.stacks import probe_stack
from tests.smoke.world import DeploymentTarget, SmokeError


def run(target: DeploymentTarget, findings: Findings) -> None:
    findings.check("the stage is not protected", not target.stage.protect_data)
    findings.check("the credentials have an account", len(target.account) == 12, target.account)
    # The emulator and its stacks begin with the run and end with it.
    if not target.emulated:
        check_ownership(target)
    if findings.can_show(
        "account", "the account is the stage's", "quotas of DynamoDB", "bootstrap stack", "certificate"
    ) and findings.can_show("reserved", "quota of concurrent executions"):
        sentences = target.preflight()
        findings.check("the account is ready for the stage", not sentences, " ".join(sentences))


def check_ownership(target: DeploymentTarget) -> None:
    """SmokeError if a stack exists that the run would change and tear down without having created it."""
    name, found = target.stage.name, target.stacks()
    own = {data_stack(target.stage), service_stack(target.stage)}
    if target.reuses:
        if not own <= set(found):
            raise SmokeError(f"there is no whole stage {name} to reuse: leave --reuse out")
    elif own & set(found):
        raise SmokeError(
            f"{', '.join(found)} exists already. Delete what an earlier run left by `make teardown STAGE={name} "
            f"CONFIRM={name}`, choose another stage, or deploy over the stage and keep it with --reuse"
        )
    elif found:
        raise SmokeError(
            "an earlier run left the stack of its probe: delete it by `aws cloudformation delete-stack --stack-name "
            f"{probe_stack(target.stage)}`"
        )
