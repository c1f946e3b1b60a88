"""Teardown and attachment: what is refused before anything changes, and what can be repeated after a failure."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.deploy.account import UnansweredError
from infra.deploy.aws_account import AwsAccount
from infra.lifecycle import __main__ as command
from infra.lifecycle.attachment import parts
from infra.lifecycle.commands import names_to_attach, physical_names, teardown
from infra.lifecycle.stacks import LifecycleError
from infra.lifecycle.steps import attach_stage
from tests.infra.conftest import Synthesised
from tests.infra.lifecycle_world import DATA, SERVICE, World

INSTANT = datetime(2026, 11, 20, 2, 10, tzinfo=UTC)
RESTORED = {"executions": "old-executions", "jobs": "old-jobs"}


@pytest.fixture
def world(cloud: Synthesised) -> World:
    """A deployed stage, with restored tables beside its own."""
    made = World(cloud)
    for name, table in RESTORED.items():
        made.restore(name, table)
    return made


def _attach(
    world: World, cloud: Synthesised, given: dict[str, str], sweep_from: datetime | None, assembly: Path
) -> None:
    attach_stage(
        cloud.stage, world, world.cdk, given, sweep_from, assembly=assembly, report=lambda line: None
    )


def test_restored_tables_are_attached_between_a_stop_and_a_start_of_the_functions(
    world: World, cloud: Synthesised, tmp_path: Path
) -> None:
    _attach(world, cloud, RESTORED, INSTANT, tmp_path)
    assert world.acts == [
        "cdk synth",
        "pause",
        f"update {SERVICE}",
        f"delete {DATA}",
        f"import {DATA}",
        "cdk deploy",
        "mark",
        "resume",
    ]
    assert physical_names(world, DATA) == world.names | RESTORED
    [mark] = world.updated
    assert mark["TableName"] == "own-leases"
    assert mark["ExpressionAttributeValues"] == {":before": {"N": str(int(INSTANT.timestamp()) // 60 - 1)}}
    assert all(world.reserved.values()), "every function has the reserved concurrency of its template"


def test_archive_and_audit_trail_stay_in_their_buckets(
    world: World, cloud: Synthesised, tmp_path: Path
) -> None:
    _attach(world, cloud, RESTORED, INSTANT, tmp_path)
    found = {(each["ResourceType"], *each["ResourceIdentifier"].values()) for each in world.imported}
    assert {each for each in found if each[0].startswith("AWS::S3::")} == {
        ("AWS::S3::Bucket", "own-archive"),
        ("AWS::S3::Bucket", "own-trail"),
        ("AWS::S3::BucketPolicy", "own-trail"),
    }


@pytest.mark.parametrize("step", [f"update {SERVICE}", f"delete {DATA}", f"import {DATA}", "deploy", "mark"])
def test_interrupted_attachment_prints_the_line_that_completes_it(
    world: World, cloud: Synthesised, tmp_path: Path, step: str
) -> None:
    world.fails = step
    with pytest.raises(LifecycleError, match="The functions may stand still") as refusal:
        _attach(world, cloud, RESTORED, INSTANT, tmp_path)
    found = re.search(r'TABLES="(.*)" SWEEP_FROM=2026-11-20T02:10Z$', str(refusal.value))
    assert found is not None
    world.fails = None
    _attach(world, cloud, dict(each.split("=", 1) for each in found[1].split()), INSTANT, tmp_path)
    assert physical_names(world, DATA) == world.names | RESTORED
    assert all(world.reserved.values())


def test_stage_that_was_torn_down_is_attached_by_the_line_that_the_teardown_printed_first(
    cloud: Synthesised, tmp_path: Path
) -> None:
    world, lines = World(cloud), list[str]()
    teardown(world, cloud.stage, lines.append)
    assert world.acts == [f"delete {SERVICE}", f"delete {DATA}"]
    found = re.fullmatch(r'.* make attach STAGE=test TABLES="(.*)"', lines[0])
    assert found is not None
    _attach(world, cloud, dict(each.split("=", 1) for each in found[1].split()), None, tmp_path)
    assert physical_names(world, DATA) == world.names


def _busy(world: World) -> None:
    world.busy = SERVICE


def _without_key(world: World) -> None:
    world.key["KeyId"] = "other"


def _key_in_deletion(world: World) -> None:
    world.key["KeyState"] = "PendingDeletion"


def _still_restoring(world: World) -> None:
    world.tables["old-jobs"]["TableStatus"] = "CREATING"


def _provisioned(world: World) -> None:
    world.restore("jobs", "old-jobs", BillingModeSummary={"BillingMode": "PROVISIONED"})


def _swapped(world: World) -> None:
    world.restore("tenants", "old-jobs")


def _unprotected(world: World) -> None:
    for made in world.templates[DATA]["Resources"].values():
        made["DeletionPolicy"] = "Delete"


def _without_lock(world: World) -> None:
    world.buckets["own-trail"]["lock"] = False


def _foreign_objects(world: World) -> None:
    world.buckets["own-archive"]["folders"] = ["v1/", "photos/"]


def _far_bucket(world: World) -> None:
    world.buckets["own-archive"]["region"] = "us-east-1"


def _deleted_archive(world: World) -> None:
    names = parts(world.templates[DATA])
    world.templates[DATA]["Resources"][names["archive"]]["DeletionPolicy"] = "Delete"


def _synth_fails(world: World) -> None:
    world.fails = "synth"


@pytest.mark.parametrize(
    ("given", "change", "answer"),
    [
        ({}, None, 'has its tables: name those to adopt, as in TABLES="executions=<name>'),
        ({"runs": "x"}, None, "a stage has no runs: TABLES takes archive, audit, executions, history"),
        ({"archive": "unknown"}, None, "there is no bucket unknown that these credentials may read (404)"),
        ({"archive": "own-trail"}, None, "two parts of TABLES have the same name"),
        (
            {"archive": "own-trail", "trail": "own-archive"},
            None,
            "the bucket own-trail has Object Lock: give",
        ),
        (RESTORED, _without_lock, "the bucket own-trail has no Object Lock: give the bucket of the stage"),
        (RESTORED, _foreign_objects, "the bucket own-archive is no bucket of archive: it has photos/"),
        (RESTORED, _far_bucket, "the bucket own-archive is in us-east-1, and the stage in eu-west-1"),
        (RESTORED, _deleted_archive, "the stage test is not protected, so its stack would delete archive:"),
        ({"jobs": "unknown"}, None, "there is no table unknown in the region of the stage"),
        ({"jobs": "old-executions"}, None, "the table old-executions is no table of jobs: it has the keys"),
        ({"tenants": "own-audit"}, None, "two parts of TABLES have the same name"),
        ({"key": "unknown"}, None, "there is no key unknown in the region of the stage"),
        ({"key": "alias/own-key"}, None, "key=alias/own-key is no id: give key=own-key"),
        (RESTORED, _key_in_deletion, "the key own-key is PendingDeletion: cancel its deletion"),
        (RESTORED, _still_restoring, "the table old-jobs is CREATING: wait until it is active"),
        (RESTORED, _provisioned, "the table old-jobs has provisioned units: restore it with --billing-mode"),
        (RESTORED, _swapped, "the table old-jobs is no table of jobs"),
        (RESTORED, _unprotected, "the stage test is not protected, so its stack would delete archive, audit"),
        (RESTORED, _busy, "is busy"),
        (RESTORED, _synth_fails, "nothing was changed, because CDK could not write the templates"),
    ],
)
def test_refused_attachment_changes_nothing(
    world: World,
    cloud: Synthesised,
    tmp_path: Path,
    given: dict[str, str],
    change: Callable[[World], None] | None,
    answer: str,
) -> None:
    world.templates[DATA] = _copy(world.templates[DATA])
    if change is not None:
        change(world)
    with pytest.raises(LifecycleError, match=re.escape(answer)):
        _attach(world, cloud, given, INSTANT, tmp_path)
    assert world.acts == ["cdk synth"]


def _copy(template: Any) -> Any:
    if isinstance(template, dict):
        return {name: _copy(part) for name, part in template.items()}
    return template


@pytest.mark.parametrize("is_deployed", [True, False])
def test_restored_executions_need_the_instant_from_which_on_they_are_unfinished(
    world: World, cloud: Synthesised, tmp_path: Path, is_deployed: bool
) -> None:
    if not is_deployed:
        world.forget()
    with pytest.raises(LifecycleError, match="as in SWEEP_FROM="):
        _attach(world, cloud, world.names | RESTORED, None, tmp_path)
    assert world.acts == ["cdk synth"]


@pytest.mark.parametrize(("minutes", "is_refused"), [(-1, True), (0, False), (60, False)])
def test_sweep_from_is_not_later_than_the_restored_executions(
    world: World, cloud: Synthesised, tmp_path: Path, minutes: int, is_refused: bool
) -> None:
    instant = INSTANT + timedelta(minutes=minutes)
    world.restore("executions", "old-executions", RestoreSummary={"RestoreDateTime": instant})
    if is_refused:
        answer = "SWEEP_FROM=2026-11-20T02:10Z is later than the restored executions, which are of 2026-11-20T02:09"
        with pytest.raises(LifecycleError, match=re.escape(answer)):
            _attach(world, cloud, RESTORED, INSTANT, tmp_path)
        assert world.acts == ["cdk synth"]
    else:
        _attach(world, cloud, RESTORED, INSTANT, tmp_path)
        assert "mark" in world.acts


def test_tables_alone_whose_executions_stay_need_no_instant(
    world: World, cloud: Synthesised, tmp_path: Path
) -> None:
    _attach(world, cloud, {"jobs": "old-jobs"}, None, tmp_path)
    assert not world.updated


def test_lost_stacks_need_the_name_of_every_part(world: World, cloud: Synthesised, tmp_path: Path) -> None:
    world.forget()
    with pytest.raises(
        LifecycleError,
        match="the name of archive, audit, history, jobs, key, leases, tenants, trail is missing",
    ) as refusal:
        _attach(world, cloud, {"executions": "own-executions"}, None, tmp_path)
    assert "archive=new and trail=new makes an empty bucket, if the stage had none" in str(refusal.value)


def test_stage_that_never_had_an_archive_gets_an_empty_bucket_if_the_line_says_so(
    cloud: Synthesised, tmp_path: Path
) -> None:
    world = World(cloud, deployed=False)
    given = world.names | {"archive": "new"}
    world.fails = "deploy"
    with pytest.raises(LifecycleError, match="archive=new"):
        _attach(world, cloud, given, None, tmp_path)
    assert "own-archive" not in world.physical[DATA].values()
    world.fails = None
    _attach(world, cloud, given, None, tmp_path)
    assert world.acts.count(f"import {DATA}") == 1, "the tables are attached already"


def test_bucket_of_a_present_stack_is_not_replaced_by_a_new_one(
    world: World, cloud: Synthesised, tmp_path: Path
) -> None:
    _attach(world, cloud, RESTORED | {"archive": "new"}, INSTANT, tmp_path)
    assert physical_names(world, DATA)["archive"] == "own-archive"


def test_present_stack_without_an_archive_gets_a_new_one(
    world: World, cloud: Synthesised, tmp_path: Path
) -> None:
    world.templates[DATA] = _copy(world.templates[DATA])
    del world.templates[DATA]["Resources"][parts(cloud.data.body)["archive"]]
    _attach(world, cloud, RESTORED, INSTANT, tmp_path)
    assert "own-archive" not in {
        value for each in world.imported for value in each["ResourceIdentifier"].values()
    }


def test_bucket_that_the_stage_has_no_longer_stays_outside_of_the_stack(
    world: World, cloud: Synthesised, tmp_path: Path
) -> None:
    names = physical_names(world, DATA)
    body = _copy(cloud.data.body)
    del body["Resources"][parts(body)["archive"]]
    assert names_to_attach(body, names, RESTORED).keys() == names.keys() - {"archive"}


def test_stage_without_stacks_cannot_be_torn_down(cloud: Synthesised) -> None:
    world = World(cloud, deployed=False)
    with pytest.raises(LifecycleError, match=r"in eu-west-1: nothing was deleted.* correct stages/test.toml"):
        teardown(world, cloud.stage, lambda line: None)


def test_teardown_that_was_interrupted_deletes_the_rest(cloud: Synthesised) -> None:
    world = World(cloud)
    world.fails = f"delete {DATA}"
    with pytest.raises(LifecycleError):
        teardown(world, cloud.stage, lambda line: None)
    world.fails, lines = None, list[str]()
    teardown(world, cloud.stage, lines.append)
    assert world.acts == [f"delete {SERVICE}", f"delete {DATA}", f"delete {DATA}"]
    assert "executions=own-executions" in lines[0]


@pytest.mark.parametrize(
    ("is_protected", "change", "answer"),
    [
        (True, _unprotected, "has protected = true, and the deployed stack would delete archive, audit"),
        (False, None, "has protected = false, and the deployed stack retains its tables, key and buckets"),
        (True, _busy, "is busy"),
    ],
)
def test_teardown_refuses_what_the_operator_did_not_expect(
    cloud: Synthesised, is_protected: bool, change: Callable[[World], None] | None, answer: str
) -> None:
    world = World(cloud)
    world.templates[DATA] = _copy(world.templates[DATA])
    if change is not None:
        change(world)
    with pytest.raises(LifecycleError, match=answer):
        teardown(world, replace(cloud.stage, protect_data=is_protected), lambda line: None)
    assert world.acts == []


class _Unreached(AwsAccount):
    def account_id(self) -> str:
        raise AssertionError("AWS was asked")


@pytest.mark.parametrize(
    ("confirmed", "is_protected", "answer"),
    [
        ("", True, "The stage test is protected. Its teardown deletes the functions"),
        ("yes", False, "The stage test is not protected. Its teardown deletes all jobs and tenants"),
    ],
)
def test_teardown_needs_the_name_of_the_stage_once_more(
    cloud: Synthesised,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    confirmed: str,
    is_protected: bool,
    answer: str,
) -> None:
    stage = replace(cloud.stage, protect_data=is_protected)
    monkeypatch.setattr(command, "stage_of_environment", lambda name: stage)
    monkeypatch.setattr(command, "AwsAccount", _Unreached)
    assert command.main(["teardown", "test", "--confirm", confirmed]) == 1
    told = capsys.readouterr().err
    assert answer in told
    assert told.endswith(": confirm with CONFIRM=test\n")


class _Other(AwsAccount):
    def account_id(self) -> str:
        return "222222222222"


class _Nobody(AwsAccount):
    def account_id(self) -> str:
        raise UnansweredError("there are no AWS credentials: set AWS_PROFILE")


@pytest.mark.parametrize(
    "arguments", [["teardown", "test", "--confirm", "test"], ["attach", "test", "jobs=x"], ["resume", "test"]]
)
@pytest.mark.parametrize(
    ("account", "answer"),
    [
        (
            _Other,
            "The stage test belongs to account 111111111111, and the credentials to account 222222222222",
        ),
        (_Nobody, "The account is unknown: there are no AWS credentials: set AWS_PROFILE."),
    ],
)
def test_commands_refuse_credentials_of_another_account(
    cloud: Synthesised,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    account: type[AwsAccount],
    answer: str,
) -> None:
    monkeypatch.setattr(command, "stage_of_environment", lambda name: cloud.stage)
    monkeypatch.setattr(command, "AwsAccount", account)
    assert command.main(arguments) == 1
    assert answer in capsys.readouterr().err


def test_parts_of_the_data_stack_have_the_names_that_the_command_takes(cloud: Synthesised) -> None:
    assert parts(cloud.data.body).keys() == {
        "executions",
        "jobs",
        "tenants",
        "leases",
        "audit",
        "history",
        "key",
        "archive",
        "trail",
    }


@pytest.mark.parametrize("domains", [set(), {"api.example.com"}], ids=["gone", "left"])
def test_domain_that_a_teardown_left_belongs_to_the_data_stack_before_its_deployment(
    large: Synthesised, tmp_path: Path, domains: set[str]
) -> None:
    """CloudFormation would refuse to make a domain that exists."""
    world = World(large)
    teardown(world, large.stage, lambda line: None)
    world.domains, world.fails = domains, "deploy"
    with pytest.raises(LifecycleError, match="CDK could not deploy"):
        _attach(world, large, world.names, None, tmp_path)
    assert domains == {name for name in world.physical[DATA].values() if name.startswith("api.")}
