"""S0: the account is the stage's, its quotas suffice, and CDK has prepared the region."""

from tests.smoke.findings import Findings
from tests.smoke.world import DeploymentTarget


def run(target: DeploymentTarget, findings: Findings) -> None:
    findings.check("the stage is not protected", not target.stage.protect_data)
    findings.check("the credentials have an account", len(target.account) == 12, target.account)
    if findings.can_show(
        "account", "the account is the stage's", "quotas of DynamoDB", "bootstrap stack", "certificate"
    ) and findings.can_show("reserved", "quota of concurrent executions"):
        sentences = target.preflight()
        findings.check("the account is ready for the stage", not sentences, " ".join(sentences))
