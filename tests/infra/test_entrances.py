"""The API and the clock."""

import json

from functions.api.routes import ROUTES
from tests.infra.conftest import Synthesised
from tests.support.template import environment


def test_default_route_takes_every_request_to_the_api_function(cloud: Synthesised) -> None:
    (route,) = cloud.service.properties("AWS::ApiGatewayV2::Route")
    assert route["RouteKey"] == "$default"
    (integration,) = cloud.service.properties("AWS::ApiGatewayV2::Integration")
    assert integration["PayloadFormatVersion"] == "2.0"
    function = cloud.service.referred(integration["IntegrationUri"])
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
    assert {"requestId", "status", "path"} <= json.loads(stage["AccessLogSettings"]["Format"]).keys()


def test_pages_of_other_origins_may_call_the_api_only_where_the_stage_names_them(
    cloud: Synthesised, large: Synthesised
) -> None:
    (closed,) = cloud.service.properties("AWS::ApiGatewayV2::Api")
    assert "CorsConfiguration" not in closed
    (open_to_page,) = large.service.properties("AWS::ApiGatewayV2::Api")
    cors = open_to_page["CorsConfiguration"]
    assert (cors["AllowOrigins"], cors["AllowMethods"]) == (["https://console.example.com"], ["*"])
    headers = {name.lower() for route in ROUTES for name in route.headers} | {"authorization", "content-type"}
    assert set(cors["AllowHeaders"]) == headers
    assert {name.lower() for route in ROUTES for name in route.answer_headers} <= set(cors["ExposeHeaders"])


def test_ranges_of_shards_are_watched_and_swept_every_minute(cloud: Synthesised) -> None:
    ticks: dict[str, list[object]] = {}
    for rule in cloud.service.properties("AWS::Events::Rule"):
        (target,) = rule["Targets"]
        service = environment(cloud.service.referred(target["Arn"]))["POWERTOOLS_SERVICE_NAME"]
        rate = "rate(15 minutes)" if service == "reconciler" else "rate(1 minute)"
        assert (rule["ScheduleExpression"], rule["State"]) == (rate, "ENABLED")
        ticks.setdefault(service, []).append(json.loads(target["Input"]))
    assert min(cloud.stage.watchers, cloud.stage.sweepers) > 1
    assert ticks == {
        "watcher": ranges(cloud.stage.watchers),
        "sweeper": ranges(cloud.stage.sweepers),
        "redriver": [{}],
        "reconciler": [{}, *ranges(cloud.stage.reconcilers)],
    }


def ranges(of: int) -> list[dict[str, dict[str, int]]]:
    return [{"range": {"index": index, "of": of}} for index in range(of)]


def test_a_tick_that_cannot_be_delivered_is_dropped_within_a_minute(cloud: Synthesised) -> None:
    for rule in cloud.service.properties("AWS::Events::Rule"):
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
    assert {f"{name}TableName" for name in ("Executions", "Jobs", "Tenants", "Leases", "Audit")} | {
        "KmsKeyId"
    } <= data
