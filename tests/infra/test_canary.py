"""The canary of a stage: what its functions may do and know, who may call them, and which stages may have one."""

from dataclasses import replace

import pytest

from infra.components.function_specs import CANARY_MEMORY_MB, function_specs
from infra.components.grant_table import grants_of
from infra.concurrency import CANARY_CONCURRENCY, ReservedConcurrency
from infra.config import FunctionMemory
from infra.local.state_dir import PROJECT_ROOT
from infra.sizing.bill import bill, total
from infra.sizing.idle import idle_usage
from infra.sizing.prices import DEFAULT_REGION, PRICES
from infra.sizing.usage import GB, MB_PER_GB, Usage
from infra.stages import PRESETS, cloud_stage
from shared.adapters.aws.http11 import ANSWER_SECONDS, CONNECT_SECONDS
from shared.adapters.aws.retries import LONGEST_MS, TRIES
from shared.adapters.http import public_api
from shared.domain.canary import CYCLE, RUNS
from shared.names import CANARY_CALLS_PER_CYCLE, CANARY_CYCLE_MINUTES, CanarySecret, Env
from tests.infra.conftest import Synthesised, alarms_of, ticks_of
from tests.support.template import environment, resolve

SECRETS = {"canary-prober": CanarySecret.API_KEY, "canary-receiver": CanarySecret.SIGNING_SECRET}
URL_REQUESTS_PER_EXECUTION = 10
"""Lambda lets a function URL take so many a second for each reserved execution."""
STAGE = cloud_stage("test", "eu-west-1", "111111111111")


def test_number_of_calls_in_a_cycle_is_that_of_the_jobs() -> None:
    assert len(CYCLE) == CANARY_CYCLE_MINUTES
    assert len(CYCLE) - 1 + RUNS == CANARY_CALLS_PER_CYCLE


def test_functions_of_the_canary_read_their_own_secrets_and_write_their_logs(cloud: Synthesised) -> None:
    for service, secret in SECRETS.items():
        role = cloud.service.referred(cloud.service.functions()[service]["Role"])
        (policy,) = role["Policies"]
        log, parameter = policy["PolicyDocument"]["Statement"]
        assert log["Action"] == ["logs:CreateLogStream", "logs:PutLogEvents"]
        assert parameter["Action"] == "ssm:GetParameter"
        arn = resolve(parameter["Resource"])
        assert arn.endswith(f":ssm:eu-west-1:111111111111:parameter/punctual/test/canary/{secret}")


def test_functions_outside_the_canary_read_no_parameter() -> None:
    readers = {
        spec.service
        for spec in function_specs(FunctionMemory(), canary=True, event_bus=True)
        for grant in grants_of(spec)
        if any(action.startswith("ssm:") for action in grant.actions)
    }
    assert readers == SECRETS.keys()


def test_functions_know_no_table_queue_or_key_and_no_secret(cloud: Synthesised) -> None:
    common = {Env.STAGE, Env.REGION, Env.TRANSPORT, "POWERTOOLS_SERVICE_NAME", "LOG_LEVEL"}
    functions = cloud.service.functions()
    assert environment(functions["canary-receiver"]).keys() == common
    assert environment(functions["canary-prober"]).keys() == common | {Env.API_URL, Env.CANARY_RECEIVER_URL}


def test_prober_calls_what_clients_call(cloud: Synthesised) -> None:
    variables = cloud.service.functions()["canary-prober"]["Environment"]["Variables"]
    assert cloud.service.referred(variables[Env.API_URL]) == next(
        cloud.service.properties("AWS::ApiGatewayV2::Api")
    )
    (url,) = cloud.service.of_type("AWS::Lambda::Url")
    assert variables[Env.CANARY_RECEIVER_URL] == {"Fn::GetAtt": [url, "FunctionUrl"]}


def test_anyone_may_call_the_receiver_by_its_url_alone_and_no_other_function(cloud: Synthesised) -> None:
    """Since October 2025, Lambda demands both permissions."""
    (url,) = cloud.service.properties("AWS::Lambda::Url")
    assert (url["AuthType"], url["Qualifier"]) == ("NONE", "live")
    assert "Cors" not in url
    function = cloud.service.referred(url["TargetFunctionArn"])
    assert function == cloud.service.functions()["canary-receiver"]
    public = [
        made for made in cloud.service.properties("AWS::Lambda::Permission") if made["Principal"] == "*"
    ]
    assert all(cloud.service.invoked(made["FunctionName"]) == function for made in public)
    assert {
        made["Action"]: (made.get("FunctionUrlAuthType"), made.get("InvokedViaFunctionUrl"))
        for made in public
    } == {"lambda:InvokeFunctionUrl": ("NONE", None), "lambda:InvokeFunction": (None, True)}


def test_prober_has_a_tick_in_each_minute_of_the_calendar_which_tells_its_minute(cloud: Synthesised) -> None:
    rules = [
        rule
        for rule in ticks_of(cloud)
        if cloud.service.invoked(rule["Targets"][0]["Arn"]) == cloud.service.functions()["canary-prober"]
    ]
    assert [rule["ScheduleExpression"] for rule in rules] == ["cron(* * * * ? *)"]
    assert rules[0]["Targets"][0]["InputTransformer"] == {
        "InputPathsMap": {"time": "$.time"},
        "InputTemplate": '{"time":<time>}',
    }


def test_prober_outlives_the_slowest_reads_of_its_key_and_the_slowest_request() -> None:
    (prober,) = (
        spec
        for spec in function_specs(FunctionMemory(), canary=True, event_bus=True)
        if spec.is_scheduled and spec.secret
    )
    reads = TRIES * (CONNECT_SECONDS + ANSWER_SECONDS + LONGEST_MS / 1_000)
    assert reads + public_api.TIMEOUT_SECONDS < prober.timeout_seconds < 60


def test_stage_without_a_canary_has_nothing_of_it(cloud: Synthesised, large: Synthesised) -> None:
    assert not large.stage.canary
    assert "anary" not in str(large.service.body["Resources"].keys())
    assert not {name for name in alarms_of(large) if "Canary" in name}
    assert not any(made["Type"] == "AWS::Lambda::Url" for made in large.service.body["Resources"].values())


def test_canary_without_reservations_is_refused() -> None:
    with pytest.raises(ValueError, match="canary needs reserved concurrency"):
        replace(STAGE, canary=True, reserved=None)
    assert replace(STAGE, canary=True, reserved=ReservedConcurrency()).canary


@pytest.mark.parametrize("preset", PRESETS)
def test_canary_fits_into_every_preset(preset: str) -> None:
    assert replace(PRESETS[preset], canary=True).reserved is not None


def test_reservations_of_the_canary_count_towards_the_quota_of_the_account() -> None:
    full = replace(STAGE, account_concurrency=996)
    with pytest.raises(ValueError, match="account_concurrency is at least 1000, not 996"):
        replace(full, canary=True)


def test_canary_is_billed_where_the_stage_has_one() -> None:
    with_canary = idle_usage(replace(STAGE, canary=True))
    assert with_canary.api_requests == 43_800
    assert idle_usage(STAGE).api_requests == 0


def test_flood_of_the_receiver_costs_what_its_concurrency_allows_and_no_more() -> None:
    """At three busy executions all day, whatever strangers send; the page has these figures."""
    executions, seconds = CANARY_CONCURRENCY["canary_receiver"], 86_400
    requests = executions * URL_REQUESTS_PER_EXECUTION * seconds
    usage = Usage(
        lambda_requests=requests,
        gb_seconds=executions * seconds * CANARY_MEMORY_MB / MB_PER_GB,
        transfer_gb=requests * 1_000 / GB,
    )
    assert (usage.lambda_requests, usage.gb_seconds) == (2_592_000, 129_600)
    assert 2.4 < total(usage, PRICES[DEFAULT_REGION]) <= 2.5
    page = (PROJECT_ROOT / "docs/operations/canary.md").read_text()
    costs = [cost for cost in bill(usage, PRICES[DEFAULT_REGION]).values() if cost]
    assert all(f"| {cost:.2f} |" in page for cost in costs)
    assert {f"| {requests:,} |" in page, f"| {usage.gb_seconds:,.0f} |" in page, "$2.50 a day" in page} == {
        True
    }
