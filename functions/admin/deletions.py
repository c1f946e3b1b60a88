"""The command that repeats deletions which a restore of tables has undone."""

from argparse import Namespace

from functions.admin.actions import Document, record, tenant_out
from functions.admin.instants import instant
from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidValueError
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.deletion import TenantDeletion
from shared.domain.tenancy.tenant import Tenant
from shared.usecases.tenancy.account_documents import deletion_document
from shared.usecases.tenancy.repeat_deletions import Repeat


def repeat_deletions(cases: UseCases, given: Namespace) -> Document:
    """Each tenant with the step that was taken; with `--dry-run`, that would be taken. A dry run writes nothing.

    `again_after` is the instant from which another run can go on with the tenants that are not deleted yet.
    """
    bounds = vars(given)
    if bounds["from"] is None or given.to is None:
        raise InvalidValueError(
            "name the instant of the restore with --from, and that of the attachment with --to"
        )
    from_at, until_at = instant("--from", bounds["from"], 0), instant("--to", given.to, 0)
    repeats = []
    for each in cases.tenancy.repeat_deletions.execute(
        from_at, until_at, given.asked_by, dry_run=given.dry_run
    ):
        _record(cases, each)
        repeats.append(each)
    again_after = max((each.effective_at for each in repeats if each.effective_at), default=None)
    return {
        "dry_run": given.dry_run,
        "tenants": [_shown(each) for each in repeats],
        "again_after": format_instant(again_after) if again_after else None,
    }


def _shown(repeat: Repeat) -> Document:
    """One tenant; `asked_at` is the instant of the request for the deletion."""
    return {
        "tenant": repeat.tenant_id,
        "step": repeat.step.value,
        "asked_at": format_instant(repeat.asked_at),
        "effective_at": format_instant(repeat.effective_at) if repeat.effective_at else None,
    }


def _record(cases: UseCases, repeat: Repeat) -> None:
    """Leave the audit record of what was written, under the names of the usual operations."""
    match repeat.before, repeat.after:
        case Tenant() as before, Tenant() as after:
            documents = tenant_out(cases, before), tenant_out(cases, after)
            record(cases, repeat.tenant_id, "changeTenant", repeat.tenant_id, *documents)
        case Tenant(), TenantDeletion() as begun:
            record(cases, repeat.tenant_id, "deleteTenant", repeat.tenant_id, None, deletion_document(begun))
        case TenantDeletion() as ended, TenantDeletion() as again:
            states = deletion_document(ended), deletion_document(again)
            record(cases, repeat.tenant_id, "repeatDeletion", repeat.tenant_id, *states)
