"""What the data stack is made of, and the templates with which existing resources become part of it."""

import re
from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any

from infra.lifecycle.stacks import LifecycleError

KEY = "key"
DOMAIN = "AWS::ApiGatewayV2::DomainName"
IDENTIFIERS = {"AWS::DynamoDB::GlobalTable": "TableName", "AWS::KMS::Key": "KeyId", DOMAIN: "DomainName"}
RESET_BY_RESTORE = (
    "StreamSpecification",
    "TimeToLiveSpecification",
    "WarmThroughput",
    "WriteOnDemandThroughputSettings",
    "WriteProvisionedThroughputSettings",
)
"""Properties that a restored table and its indexes have lost, or that they never had."""

Template = Mapping[str, Any]
_TABLE = re.compile(r"Tables([A-Za-z]+)[0-9A-F]{8}")


def parts(template: Template) -> dict[str, str]:
    """Return the logical ids of the tables and the key by the names `executions`, `jobs`, …, `key`."""
    found = {}
    for logical_id, made in template["Resources"].items():
        if made["Type"] == "AWS::KMS::Key":
            found[KEY] = logical_id
        elif made["Type"] == "AWS::DynamoDB::GlobalTable":
            found[_TABLE.sub(r"\1", logical_id).lower()] = logical_id
    return found


def domains(template: Template) -> dict[str, str]:
    """Return the custom domain of the stage by its logical id; nothing for a stage without one."""
    resources = template["Resources"].items()
    return {name: made["Properties"]["DomainName"] for name, made in resources if made["Type"] == DOMAIN}


def unretained(template: Template) -> list[str]:
    """Return which tables, or the key, would be deleted with a stack of this template."""
    return sorted(
        name
        for name, logical_id in parts(template).items()
        if template["Resources"][logical_id].get("DeletionPolicy") != "Retain"
    )


def check(template: Template, physical: Mapping[str, str]) -> None:
    """Raise LifecycleError unless each part of the stack has a physical name, and nothing else has one."""
    known = parts(template).keys()
    if unknown := sorted(physical.keys() - known):
        raise LifecycleError(
            f"a stage has no {', '.join(unknown)}: TABLES takes {', '.join(sorted(known))}, each with = and a name"
        )
    if missing := sorted(known - physical.keys()):
        raise LifecycleError(
            f"the name of {', '.join(missing)} is missing: TABLES needs each, as in {missing[0]}=<name>. The teardown "
            "or the interrupted command printed all of them"
        )
    if len(set(physical.values())) < len(physical):
        raise LifecycleError("two parts of TABLES have the same name: give each table its own")


def import_template(
    template: Template, restored: Collection[str], existing_domains: Collection[str]
) -> dict[str, Any]:
    """Return the template with which the existing tables, the key and the domain become a stack.

    An import adds no outputs. A restored table is described as it is; the deployment that follows then finds what
    differs, and sets it. That deployment also makes a domain that does not exist, and a new bucket of the archive.
    """
    bare = {name: part for name, part in template.items() if name != "Outputs"}
    resources = bare["Resources"] = deepcopy(
        {name: made for name, made in template["Resources"].items() if made["Type"] in IDENTIFIERS}
    )
    for logical_id, domain in domains(template).items():
        if domain not in existing_domains:
            del resources[logical_id]
    for name in restored:
        properties = resources[parts(template)[name]]["Properties"]
        for lost in RESET_BY_RESTORE:
            properties.pop(lost, None)
        properties["BillingMode"] = "PAY_PER_REQUEST"
        (replica,) = properties["Replicas"]
        properties["Replicas"] = [{"Region": replica["Region"]}]
        for index in properties.get("GlobalSecondaryIndexes", ()):
            for lost in RESET_BY_RESTORE:
                index.pop(lost, None)
    return bare


def resources_to_import(template: Template, physical: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what CloudFormation needs to find each resource of an import template."""
    identified = {logical_id: physical[name] for name, logical_id in parts(template).items()} | domains(
        template
    )
    found = []
    for logical_id, identifier in identified.items():
        kind = template["Resources"][logical_id]["Type"]
        found.append(
            {
                "ResourceType": kind,
                "LogicalResourceId": logical_id,
                "ResourceIdentifier": {IDENTIFIERS[kind]: identifier},
            }
        )
    return found


def detached(template: Template, exports: Mapping[str, str]) -> Any:
    """Return the template of the service with the present values in place of imports from the data stack.

    CloudFormation deletes no stack whose exports are in use. No resource changes.
    """

    def replaced(part: Any) -> Any:
        match part:
            case {"Fn::ImportValue": str(name)}:
                return exports[name]
            case dict():
                return {name: replaced(value) for name, value in part.items()}
            case list():
                return [replaced(value) for value in part]
        return part

    return replaced(template)
