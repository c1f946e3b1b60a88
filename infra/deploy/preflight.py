"""Checks before a deployment: whatever would fail halfway, or after an hour in production, fails at once."""

from collections.abc import Callable, Iterator

from infra.concurrency import LEAST_UNRESERVED
from infra.config import StageConfig
from infra.deploy.account import Account, UnansweredError
from infra.provisioned import UnitsPerSecond
from shared.names import CanarySecret

LEAST_BOOTSTRAP = 6
"""CDK refuses to deploy with an older bootstrap stack."""
UNITS = {"reads": "read", "writes": "write"}


def problems(stage: StageConfig, account: Account) -> list[str]:
    """A sentence for each check that fails. With credentials of another account, no other check means anything."""
    foreign = wrong_account(stage, account)
    if foreign is not None:
        return [foreign]
    return [sentence for check in _CHECKS for sentence in _answers(check, stage, account)]


def wrong_account(stage: StageConfig, account: Account) -> str | None:
    """A sentence, unless the credentials belong to the account of the stage."""
    try:
        owner = account.account_id()
    except UnansweredError as error:
        return f"The account is unknown: {error}."
    if stage.account in (None, owner):
        return None
    return (
        f"The stage {stage.name} belongs to account {stage.account}, and the credentials to account {owner}: "
        f"choose other credentials, or correct account in stages/{stage.name}.toml."
    )


Check = Callable[[StageConfig, Account], Iterator[str]]


def _answers(check: Check, stage: StageConfig, account: Account) -> Iterator[str]:
    try:
        yield from check(stage, account)
    except UnansweredError as error:
        yield f"A check was impossible: {error}."


def _bootstrap(stage: StageConfig, account: Account) -> Iterator[str]:
    version = account.bootstrap_version()
    command = f"run `cdk bootstrap aws://{account.account_id()}/{stage.region}`"
    if version is None:
        yield f"CDK has not prepared the region {stage.region} of the account: {command}."
    elif version < LEAST_BOOTSTRAP:
        yield f"The bootstrap stack of CDK has version {version}, and {LEAST_BOOTSTRAP} is the least: {command}."


def _concurrency(stage: StageConfig, account: Account) -> Iterator[str]:
    found = account.concurrency()
    if found.quota < stage.account_concurrency:
        yield (
            f"The Lambda quota 'Concurrent executions' is {found.quota}, and account_concurrency is "
            f"{stage.account_concurrency}: ask Service Quotas for {stage.account_concurrency}, or lower "
            "account_concurrency, lanes and reserved."
        )
        return
    # Where the quota is larger, the alarm comes early, which is no reason against a deployment.
    if found.quota < stage.concurrency_quota:
        yield (
            f"The Lambda quota 'Concurrent executions' is {found.quota}, and the alarm ClaimedConcurrency expects "
            f"{stage.concurrency_quota}: write account_concurrency_quota = {found.quota} into "
            f"stages/{stage.name}.toml."
        )
    if stage.reserved is not None:
        available = found.unreserved + account.reserved_by(f"{stage.prefix}-service")
        needed = stage.reserved.total_with(canary=stage.canary) + max(
            LEAST_UNRESERVED, stage.lane_concurrency.total
        )
        if available < needed:
            yield (
                f"The functions of other stacks leave {available} of {found.quota} concurrent executions, and the "
                f"stage needs {needed} for reserved and lanes: ask Service Quotas for "
                f"{found.quota + needed - available}, or lower reserved or lanes."
            )


def _units(stage: StageConfig, account: Account) -> Iterator[str]:
    quotas = account.unit_quotas()
    for kind, word in UNITS.items():
        quota, needed = getattr(quotas.table, kind), max(getattr(units, kind) for units in _most(stage))
        if quota < needed:
            yield (
                f"The DynamoDB quota 'Table-level {word} throughput limit' is {quota}, and capacity needs {needed}: "
                f"ask Service Quotas for {needed}, or lower capacity."
            )
        quota, total = getattr(quotas.account, kind), sum(getattr(units, kind) for units in _most(stage))
        if stage.provisioned is not None and quota < total:
            yield (
                f"The DynamoDB quota 'Account-level {word} throughput limit' is {quota}, and the maximum units of "
                f"capacity.provisioned are {total} together: ask Service Quotas for {total}, or lower them."
            )


def _most(stage: StageConfig) -> list[UnitsPerSecond]:
    """Units of the executions table and of each index: those that autoscaling may reach, or the warm ones."""
    if stage.provisioned is None:
        return list(stage.at_once.values())
    return [
        UnitsPerSecond(reads=units.reads.maximum, writes=units.writes.maximum)
        for units in stage.provisioned.by_name.values()
    ]


def _certificate(stage: StageConfig, account: Account) -> Iterator[str]:
    if stage.domain is None:
        return
    found = account.certificate(stage.domain.certificate_arn)
    if found is None:
        yield f"The certificate of domain.certificate is not in {stage.region}: request one, or correct its ARN."
        return
    if found.status != "ISSUED":
        yield (
            f"The certificate of domain.certificate has the status {found.status}: create the DNS records that "
            "Certificate Manager shows for it, and wait until it is issued."
        )
    wildcard = f"*.{stage.domain.name.partition('.')[2]}"
    if not {stage.domain.name, wildcard} & {name.lower() for name in found.names}:
        yield (
            f"The certificate of domain.certificate is for {', '.join(found.names)}, and not for "
            f"{stage.domain.name}: request one for that name."
        )


def _canary(stage: StageConfig, account: Account) -> Iterator[str]:
    """Without its secrets, the canary would page half an hour after the deployment."""
    if stage.canary and not all(account.has_parameter(each.parameter(stage.name)) for each in CanarySecret):
        yield (
            "The canary has no secrets: deploy with canary = false, run the operators' command create-canary, and "
            "deploy again with canary = true."
        )


_CHECKS: tuple[Check, ...] = (_bootstrap, _concurrency, _units, _certificate, _canary)
