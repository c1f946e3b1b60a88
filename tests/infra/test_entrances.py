"""The API and the clock."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from functions.api.openapi.responses import SENT_AS
from functions.api.reference.pages import PAGES
from functions.api.routes import every_route
from infra.components.http_entry import KEYS_BURST, KEYS_PATH, KEYS_RATE, OPEN_BURST, OPEN_RATE
from infra.stages import local_stage
from tests.infra.conftest import Synthesised, synthesise, ticks_of
from tests.support.template import environment


def test_default_route_takes_every_request_to_the_api_function(cloud: Synthesised) -> None:
    routes = list(cloud.service.properties("AWS::ApiGatewayV2::Route"))
    assert "$default" in {route["RouteKey"] for route in routes}
    assert len({str(route["Target"]) for route in routes}) == 1
    (integration,) = cloud.service.properties("AWS::ApiGatewayV2::Integration")
    assert integration["PayloadFormatVersion"] == "2.0"
    function = cloud.service.invoked(integration["IntegrationUri"])
    assert environment(function)["POWERTOOLS_SERVICE_NAME"] == "api"


def test_the_stage_is_throttled_and_logs_every_access(cloud: Synthesised) -> None:
    (stage,) = cloud.service.properties("AWS::ApiGatewayV2::Stage")
    assert stage["StageName"] == "$default"
    assert stage["DefaultRouteSettings"] == {
        "ThrottlingBurstLimit": cloud.stage.api_burst_limit,
        "ThrottlingRateLimit": cloud.stage.api_rate_limit,
    }
    logs = cloud.service.referred(stage["AccessLogSettings"]["DestinationArn"])
    assert logs["RetentionInDays"] == cloud.stage.log_retention_days
    assert {"request_id", "status", "path"} <= json.loads(stage["AccessLogSettings"]["Format"]).keys()


@pytest.mark.parametrize("stage", ["cloud", "local"])
def test_every_page_that_needs_no_key_has_a_low_rate_of_its_own(
    stage: str, request: pytest.FixtureRequest
) -> None:
    service = request.getfixturevalue(stage).service
    (deployed,) = service.of_type("AWS::ApiGatewayV2::Stage").values()
    settings = deployed["Properties"]["RouteSettings"]
    keys = settings.pop(f"ANY {KEYS_PATH}")
    assert keys == {"ThrottlingRateLimit": KEYS_RATE, "ThrottlingBurstLimit": KEYS_BURST}
    assert {tuple(each.items()) for each in settings.values()} == {
        (("ThrottlingRateLimit", OPEN_RATE), ("ThrottlingBurstLimit", OPEN_BURST))
    }
    settings[f"ANY {KEYS_PATH}"] = keys
    routes = service.of_type("AWS::ApiGatewayV2::Route")
    bounded = {name for name, made in routes.items() if made["Properties"]["RouteKey"] in settings}
    assert len(bounded) == len(settings)
    assert bounded <= set(deployed["DependsOn"]), "API Gateway refuses settings of a route that is not there"
    patterns = [key.removeprefix("ANY ").replace("{proxy+}", ".+") for key in settings]
    open_paths = [
        *PAGES,
        "/.well-known/jwks.json",
        "/.well-known/openid-configuration",
        "/console",
        "/console/0123456789abcdef/app.js",
    ]
    assert all(any(re.fullmatch(pattern, path) for pattern in patterns) for path in open_paths)


def test_domain_leads_to_the_api_and_no_job_may_call_it(large: Synthesised, cloud: Synthesised) -> None:
    """The domain has a target of its own in DNS, so it stays when the service stack goes."""
    ((domain, made),) = large.data.of_type("AWS::ApiGatewayV2::DomainName").items()
    assert (made["DeletionPolicy"], made["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert made["Properties"]["DomainName"] == "api.example.com"
    (configuration,) = made["Properties"]["DomainNameConfigurations"]
    assert configuration == {
        "CertificateArn": "arn:aws:acm:eu-west-1:111111111111:certificate/1-a",
        "EndpointType": "REGIONAL",
        "SecurityPolicy": "TLS_1_2",
    }
    (mapping,) = large.service.properties("AWS::ApiGatewayV2::ApiMapping")
    (api,) = large.service.of_type("AWS::ApiGatewayV2::Api")
    assert (mapping["ApiId"], mapping["DomainName"], mapping["Stage"]) == (
        {"Ref": api},
        "api.example.com",
        "$default",
    )
    assert "ApiMappingKey" not in mapping
    target = large.data.body["Outputs"]["DomainTarget"]
    assert target["Value"] == {"Fn::GetAtt": [domain, "RegionalDomainName"]}
    executor = large.service.functions()["executor-standard"]["Environment"]["Variables"]["API_HOSTS"]
    assert "api.example.com" in str(executor)
    assert "AWS::ApiGatewayV2::DomainName" not in json.dumps([cloud.data.body, large.service.body])
    assert "DomainTarget" not in cloud.data.body["Outputs"]


@pytest.mark.parametrize(
    ("origin", "is_refused"),
    [("https://jobs.example.com:8443", True), ("http://127.0.0.1:14568", False)],
)
def test_console_behind_a_proxy_is_where_alerts_link_to_and_no_job_may_call_it(
    origin: str, is_refused: bool, tmp_path: Path
) -> None:
    """The receivers of the emulator are on the loopback address, too."""
    made = synthesise(replace(local_stage(), console_origin=origin), tmp_path)
    for service in ("api", "executor-standard"):
        variables = made.service.functions()[service]["Environment"]["Variables"]
        assert variables["CONSOLE_ORIGIN"] == origin
        assert (origin in json.dumps(variables["API_HOSTS"])) == is_refused


def test_pages_of_other_origins_may_call_the_api_only_where_the_stage_names_them(
    cloud: Synthesised, large: Synthesised
) -> None:
    (closed,) = cloud.service.properties("AWS::ApiGatewayV2::Api")
    assert "CorsConfiguration" not in closed
    (open_to_page,) = large.service.properties("AWS::ApiGatewayV2::Api")
    cors = open_to_page["CorsConfiguration"]
    assert (cors["AllowOrigins"], cors["AllowMethods"]) == (["https://console.example.com"], ["*"])
    headers = {name.lower() for route in every_route() for name in route.headers} | {
        "authorization",
        "content-type",
    }
    assert set(cors["AllowHeaders"]) == headers
    sent = {SENT_AS.get(name, name).lower() for route in every_route() for name in route.answer_headers}
    assert sent <= set(cors["ExposeHeaders"])


def test_ranges_of_shards_are_watched_and_swept_every_minute_and_archived_every_five(
    cloud: Synthesised,
) -> None:
    ticks: dict[str, list[object]] = {}
    for rule in ticks_of(cloud):
        (target,) = rule["Targets"]
        service = environment(cloud.service.invoked(target["Arn"]))["POWERTOOLS_SERVICE_NAME"]
        if service == "canary-prober":
            continue
        slower = {"reconciler": "15 minutes", "archiver": "5 minutes", "auditor": "5 minutes"}
        minutes = slower.get(service, "1 minute")
        assert (rule["ScheduleExpression"], rule["State"]) == (f"rate({minutes})", "ENABLED")
        if service == "sweeper":
            assert target["InputTransformer"]["InputPathsMap"] == {"time": "$.time"}
            text = target["InputTransformer"]["InputTemplate"].replace("<time>", '"2025-02-19T12:00:00Z"')
        else:
            text = target["Input"]
        ticks.setdefault(service, []).append(json.loads(text))
    assert min(cloud.stage.watchers, cloud.stage.sweepers) > 1
    assert ticks == {
        "watcher": ranges(cloud.stage.watchers),
        "sweeper": [{"time": "2025-02-19T12:00:00Z"} | part for part in ranges(cloud.stage.sweepers)],
        "redriver": [{}],
        "archiver": ranges(cloud.stage.archivers),
        "auditor": [{}],
        "reconciler": [{}, *ranges(cloud.stage.reconcilers)],
    }


def ranges(of: int) -> list[dict[str, object]]:
    return [{"range": {"index": index, "of": of}} for index in range(of)]


def test_a_tick_that_cannot_be_delivered_is_dropped_within_a_minute(cloud: Synthesised) -> None:
    for rule in ticks_of(cloud):
        assert rule["Targets"][0]["RetryPolicy"] == {
            "MaximumEventAgeInSeconds": 60,
            "MaximumRetryAttempts": 1,
        }


def test_the_outputs_say_what_a_client_and_an_operator_need(cloud: Synthesised) -> None:
    service = cloud.service.body["Outputs"].keys()
    assert {
        "ApiUrl",
        "Region",
        "AlarmTopicArn",
        "StandardQueueUrl",
        "ExecutorStandardFunctionName",
    } <= service
    data = cloud.data.body["Outputs"].keys()
    assert {
        f"{name}TableName" for name in ("Executions", "Jobs", "Tenants", "Leases", "Audit", "History")
    } | {
        "KmsKeyId",
        "ArchiveBucketName",
        "AuditTrailBucketName",
    } <= data


@pytest.mark.parametrize("stage", ["cloud", "large"])
def test_every_output_has_a_description(stage: str, request: pytest.FixtureRequest) -> None:
    stacks: Synthesised = request.getfixturevalue(stage)
    for template in (stacks.data, stacks.service):
        bare = [
            name
            for name, made in template.body["Outputs"].items()
            if not str(made.get("Description", "")).endswith(".")
        ]
        assert [name for name in bare if not name.startswith("ExportsOutput")] == []


def test_stacks_carry_the_tags_of_the_stage_and_its_name(large: Synthesised, cloud: Synthesised) -> None:
    for stacks, tags in ((cloud, {}), (large, {"team": "platform"})):
        artifacts = stacks.json("manifest.json")["artifacts"]
        assert isinstance(artifacts, dict)
        for part in ("data", "service"):
            found = artifacts[f"{stacks.stage.prefix}-{part}"]["properties"]["tags"]
            assert found == {"punctual:stage": "test", **tags}
