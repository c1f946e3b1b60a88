"""Checks of what is to become part of a stack, before anything changes: tables, the key, buckets and the domain."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from infra.components.archive import ATHENA_PREFIX
from infra.lifecycle.attachment import ARCHIVE, KEY, TRAIL, Template, domains, is_new, parts, token_keys
from infra.lifecycle.stacks import LifecycleError
from shared.names import SEARCHES_PREFIX

FOLDERS = {ARCHIVE: ("v1/", ATHENA_PREFIX, SEARCHES_PREFIX), TRAIL: ("v1/",)}
"""What a bucket has at its top."""


def check_key(kms: Any, key: str) -> None:
    """Raise LifecycleError unless this is the id of a key that is in use."""
    try:
        found = kms.describe_key(KeyId=key)["KeyMetadata"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "NotFoundException":
            raise
        raise LifecycleError(
            f"there is no key {key} in the region of the stage: give the id of its key"
        ) from None
    if found["KeyId"] != key:
        raise LifecycleError(f"key={key} is no id: give key={found['KeyId']}")
    if found["KeyState"] != "Enabled":
        raise LifecycleError(
            f"the key {key} is {found['KeyState']}: cancel its deletion and enable it, because no secret can be read "
            "without it"
        )


def existing_domains(gateway: Any, template: Template) -> set[str]:
    """Return the custom domain of the stage, if an earlier stack has left it in the account."""
    found = set()
    for domain in domains(template).values():
        try:
            gateway.get_domain_name(DomainName=domain)
        except ClientError as error:
            if error.response["Error"]["Code"] != "NotFoundException":
                raise
        else:
            found.add(domain)
    return found


def existing_token_keys(kms: Any, template: Template) -> dict[str, str]:
    """Return the ids of the keys of identity tokens that an earlier stack has left, by their aliases."""
    found = {}
    for alias in token_keys(template):
        try:
            found[alias] = str(kms.describe_key(KeyId=alias)["KeyMetadata"]["KeyId"])
        except ClientError as error:
            if error.response["Error"]["Code"] != "NotFoundException":
                raise
    return found


def restored_tables(dynamodb: Any, template: Template, names: Mapping[str, str]) -> set[str]:
    """Return which tables lack the settings that a restore drops. LifecycleError for a table that does not fit."""
    resources = template["Resources"]
    found = set()
    for name, logical_id in parts(template).items():
        if name == KEY or name in FOLDERS:
            continue
        described = _described(dynamodb, name, names[name])
        _check_form(name, described, resources[logical_id]["Properties"])
        if _is_restored(dynamodb, names[name]):
            found.add(name)
            _check_billing(described)
    return found


def existing_buckets(s3: Any, template: Template, names: Mapping[str, str], region: str) -> dict[str, bool]:
    """Return which buckets exist, and whether each has a policy. LifecycleError for a bucket that does not fit."""
    found = {}
    for name, folders in FOLDERS.items():
        if name not in parts(template) or is_new(name, names[name]):
            continue
        bucket = names[name]
        _check_reachable(s3, name, bucket, region)
        if (_answer(s3.get_object_lock_configuration, bucket) is not None) != (name == TRAIL):
            lock = "has no Object Lock" if name == TRAIL else "has Object Lock"
            raise LifecycleError(f"the bucket {bucket} {lock}: give the bucket of the stage for {name}")
        listed = s3.list_objects_v2(Bucket=bucket, Delimiter="/", MaxKeys=len(folders) + 1)
        others = [each["Key"] for each in listed.get("Contents", ())]
        others += [
            each["Prefix"] for each in listed.get("CommonPrefixes", ()) if each["Prefix"] not in folders
        ]
        if others:
            raise LifecycleError(
                f"the bucket {bucket} is no bucket of {name}: it has {others[0]}, and the rules of the stage would "
                "delete objects. Give the bucket of the stage"
            )
        found[name] = _answer(s3.get_bucket_policy, bucket) is not None
    return found


def _check_reachable(s3: Any, name: str, bucket: str, region: str) -> None:
    try:
        answer = s3.head_bucket(Bucket=bucket)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code not in ("404", "NoSuchBucket", "403", "AccessDenied", "400"):
            raise
        raise LifecycleError(
            f"there is no bucket {bucket} that these credentials may read ({code}): name the bucket of the stage for "
            f"{name}"
        ) from None
    actual = answer.get("BucketRegion", region)
    if actual != region:
        raise LifecycleError(
            f"the bucket {bucket} is in {actual}, and the stage in {region}: name another one"
        )


def _answer(request: Callable[..., Any], bucket: str) -> Any:
    """None if the bucket has no such thing."""
    try:
        return request(Bucket=bucket)
    except ClientError as error:
        if error.response["Error"]["Code"] in ("ObjectLockConfigurationNotFoundError", "NoSuchBucketPolicy"):
            return None
        raise


def restored_to(dynamodb: Any, table: str) -> datetime | None:
    """Return the instant of the data of a restored table; None if DynamoDB does not tell."""
    summary = dynamodb.describe_table(TableName=table)["Table"].get("RestoreSummary", {})
    instant: datetime | None = summary.get("RestoreDateTime")
    return instant


def _described(dynamodb: Any, name: str, table: str) -> Mapping[str, Any]:
    try:
        described: Mapping[str, Any] = dynamodb.describe_table(TableName=table)["Table"]
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("ResourceNotFoundException", "ValidationException"):
            raise
        raise LifecycleError(
            f"there is no table {table} in the region of the stage: name an existing table for {name}"
        ) from None
    if described["TableStatus"] not in ("ACTIVE", "UPDATING"):
        raise LifecycleError(
            f"the table {table} is {described['TableStatus']}: wait until it is active, and repeat the command"
        )
    return described


def _check_form(name: str, described: Mapping[str, Any], properties: Mapping[str, Any]) -> None:
    """An import believes the template, so that another table would be found out by the first request."""
    expected, actual = _form(properties), _form(described)
    if expected != actual:
        raise LifecycleError(
            f"the table {described['TableName']} is no table of {name}: it has the keys and indexes {actual}, and "
            f"{name} has {expected}"
        )


def _form(table: Mapping[str, Any]) -> str:
    indexes = {each["IndexName"]: each["KeySchema"] for each in table.get("GlobalSecondaryIndexes", ())}
    keys = [("table", table["KeySchema"]), *sorted(indexes.items())]
    return ", ".join(
        f"{name} ({' '.join(part['AttributeName'] for part in schema)})" for name, schema in keys
    )


def _is_restored(dynamodb: Any, table: str) -> bool:
    """Every table of Punctual has a TTL, and no restored table has one."""
    expiry = dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    return bool(expiry["TimeToLiveStatus"] == "DISABLED")


def _check_billing(described: Mapping[str, Any]) -> None:
    if described.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
        raise LifecycleError(
            f"the table {described['TableName']} has provisioned units: restore it with "
            "--billing-mode-override PAY_PER_REQUEST, and the deployment gives it those of the stage"
        )
