"""The Lambda functions: one shared bundle and one for the archive; a role, environment and log group for each.

Whatever invokes a function names its alias `live`, which points to a published version. Code and environment of a
version are one, so that no process ever has the code of one release and the variables of another.
"""

from collections.abc import Mapping
from typing import cast

from aws_cdk import AssetHashType, Duration, RemovalPolicy, Size, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.bundling import Bundle, bundle
from infra.components.environment import SharedResources, environment
from infra.components.event_bus import EventBus
from infra.components.function_specs import (
    ARCHIVE_READER,
    ARCHIVER_DISK_GIB,
    LIVE,
    FunctionSpec,
    function_specs,
)
from infra.components.grant_table import DEAD_EVENTS, EVENTS, function_name, log_name
from infra.components.grants import (
    OBJECTS,
    SEARCHED_OBJECTS,
    alarm_arns,
    archive_arns,
    arns_by_name,
    audit_arns,
    parameter_arns,
    role_arns,
    statements,
    token_key_arns,
)
from infra.components.log_groups import log_group
from infra.components.nag import acknowledge_patterns
from infra.config import StageConfig
from shared.names import Env


def _event_queue_arns(events: EventBus | None) -> dict[str, str]:
    if events is None:
        return {}
    return {EVENTS: events.queue.queue_arn, DEAD_EVENTS: events.dead.queue_arn}


def reads_others(spec: FunctionSpec) -> bool:
    """Whether a function reads what another one has written to a queue or a log."""
    return spec.consumes or spec.reads_api_log


class Functions(Construct):
    def __init__(self, scope: Construct, stage: StageConfig, shared: SharedResources) -> None:
        super().__init__(scope, "Functions")
        self._stage = stage
        self._shared = shared
        self._code = _code(bundle(stage.bundle))
        needs_s3 = shared.archive is not None or shared.audit_trail is not None
        self._s3_code = _code(bundle(stage.bundle, archive=True)) if needs_s3 else None
        self.arns = {
            **arns_by_name(shared.tables, shared.lanes, shared.key.key_arn),
            **parameter_arns(self, stage),
            **alarm_arns(self),
            **role_arns(stage),
            **token_key_arns(self, stage),
            **archive_arns(shared.archive),
            **audit_arns(shared.audit_trail),
            **_event_queue_arns(shared.events),
        }
        """The ARNs of all resources except logs, by the names of the table of grants."""
        self.logs: dict[str, logs.LogGroup] = {}
        """The log group of each function."""
        self.specs = {spec.service: spec for spec in self._all_specs(stage)}
        self._functions: dict[str, lambda_.Function] = {}
        self.live: dict[str, lambda_.Alias] = {}
        for spec in self.specs.values():
            self._functions[spec.service] = self._function(spec)
            self.live[spec.service] = self._alias(spec)
            self.arns[function_name(spec.service)] = self.live[spec.service].function_arn
        self._switch_consumers_first()
        acknowledge_patterns(Stack.of(self), [*alarm_arns(self).values(), *role_arns(stage).values()])
        acknowledge_patterns(Stack.of(self), token_key_arns(self, stage).values())
        for bucket in (shared.archive, shared.audit_trail):
            if bucket is not None:
                self._acknowledge_objects(bucket)

    @staticmethod
    def _all_specs(stage: StageConfig) -> tuple[FunctionSpec, ...]:
        return function_specs(
            stage.memory,
            canary=stage.canary,
            archive=stage.archive_days > 0,
            audit_trail=stage.audit_lock_days > 0,
            target_roles=stage.target_roles is not None,
            token_keys=bool(stage.token_keys),
            event_bus=stage.event_bus is not None,
        )

    @property
    def by_service(self) -> Mapping[str, lambda_.Function]:
        return self._functions

    def set_api_hosts(self, *hosts: str) -> None:
        """Pass the API's host names (or URLs) to functions that check targets, so that no job calls the API."""
        for service, function in self._functions.items():
            if self.specs[service].makes_callbacks:
                function.add_environment(Env.API_HOSTS, ",".join(hosts))

    def set_console_origin(self, origin: str) -> None:
        """Pass the origin of the console to functions that send notifications, which link to it."""
        for service, function in self._functions.items():
            if self.specs[service].makes_callbacks:
                function.add_environment(Env.CONSOLE_ORIGIN, origin)

    def _switch_consumers_first(self) -> None:
        """Deploy readers first: they must know a new version of messages and log lines before it is written."""
        readers = [self._cfn_alias(spec) for spec in self.specs.values() if reads_others(spec)]
        for spec in self.specs.values():
            if not reads_others(spec):
                for reader in readers:
                    self._cfn_alias(spec).add_resource_dependency(reader)

    def _acknowledge_objects(self, bucket: s3.IBucket) -> None:
        """A role names the objects of a bucket by patterns, behind the export of the bucket's name."""
        arn = Stack.of(bucket).export_value(bucket.bucket_arn)
        export = Stack.of(self).resolve(arn)["Fn::ImportValue"]
        acknowledge_patterns(Stack.of(self), [f"{export}/{each}" for each in (OBJECTS, SEARCHED_OBJECTS)])

    def _cfn_alias(self, spec: FunctionSpec) -> lambda_.CfnAlias:
        return cast(lambda_.CfnAlias, self.live[spec.service].node.default_child)

    def _alias(self, spec: FunctionSpec) -> lambda_.Alias:
        alias = lambda_.Alias(
            self,
            f"{spec.construct_id}Live",
            alias_name=LIVE,
            version=self._functions[spec.service].current_version,
        )
        if spec.is_scheduled:
            # These settings belong to what is invoked: those of the function would not apply to its alias.
            alias.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(1))
        return alias

    def _function(self, spec: FunctionSpec) -> lambda_.Function:
        group = log_group(self, f"{spec.construct_id}Log", self._stage, is_record=spec.manages_tenants)
        self.logs[spec.service] = group
        variables = environment(self, self._stage, spec, self._shared)
        if spec.reads_api_log:
            variables[Env.API_LOG_GROUP] = self.logs["api"].log_group_name
        if spec.asks_archive:
            variables[Env.ARCHIVE_READER] = self.live[ARCHIVE_READER].function_arn
        reserved = self._stage.reserved
        return lambda_.Function(
            self,
            spec.construct_id,
            # Lambda publishes no second version of the same code and configuration.
            description=f"{self._stage.prefix} {spec.service} of the data stack {self._shared.generation}",
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            code=(self._s3_code if spec.uses_s3 else None) or self._code,
            ephemeral_storage_size=Size.gibibytes(ARCHIVER_DISK_GIB) if spec.archives else None,
            handler=f"functions.{spec.package}.handler.handler",
            role=self._role(spec),
            memory_size=spec.memory_mb,
            timeout=Duration.seconds(spec.timeout_seconds),
            environment=variables,
            log_group=group,
            # Lambda's lines START, END and REPORT of each invocation are billed too: of these, only failures are kept.
            logging_format=lambda_.LoggingFormat.JSON,
            system_log_level_v2=lambda_.SystemLogLevel.WARN,
            # Lambda takes a line without a level, such as one of metrics, for INFO. A lower level would open the
            # loggers of libraries, which log whole requests.
            application_log_level_v2=lambda_.ApplicationLogLevel.INFO,
            reserved_concurrent_executions=reserved.of(spec.package) if reserved is not None else None,
            # CDK names a version by the function's part of the template, in which the names of tables are references.
            # Without this description, other tables behind the same references would publish no version.
            # The version before stays, so that an operator can point the alias back to it within seconds. A version of
            # an update that is rolled back goes, once the alias has left it: it is no release to go back to, and
            # Lambda would publish no second one of the same code.
            current_version_options=lambda_.VersionOptions(
                description=self._shared.generation, removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
            ),
            recursive_loop=lambda_.RecursiveLoop.ALLOW if spec.allows_recursion else None,
        )

    def _role(self, spec: FunctionSpec) -> iam.IRole:
        """Create a role with one complete inline policy; without_policy_updates prevents later additions."""
        logs_by_name = {log_name(service): group.log_group_arn for service, group in self.logs.items()}
        granted = statements(spec, self.arns | logs_by_name, self._stage)
        role = iam.Role(
            self,
            f"{spec.construct_id}Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            description=f"{self._stage.prefix} {spec.service}",
            inline_policies={"Granted": iam.PolicyDocument(statements=granted)},
        )
        return role.without_policy_updates()


def _code(made: Bundle) -> lambda_.Code:
    return lambda_.Code.from_asset(str(made.path), asset_hash=made.hash, asset_hash_type=AssetHashType.CUSTOM)
