"""The operators' commands as functions: each runs use cases and returns the document to print.

A change leaves the same audit record as over HTTP. Its actor has no API key: only AWS knows the person.
"""

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from shared.bootstrap.reports import report_unrecorded
from shared.bootstrap.settings import require
from shared.bootstrap.use_cases import UseCases
from shared.domain.dead_letters.parked_message import parked_document
from shared.domain.errors import InvalidValueError, NotFoundError, PunctualError
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.audit import Actor
from shared.domain.tenancy.tenant import (
    CANARY,
    MAX_EXPIRY_SECONDS,
    MAX_OVERLAP_SECONDS,
    MIN_EXPIRY_SECONDS,
    OPERATOR,
    ApiKey,
    SigningSecret,
    Tenant,
    TenantState,
)
from shared.settings import ApiSettings
from shared.usecases.tenancy.account_documents import (
    deletion_document,
    key_document,
    secret_document,
    tenant_document,
    usage_document,
)
from shared.usecases.tenancy.create_tenant import FIRST_SCOPES, NewTenant
from shared.usecases.tenancy.manage_keys import NewKey
from shared.usecases.tenancy.manage_tenants import TenantChange
from shared.usecases.tenancy.record_audit import UnrecordedChangeError

Document = Mapping[str, Any]
ACTOR = Actor(tenant_id=OPERATOR, key_id=None)
REQUEST_ID = "command"
_PAGE = 100


def create_tenant(cases: UseCases, given: Namespace) -> Document:
    new = cases.tenancy.create_tenant.execute(given.tenant, given.scopes or FIRST_SCOPES)
    return _created_tenant(cases, new) | {"signing_secret": new.signing_secret}


def create_operator(cases: UseCases, _: Namespace) -> Document:
    return _created_tenant(cases, cases.tenancy.create_tenant.operator())


def create_canary(cases: UseCases, _: Namespace) -> Document:
    """The secrets go to the parameters that the canary's functions read, and nowhere else."""
    try:
        done = cases.canary.provision.execute()
    except PunctualError as error:
        # The run may have made or revoked keys before it failed.
        failed = {"tenant": CANARY, "failure": str(error)}
        record(cases, CANARY, "createCanaryFailed", CANARY, None, failed)
        raise
    document = {"tenant": CANARY, **asdict(done)}
    record(cases, CANARY, "createCanary", CANARY, None, document)
    return document


def list_tenants(cases: UseCases, _: Namespace) -> Document:
    found: list[Document] = []
    page = cases.tenancy.list_tenants.execute(limit=_PAGE)
    while page.next_after is not None:
        found += [tenant_out(cases, tenant) for tenant in page.tenants]
        page = cases.tenancy.list_tenants.execute(limit=_PAGE, after=page.next_after)
    return {"tenants": [*found, *(tenant_out(cases, tenant) for tenant in page.tenants)]}


def show_tenant(cases: UseCases, given: Namespace) -> Document:
    return tenant_out(cases, cases.tenancy.find_tenant.execute(given.tenant))


def change_tenant(cases: UseCases, given: Namespace) -> Document:
    callbacks = {"on_success": given.on_success, "on_failure": given.on_failure}
    change = TenantChange(
        state=TenantState(given.state) if given.state else None,
        weight=given.weight,
        index_shards=given.index_shards,
        quotas=dict(given.quota) if given.quota else None,
        listeners={name: url for name, url in callbacks.items() if url is not None},
        target_roles=_target_roles(given.target_role),
    )
    if change == TenantChange():
        raise InvalidValueError("nothing is to be changed")
    before, after = cases.tenancy.change_tenant.execute(given.tenant, change)
    document = tenant_out(cases, after)
    record(cases, given.tenant, "changeTenant", given.tenant, tenant_out(cases, before), document)
    effective_at = cases.tenancy.change_tenant.effective_at(after) if change.state else None
    return {**document, "effective_at": format_instant(effective_at)} if effective_at else document


def _target_roles(given: list[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    return () if given == ["none"] else tuple(given)


def delete_tenant(cases: UseCases, given: Namespace) -> Document:
    deletion = cases.tenancy.delete_tenant.execute(given.tenant, given.asked_by)
    document = deletion_document(deletion)
    record(cases, given.tenant, "deleteTenant", given.tenant, None, document)
    return document


def show_deletion(cases: UseCases, given: Namespace) -> Document:
    return deletion_document(cases.tenancy.delete_tenant.find(given.tenant))


def show_usage(cases: UseCases, given: Namespace) -> Document:
    tenant = cases.tenancy.find_tenant.execute(given.tenant)
    return usage_document(cases.tenancy.read_usage.execute(tenant))


def list_keys(cases: UseCases, given: Namespace) -> Document:
    return {"keys": [_key(cases, key) for key in cases.tenancy.keyring.keys_of(given.tenant)]}


def create_key(cases: UseCases, given: Namespace) -> Document:
    if not given.scopes:
        raise InvalidValueError("scopes: name at least one")
    expires_at = None
    if given.expires_in_seconds is not None:
        _check_bounds("expires_in_seconds", given.expires_in_seconds, MIN_EXPIRY_SECONDS, MAX_EXPIRY_SECONDS)
        expires_at = _now_ms(cases) + given.expires_in_seconds * 1000
    new = cases.tenancy.keyring.create(given.tenant, given.scopes, name=given.name, expires_at=expires_at)
    return _created_key(cases, given.tenant, new)


def revoke_key(cases: UseCases, given: Namespace) -> Document:
    """Even the last admin key: a command can always create another."""
    before, after = cases.tenancy.keyring.revoke(given.tenant, given.key, even_the_last=True)
    document = _key(cases, after)
    record(cases, given.tenant, "revokeKey", given.key, _key(cases, before), document)
    return document


def rotate_key(cases: UseCases, given: Namespace) -> Document:
    _check_overlap(given)
    rotation = cases.tenancy.keyring.rotate(
        given.tenant, given.key, overlap_seconds=given.overlap_seconds, expires_at=None
    )
    before, after = _key(cases, rotation.old_before), _key(cases, rotation.old_after)
    record(cases, given.tenant, "rotateKey", given.key, before, after)
    return _created_key(cases, given.tenant, rotation.new)


def list_secrets(cases: UseCases, given: Namespace) -> Document:
    secrets = cases.tenancy.signing_secrets.of(given.tenant)
    return {"signing_secrets": [_secret(cases, secret) for secret in secrets]}


def rotate_secret(cases: UseCases, given: Namespace) -> Document:
    _check_overlap(given)
    new = cases.tenancy.signing_secrets.rotate(
        given.tenant, overlap_seconds=given.overlap_seconds, name=given.name
    )
    document = _secret(cases, new.secret)
    record(cases, given.tenant, "rotateSigningSecret", new.secret.id, None, document)
    return {**document, "signing_secret": new.text}


def retire_secret(cases: UseCases, given: Namespace) -> Document:
    before, after = cases.tenancy.signing_secrets.retire(given.tenant, given.secret)
    document = _secret(cases, after)
    record(cases, given.tenant, "retireSigningSecret", given.secret, _secret(cases, before), document)
    return document


def remove_secret_name(cases: UseCases, given: Namespace) -> Document:
    removed = cases.tenancy.signing_secrets.remove_name(given.tenant, given.secret_name)
    document = {"signing_secrets": [_secret(cases, secret) for secret in removed]}
    record(cases, given.tenant, "removeSigningSecretName", given.secret_name, document, None)
    return document


def list_parked(cases: UseCases, given: Namespace) -> Document:
    messages = cases.core.ports.parked_messages.parked(given.limit)
    return {"messages": [parked_document(message) for message in messages]}


def remove_parked(cases: UseCases, given: Namespace) -> Document:
    removed = cases.core.ports.parked_messages.remove(given.message)
    if removed is None:
        raise NotFoundError("no such message")
    document = parked_document(removed)
    record(cases, OPERATOR, "removeParked", given.message, document, None)
    return document


def _created_tenant(cases: UseCases, new: NewTenant) -> dict[str, Any]:
    record(cases, new.tenant.id, "createTenant", new.tenant.id, None, tenant_out(cases, new.tenant))
    return {"tenant": new.tenant.id, "api_key": new.api_key}


def _created_key(cases: UseCases, tenant_id: str, new: NewKey) -> Document:
    document = _key(cases, new.key)
    record(cases, tenant_id, "createKey", new.key.id, None, document)
    return {**document, "api_key": new.text}


def record(
    cases: UseCases,
    tenant_id: str,
    operation: str,
    target: str,
    before: Document | None,
    after: Document | None,
) -> None:
    try:
        cases.tenancy.record_audit.execute(
            ACTOR,
            tenant_id,
            operation=operation,
            target=target,
            before=before,
            after=after,
            request_id=REQUEST_ID,
        )
    except UnrecordedChangeError as error:
        report_unrecorded(error.evidence)
        raise


def tenant_out(cases: UseCases, tenant: Tenant) -> Document:
    settings = require(cases.core.settings, ApiSettings)
    return tenant_document(tenant, settings.default_quotas, cases.core.ports.vault)


def _key(cases: UseCases, key: ApiKey) -> Document:
    return key_document(key, _now_ms(cases))


def _secret(cases: UseCases, secret: SigningSecret) -> Document:
    return secret_document(secret, _now_ms(cases))


def _now_ms(cases: UseCases) -> int:
    return cases.core.ports.clock.now_ms()


def _check_overlap(given: Namespace) -> None:
    _check_bounds("overlap_seconds", given.overlap_seconds, 0, MAX_OVERLAP_SECONDS)


def _check_bounds(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidValueError(f"{name} must be {least} to {most}")
