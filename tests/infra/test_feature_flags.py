"""The feature flags in cdk.json."""

from typing import Any

from tests.infra.conftest import Synthesised

DECLINED = {
    "@aws-cdk/aws-iam:minimizePolicies": "a policy keeps one statement for each grant of the table of grants",
    "@aws-cdk/core:enableAdditionalMetadataCollection": "a synthesis reports nothing to AWS",
    "@aws-cdk/core:enablePartitionLiterals": "templates name the partition by reference",
}
"""Flags that are set against the recommendation, each with the reason."""


def flags_of(stage: Synthesised) -> dict[str, dict[str, Any]]:
    """The flags that the CDK knows, and their values as this synthesis had them."""
    artifacts: Any = stage.json("manifest.json")["artifacts"]
    [report] = [each for each in artifacts.values() if each["type"] == "cdk:feature-flag-report"]
    flags: dict[str, dict[str, Any]] = report["properties"]["flags"]
    return flags


def test_every_flag_of_the_cdk_is_decided_so_that_no_synthesis_warns(cloud: Synthesised) -> None:
    undecided = {
        name: flag["recommendedValue"]
        for name, flag in flags_of(cloud).items()
        if "userValue" not in flag
        and flag["recommendedValue"] != flag.get("unconfiguredBehavesLike", {}).get("v2", False)
    }
    assert undecided == {}, "add each to cdk.json, and compare the templates before and after"


def test_flag_has_the_recommended_value_unless_it_is_declined(cloud: Synthesised) -> None:
    different = {
        name
        for name, flag in flags_of(cloud).items()
        if "userValue" in flag and flag["userValue"] != flag["recommendedValue"]
    }
    assert different == {*DECLINED, "@aws-cdk/core:defaultCrossStackReferences"}
