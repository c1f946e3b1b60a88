"""Settings: read from the environment once, checked whole, and every fault named."""

import json
from dataclasses import asdict
from ipaddress import ip_network

import pytest

from shared.domain.bucket import ShardCounts, ShardEpoch, ShardPlan, bucket_of
from shared.domain.schedules.schedule import parse_instant
from shared.names import Env, QueueName
from shared.settings import (
    ApiSettings,
    CallbackSettings,
    DeadLetterSettings,
    ExecutorSettings,
    ProberSettings,
    ReconcilerSettings,
    Settings,
    SettingsError,
)
from tests.support.api.environment import DEAD_LETTERS, ENVIRONMENT, PLAN, QUEUES
from tests.support.fakes.budgets import GENEROUS

BASE = [
    Env.STAGE,
    Env.REGION,
    Env.EXECUTIONS_TABLE,
    Env.JOBS_TABLE,
    Env.TENANTS_TABLE,
    Env.LEASES_TABLE,
    Env.LANE_QUEUE_URLS,
    Env.SHARD_PLAN,
    Env.RETENTION_DAYS,
    Env.ARCHIVE_DAYS,
    Env.CELL,
]


def test_a_whole_environment_is_understood() -> None:
    settings = ExecutorSettings.from_env(ENVIRONMENT)
    assert (settings.stage, settings.region, settings.executions_table) == ("test", "eu-west-1", "executions")
    assert settings.lane_queue_urls == {QueueName(name): url for name, url in QUEUES.items()}
    assert (settings.retention.days, settings.lane, settings.dial_exceptions) == (14, QueueName.STANDARD, ())
    epoch = ShardEpoch(
        from_bucket=bucket_of(parse_instant("2026-01-01T00:00:00Z", None)),
        counts=ShardCounts(normal=2, quarter=4, midnight=8),
    )
    assert settings.shard_plan == ShardPlan((epoch,))


@pytest.mark.parametrize("variable", BASE)
@pytest.mark.parametrize("value", [None, ""])
def test_every_variable_is_required(variable: str, value: str | None) -> None:
    environment = {name: text for name, text in ENVIRONMENT.items() if name != variable}
    if value is not None:
        environment[variable] = value
    with pytest.raises(SettingsError):
        Settings.from_env(environment)


@pytest.mark.parametrize("cell", ["00", "l", "A", "0\n", " "])
def test_cell_that_no_id_can_carry_is_refused(cell: str) -> None:
    with pytest.raises(SettingsError):
        Settings.from_env(ENVIRONMENT | {Env.CELL: cell})


def test_every_missing_variable_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_env({})
    assert refused.value.faults.keys() == set(BASE)


def test_missing_and_invalid_variables_are_told_together_with_what_to_set() -> None:
    environment = {name: text for name, text in ENVIRONMENT.items() if name != Env.STAGE}
    with pytest.raises(SettingsError) as refused:
        ExecutorSettings.from_env(environment | {Env.RETENTION_DAYS: "3", Env.LANE: "express"})
    assert str(refused.value).splitlines()[1:] == [
        "PUNCTUAL_STAGE is missing: set the name of the stage",
        "RETENTION_DAYS is invalid (records must be kept for more than 7 days): set a whole number of days",
        f"LANE is invalid: set one of {', '.join(QueueName)}",
    ]


@pytest.mark.parametrize("variable", sorted(ENVIRONMENT.keys() & set(vars(Env).values())))
@pytest.mark.parametrize("value", ["", "null", "7", "[7]", "[[7]]", '{"critical": 7}', '{"from": 1}', "\x00"])
def test_hostile_value_is_accepted_or_refused_by_name(variable: str, value: str) -> None:
    for kind in (ApiSettings, ExecutorSettings, DeadLetterSettings, ReconcilerSettings):
        try:
            kind.from_env(ENVIRONMENT | {variable: value})
        except SettingsError as error:
            assert error.faults.keys() == {variable}


@pytest.mark.parametrize(
    ("kind", "variable"),
    [
        (CallbackSettings, Env.KMS_KEY_ID),
        (CallbackSettings, Env.DIAL_EXCEPTIONS),
        (CallbackSettings, Env.API_HOSTS),
        (ExecutorSettings, Env.LANE),
        (ExecutorSettings, Env.DEFAULT_QUOTAS),
        (DeadLetterSettings, Env.DEAD_LETTER_ARNS),
    ],
)
def test_a_function_asks_for_what_it_needs_and_no_more(kind: type[Settings], variable: str) -> None:
    environment = {name: text for name, text in ENVIRONMENT.items() if name != variable}
    with pytest.raises(SettingsError):
        kind.from_env(environment)
    Settings.from_env(environment)


@pytest.mark.parametrize("variable", [Env.LANE_QUEUE_URLS, Env.DEAD_LETTER_ARNS])
@pytest.mark.parametrize("lane", QueueName)
def test_settings_without_the_name_of_every_queue_are_refused(variable: str, lane: QueueName) -> None:
    lanes = {name: value for name, value in (QUEUES | DEAD_LETTERS).items() if name != lane.value}
    for wrong in (lanes, lanes | {lane.value: ""}, lanes | {"unknown": "x"}):
        with pytest.raises(SettingsError):
            DeadLetterSettings.from_env(ENVIRONMENT | {variable: json.dumps(wrong)})


def test_dead_letter_queues_are_known_by_lane() -> None:
    settings = DeadLetterSettings.from_env(ENVIRONMENT)
    assert settings.dead_letter_arns[QueueName.BULK] == DEAD_LETTERS["bulk"]


@pytest.mark.parametrize(
    "plan",
    [
        [],
        [PLAN[0] | {"normal": 0}],
        [PLAN[0] | {"hourly": 3}],
        [{"from": "2026-01-01T00:00Z", "normal": 1}],
        [PLAN[0] | {"from": "soon"}],
        [PLAN[0] | {"from": "2026-01-01T00:00"}],
        [PLAN[0] | {"normal": True}],
        [PLAN[0], PLAN[0] | {"from": "2026-02-01T00:00Z", "normal": 1}],
        [PLAN[0] | {"from": "2026-02-01T00:00Z"}, PLAN[0]],
    ],
)
def test_a_plan_that_would_lose_jobs_stops_the_function(plan: list[object]) -> None:
    with pytest.raises(SettingsError):
        Settings.from_env(ENVIRONMENT | {Env.SHARD_PLAN: json.dumps(plan)})


@pytest.mark.parametrize("days", ["7", "0", "-1", "fourteen", "14.5"])
def test_retention_shorter_than_idempotency_keys_stops_the_function(days: str) -> None:
    with pytest.raises(SettingsError):
        Settings.from_env(ENVIRONMENT | {Env.RETENTION_DAYS: days})


@pytest.mark.parametrize(
    ("text", "networks", "allow_http"),
    [
        ("", (), False),
        (" ", (), False),
        ("10.0.0.0/8", (ip_network("10.0.0.0/8"),), True),
        ("127.0.0.0/8, ::1/128", (ip_network("127.0.0.0/8"), ip_network("::1/128")), True),
    ],
)
def test_plain_http_exists_for_the_exceptions_only(
    text: str, networks: tuple[object, ...], allow_http: bool
) -> None:
    settings = CallbackSettings.from_env(ENVIRONMENT | {Env.DIAL_EXCEPTIONS: text})
    assert (settings.dial_exceptions, settings.target_policy.allows_http) == (networks, allow_http)
    assert settings.target_policy.exceptions == networks


@pytest.mark.parametrize("text", ["everything", "10.0.0.1/8", "10.0.0.0/33"])
def test_an_exception_that_is_no_network_stops_the_function(text: str) -> None:
    with pytest.raises(SettingsError):
        CallbackSettings.from_env(ENVIRONMENT | {Env.DIAL_EXCEPTIONS: text})


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("https://abc.execute-api.eu-west-1.amazonaws.com", {"abc.execute-api.eu-west-1.amazonaws.com"}),
        ("http://abc.execute-api.localhost:4566/", {"abc.execute-api.localhost"}),
        ("Jobs.Example.com, api.example.com:443", {"jobs.example.com", "api.example.com"}),
    ],
)
def test_the_api_knows_itself_by_the_hosts_of_its_urls(text: str, hosts: set[str]) -> None:
    settings = CallbackSettings.from_env(ENVIRONMENT | {Env.API_HOSTS: text})
    assert settings.target_policy.own_hosts == hosts


@pytest.mark.parametrize(
    "text", ["", " , ", "*.example.com", "https://a.example/v1", "a b", "u@a.example", "a..b"]
)
def test_a_deployment_that_does_not_know_its_own_api_stops_the_function(text: str) -> None:
    with pytest.raises(SettingsError):
        CallbackSettings.from_env(ENVIRONMENT | {Env.API_HOSTS: text})


def test_the_api_knows_its_quotas_and_its_log_of_changes() -> None:
    settings = ApiSettings.from_env(ENVIRONMENT | {Env.AUDIT_ONE_OFFS: "true"})
    assert (settings.default_quotas, settings.audit_retention_days) == (GENEROUS, 400)
    assert settings.audit_one_offs is True


@pytest.mark.parametrize(
    "change",
    [{"tags": 11}, {"tags": "many"}, {"tags": -1}, {"api_keys": 1}, {"tags": None}, {"moons": 1}],
)
def test_quotas_that_cannot_hold_are_refused(change: dict[str, object]) -> None:
    limits = json.dumps(asdict(GENEROUS) | change)
    with pytest.raises(SettingsError):
        ApiSettings.from_env(ENVIRONMENT | {Env.DEFAULT_QUOTAS: limits})


@pytest.mark.parametrize("variable", [Env.AUDIT_TABLE, Env.AUDIT_RETENTION_DAYS, Env.DEFAULT_QUOTAS])
def test_api_does_not_start_without_audit_and_quota_settings(variable: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        ApiSettings.from_env({name: value for name, value in ENVIRONMENT.items() if name != variable})


@pytest.mark.parametrize("kind", [ApiSettings, ExecutorSettings])
def test_function_without_the_origin_of_the_console_starts_and_sends_no_links(
    kind: type[CallbackSettings],
) -> None:
    environment = {name: text for name, text in ENVIRONMENT.items() if name != Env.CONSOLE_ORIGIN}
    assert kind.from_env(environment).console_origin is None
    assert kind.from_env(ENVIRONMENT).console_origin == "https://console.example.com"


@pytest.mark.parametrize("url", ["https://c.example:8443/", "http://127.0.0.1:14568", "http://localhost"])
def test_origin_of_the_console_has_no_slash_at_its_end(url: str) -> None:
    settings = CallbackSettings.from_env(ENVIRONMENT | {Env.CONSOLE_ORIGIN: url})
    assert settings.console_origin == url.removesuffix("/")


@pytest.mark.parametrize(
    "url", ["https://api.example.com", "https://api.example.com/", "http://127.0.0.1:8080"]
)
def test_prober_knows_the_url_of_the_api(url: str) -> None:
    settings = ProberSettings.from_env(ENVIRONMENT | {Env.API_URL: url})
    assert settings.api_url == url.removesuffix("/")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.example.com",
        "http://api.example.com",
        "https://api.example.com/v1",
        "https://api.example.com//",
        "ftp://127.0.0.1",
        "http://127.0.0.1.example.com",
        "https://user:secret@api.example.com",
        "https://api.example.com?next=x",
        "https://api.example.com#key=x",
        "https://api.exam\nple.com",
        "https://api.example.com:port",
        "https://a|b.example",
        "https://<b>",
    ],
)
def test_url_that_would_show_the_key_of_the_canary_or_lead_elsewhere_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="API_URL is invalid") as failure:
        ProberSettings.from_env(ENVIRONMENT | {Env.API_URL: url})
    assert "secret" not in str(failure.value)
    with pytest.raises(SettingsError, match="CONSOLE_ORIGIN is invalid"):
        CallbackSettings.from_env(ENVIRONMENT | {Env.CONSOLE_ORIGIN: url})
