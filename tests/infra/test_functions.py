"""The functions: what they run, with which variables, and whether that exists."""

import ast
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from infra.bundling import ROOT
from infra.components.function_specs import FunctionSpec, function_specs
from infra.config import FunctionMemory
from shared.domain.bucket import WRITER_LIFE_MS
from shared.names import EXECUTOR_TIMEOUT_SECONDS, QueueName
from shared.settings import (
    ApiSettings,
    ArchiveReaderSettings,
    ArchiverSettings,
    AuditorSettings,
    DeadLetterSettings,
    EventReceiverSettings,
    ExecutorSettings,
    FunctionSettings,
    ProberSettings,
    ReconcilerSettings,
    RedriverSettings,
    Settings,
)
from tests.infra.conftest import Synthesised, synthesise, usual_stage
from tests.support.template import environment

SPECS = function_specs(FunctionMemory(), canary=True, event_bus=True)
EXECUTORS = {f"executor-{lane}" for lane in QueueName}
SETTINGS: dict[str, type[FunctionSettings]] = {
    "api": ApiSettings,
    "watcher": Settings,
    "sweeper": Settings,
    "executor": ExecutorSettings,
    "dead_letter": DeadLetterSettings,
    "reconciler": ReconcilerSettings,
    "redriver": RedriverSettings,
    "event_receiver": EventReceiverSettings,
    "archiver": ArchiverSettings,
    "auditor": AuditorSettings,
    "archive_reader": ArchiveReaderSettings,
    "canary_prober": ProberSettings,
    "canary_receiver": FunctionSettings,
}
every_function = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.service)


def test_the_template_has_the_functions_of_the_table_and_no_others(cloud: Synthesised) -> None:
    assert cloud.service.functions().keys() == {spec.service for spec in SPECS}
    assert len(cloud.service.of_type("AWS::Lambda::Function")) == len(SPECS)


def test_no_function_outlives_the_time_after_which_the_sweeper_trusts_its_list_of_open_rows() -> None:
    """The archiver and the auditor put no execution."""
    writers = [spec for spec in SPECS if not spec.uses_s3]
    assert max(spec.timeout_seconds for spec in writers) * 1000 < WRITER_LIFE_MS


@every_function
def test_function_runs_on_arm_and_its_logs_expire(cloud: Synthesised, spec: FunctionSpec) -> None:
    function = cloud.service.functions()[spec.service]
    assert function["Architectures"] == ["arm64"]
    assert function["Runtime"] == "python3.13"
    logs = cloud.service.referred(function["LoggingConfig"]["LogGroup"])
    assert logs["RetentionInDays"] == cloud.stage.log_retention_days


@every_function
def test_function_logs_its_own_lines_whatever_their_level_and_of_those_of_lambda_failures(
    cloud: Synthesised, spec: FunctionSpec
) -> None:
    """Lambda takes a line without a level, such as one of metrics, for INFO. At DEBUG and TRACE, its runtime would
    open the loggers of libraries too, which log whole requests."""
    config = cloud.service.functions()[spec.service]["LoggingConfig"]
    assert config["LogFormat"] == "JSON"
    assert (config["SystemLogLevel"], config["ApplicationLogLevel"]) == ("WARN", "INFO")


def test_functions_have_the_memory_of_the_stage(cloud: Synthesised, large: Synthesised) -> None:
    for stacks, executor_mb in ((cloud, 1_024), (large, 1_769)):
        functions = stacks.service.functions()
        given = {
            spec.service: spec.memory_mb
            for spec in function_specs(
                stacks.stage.memory,
                canary=stacks.stage.canary,
                event_bus=stacks.stage.event_bus is not None,
            )
        }
        assert {service: function["MemorySize"] for service, function in functions.items()} == given
        assert {given[service] for service in EXECUTORS} == {executor_mb}


@every_function
def test_handler_of_each_function_exists(cloud: Synthesised, spec: FunctionSpec) -> None:
    module, _, name = cloud.service.functions()[spec.service]["Handler"].rpartition(".")
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    assert path.is_file(), f"{path} is missing"
    assert path.parent.parent == ROOT / "functions"
    assert name in _defined_names(ast.parse(path.read_text()))


def _defined_names(module: ast.Module) -> set[str]:
    found: set[str] = set()
    for statement in module.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.Assign(targets=targets):
                found.update(target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found


@every_function
def test_variables_of_each_function_satisfy_its_settings(
    cloud: Synthesised, local: Synthesised, spec: FunctionSpec
) -> None:
    for stacks in (cloud,) if spec.is_of_canary else (cloud, local):
        settings = SETTINGS[spec.package].from_env(environment(stacks.service.functions()[spec.service]))
        assert settings.stage == stacks.stage.name
        assert settings.region == stacks.stage.region
        if not isinstance(settings, Settings):
            assert not spec.has_tables
            continue
        assert settings.lane_queue_urls.keys() == set(QueueName)
        assert settings.shard_plan.epochs[0].counts.normal == stacks.stage.shard_plan[0].normal
        assert settings.retention.days == stacks.stage.retention_days


def test_executor_knows_its_lane_and_the_rescuer_every_dead_letter_queue(cloud: Synthesised) -> None:
    functions = cloud.service.functions()
    for lane in QueueName:
        assert ExecutorSettings.from_env(environment(functions[f"executor-{lane}"])).lane is lane
    rescuer = DeadLetterSettings.from_env(environment(functions["dead-letter"]))
    assert all("Dead" in arn for arn in rescuer.dead_letter_arns.values())
    assert len(set(rescuer.dead_letter_arns.values())) == len(QueueName)


def test_functions_that_make_callbacks_have_the_key_and_the_dial_exceptions_and_the_archiver_the_key(
    cloud: Synthesised, local: Synthesised
) -> None:
    for spec in SPECS:
        variables = environment(cloud.service.functions()[spec.service])
        assert ("DIAL_EXCEPTIONS" in variables) == spec.makes_callbacks
        assert ("KMS_KEY_ID" in variables) == (spec.makes_callbacks or spec.archives)
        needs_bucket = spec.archives or spec.reads_archive or spec.asks_archive
        assert ("ARCHIVE_BUCKET" in variables) == needs_bucket
        assert ("ARCHIVE_READER" in variables) == spec.asks_archive
        assert variables.get("DIAL_EXCEPTIONS", "") == ""
    executor = environment(local.service.functions()["executor-standard"])
    assert executor["DIAL_EXCEPTIONS"] == "127.0.0.0/8,::1/128"


def test_function_that_makes_callbacks_knows_the_host_of_its_own_api(cloud: Synthesised) -> None:
    for spec in SPECS:
        variables = cloud.service.functions()[spec.service]["Environment"]["Variables"]
        assert ("API_HOSTS" in variables) == spec.makes_callbacks
        if spec.makes_callbacks:
            (api, attribute) = variables["API_HOSTS"]["Fn::GetAtt"]
            assert cloud.service.body["Resources"][api]["Type"] == "AWS::ApiGatewayV2::Api"
            assert attribute == "ApiEndpoint"


def test_function_that_sends_notifications_knows_where_people_open_the_console(
    cloud: Synthesised, large: Synthesised, local: Synthesised
) -> None:
    """The URL that clients call: of the gateway, or of the domain. The laptop stack sets that of its front door."""
    (api,) = cloud.service.of_type("AWS::ApiGatewayV2::Api")
    endpoint = {"Fn::GetAtt": [api, "ApiEndpoint"]}
    expected = ((cloud, endpoint), (large, "https://api.example.com"), (local, None))
    for stacks, origin in expected:
        for spec in SPECS:
            function = stacks.service.functions().get(spec.service)
            variables = function["Environment"]["Variables"] if function is not None else {}
            assert variables.get("CONSOLE_ORIGIN") == (origin if spec.makes_callbacks else None), spec.service


def test_the_resolver_of_an_executor_gives_up_before_its_look_ups_do(cloud: Synthesised) -> None:
    for spec in SPECS:
        options = environment(cloud.service.functions()[spec.service]).get("RES_OPTIONS")
        assert options == (None if spec.lane is None else "timeout:2 attempts:2")


def test_loops_are_allowed_on_purpose_and_only_where_they_are_lawful(cloud: Synthesised) -> None:
    allowed = {
        service
        for service, function in cloud.service.functions().items()
        if function.get("RecursiveLoop") == "Allow"
    }
    assert allowed == EXECUTORS | {"dead-letter", "event-receiver"}


def test_an_executor_lives_as_long_as_its_longest_callback_needs(cloud: Synthesised) -> None:
    for service in EXECUTORS:
        assert cloud.service.functions()[service]["Timeout"] == EXECUTOR_TIMEOUT_SECONDS


def test_a_failed_tick_is_not_repeated(cloud: Synthesised) -> None:
    configured = {}
    for config in cloud.service.properties("AWS::Lambda::EventInvokeConfig"):
        function = cloud.service.invoked(config["Qualifier"])
        configured[environment(function)["POWERTOOLS_SERVICE_NAME"]] = config["MaximumRetryAttempts"]
    assert configured == {spec.service: 0 for spec in SPECS if spec.is_scheduled}
    assert configured.keys() > {"watcher", "sweeper", "redriver", "reconciler"}


def test_the_quotas_and_the_log_of_changes_are_the_ones_of_the_stage(cloud: Synthesised) -> None:
    settings = ApiSettings.from_env(environment(cloud.service.functions()["api"]))
    assert asdict(settings.default_quotas) == asdict(cloud.stage.default_quotas)
    assert settings.audit_retention_days == cloud.stage.audit_retention_days
    assert settings.audit_one_offs is cloud.stage.audit_one_offs is False
    assert "Audit" in settings.audit_table
    for service, function in cloud.service.functions().items():
        variables = environment(function)
        assert (
            ("AUDIT_TABLE" in variables) is ("AUDIT_BUCKET" in variables) is (service in ("api", "auditor"))
        )
    auditor = AuditorSettings.from_env(environment(cloud.service.functions()["auditor"]))
    assert auditor.audit_lock_days == cloud.stage.audit_lock_days == 400
    assert (auditor.audit_table, auditor.audit_bucket) == (settings.audit_table, settings.audit_bucket)


def test_functions_have_the_reserved_concurrency_of_the_stage(cloud: Synthesised, local: Synthesised) -> None:
    """Executors have none: a reservation would be taken from the other lanes while it is idle."""
    reserved = {
        service: properties.get("ReservedConcurrentExecutions")
        for service, properties in cloud.service.functions().items()
    }
    assert {name: limit for name, limit in reserved.items() if limit is not None} == {
        "api": 146,
        "watcher": 4,
        "sweeper": 4,
        "reconciler": 2,
        "redriver": 2,
        "dead-letter": 12,
        "archiver": 2,
        "archive-reader": 4,
        "canary-prober": 1,
        "canary-receiver": 3,
    }
    assert {f"executor-{queue}" for queue in QueueName} <= reserved.keys()
    for properties in local.service.properties("AWS::Lambda::Function"):
        assert "ReservedConcurrentExecutions" not in properties


def test_archiver_has_the_time_and_the_disk_for_an_hour_of_four_busy_shards(cloud: Synthesised) -> None:
    archiver = cloud.service.functions()["archiver"]
    assert (archiver["Timeout"], archiver["EphemeralStorage"]) == (900, {"Size": 6 * 1024})
    others = [made for name, made in cloud.service.functions().items() if name != "archiver"]
    assert not any("EphemeralStorage" in made for made in others)


def test_stage_without_an_archive_and_an_audit_trail_has_neither_function_and_no_bucket(
    tmp_path: Path,
) -> None:
    stacks = synthesise(replace(usual_stage(), archive_days=0, audit_lock_days=0), tmp_path)
    assert not {"archiver", "archive-reader", "auditor"} & stacks.service.functions().keys()
    for service in ("api", "redriver"):
        variables = environment(stacks.service.functions()[service])
        assert not {"ARCHIVE_READER", "ARCHIVE_BUCKET"} & variables.keys()
    kinds = {made["Type"] for made in stacks.data.body["Resources"].values()}
    assert not {"AWS::S3::Bucket", "AWS::Glue::Table", "AWS::Athena::WorkGroup"} & kinds
