"""One synthesised template of each kind for the whole session: synthesis is slow, and nobody changes it."""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from infra.alarm_targets import AlarmTargets
from infra.api_domain import ApiDomain
from infra.app import synth
from infra.bundling import HOST_WHEELS, ROOT, build
from infra.config import StageConfig
from infra.event_bus import EventBusConfig
from infra.stages import cloud_stage, local_stage
from tests.support.template import Resource, Template

ALARM_TARGETS = AlarmTargets(
    emails=("ops@example.com", "night@example.com"), https=("https://alerts.example.com/punctual/s3cr3t",)
)
TOPIC = "arn:aws:sns:eu-west-1:111111111111:pagers"


@dataclass(frozen=True)
class Synthesised:
    """The stacks of one stage."""

    stage: StageConfig
    outdir: Path
    data: Template
    service: Template

    def json(self, name: str) -> dict[str, object]:
        """A file of the assembly."""
        content: dict[str, object] = json.loads((self.outdir / name).read_text())
        return content


def alarms_of(stacks: Synthesised) -> dict[str, Resource]:
    """The properties of the alarms by their names without the prefix of the stage."""
    alarms = stacks.service.properties("AWS::CloudWatch::Alarm")
    return {made["AlarmName"].removeprefix(f"{stacks.stage.prefix}-"): made for made in alarms}


def ticks_of(stacks: Synthesised) -> list[Resource]:
    """The rules of the scheduled ticks."""
    rules = stacks.service.properties("AWS::Events::Rule")
    return [rule for rule in rules if "ScheduleExpression" in rule]


def synthesise(stage: StageConfig, outdir: Path) -> Synthesised:
    assembly = synth(stage, outdir)
    data, service = (
        Template(
            json.loads(
                Path(assembly.get_stack_by_name(f"{stage.prefix}-{part}").template_full_path).read_text()
            )
        )
        for part in ("data", "service")
    )
    return Synthesised(stage=stage, outdir=outdir, data=data, service=service)


def usual_stage() -> StageConfig:
    """A stage as AWS would get it, but for the wheels: which those are changes nothing but the asset's hash."""
    plain = cloud_stage("test", "eu-west-1", "111111111111")
    return replace(
        plain,
        bundle="host",
        alarm_targets=ALARM_TARGETS,
        canary=True,
        contributor_insights=True,
        monthly_dollars=500,
        event_bus=EventBusConfig(accounts=("222222222222",)),
    )


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Synthesised:
    return synthesise(usual_stage(), tmp_path_factory.mktemp("cloud"))


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Synthesised:
    """The same with the sizes of the largest preset in a shared account, a page of another origin, a domain, a topic
    for alarms, keys of identity tokens and a tag."""
    stage = cloud_stage("test", "eu-west-1", "111111111111", preset="large")
    certificate = "arn:aws:acm:eu-west-1:111111111111:certificate/1-a"
    with_more = replace(
        stage,
        bundle="host",
        account_concurrency_quota=8_000,
        cors_origins=("https://console.example.com",),
        domain=ApiDomain(name="api.example.com", certificate_arn=certificate),
        alarm_targets=AlarmTargets(topic_arn=TOPIC),
        monthly_dollars=40_000,
        tags=(("team", "platform"),),
        token_keys=(2, 1),
        event_bus=EventBusConfig(),
    )
    return synthesise(with_more, tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Synthesised:
    """The laptop's stage."""
    return synthesise(local_stage(), tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="session")
def archive_bundle() -> Path:
    """The same for the archiver."""
    return build(HOST_WHEELS, ROOT / "build", sys.executable, archive=True).path


@pytest.fixture(scope="session")
def host_bundle() -> Path:
    """The bundle with its dependencies for this interpreter, pruned like Lambda's; pip runs once for each lock."""
    return build(HOST_WHEELS, ROOT / "build", sys.executable).path
