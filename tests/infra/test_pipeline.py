"""The roles of a pipeline: whom they trust, and that they may do no more than a deployment and a diff need."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App

from infra.api_domain import ApiDomain
from infra.app import build_pipeline
from infra.config import StageConfig
from infra.pipeline import ISSUER, Pipeline
from infra.stage_files.values import StageFileError
from infra.stages import cloud_stage
from tests.support.sources import ROOT
from tests.support.template import Resource, Template, resolve

ACCOUNT = "111111111111"
PROVIDER = f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER}"
CERTIFICATE = f"arn:aws:acm:eu-west-1:{ACCOUNT}:certificate/1-a"
PLAIN = replace(
    cloud_stage("prod", "eu-west-1", ACCOUNT),
    pipeline=Pipeline(repository="example/punctual", environment="prod"),
)
FULL = replace(
    PLAIN,
    pipeline=Pipeline(repository="example@1/punctual@2", environment="live", provider_arn=PROVIDER),
    domain=ApiDomain(name="api.example.com", certificate_arn=CERTIFICATE),
    canary=True,
)


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Template]:
    """Both passed cdk-nag: a finding would fail the synthesis."""
    return {
        name: synthesise(stage, tmp_path_factory.mktemp(name))
        for name, stage in (("plain", PLAIN), ("full", FULL))
    }


def synthesise(stage: StageConfig, outdir: Path) -> Template:
    app = App(outdir=str(outdir), analytics_reporting=False, builtin_cloud_formation_validation=False)
    build_pipeline(app, stage)
    app.synth()
    report = json.loads((outdir / "validation-report.json").read_text())
    assert report["pluginReports"][0]["conclusion"] == "success"
    return Template(json.loads((outdir / "punctual-prod-pipeline.template.json").read_text()))


def _role(template: Template, name: str) -> tuple[str, Resource]:
    logical_id = template.body["Outputs"][f"{name}RoleArn"]["Value"]["Fn::GetAtt"][0]
    return logical_id, template.body["Resources"][logical_id]["Properties"]


def _allowed(template: Template, name: str) -> dict[str, list[str]]:
    """The resources by action. Each role has one policy and no other."""
    logical_id, role = _role(template, name)
    assert not role.keys() & {"ManagedPolicyArns", "Policies"}
    (policy,) = (
        made for made in template.properties("AWS::IAM::Policy") if made["Roles"] == [{"Ref": logical_id}]
    )
    allowed: dict[str, list[str]] = {}
    for statement in policy["PolicyDocument"]["Statement"]:
        assert statement["Effect"] == "Allow"
        for action in _listed(statement["Action"]):
            allowed.setdefault(action, []).extend(resolve(each) for each in _listed(statement["Resource"]))
    return allowed


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize(
    ("kind", "role", "subject"),
    [
        ("plain", "Deploy", "repo:example/punctual:environment:prod"),
        ("plain", "Diff", "repo:example/punctual:pull_request"),
        ("full", "Deploy", "repo:example@1/punctual@2:environment:live"),
        ("full", "Diff", "repo:example@1/punctual@2:pull_request"),
    ],
)
def test_role_trusts_one_subject_of_one_repository(
    templates: dict[str, Template], kind: str, role: str, subject: str
) -> None:
    (trust,) = _role(templates[kind], role)[1]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert trust["Condition"] == {
        "StringEquals": {f"{ISSUER}:aud": "sts.amazonaws.com", f"{ISSUER}:sub": subject}
    }


def test_account_gets_an_identity_provider_only_if_the_file_names_none(
    templates: dict[str, Template],
) -> None:
    (made,) = templates["plain"].properties("AWS::IAM::OIDCProvider")
    assert (made["Url"], made["ClientIdList"]) == (f"https://{ISSUER}", ["sts.amazonaws.com"])
    kinds = {made["Type"] for made in templates["full"].body["Resources"].values()}
    assert kinds == {"AWS::IAM::Role", "AWS::IAM::Policy"}
    (trust,) = _role(templates["full"], "Deploy")[1]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Federated": PROVIDER}


def test_deploy_role_assumes_the_roles_of_the_bootstrap_stack_in_its_region(
    templates: dict[str, Template],
) -> None:
    names = {
        resource.partition(":role/")[2]
        for resource in _allowed(templates["plain"], "Deploy")["sts:AssumeRole"]
    }
    assert names == {
        f"cdk-hnb659fds-{name}-role-{ACCOUNT}-eu-west-1" for name in ("deploy", "file-publishing", "lookup")
    }


def test_deploy_role_has_the_permissions_of_the_checks_and_no_others(templates: dict[str, Template]) -> None:
    page = (ROOT / "docs" / "operations" / "deploy.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`([a-z]+:[A-Z]\w+)`", page))
    # AWS gives the caller's own identity to everyone.
    expected = documented - {"sts:GetCallerIdentity"} | {"sts:AssumeRole"}
    assert _allowed(templates["full"], "Deploy").keys() == expected
    without = {"acm:DescribeCertificate", "ssm:ListTagsForResource"}
    assert _allowed(templates["plain"], "Deploy").keys() == expected - without
    assert _allowed(templates["full"], "Deploy")["acm:DescribeCertificate"] == [CERTIFICATE]


def test_deploy_role_looks_for_the_secrets_of_a_canary_and_cannot_read_them(
    templates: dict[str, Template],
) -> None:
    allowed = _allowed(templates["full"], "Deploy")

    def names(action: str) -> list[str]:
        return sorted(resource.partition(":parameter")[2] for resource in allowed[action])

    assert names("ssm:ListTagsForResource") == [
        "/punctual/prod/canary/api-key",
        "/punctual/prod/canary/signing-secret",
    ]
    assert names("ssm:GetParameter") == ["/cdk-bootstrap/hnb659fds/version"]
    assert not {
        action for action in allowed if action.startswith(("kms:", "ssm:GetParameters", "ssm:GetParameterH"))
    }


def test_only_quotas_are_read_of_the_whole_account(templates: dict[str, Template]) -> None:
    whole = {
        action for action, resources in _allowed(templates["full"], "Deploy").items() if "*" in resources
    }
    assert whole == {"lambda:GetAccountSettings", "dynamodb:DescribeLimits"}


def test_diff_role_reads_the_templates_of_the_stage_and_assumes_no_role(
    templates: dict[str, Template],
) -> None:
    allowed = _allowed(templates["plain"], "Diff")
    assert allowed.keys() == {
        "cloudformation:DescribeStacks",
        "cloudformation:GetTemplate",
        "ssm:GetParameter",
    }
    stacks = {resource.partition(":stack/")[2] for resource in allowed["cloudformation:GetTemplate"]}
    assert stacks == {"punctual-prod-data/*", "punctual-prod-service/*"}


def test_stack_of_the_pipeline_is_apart_protected_and_described(templates: dict[str, Template]) -> None:
    outputs = templates["plain"].body["Outputs"]
    assert outputs.keys() == {"DeployRoleArn", "DiffRoleArn"}
    assert all(made["Description"].endswith(".") for made in outputs.values())


def test_stage_without_a_pipeline_is_refused_with_the_key_to_add(tmp_path: Path) -> None:
    with pytest.raises(StageFileError, match=r"stages/prod.toml has no pipeline: add .* pipeline.repository"):
        build_pipeline(App(outdir=str(tmp_path)), replace(PLAIN, pipeline=None))
