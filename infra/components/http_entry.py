"""The HTTPS entry: an HTTP API that passes every request to the api function.

The `$default` route lets the function answer unknown paths and methods, too. The documentation and the console have
routes of their own, because they need no key and some files are large: a low rate bounds what strangers can make
AWS bill.
The gateway does not authorise requests, because only the function can check a tenant's API key.
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
    "traceparent",
)
RESPONSE_HEADERS = ("etag", "location", "idempotency-replayed", "retry-after")
"""Headers that web pages of other origins may send and read."""
ACCESS_LOG = {
    "request_id": "$context.requestId",
    "ip": "$context.identity.sourceIp",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "ms": "$context.responseLatency",
    "error": "$context.integrationErrorMessage",
}
"""A path has no query string. CloudWatch has the time of each line, and each byte is billed."""


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


OPEN_RATE, OPEN_BURST = 5, 100
"""Requests per second to each of the routes below; a page with all of its files takes seven."""
OPEN_PATHS = ("/v1/docs", "/v1/docs/{proxy+}", "/v1/openapi.json", "/console", "/console/{proxy+}")
"""Paths of the documentation and of the console, which any client may read."""
KEYS_RATE, KEYS_BURST = 50, 500
KEYS_PATH = "/.well-known/{proxy+}"
"""The keys of identity tokens: small, and read by each new process of a receiver."""


class HttpEntry(Construct):
    def __init__(self, scope: Construct, function: lambda_.Alias, stage: StageConfig) -> None:
        super().__init__(scope, "HttpEntry")
        integration = HttpLambdaIntegration(
            "ToFunction", function, payload_format_version=apigateway.PayloadFormatVersion.VERSION_2_0
        )
        self.api = apigateway.HttpApi(
            self,
            "Api",
            api_name=f"{stage.prefix}-api",
            create_default_stage=False,
            cors_preflight=_cors(stage),
            default_integration=integration,
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
        # With this prefix, API Gateway needs no entry in the account's log resource policy. With the id of the API,
        # the log of a deleted stack does not stand in the way of a new one.
        path = f"/aws/vendedlogs/{stage.prefix}-api-{self.api.api_id}"
        self.access_log = log_group(self, "AccessLog", stage, path=path, is_record=True)
        cast(
            apigateway.CfnStage, default.node.default_child
        ).access_log_settings = apigateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=self.access_log.log_group_arn,
            format=json.dumps(ACCESS_LOG, separators=(",", ":")),
        )
        self._bound_open_paths(integration, default)
        self.public_url = self.api.api_endpoint
        """The URL that clients call: that of the domain, if there is one."""
        if stage.domain is not None:
            self.public_url = f"https://{stage.domain.name}"
            self._map_domain(stage.domain.name, default)
        self.console_origin = stage.console_origin or (None if stage.emulated else self.public_url)
        """Where people open the console. None on the emulator, whose name of the API no browser resolves: the laptop
        stack gives its functions the address of its front door."""

    def _bound_open_paths(self, integration: HttpLambdaIntegration, stage: apigateway.HttpStage) -> None:
        cfn_stage = cast(apigateway.CfnStage, stage.node.default_child)
        limits = dict.fromkeys(OPEN_PATHS, (OPEN_RATE, OPEN_BURST)) | {KEYS_PATH: (KEYS_RATE, KEYS_BURST)}
        cfn_stage.route_settings = {
            f"ANY {path}": {"ThrottlingRateLimit": rate, "ThrottlingBurstLimit": burst}
            for path, (rate, burst) in limits.items()
        }
        for path in limits:
            for route in self.api.add_routes(path=path, integration=integration):
                stage.node.add_dependency(
                    route
                )  # API Gateway refuses settings of a route that is not there yet

    def _map_domain(self, domain: str, stage: apigateway.HttpStage) -> None:
        """Lead the domain of the data stack to the API. A reference to it would be an export, which would keep a stage
        from giving up its domain."""
        mapping = apigateway.CfnApiMapping(
            self, "Mapping", api_id=self.api.api_id, domain_name=domain, stage=stage.stage_name
        )
        mapping.node.add_dependency(stage)
