"""The HTTPS entry: an HTTP API that passes every request to the api function.

A single `$default` route lets the function answer unknown paths and methods, too. The gateway does not
authorise requests, because only the function can check a tenant's API key.
"""

import json
from typing import cast

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_lambda as lambda_
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from infra.components.log_groups import log_group
from infra.config import StageConfig

REQUEST_HEADERS = (
    "authorization",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "punctual-depth",
)
RESPONSE_HEADERS = ("etag", "location", "idempotency-replayed", "retry-after")
"""Headers that web pages of other origins may send and read."""
ACCESS_LOG = {
    "requestId": "$context.requestId",
    "time": "$context.requestTimeEpoch",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "latencyMs": "$context.responseLatency",
    "bytes": "$context.responseLength",
    "sourceIp": "$context.identity.sourceIp",
    "error": "$context.integrationErrorMessage",
}


def _cors(stage: StageConfig) -> apigateway.CorsPreflightOptions | None:
    """API Gateway itself answers preflight requests, without a key."""
    if not stage.cors_origins:
        return None
    return apigateway.CorsPreflightOptions(
        allow_origins=list(stage.cors_origins),
        allow_methods=[apigateway.CorsHttpMethod.ANY],
        allow_headers=list(REQUEST_HEADERS),
        expose_headers=list(RESPONSE_HEADERS),
        max_age=Duration.hours(1),
    )


class HttpEntry(Construct):
    def __init__(self, scope: Construct, function: lambda_.Function, stage: StageConfig) -> None:
        super().__init__(scope, "HttpEntry")
        self.api = apigateway.HttpApi(
            self,
            "Api",
            api_name=f"{stage.prefix}-api",
            create_default_stage=False,
            cors_preflight=_cors(stage),
            default_integration=HttpLambdaIntegration(
                "ToFunction", function, payload_format_version=apigateway.PayloadFormatVersion.VERSION_2_0
            ),
        )
        default = apigateway.HttpStage(
            self,
            "Default",
            http_api=self.api,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(
                rate_limit=stage.api_rate_limit, burst_limit=stage.api_burst_limit
            ),
        )
        # With this prefix, API Gateway needs no entry in the account's log resource policy.
        logs = log_group(self, "AccessLog", stage, path=f"/aws/vendedlogs/{stage.prefix}-api")
        cast(
            apigateway.CfnStage, default.node.default_child
        ).access_log_settings = apigateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=logs.log_group_arn, format=json.dumps(ACCESS_LOG)
        )
