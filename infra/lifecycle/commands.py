"""Teardown of a stage, and attachment of existing tables, buckets and an existing key to its data stack."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from infra.config import StageConfig
from infra.lifecycle.attachment import (
    ARCHIVE,
    KEY,
    NEW,
    TRAIL,
    Template,
    check,
    detached,
    import_template,
    is_new,
    parts,
    resources_to_import,
    unretained,
)
from infra.lifecycle.existing import (
    check_key,
    existing_buckets,
    existing_domains,
    existing_token_keys,
    restored_tables,
    restored_to,
)
from infra.lifecycle.stacks import LifecycleError, Stacks

Report = Callable[[str], object]


def data_stack(stage: StageConfig) -> str:
    return f"{stage.prefix}-data"


def service_stack(stage: StageConfig) -> str:
    return f"{stage.prefix}-service"


def physical_names(stacks: Stacks, data: str) -> dict[str, str]:
    """Return the names of the tables and buckets and the id of the key of a data stack; nothing without a stack."""
    if not stacks.exists(data):
        return {}
    resources = stacks.resources(data)
    known = parts(stacks.template(data))
    return {name: resources[logical_id] for name, logical_id in known.items() if logical_id in resources}


def teardown(stacks: Stacks, stage: StageConfig, report: Report) -> None:
    """Delete both stacks of a stage. A protected stage keeps its tables, key and buckets, and the report names them
    first."""
    data, service = data_stack(stage), service_stack(stage)
    present = [name for name in (service, data) if stacks.exists(name)]
    if not present:
        raise LifecycleError(
            f"there is no stack {service} or {data} in {stage.region}: nothing was deleted. If the stage is in another "
            f"region or account, correct stages/{stage.name}.toml or choose other credentials"
        )
    for name in present:
        stacks.check_idle(name)
    if data in present:
        _check_protection(stage, unretained(stacks.template(data)))
        if stage.protect_data:
            report(
                f"tables, key and buckets remain. To attach them: {attach_line(stage, physical_names(stacks, data))}"
            )
    for name in present:
        report(f"deleting stack {name}")
        if name == data and not stage.protect_data:
            # The archiver has gone with the service.
            stacks.empty_buckets(name)
        stacks.delete(name)


def _check_protection(stage: StageConfig, lost: list[str]) -> None:
    """The deployed template decides what a deletion retains, and the stage file what the operator expects."""
    if stage.protect_data and lost:
        raise LifecycleError(
            f"stages/{stage.name}.toml has protected = true, and the deployed stack would delete {', '.join(lost)}: "
            "deploy the stage first, or write protected = false to lose them"
        )
    if not stage.protect_data and not lost:
        raise LifecycleError(
            f"stages/{stage.name}.toml has protected = false, and the deployed stack retains its tables, key and "
            "buckets: write protected = true to keep them, or deploy the stage first to lose them"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Existing tables and buckets and an existing key that fit the data stack of a stage."""

    names: Mapping[str, str]
    """Of the six tables and the buckets, and the id of the key. A bucket may be `NEW`."""
    restored: frozenset[str]
    """Tables without the settings that a restore drops."""
    buckets: Mapping[str, bool]
    """The parts whose buckets exist, and whether each bucket has a policy."""
    domains: frozenset[str]
    """The custom domain, unless it has to be made."""
    token_keys: Mapping[str, str]
    """The ids of the keys of identity tokens by their aliases, without those that have to be made."""
    is_needed: bool
    """Whether the data stack does not consist of these tables already."""
    reopens: bool
    """Whether the sweepers may have closed buckets with unfinished executions of these tables."""
    restored_to: datetime | None
    """The instant of freshly restored executions, if it is known."""


def plan_attachment(
    stacks: Stacks, template: Template, stage: StageConfig, given: Mapping[str, str]
) -> Attachment:
    """Check what is to be attached, and change nothing. Tables without a name remain those of the present stack."""
    data = data_stack(stage)
    for name in (data, service_stack(stage)):
        stacks.check_idle(name)
    present = physical_names(stacks, data)
    if present and not given:
        raise LifecycleError(
            f'stack {data} has its tables: name those to adopt, as in TABLES="executions=<name> jobs=<name>"'
        )
    for each in (template, *([stacks.template(data)] if present else [])):
        if lost := unretained(each):
            raise LifecycleError(
                f"the stage {stage.name} is not protected, so its stack would delete {', '.join(lost)}: write "
                f"protected = true into stages/{stage.name}.toml, and deploy the stage if it has stacks"
            )
    names = names_to_attach(template, present, given)
    check(template, names)
    check_key(stacks.client("kms"), names[KEY])
    dynamodb = stacks.client("dynamodb")
    restored = restored_tables(dynamodb, template, names)
    is_replaced = bool(present) and present["executions"] != names["executions"]
    return Attachment(
        names=names,
        restored=frozenset(restored),
        buckets=existing_buckets(stacks.client("s3"), template, names, stage.region),
        domains=frozenset(existing_domains(stacks.client("apigatewayv2"), template)),
        token_keys=existing_token_keys(stacks.client("kms"), template),
        is_needed={name: present.get(name, NEW) for name in names} != names,
        reopens=is_replaced or "executions" in restored,
        restored_to=restored_to(dynamodb, names["executions"]) if "executions" in restored else None,
    )


def names_to_attach(
    template: Template, present: Mapping[str, str], given: Mapping[str, str]
) -> dict[str, str]:
    """Those that are given, and the others of a present stack. It gets a new bucket only where it has none.

    A bucket that the stage has no longer stays outside of the stack.
    """
    buckets = [name for name in (ARCHIVE, TRAIL) if name in parts(template)]
    kept = {name: value for name, value in present.items() if name not in (ARCHIVE, TRAIL) or name in buckets}
    made = dict.fromkeys(buckets, NEW) if present else {}
    chosen = {name: value for name, value in given.items() if name not in kept or not is_new(name, value)}
    return {**made, **kept, **chosen}


def attach(stacks: Stacks, template: Template, stage: StageConfig, plan: Attachment, report: Report) -> None:
    """Stop the functions, and create the data stack of the existing tables and the key.

    A deployment of both stacks and `resume` have to follow. The tables of a present stack stay. The exports of the
    stack change, so the service lets go of them first. Each step can be repeated.
    """
    data, service = data_stack(stage), service_stack(stage)
    if stacks.exists(service):
        report("stopping all functions")
        pause(stacks, service)
    if not plan.is_needed:
        return
    if stacks.exists(service):
        report(f"releasing stack {service} from the exports of {data}")
        stacks.update(service, detached(stacks.template(service), stacks.exports()))
    report(f"creating stack {data} of {as_arguments(plan.names)}")
    stacks.delete(data)
    imported = import_template(template, plan.restored, plan.domains, plan.buckets, plan.token_keys)
    stacks.create_by_import(data, imported, resources_to_import(imported, plan.names, plan.token_keys))


def as_arguments(names: Mapping[str, str]) -> str:
    """Return the names as the command line takes them."""
    return " ".join(f"{name}={value}" for name, value in names.items())


def attach_line(stage: StageConfig, names: Mapping[str, str], sweep_from: datetime | None = None) -> str:
    """Return the command that attaches these tables."""
    line = f'make attach STAGE={stage.name} TABLES="{as_arguments(names)}"'
    return line if sweep_from is None else f"{line} SWEEP_FROM={sweep_from:%Y-%m-%dT%H:%MZ}"


def reopen_buckets(dynamodb: Any, leases: str, region: str, oldest: datetime) -> None:
    """Let the sweepers list every bucket again from this instant on. No function may be at work."""
    try:
        dynamodb.update_item(
            TableName=leases,
            Key={"pk": {"S": f"{region}#swept"}, "sk": {"S": "through"}},
            UpdateExpression="SET th = :before",
            ConditionExpression="attribute_exists(pk)",
            ExpressionAttributeValues={":before": {"N": str(int(oldest.timestamp()) // 60 - 1)}},
        )
    except ClientError as error:
        # Without a mark, the first sweep begins where filing began.
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise


def pause(stacks: Stacks, service: str) -> None:
    """Let no function of the service begin another invocation."""
    lambdas = stacks.client("lambda")
    for name, _ in _functions(stacks, service):
        lambdas.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=0)


def resume(stacks: Stacks, service: str) -> None:
    """Give each function the concurrency of its template again."""
    lambdas = stacks.client("lambda")
    for name, properties in _functions(stacks, service):
        reserved = properties.get("ReservedConcurrentExecutions")
        if reserved is None:
            lambdas.delete_function_concurrency(FunctionName=name)
        else:
            lambdas.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=reserved)


def _functions(stacks: Stacks, service: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The name of each function, with its properties in the template."""
    physical = stacks.resources(service)
    for logical_id, made in stacks.template(service)["Resources"].items():
        if made["Type"] == "AWS::Lambda::Function":
            yield physical[logical_id], made["Properties"]
