"""Releases: what invokes a function follows its alias, and the API alone switches gradually."""

import re

import pytest

from tests.infra.conftest import Synthesised, ticks_of
from tests.support.template import Resource, Template, environment, references


def _alias_of(url: Resource, service: Template) -> str:
    """The alias of a function URL, which names the function and the alias apart."""
    (name,) = (
        name
        for name, alias in service.of_type("AWS::Lambda::Alias").items()
        if set(references(alias["Properties"]["FunctionName"])) & set(references(url["TargetFunctionArn"]))
        and url["Qualifier"] == "live"
    )
    return name


@pytest.mark.parametrize("stage", ["cloud", "local"])
def test_functions_are_invoked_by_their_aliases_alone(stage: str, request: pytest.FixtureRequest) -> None:
    stacks: Synthesised = request.getfixturevalue(stage)
    service = stacks.service
    invoking = [
        *(mapping["FunctionName"] for mapping in service.properties("AWS::Lambda::EventSourceMapping")),
        *(target["Arn"] for rule in ticks_of(stacks) for target in rule["Targets"]),
        *(made["IntegrationUri"] for made in service.properties("AWS::ApiGatewayV2::Integration")),
        service.functions()["api"]["Environment"]["Variables"]["ARCHIVE_READER"],
    ]
    permitted = [made["FunctionName"] for made in service.properties("AWS::Lambda::Permission")]
    urls = [
        made["Properties"]
        for made in service.body["Resources"].values()
        if made["Type"] == "AWS::Lambda::Url"
    ]
    invoked = {service.alias(value) for value in invoking} | {_alias_of(url, service) for url in urls}
    assert invoked == service.of_type("AWS::Lambda::Alias").keys()
    assert {service.alias(value) for value in permitted} <= invoked


@pytest.mark.parametrize("stage", ["cloud", "local"])
def test_alias_points_to_a_version_that_is_published_with_each_change_of_its_function(
    stage: str, request: pytest.FixtureRequest
) -> None:
    service = request.getfixturevalue(stage).service
    versions = service.of_type("AWS::Lambda::Version")
    for alias in service.properties("AWS::Lambda::Alias"):
        name, attribute = alias["FunctionVersion"]["Fn::GetAtt"]
        assert attribute == "Version"
        assert versions[name]["Properties"]["FunctionName"] == alias["FunctionName"]


def test_earlier_versions_stay_for_a_way_back_but_those_of_an_update_that_was_rolled_back(
    cloud: Synthesised,
) -> None:
    versions = cloud.service.of_type("AWS::Lambda::Version").values()
    policies = {(version["DeletionPolicy"], version["UpdateReplacePolicy"]) for version in versions}
    assert policies == {("RetainExceptOnCreate", "Retain")}


def test_versions_change_with_the_variables_of_a_function_and_not_otherwise(
    cloud: Synthesised, large: Synthesised
) -> None:
    """Both stages have the same name, region and code."""
    versions = cloud.service.of_type("AWS::Lambda::Version").keys()
    others = large.service.of_type("AWS::Lambda::Version").keys()
    assert [len(versions), len(others)] == [len(each.service.functions()) for each in (cloud, large)]
    alike = {name for name in versions & others if "ArchiveReader" not in name}
    assert not alike, "SHARD_PLAN differs"


def test_the_api_alone_switches_gradually_and_goes_back_on_its_alarms(cloud: Synthesised) -> None:
    aliases = cloud.service.of_type("AWS::Lambda::Alias")
    gradual = {name: made["UpdatePolicy"] for name, made in aliases.items() if "UpdatePolicy" in made}
    ((name, policy),) = gradual.items()
    function = cloud.service.invoked({"Ref": name})
    assert environment(function)["POWERTOOLS_SERVICE_NAME"] == "api"
    group = cloud.service.referred(policy["CodeDeployLambdaAliasUpdate"]["DeploymentGroupName"])
    events = {"DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST"}
    assert set(group["AutoRollbackConfiguration"]["Events"]) == events
    alarms = [cloud.service.referred(named["Name"]) for named in group["AlarmConfiguration"]["Alarms"]]
    by_name = {alarm["AlarmName"].removeprefix("punctual-test-"): alarm for alarm in alarms}
    assert by_name.keys() == {"RolloutErrors", "ApiBurnFast"}
    found = re.fullmatch(
        r"CodeDeployDefault\.LambdaCanary(\d+)Percent(\d+)Minutes", group["DeploymentConfigName"]
    )
    assert found is not None
    percent, minutes = int(found[1]), int(found[2])
    for name, failing in (("ApiBurnFast", 1), ("RolloutErrors", 0.2)):
        alarm = by_name[name]
        stats = [part["MetricStat"] for part in alarm["Metrics"] if "MetricStat" in part]
        (window_seconds,) = {stat["Period"] for stat in stats}
        share = failing * percent * min(minutes * 60 / 2, window_seconds) / window_seconds
        assert share > alarm["Threshold"], f"{name} fires in half the time if this part of the requests fails"


def test_rollout_at_once_needs_no_codedeploy(local: Synthesised) -> None:
    resources = local.service.body["Resources"].values()
    assert local.stage.api_rollout == "at_once"
    assert not any(made["Type"].startswith("AWS::CodeDeploy") or "UpdatePolicy" in made for made in resources)


def test_the_logs_that_record_requests_survive_the_stack_and_have_no_fixed_name(
    cloud: Synthesised, local: Synthesised
) -> None:
    groups = cloud.service.of_type("AWS::Logs::LogGroup")
    kept = {name for name, made in groups.items() if made["DeletionPolicy"] == "Retain"}
    api = cloud.service.functions()["api"]["LoggingConfig"]["LogGroup"]["Ref"]
    (stage,) = cloud.service.properties("AWS::ApiGatewayV2::Stage")
    access = stage["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]
    assert kept == {api, access}
    assert "LogGroupName" not in groups[api]["Properties"]
    name = groups[access]["Properties"]["LogGroupName"]
    assert {"Ref": next(iter(cloud.service.of_type("AWS::ApiGatewayV2::Api")))} in name["Fn::Join"][1]
    for made in local.service.of_type("AWS::Logs::LogGroup").values():
        assert made["DeletionPolicy"] == "Delete"
