"""The keys of identity tokens: how they are made, who may use them, and what a rotation changes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.config import StageConfig
from infra.stage_files.read import parse_stage
from infra.stage_files.values import StageFileError
from infra.stages import cloud_stage, local_stage
from shared.names import Env, token_key_alias
from tests.infra.conftest import Synthesised, synthesise
from tests.support.template import environment, resolve

FILE = """
region = "eu-west-1"
protected = false
token_keys = [2, 1]
[domain]
name = "api.example.com"
certificate = "arn:aws:acm:eu-west-1:111111111111:certificate/1-a"
"""
ALIASES = ["alias/punctual-test-token-2", "alias/punctual-test-token-1"]


def uses(stacks: Synthesised, action: str) -> dict[str, Any]:
    """The statement with this action, by function."""
    found = {}
    for service, function in stacks.service.functions().items():
        (policy,) = stacks.service.referred(function["Role"])["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]:
            if statement["Action"] == action:
                found[service] = statement
    return found


def executors(stacks: Synthesised) -> set[str]:
    return {name for name in stacks.service.functions() if name.startswith("executor-")}


def test_key_of_each_number_is_an_rsa_key_for_signatures_that_outlives_its_stack(large: Synthesised) -> None:
    keys = {
        name: made
        for name, made in large.data.of_type("AWS::KMS::Key").items()
        if name.startswith("TokenKey")
    }
    assert len(keys) == 2
    for made in keys.values():
        assert made["Properties"]["KeySpec"] == "RSA_2048"
        assert made["Properties"]["KeyUsage"] == "SIGN_VERIFY"
        # AWS rotates no asymmetric key by itself, and refuses the property.
        assert "EnableKeyRotation" not in made["Properties"]
        assert made["DeletionPolicy"] == made["UpdateReplacePolicy"] == "Retain"
    aliases = large.data.of_type("AWS::KMS::Alias").values()
    assert [made["Properties"]["AliasName"] for made in aliases] == ALIASES
    assert {made["Properties"]["TargetKeyId"]["Fn::GetAtt"][0] for made in aliases} == keys.keys()
    assert {made["DeletionPolicy"] for made in aliases} == {"Retain"}


def test_no_stack_imports_a_key_of_identity_tokens(large: Synthesised) -> None:
    """CloudFormation would let no number leave the list while the service stack imports its key."""
    exported = [name for name in large.data.body["Outputs"] if "TokenKey" in name or "TokenAlias" in name]
    assert exported == []


def test_executors_alone_sign_and_the_api_alone_shows_public_keys(large: Synthesised) -> None:
    assert uses(large, "kms:Sign").keys() == executors(large)
    assert uses(large, "kms:GetPublicKey").keys() == {"api"}
    for action in ("kms:Sign", "kms:GetPublicKey"):
        for statement in uses(large, action).values():
            assert re.fullmatch(r"arn:.*:kms:eu-west-1:111111111111:key/\*", resolve(statement["Resource"]))
            assert statement["Condition"] == {"StringEquals": {"kms:RequestAlias": ALIASES}}


def test_stage_without_keys_has_none_and_no_function_may_sign(cloud: Synthesised) -> None:
    assert cloud.stage.token_keys == ()
    assert len(cloud.data.of_type("AWS::KMS::Key")) == 1
    assert "AWS::KMS::Alias" not in {made["Type"] for made in cloud.data.body["Resources"].values()}
    assert uses(cloud, "kms:Sign") == uses(cloud, "kms:GetPublicKey") == {}
    for function in cloud.service.functions().values():
        assert not environment(function).keys() & {Env.TOKEN_KEYS, Env.TOKEN_ISSUER}


def test_api_and_executors_alone_know_the_issuer_and_the_order_of_the_keys(large: Synthesised) -> None:
    for service, function in large.service.functions().items():
        variables = environment(function)
        knows = service == "api" or service in executors(large)
        assert variables.get(Env.TOKEN_KEYS) == ("2,1" if knows else None)
        assert variables.get(Env.TOKEN_ISSUER) == ("https://api.example.com" if knows else None)


def test_laptop_has_a_key_and_learns_its_issuer_when_it_starts(local: Synthesised) -> None:
    assert local.stage.token_keys == (1,)
    variables = environment(local.service.functions()["api"])
    assert (variables[Env.TOKEN_KEYS], variables.get(Env.TOKEN_ISSUER)) == ("1", None)


def test_stage_file_has_the_numbers() -> None:
    assert parse_stage("prod", FILE.encode(), "stages/prod.toml").token_keys == (2, 1)


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ("[1, 1]", "each once"),
        ("[0]", "1 to 1000"),
        ("[1001]", "1 to 1000"),
        ("[1, 2, 3, 4, 5, 6]", "at most 5"),
        ("1", "list"),
        ('["1"]', "token_keys"),
        ("[true]", "token_keys"),
    ],
)
def test_list_that_names_no_keys_is_refused(numbers: str, says: str) -> None:
    with pytest.raises(StageFileError, match=says):
        parse_stage("prod", FILE.replace("[2, 1]", numbers).encode(), "stages/prod.toml")


def test_stage_whose_url_may_change_issues_no_tokens() -> None:
    with pytest.raises(ValueError, match="token_keys needs domain"):
        replace(cloud_stage("prod", "eu-west-1"), token_keys=(1,))
    assert replace(local_stage(), token_keys=(2, 1)).token_keys == (2, 1)


def _keys_of(stage: StageConfig, numbers: Sequence[int], outdir: Path) -> dict[str, Any]:
    data = synthesise(replace(stage, token_keys=tuple(numbers)), outdir).data
    kinds = ("AWS::KMS::Key", "AWS::KMS::Alias")
    return {name: made for kind in kinds for name, made in data.of_type(kind).items()}


def test_rotation_changes_no_key_that_stays(local: Synthesised, tmp_path: Path) -> None:
    first = _keys_of(local.stage, (1,), tmp_path / "1")
    both = _keys_of(local.stage, (1, 2), tmp_path / "2")
    swapped = _keys_of(local.stage, (2, 1), tmp_path / "3")
    last = _keys_of(local.stage, (2,), tmp_path / "4")
    assert first.items() <= both.items()
    assert both == swapped
    assert last.items() <= both.items()
    assert len(both) == len(first) + 2


def test_alias_tells_stages_of_one_account_apart() -> None:
    assert len({token_key_alias("a", 1), token_key_alias("b", 1), token_key_alias("a", 2)}) == 3
