"""The bucket of the audit trail: private, locked, written once, and kept."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.components.audit_trail import SPARE_DAYS
from infra.config import StageConfig
from tests.infra.conftest import Synthesised, synthesise, usual_stage
from tests.support.template import resolve


def _resource(stacks: Synthesised, kind: str) -> dict[str, Any]:
    """The bucket of the trail, or its policy."""
    (found,) = (made for name, made in stacks.data.of_type(kind).items() if name.startswith("AuditTrail"))
    return found


def test_bucket_is_private_versioned_and_encrypted_and_refuses_plain_http(cloud: Synthesised) -> None:
    properties = _resource(cloud, "AWS::S3::Bucket")["Properties"]
    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert properties["VersioningConfiguration"] == {"Status": "Enabled"}
    assert properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    policy = _resource(cloud, "AWS::S3::BucketPolicy")["Properties"]["PolicyDocument"]["Statement"]
    assert any(
        made["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        for made in policy
        if "Condition" in made
    )


def test_versions_are_locked_for_as_long_as_the_stage_says_and_deleted_later(cloud: Synthesised) -> None:
    properties = _resource(cloud, "AWS::S3::Bucket")["Properties"]
    assert properties["ObjectLockEnabled"] is True
    assert properties["ObjectLockConfiguration"] == {
        "ObjectLockEnabled": "Enabled",
        "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 400}},
    }
    rules = {rule["Id"]: rule for rule in properties["LifecycleConfiguration"]["Rules"]}
    assert rules["ended"]["ExpirationInDays"] == 400 + SPARE_DAYS


def test_mode_and_days_are_those_of_the_stage(tmp_path: Path) -> None:
    stage = replace(usual_stage(), audit_lock_days=2_555, audit_lock_mode="compliance")
    properties = _resource(synthesise(stage, tmp_path), "AWS::S3::Bucket")["Properties"]
    assert properties["ObjectLockConfiguration"]["Rule"]["DefaultRetention"] == {
        "Mode": "COMPLIANCE",
        "Days": 2_555,
    }


def test_bucket_refuses_to_write_over_an_object_or_to_hide_it(cloud: Synthesised) -> None:
    statements = _resource(cloud, "AWS::S3::BucketPolicy")["Properties"]["PolicyDocument"]["Statement"]
    by_sid = {made["Sid"]: made for made in statements if "Sid" in made}
    assert by_sid["WriteOnce"]["Action"] == "s3:PutObject"
    assert by_sid["WriteOnce"]["Condition"] == {"Null": {"s3:if-none-match": "true"}}
    assert by_sid["HideNothing"]["Action"] == "s3:DeleteObject"
    for made in by_sid.values():
        assert (made["Effect"], made["Principal"]) == ("Deny", {"AWS": "*"})
        assert resolve(made["Resource"]).endswith("/*")
    assert {made["Effect"] for made in statements} == {"Deny"}


@pytest.mark.parametrize("stage", ["cloud", "local"])
def test_bucket_survives_every_stack(stage: str, request: pytest.FixtureRequest) -> None:
    made = _resource(request.getfixturevalue(stage), "AWS::S3::Bucket")
    assert made["DeletionPolicy"] == made["UpdateReplacePolicy"] == "Retain"


def test_bucket_keeps_its_policy(cloud: Synthesised) -> None:
    assert _resource(cloud, "AWS::S3::BucketPolicy")["DeletionPolicy"] == "Retain"


def test_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="audit_lock_mode is one of governance, compliance, not 'none'"):
        _with_mode("none")


def _with_mode(mode: Any) -> StageConfig:
    return replace(usual_stage(), audit_lock_mode=mode)
