"""What the data stack is made of, and the templates with which existing resources become part of it.

CloudFormation makes no policy for a bucket that has one, so that a policy that a bucket has kept is imported with it.
"""

import re
from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any

from infra.lifecycle.stacks import LifecycleError

KEY = "key"
ARCHIVE = "archive"
TRAIL = "trail"
"""The bucket of the audit trail; `audit` is the table."""
NEW = "new"
"""In place of the name of a bucket: the deployment makes an empty one."""
BUCKET = "AWS::S3::Bucket"
POLICY = "AWS::S3::BucketPolicy"
DOMAIN = "AWS::ApiGatewayV2::DomainName"
KMS_KEY, ALIAS = "AWS::KMS::Key", "AWS::KMS::Alias"
IDENTIFIERS = {
    "AWS::DynamoDB::GlobalTable": "TableName",
    KMS_KEY: "KeyId",
    ALIAS: "AliasName",
    BUCKET: "BucketName",
    POLICY: "Bucket",
    DOMAIN: "DomainName",
}
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
    """Return the logical ids of the tables, the key and the buckets by the names `executions`, …, `key`, `archive`.

    A stage without an archive or an audit trail lacks the bucket.
    """
    found = {}
    for logical_id, made in template["Resources"].items():
        if made["Type"] == KMS_KEY and "KeySpec" not in made["Properties"]:
            found[KEY] = logical_id
        elif made["Type"] == "AWS::DynamoDB::GlobalTable":
            found[_TABLE.sub(r"\1", logical_id).lower()] = logical_id
        elif made["Type"] == BUCKET:
            found[TRAIL if made["Properties"].get("ObjectLockEnabled") else ARCHIVE] = logical_id
    return found


def policies(template: Template) -> dict[str, str]:
    """Return the logical ids of the policies of buckets, by those of the buckets."""
    resources = template["Resources"].items()
    return {made["Properties"]["Bucket"]["Ref"]: name for name, made in resources if made["Type"] == POLICY}


def domains(template: Template) -> dict[str, str]:
    """Return the custom domain of the stage by its logical id; nothing for a stage without one."""
    resources = template["Resources"].items()
    return {name: made["Properties"]["DomainName"] for name, made in resources if made["Type"] == DOMAIN}


def token_keys(template: Template) -> dict[str, tuple[str, str]]:
    """Return the logical ids of the aliases of the keys of identity tokens, and of the keys, by the aliases' names."""
    resources = template["Resources"].items()
    return {
        made["Properties"]["AliasName"]: (name, made["Properties"]["TargetKeyId"]["Fn::GetAtt"][0])
        for name, made in resources
        if made["Type"] == ALIAS
    }


def unretained(template: Template) -> list[str]:
    """Return which tables and buckets, or the key, would be deleted with a stack of this template."""
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
            f"or the interrupted command printed all of them{_without_bucket(missing)}"
        )
    names = [value for name, value in physical.items() if not is_new(name, value)]
    if len(set(names)) < len(names):
        raise LifecycleError("two parts of TABLES have the same name: give each its own")


def is_new(name: str, value: str) -> bool:
    """Whether this is a bucket that the deployment makes."""
    return value == NEW and name in (ARCHIVE, TRAIL)


def _without_bucket(missing: Collection[str]) -> str:
    buckets = [f"{name}={NEW}" for name in (ARCHIVE, TRAIL) if name in missing]
    return f". {' and '.join(buckets)} makes an empty bucket, if the stage had none" if buckets else ""


def import_template(
    template: Template,
    restored: Collection[str],
    existing_domains: Collection[str],
    buckets: Mapping[str, bool],
    existing_token_keys: Collection[str] = (),
) -> dict[str, Any]:
    """Return the template with which the existing tables, the keys, buckets and the domain become a stack.

    `existing_token_keys` are the aliases of those of identity tokens. `buckets` are the names of the existing ones, and
    whether each has a policy. An import adds no outputs. A restored table is described as it is, and a bucket by what
    never changes; the deployment that follows then finds what differs, and sets it. That deployment also makes a
    domain, a bucket, a policy and a key that do not exist.
    """
    bare = {name: part for name, part in template.items() if name != "Outputs"}
    resources = bare["Resources"] = deepcopy(
        {name: made for name, made in template["Resources"].items() if made["Type"] in IDENTIFIERS}
    )
    for logical_id, domain in domains(template).items():
        if domain not in existing_domains:
            del resources[logical_id]
    for alias, logical_ids in token_keys(template).items():
        if alias not in existing_token_keys:
            for logical_id in logical_ids:
                del resources[logical_id]
    _describe_buckets(template, resources, buckets)
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


def _describe_buckets(template: Template, resources: dict[str, Any], buckets: Mapping[str, bool]) -> None:
    """An import needs a DeletionPolicy of each resource."""
    policy_of = policies(template)
    for name in (ARCHIVE, TRAIL):
        logical_id = parts(template).get(name)
        if logical_id is None:
            continue
        policy = policy_of.get(logical_id)
        if policy is not None and not buckets.get(name):
            del resources[policy]
        elif policy is not None:
            resources[policy]["DeletionPolicy"] = "Retain"
        if name not in buckets:
            del resources[logical_id]
        else:
            described = resources[logical_id]["Properties"]
            kept = {"ObjectLockEnabled": True} if described.get("ObjectLockEnabled") else {}
            resources[logical_id]["Properties"] = kept


def resources_to_import(
    template: Template, physical: Mapping[str, str], token_key_ids: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return what CloudFormation needs to find each resource of an import template.

    `token_key_ids` are the ids of the keys of identity tokens, by their aliases.
    """
    identified = {logical_id: physical[name] for name, logical_id in parts(template).items()}
    identified |= {policy: identified[bucket] for bucket, policy in policies(template).items()}
    identified |= domains(template)
    for alias, (logical_id, key) in token_keys(template).items():
        identified |= {logical_id: alias, key: (token_key_ids or {})[alias]}
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
