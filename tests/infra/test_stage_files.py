"""Stage files: every key reaches the stage, and a wrong one is refused with one sentence."""

import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from infra.components.shard_plan import MAX_EPOCHS, ShardEpoch
from infra.concurrency import Pollers
from infra.config import StageConfig
from infra.default_quotas import DefaultQuotas
from infra.event_bus import EventBusConfig
from infra.pipeline import Pipeline
from infra.provisioned import Autoscaled, MaximumUnits
from infra.stage_files.environment import stage_of_environment
from infra.stage_files.keys import paths
from infra.stage_files.read import STAGES_DIR, parse_stage, read_stage
from infra.stage_files.values import StageFileError
from infra.stages import PRESETS
from infra.warm_throughput import Units, WarmThroughput
from shared.domain.tenancy.quota import BOUNDS, Quota
from shared.names import QueueName, Transport
from tests.support.sources import ROOT

FILE = "stages/prod.toml"
UNPROTECTED = 'region = "eu-west-1"\nprotected = false\n'
CERTIFICATE = "arn:aws:acm:eu-west-1:111111111111:certificate/1-a"
PROVIDER = "arn:aws:iam::111111111111:oidc-provider/token.actions.githubusercontent.com"
TOPIC = "arn:aws:sns:eu-west-1:222222222222:ops"
SMALL = PRESETS["small"]
_UNITS = "{ minimum = 5_000, maximum = 6_000, target_percent = 50 }"
_BOTH = f"{{ reads = {_UNITS}, writes = {_UNITS} }}"


def parse(text: str, name: str = "prod") -> StageConfig:
    return parse_stage(name, (UNPROTECTED + text).encode(), FILE)


def refusal(text: str) -> str:
    with pytest.raises(StageFileError) as refused:
        parse(text)
    return str(refused.value)


def test_file_without_sizes_has_those_of_small() -> None:
    expected = replace(SMALL, name="prod", region="eu-west-1", protect_data=False)
    assert parse("") == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_gives_every_size(preset: str) -> None:
    expected = replace(PRESETS[preset], name="prod", region="eu-west-1", protect_data=False)
    assert parse(f'preset = "{preset}"') == expected


GIVEN: dict[str, tuple[str, Any]] = {
    'account = "111111111111"': ("account", "111111111111"),
    'cell = "e"': ("cell", "e"),
    "jobs_per_second = 99": ("jobs_per_second", 99),
    "due_in_one_minute = 50_000": ("due_in_one_minute", 50_000),
    "jobs_per_request = 5": ("jobs_per_request", 5),
    "watchers = 1": ("watchers", 1),
    "sweepers = 1": ("sweepers", 1),
    "reconcilers = 1": ("reconcilers", 1),
    'shards = [{ since = "2026-02-01T00:00Z", normal = 5, quarter = 6, midnight = 7 }]': (
        "shard_plan",
        (ShardEpoch(since="2026-02-01T00:00Z", normal=5, quarter=6, midnight=7),),
    ),
    "shards = [{ since = 2026-02-01T01:00:00+01:00, normal = 5, quarter = 6, midnight = 7 }]": (
        "shard_plan",
        (ShardEpoch(since="2026-02-01T00:00Z", normal=5, quarter=6, midnight=7),),
    ),
    'event_bus.accounts = ["222222222222"]': ("event_bus", EventBusConfig(accounts=("222222222222",))),
    'target_roles = "arn:aws:iam::*:role/punctual/*"': ("target_roles", "arn:aws:iam::*:role/punctual/*"),
    "account_concurrency = 2000": ("account_concurrency", 2_000),
    "account_concurrency_quota = 8000": ("account_concurrency_quota", 8_000),
    "reserved = false": ("reserved", None),
    "capacity.maximum = { reads = 9000, writes = 8000 }": (
        "maximum_units",
        MaximumUnits(reads=9_000, writes=8_000),
    ),
    "capacity.warm = { executions = { writes = 9000 }, failed = { reads = 13_000 } }": (
        "warm_throughput",
        WarmThroughput(executions=Units(writes=9_000), failed=Units(reads=13_000)),
    ),
    "retention_days = 30": ("retention_days", 30),
    "queue_retention_days = 3": ("queue_retention_days", 3),
    "dead_letter_retention_days = 9": ("dead_letter_retention_days", 9),
    "audit_retention_days = 500": ("audit_retention_days", 500),
    "audit_one_offs = true": ("audit_one_offs", True),
    "audit_lock_days = 0": ("audit_lock_days", 0),
    'audit_lock_mode = "compliance"': ("audit_lock_mode", "compliance"),
    "archive_days = 0": ("archive_days", 0),
    "log_retention_days = 7": ("log_retention_days", 7),
    'log_level = "ERROR"': ("log_level", "ERROR"),
    'transport = "boto3"': ("transport", Transport.BOTO3),
    "api_rate_limit = 7": ("api_rate_limit", 7),
    "api_burst_limit = 8": ("api_burst_limit", 8),
    'api_rollout = "at_once"': ("api_rollout", "at_once"),
    'api_domains = ["proxy.example.com"]': ("api_domains", ("proxy.example.com",)),
    'console_origin = "https://console.example.com"': ("console_origin", "https://console.example.com"),
    'cors_origins = ["https://console.example.com", "*"]': (
        "cors_origins",
        ("https://console.example.com", "*"),
    ),
    'dial_exceptions = ["10.20.0.0/16", "fd12::/32"]': ("dial_exceptions", ("10.20.0.0/16", "fd12::/32")),
    "dashboard = false": ("dashboard", False),
    "canary = true": ("canary", True),
    "contributor_insights = true": ("contributor_insights", True),
    'pipeline.repository = "example/punctual"': (
        "pipeline",
        Pipeline(repository="example/punctual", environment="prod"),
    ),
    f'[pipeline]\nrepository = "example@1/punctual@2"\nenvironment = "live"\nprovider = "{PROVIDER}"': (
        "pipeline",
        Pipeline(repository="example@1/punctual@2", environment="live", provider_arn=PROVIDER),
    ),
    'tags = { team = "platform", "cost:center" = "7" }': (
        "tags",
        (("cost:center", "7"), ("team", "platform")),
    ),
}


@pytest.mark.parametrize("text", GIVEN)
def test_key_reaches_its_field(text: str) -> None:
    field, value = GIVEN[text]
    assert parse(text) == replace(parse(""), **{field: value})


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("lanes", "lane_concurrency", 10),
        ("memory", "memory", 2_048),
        ("quotas", "default_quotas", 9),
        ("reserved", "reserved", 20),
    ],
)
def test_member_of_a_table_changes_nothing_else(table: str, field: str, value: int) -> None:
    base = parse('preset = "medium"')
    members = [path.partition(".")[2] for path in paths() if path.startswith(f"{table}.")]
    assert len(members) == len(fields(getattr(base, field)))
    members = [member for member in members if member != "lanes"]  # a table of its own
    for member in members:
        found = parse(f'preset = "medium"\n{table}.{member} = {value}')
        assert found == replace(base, **{field: replace(getattr(base, field), **{member: value})})


def test_lanes_may_have_memory_of_their_own() -> None:
    found = parse("memory.executor = 512\nmemory.lanes = { critical = 1_769, slow_standard = 1_024 }").memory
    assert found.executor == 512
    assert [found.of_executor(queue) for queue in QueueName] == [1_769, 512, 512, 512, 1_024, 512]


def test_lane_may_have_pollers() -> None:
    found = parse("lanes.standard = { minimum = 2, maximum = 30 }")
    assert found.lane_concurrency.standard == Pollers(minimum=2, maximum=30)


def test_table_may_be_provisioned() -> None:
    found = parse(f"capacity.provisioned = {{ executions = {_BOTH}, by_tenant = {_BOTH}, failed = {_BOTH} }}")
    assert found.provisioned is not None
    for units in found.provisioned.by_name.values():
        assert units.reads == units.writes == Autoscaled(minimum=5_000, maximum=6_000, target_percent=50)


def test_domain_and_targets_of_alarms() -> None:
    found = parse(
        f'[domain]\nname = "api.example.com"\ncertificate = "{CERTIFICATE}"\n'
        '[alarms]\nemails = ["ops@example.com"]\nhttps = ["https://events.example.com/key?a=1"]'
    )
    assert found.domain is not None
    assert (found.domain.name, found.domain.certificate_arn) == ("api.example.com", CERTIFICATE)
    assert found.alarm_targets.emails == ("ops@example.com",)
    assert found.alarm_targets.https == ("https://events.example.com/key?a=1",)
    assert parse(f'alarms.topic = "{TOPIC}"').alarm_targets.topic_arn == TOPIC


def test_budget_goes_with_targets_of_alarms() -> None:
    assert parse(f'monthly_dollars = 500\nalarms.topic = "{TOPIC}"').monthly_dollars == 500


def test_every_field_of_a_stage_can_be_set() -> None:
    tested = {field for field, _ in GIVEN.values()}
    apart = {
        "lane_concurrency",
        "memory",
        "default_quotas",
        "provisioned",
        "domain",
        "token_keys",
        "alarm_targets",
        "monthly_dollars",
    }
    by_file = {"name", "region", "protect_data"}
    of_the_laptop = {"bundle", "emulated"}
    assert tested | apart | by_file | of_the_laptop == {field.name for field in fields(StageConfig)}


@pytest.mark.parametrize(
    ("endpoint", "is_emulated"),
    [
        (None, False),
        ("", False),
        ("https://dynamodb.eu-west-1.amazonaws.com", False),
        ("http://127.0.0.1:14566", True),
        ("http://localhost:14566", True),
    ],
)
def test_stage_is_adapted_to_the_emulator_only_if_the_environment_leads_there(
    endpoint: str | None, is_emulated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    if endpoint is not None:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    found = stage_of_environment("dev")
    assert found.emulated == is_emulated
    assert (found == read_stage("dev")) != is_emulated
    assert found.protect_data == read_stage("dev").protect_data


def test_bounds_of_quotas_are_those_of_the_domain() -> None:
    """Spelt twice, since infrastructure imports no run-time code."""
    assert {field.name for field in fields(DefaultQuotas)} == set(Quota)
    for quota, (least, most) in BOUNDS.items():
        assert getattr(parse(f"quotas.{quota} = {least}").default_quotas, quota) == least
        assert getattr(parse(f"quotas.{quota} = {most}").default_quotas, quota) == most
        for wrong in (least - 1, most + 1):
            assert f"quotas.{quota} is a whole number from {least} to {most}" in refusal(
                f"quotas.{quota} = {wrong}"
            )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("watcher = 2", "there is no key watcher: write watchers"),
        (
            "colour = 1",
            "there is no key colour: remove it, or write one of those in docs/operations/configure.md",
        ),
        (
            "lanes.fast = 1",
            "there is no key lanes.fast: remove it, or write one of critical, standard, bulk,",
        ),
        ("lanes.slow = 1", "there is no key lanes.slow: write lanes.slow_"),
        ('"a\\nb" = 1', 'there is no key "a\\nb": remove it'),
        (
            "capacity.warm = { execution = {} }",
            "no key capacity.warm.execution: write capacity.warm.executions",
        ),
        ('watchers = "two"', 'watchers is a whole number from 1 to 32768, not "two"'),
        ("watchers = true", "watchers is a whole number from 1 to 32768, not true"),
        ("watchers = 2.0", "watchers is a whole number from 1 to 32768, not 2.0"),
        ("watchers = -1", "watchers is a whole number from 1 to 32768, not -1"),
        ("retention_days = inf", "retention_days is a whole number from 1 to 36500, not Infinity"),
        ("lanes = 3", "lanes is a table with keys such as critical, not 3"),
        ("lanes.bulk = 1", "lanes.bulk is 2 to 1000 executors, or pollers such as"),
        ("lanes.bulk = true", "lanes.bulk is 2 to 1000 executors"),
        ("lanes.bulk = { minimum = 2 }", "lanes.bulk.maximum is missing: add it"),
        ("lanes.bulk = { minimum = 9, maximum = 3 }", "lanes.bulk is refused: pollers have a minimum of"),
        ("lanes.bulk = { minimum = 2, most = 3 }", "there is no key lanes.bulk.most"),
        ("reserved = true", "reserved is a table with keys such as api, not true"),
        ("reserved.watcher = 3", "reserved.watcher is at least 4, not 3"),
        (
            "account_concurrency_quota = 999",
            "account_concurrency_quota is at least account_concurrency, 1000, not 999",
        ),
        ("reserved.api = 200", "account_concurrency is at least 1050, not 1000"),
        (
            'target_roles = "arn:aws:iam::*:role/*"',
            "target_roles is a pattern of roles with a path",
        ),
        ("memory.executor = 256", "memory.executor is refused: the memory of executor is at least 512 MB"),
        (
            "memory.lanes = { slow_bulk = 256 }",
            "memory.lanes.slow_bulk is refused: the memory of lanes.slow_bulk is at least 512 MB",
        ),
        (
            "memory.lanes.critical = true",
            "memory.lanes.critical is a whole number of MB, such as 1024, not true",
        ),
        ("memory.lanes.slow = 512", "there is no key memory.lanes.slow: write memory.lanes.slow_"),
        ("memory.lanes = 512", "memory.lanes is a table with critical, standard, bulk"),
        ('memory.api = "1024"', 'memory.api is a whole number of MB, such as 1024, not "1024"'),
        ('preset = "huge"', 'preset is "small", "medium" or "large", not "huge"'),
        ("preset = [1]", 'preset is "small", "medium" or "large", not a list'),
        ('log_level = "DEBUG"', 'log_level is "INFO", "WARNING" or "ERROR", not "DEBUG"'),
        ("log_retention_days = 8", "log_retention_days is one of 1, 3, 5, 7"),
        ('dashboard = "off"', 'dashboard is true or false, not "off"'),
        ('pipeline.environment = "prod"', "pipeline.repository is missing: add it"),
        ('pipeline.repository = "punctual"', "pipeline.repository is an owner and a name, such as"),
        ('pipeline.repository = "example/*"', "pipeline.repository is an owner and a name, such as"),
        (
            'pipeline = { repository = "a/b", environment = "*" }',
            "pipeline.environment is 1 to 255 letters, digits and _.-",
        ),
        (
            'pipeline = { repository = "a/b", provider = "arn:aws:iam::1:oidc-provider/x" }',
            "pipeline.provider is the ARN of an identity provider",
        ),
        ('cell = "l"', "cell is one digit, or one small letter but i, l, o and u"),
        (
            "account = 111111111111",
            'account is an account of AWS, 12 digits in quotes, such as "111111111111"',
        ),
        ('account = "\uff1111111111111"', "account is an account of AWS"),
        ("shards = []", f"shards has 1 to {MAX_EPOCHS} epochs, not 0"),
        ("shards = 4", 'shards is a list, such as ["..."], not 4'),
        ("shards = [4]", "shards[1] is a table with since, normal, quarter, midnight, not 4"),
        ('shards = [{ since = "2026-02-01" }]', "shards[1].since is a UTC minute, such as"),
        ('shards = [{ since = "2026-02-31T00:00Z" }]', "shards[1].since is a minute of the calendar, not"),
        (
            'shards = [{ since = "2026-02-01T00:00Z", normal = 4, quarter = 8 }]',
            "shards[1].midnight is missing",
        ),
        ("watchers = 5", "watchers is 1 to 4, the fewest shards of a bucket, not 5"),
        ("jobs_per_second = 9000", "watchers is at least 4 for jobs_per_second and due_in_one_minute"),
        ("sweepers = 17", "sweepers is 1 to 16, not 17"),
        ("reconcilers = 17", "reconcilers is 1 to 16, not 17"),
        (
            "capacity.warm = { executions = { reads = 1 } }",
            "capacity.warm.executions is refused: warm throughput",
        ),
        ("capacity.warm = {}", "capacity.warm.executions is missing: add it"),
        ("capacity.maximum = { reads = 9000 }", "capacity.maximum.writes is missing: add it"),
        (
            "capacity.maximum = { reads = 9000, writes = 2999 }",
            "capacity.maximum.writes is at least 3000 for the",
        ),
        (
            "capacity.maximum = { reads = 2000, writes = 9000 }",
            "capacity.maximum.reads is at least 2143 for the",
        ),
        (f"capacity.provisioned = {{ executions = {_BOTH} }}", "capacity.provisioned.by_tenant is missing"),
        (
            "capacity.maximum = { reads = 9000, writes = 9000 }\n"
            f"capacity.provisioned = {{ executions = {_BOTH}, by_tenant = {_BOTH}, failed = {_BOTH} }}",
            "capacity.maximum bounds a table on demand: remove it",
        ),
        (
            "capacity.provisioned = { executions = { reads = { minimum = 9, maximum = 8 } } }",
            "capacity.provisioned.executions.reads is refused: maximum is at least the minimum",
        ),
        ("retention_days = 10", "retention_days is at least 11, not 10"),
        ("dead_letter_retention_days = 4", "dead_letter_retention_days is more than queue_retention_days"),
        ("archive_days = 14", "archive_days is 0, or more than retention_days, 14, not 14"),
        ("retention_days = 13", "retention_days is at least 14 with an archive, not 13"),
        ("audit_retention_days = 13", "audit_retention_days is at least retention_days, 14, not 13"),
        ("cors_origins = ['https://Example.com/']", "cors_origins has origins, each a scheme and a host"),
        ("cors_origins = '*'", "cors_origins is a list"),
        ("console_origin = 'console.example.com'", "console_origin is a scheme and a host in lower case"),
        ("dial_exceptions = ['10.20.0.1/16']", "dial_exceptions[1] is a network"),
        (
            "dial_exceptions = ['10.0.0.0/8', '0.0.0.0/0']",
            "dial_exceptions[2] is a network without the addresses",
        ),
        ("dial_exceptions = ['169.254.0.0/16']", "without the addresses of metadata services"),
        ("dial_exceptions = ['fd00::/8']", "without the addresses of metadata services"),
        ("api_domains = ['https://api.example.com/x']", "api_domains[1] is a host name in lower case"),
        ("domain.name = 'api.example.com'", "domain.certificate is missing"),
        (
            f"domain = {{ name = 'api', certificate = '{CERTIFICATE}' }}",
            "domain.name is a host name in lower case",
        ),
        (
            f"domain = {{ name = '*.example.com', certificate = '{CERTIFICATE}' }}",
            "domain.name is a host name",
        ),
        (
            "domain = { name = 'api.example.com', certificate = 'x' }",
            "domain.certificate is the ARN of a certificate",
        ),
        (
            "domain = { name = 'api.example.com', "
            f"certificate = '{CERTIFICATE.replace('eu-west-1', 'us-east-1')}' }}",
            "domain.certificate is in the region of the stage, eu-west-1, not in us-east-1",
        ),
        (
            f"account = '222222222222'\ndomain = {{ name = 'api.example.com', certificate = '{CERTIFICATE}' }}",
            "domain.certificate is in the account of the stage, 222222222222, not in 111111111111",
        ),
        (
            "alarms.emails = ['ops']",
            "alarms.emails has addresses such as 'ops@example.com', and 'ops' is none",
        ),
        ("alarms.emails = ['a@example.com, b@example.com']", "alarms.emails has addresses"),
        ("alarms.topic = 'ops'", "alarms.topic is the ARN of a standard SNS topic"),
        (f"alarms.topic = '{TOPIC}.fifo'", "alarms.topic is the ARN of a standard SNS topic"),
        (
            f"alarms.topic = '{TOPIC.replace('eu-west-1', 'us-east-1')}'",
            "alarms.topic is in the region of the stage, eu-west-1, not in us-east-1",
        ),
        (f"alarms = {{ topic = '{TOPIC}', emails = ['ops@example.com'] }}", "alarms.topic stands alone"),
        ("monthly_dollars = 0", "monthly_dollars"),
        ("monthly_dollars = 500", "monthly_dollars needs alarms.emails or alarms.topic"),
        (
            "monthly_dollars = 500\nalarms.https = ['https://events.example.com/key']",
            "monthly_dollars needs alarms.emails or alarms.topic",
        ),
        (
            f"monthly_dollars = 500\nalarms.emails = {[f'ops{n}@example.com' for n in range(11)]}",
            "monthly_dollars allows at most 10 alarms.emails, not 11",
        ),
        ("tags = { 'aws:x' = 'y' }", "is no name of a tag"),
        ("tags = { 'Punctual:stage' = 'y' }", "is no name of a tag"),
        ("tags = { a = 'x\\u0000' }".replace("'", '"'), "tags.a is a text of at most 256"),
        ("tags = { a = 1 }", "tags.a is a text of at most 256"),
        ("tags = 'a'", "tags is a table of names and texts"),
        (
            "tags = {" + ", ".join(f"a{number} = 'x'" for number in range(50)) + "}",
            "tags has at most 49 tags, not 50",
        ),
        ("api_rollout = 'never'", 'api_rollout is "canary" or "at_once", not "never"'),
        ("transport = 'carrier pigeon'", 'transport is "http" or "boto3", not "carrier pigeon"'),
    ],
)
def test_wrong_value_is_refused_with_its_key_and_what_to_write(text: str, answer: str) -> None:
    said = refusal(text)
    assert said.startswith(f"{FILE}: ")
    assert answer in said
    assert "\n" not in said


def test_no_value_is_repeated_in_full_length() -> None:
    assert len(refusal(f'preset = "{"x" * 10_000}"')) < 200


@pytest.mark.parametrize(
    "text",
    [
        'alarms.https = "https://events.example.com/SECRET"',
        'alarms.https = ["http://events.example.com/SECRET"]',
        'alarms.https = ["https://user:SECRET@events.example.com/"]',
        'alarms.https = ["https://events.example.com:x/SECRET"]',
        'alarms.https = ["https://events.example.com/SECRET#x"]',
        'alarms.https = [["SECRET"]]',
    ],
)
def test_url_of_a_pager_is_repeated_nowhere(text: str) -> None:
    said = refusal(text)
    assert "alarms.https" in said
    assert "SECRET" not in said


def test_stage_shows_no_url_of_a_pager() -> None:
    assert "SECRET" not in repr(parse('alarms.https = ["https://events.example.com/SECRET"]'))


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"region = ", "is no valid TOML: Invalid value (at end of document)"),
        (b"\xff\xfe", "is not UTF-8 text: save it as UTF-8"),
        (b"watchers = " + b"9" * 5_000, "is no valid TOML"),
        (b"a = " + b"[" * 50_000, "is no valid TOML"),
        (b"#" * 100_001, "has 100001 bytes"),
        (b"region = 'x'\nregion = 'y'", "is no valid TOML: Cannot overwrite a value"),
        (b"", 'region is missing: add a line such as region = "eu-west-1"'),
        (b"region = 'Frankfurt'", 'region is a region of AWS, such as "eu-west-1", not "Frankfurt"'),
        (b"region = 'eu-west-1'", "account is missing"),
        (
            b"region = 'eu-west-1'\naccount = '111111111111'",
            "alarms has no target: add alarms.emails, alarms.https",
        ),
    ],
)
def test_file_that_is_no_stage_is_refused(content: bytes, answer: str) -> None:
    with pytest.raises(StageFileError, match=re.escape(answer)):
        parse_stage("prod", content, FILE)


def test_missing_file_is_refused_with_the_stages_that_exist(tmp_path: Path) -> None:
    with pytest.raises(StageFileError, match=r"there is no stages/prod\.toml: .*\(none\), or copy"):
        read_stage("prod", tmp_path)
    for name in ("live", "dev"):
        (tmp_path / f"{name}.toml").touch()
    with pytest.raises(StageFileError, match=r"\(dev, live\), or copy stages/prod\.toml\.example"):
        read_stage("prod", tmp_path)


@pytest.mark.parametrize("name", ["../secrets", "Prod", "", "a" * 21, "prod.toml", "prod\n"])
def test_name_that_is_no_name_of_a_stage_opens_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(StageFileError, match="a stage is named by 1 to 20 lower-case letters and digits"):
        read_stage(name, tmp_path)


def test_directory_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prod.toml").mkdir()
    with pytest.raises(StageFileError, match=r"stages/prod\.toml cannot be read"):
        read_stage("prod", tmp_path)


@pytest.mark.parametrize("path", sorted(STAGES_DIR.glob("*.toml")), ids=lambda path: path.stem)
def test_stage_of_the_repository_is_valid(path: Path) -> None:
    assert read_stage(path.stem).name == path.stem


def test_stage_to_try_punctual_can_be_deleted_and_fits_a_new_account() -> None:
    dev = read_stage("dev")
    assert not dev.protect_data
    text = (STAGES_DIR / "dev.toml").read_text(encoding="utf-8")
    new = parse_stage("dev", _uncommented(text).encode(), "stages/dev.toml")
    assert (new.reserved, new.account_concurrency, new.lane_concurrency.total) == (None, 10, 12)


def test_example_is_valid_as_it_is_and_with_every_comment_removed() -> None:
    text = (STAGES_DIR / "prod.toml.example").read_text(encoding="utf-8")
    assert parse_stage("prod", text.encode(), FILE).protect_data
    whole = _uncommented(text).replace("topic =", "# topic =").encode()
    found = parse_stage("prod", whole, FILE)
    assert found.domain and found.tags and found.maximum_units and found.alarm_targets.https


def _uncommented(text: str) -> str:
    return re.sub(r"^# ?(?=\[|[a-z_]+ = )", "", text, flags=re.MULTILINE)


def test_table_of_keys_in_the_documents_names_each_key_and_no_other() -> None:
    page = (ROOT / "docs" / "operations" / "configure.md").read_text(encoding="utf-8")
    table = page.partition("| key | `small` | meaning |")[2].partition("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row]
    named = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert sorted(named) == sorted(paths())


@pytest.mark.parametrize(
    ("context", "answer"),
    [
        (["stage=nowhere"], "there is no stages/nowhere.toml: choose one of the stages that exist ("),
        (["preset=large"], "-c preset has no effect: write preset into the file of the stage instead"),
        (["region=eu-west-1"], "-c region has no effect"),
        (["rollout=never"], "-c rollout=never: api_rollout is one of canary, at_once, not 'never'"),
    ],
)
def test_synth_of_a_stage_that_cannot_be_deployed_ends_with_a_sentence(
    context: list[str], answer: str
) -> None:
    given = "{" + ",".join('"{}":"{}"'.format(*each.split("=")) for each in context) + "}"
    done = subprocess.run(
        [sys.executable, "-m", "infra.app"],
        cwd=ROOT,
        env={"CDK_CONTEXT_JSON": given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert answer in done.stderr
    assert "Traceback" not in done.stderr
