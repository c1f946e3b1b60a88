"""Compares the AWS calls of a function with the grants of its role, since the emulators enforce none."""

import json
from collections.abc import Iterator, Mapping

from infra.components.function_specs import ARCHIVE_READER, FunctionSpec, function_specs
from infra.components.grant_table import (
    ALARMS,
    API,
    ARCHIVE,
    ARCHIVED_OBJECTS,
    AUDIT_TRAIL,
    DEAD_EVENTS,
    EVENTS,
    KEY,
    LOG,
    RECEIVE,
    SEARCHED,
    SEGMENTS,
    Grant,
    dead_letters_name,
    function_name,
    grants_of,
    log_name,
    queue_name,
)
from infra.config import FunctionMemory
from shared.names import Env, Index, QueueName
from tests.support.aws_calls import Need

SPECS = {spec.service: spec for spec in function_specs(FunctionMemory(), event_bus=True)}
_TABLES = {
    Env.EXECUTIONS_TABLE: "executions",
    Env.JOBS_TABLE: "jobs",
    Env.TENANTS_TABLE: "tenants",
    Env.LEASES_TABLE: "leases",
    Env.AUDIT_TABLE: "audit",
    Env.HISTORY_TABLE: "history",
}
_INDEXES = {
    (Env.EXECUTIONS_TABLE, Index.FAILED): "failed_index",
    (Env.EXECUTIONS_TABLE, Index.BY_TENANT): "tenant_index",
    (Env.JOBS_TABLE, Index.LIVE): "live_index",
}


def spec_of(package: str, lane: str | None) -> FunctionSpec:
    """The function with this code; executors differ by the queues that they consume."""
    (spec,) = (spec for spec in SPECS.values() if (spec.package, spec.lane) == (package, lane))
    return spec


def kind_of(spec: FunctionSpec, action: str, name: str) -> str:
    """A grant without the names of lanes, such as `executor sqs:SendMessage slow-path`."""
    return f"{spec.package} {action} {name.partition('/')[0]}"


def kinds_of_grants() -> set[str]:
    """The kinds of all grants, apart from those that Lambda itself uses in a function's role."""
    return {
        kind_of(spec, action, name)
        for spec in SPECS.values()
        for grant in grants_of(spec)
        for action in _own_actions(grant)
        for name in grant.resources
    }


def _own_actions(grant: Grant) -> set[str]:
    actions = set(grant.actions)
    for of_lambda in (set(RECEIVE), set(LOG)):
        if of_lambda <= actions:
            actions -= of_lambda
    return actions


class FunctionGrants:
    """The grants of one function, on the resources that its environment variables name."""

    def __init__(self, spec: FunctionSpec, environment: Mapping[str, str]) -> None:
        self.spec = spec
        self._names = names_of(environment)
        self._granted = {
            (action, name)
            for grant in grants_of(spec)
            for action in grant.actions
            for name in grant.resources
        }

    def kind(self, need: Need) -> str:
        """The kind of the grant that a call needs."""
        return kind_of(self.spec, need[0], self._name(need[1]))

    def missing(self, need: Need) -> str | None:
        """Function, action and resource of a call that the role does not allow; None for any other call."""
        action, name = need[0], self._name(need[1])
        return None if (action, name) in self._granted else f"{self.spec.service} {action} {name}"

    def _name(self, resource: str) -> str:
        """A resource that no variable names keeps its own name, for which no role has a grant."""
        return self._names.get(resource, resource)


def names_of(environment: Mapping[str, str]) -> dict[str, str]:
    """The names of resources in the table of grants, by the last parts of their ARNs."""
    return dict(_names(environment))


def _names(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "alarm:*", ALARMS
    for variable, name in _TABLES.items():
        if variable in environment:
            yield f"table/{environment[variable]}", name
    for (variable, index), name in _INDEXES.items():
        if variable in environment:
            yield f"table/{environment[variable]}/index/{index}", name
    for queue, url in json.loads(environment.get(Env.LANE_QUEUE_URLS, "{}")).items():
        yield url.rpartition("/")[2], queue_name(QueueName(queue))
    for queue, arn in json.loads(environment.get(Env.DEAD_LETTER_ARNS, "{}")).items():
        yield arn.rpartition(":")[2], dead_letters_name(QueueName(queue))
    for variable, name in ((Env.EVENTS_QUEUE_URL, EVENTS), (Env.DEAD_EVENTS_QUEUE_URL, DEAD_EVENTS)):
        if variable in environment:
            yield environment[variable].rpartition("/")[2], name
    if Env.ARCHIVE_BUCKET in environment:
        yield f"bucket:{environment[Env.ARCHIVE_BUCKET]}", ARCHIVE
        yield f"objects:{environment[Env.ARCHIVE_BUCKET]}", ARCHIVED_OBJECTS
        yield f"searches:{environment[Env.ARCHIVE_BUCKET]}", SEARCHED
    if Env.AUDIT_BUCKET in environment:
        yield f"bucket:{environment[Env.AUDIT_BUCKET]}", AUDIT_TRAIL
        yield f"objects:{environment[Env.AUDIT_BUCKET]}", SEGMENTS
    if Env.ARCHIVE_READER in environment:
        yield f"function:{environment[Env.ARCHIVE_READER]}", function_name(ARCHIVE_READER)
    if Env.KMS_KEY_ID in environment:
        yield f"key/{environment[Env.KMS_KEY_ID]}", KEY
    if Env.API_LOG_GROUP in environment:
        yield f"log-group:{environment[Env.API_LOG_GROUP]}", log_name(API)
