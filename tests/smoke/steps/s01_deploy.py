"""S1: both stacks deploy, a second deployment changes nothing, and CloudFormation detects no drift."""

import time
from typing import Any

from infra.lifecycle.commands import service_stack
from tests.smoke.findings import Findings
from tests.smoke.http_client import Site
from tests.smoke.world import DeploymentTarget

DRIFT_SECONDS = 600.0
HEALTH_TRIES = 30
NAMES = ("data", "service")


def run(target: DeploymentTarget, findings: Findings) -> None:
    target.deploy()
    outputs = target.outputs()
    findings.check("the stacks name their outputs", {"ApiUrl", "ExecutionsTableName"} <= outputs.keys())
    site = Site(outputs["ApiUrl"].rstrip("/"))
    findings.check("the API answers", _is_healthy(site), outputs["ApiUrl"])
    changes = target.changes()
    findings.check("a second deployment changes nothing", not changes, changes)
    if findings.can_show("drift", "no resource has drifted"):
        for name in NAMES:
            drifted = _drift(target.client("cloudformation"), f"{target.stage.prefix}-{name}")
            findings.check(f"no resource of {name} has drifted", not drifted, ", ".join(drifted))
    if findings.can_show("dashboard", "the dashboard exists") and target.stage.dashboard:
        found = target.client("cloudwatch").list_dashboards(DashboardNamePrefix=target.stage.prefix)
        findings.check("the dashboard exists", bool(found["DashboardEntries"]))
    if findings.can_show("api_rollout", "CodeDeploy shifts the API's alias"):
        groups = deployment_groups(target.client("cloudformation"), service_stack(target.stage))
        is_gradual = target.stage.api_rollout == "canary"
        findings.check("CodeDeploy shifts the API's alias", bool(groups) == is_gradual, groups)


def _is_healthy(site: Site) -> bool:
    for _ in range(HEALTH_TRIES):
        try:
            if site.request("GET", "/v1/health").status == 200:
                return True
        except OSError:
            pass  # The name of a new API takes some seconds to spread.
        time.sleep(1.0)
    return False


def deployment_groups(cloudformation: Any, stack: str) -> list[str]:
    """The deployment groups of the stage itself: other stages of the account have their own."""
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    return [
        resource["PhysicalResourceId"]
        for page in pages
        for resource in page["StackResourceSummaries"]
        if resource["ResourceType"] == "AWS::CodeDeploy::DeploymentGroup"
        and not resource["ResourceStatus"].startswith("DELETE")
    ]


def _drift(cloudformation: Any, stack: str) -> list[str]:
    """The logical ids of the resources that differ from their template."""
    detection = cloudformation.detect_stack_drift(StackName=stack)["StackDriftDetectionId"]
    deadline = time.monotonic() + DRIFT_SECONDS
    while True:
        found = cloudformation.describe_stack_drift_detection_status(StackDriftDetectionId=detection)
        if found["DetectionStatus"] != "DETECTION_IN_PROGRESS":
            break
        if time.monotonic() > deadline:
            return ["the detection did not end"]
        time.sleep(3.0)
    pages = cloudformation.get_paginator("describe_stack_resource_drifts").paginate(
        StackName=stack, StackResourceDriftStatusFilters=["MODIFIED", "DELETED"]
    )
    drifted = [each["LogicalResourceId"] for page in pages for each in page["StackResourceDrifts"]]
    if not drifted and found["DetectionStatus"] != "DETECTION_COMPLETE":
        return [found.get("DetectionStatusReason", found["DetectionStatus"])]
    return drifted
