"""Deletions and exports of tenants: only of a suspended tenant, completely, and nothing of another."""

from tests.mutants.mutant import Mutant

_WORKER = "tests/unit/usecases/bulk/test_tenant_deletions.py"
_STORE = "tests/conformance/test_tenant_deletions.py"
_EXPORT = "tests/unit/functions/test_admin_export.py"
_DELETION = "shared/domain/tenancy/deletion.py"
_REPEAT = "shared/usecases/tenancy/repeat_deletions.py"
_REPEATED = "tests/unit/usecases/tenancy/test_repeat_deletions.py"
_PROCESS = "shared/usecases/bulk/process_tenant_deletions.py"

DELETIONS = (
    Mutant(
        name="deletion of a tenant whose suspension has not taken effect",
        file=_DELETION,
        old=" or now_ms < latest.from_at:\n",
        new=":\n",
        killer=_WORKER,
    ),
    Mutant(
        name="deletion that begins before the acknowledged jobs are compared",
        file=_DELETION,
        old="    return max(now_ms, latest.from_at + BEGINS_AFTER_MS)\n",
        new="    return now_ms\n",
        killer=_WORKER,
    ),
    Mutant(
        name="deletion that ends after its first pass",
        file=_DELETION,
        old="        return not deleted and not self.found and self.step",
        new="        return not deleted and self.step",
        killer=_WORKER,
    ),
    Mutant(
        name="page of a deletion by two workers",
        file=_PROCESS,
        old="        if now_ms < max(deletion.next_at, deletion.lease_until):\n",
        new="        if now_ms < deletion.next_at:\n",
        killer=_WORKER,
    ),
    Mutant(
        name="tenant that is resumed while it is being deleted",
        file="shared/usecases/tenancy/manage_tenants.py",
        old="    if tenant.is_being_deleted and change.state is TenantState.ACTIVE:\n",
        new="    if False:\n",
        killer=_WORKER,
    ),
    Mutant(
        name="large requests that a deletion leaves",
        file="shared/adapters/dynamodb/tenancy/tenant_records.py",
        old="                self._delete(self._jobs, requests)\n",
        new="",
        killer=_STORE,
    ),
    Mutant(
        name="inputs of runs that a deletion leaves",
        file="shared/adapters/dynamodb/tenancy/tenant_records.py",
        old="        if INPUT in row:\n",
        new="        if False:\n",
        killer=_STORE,
    ),
    Mutant(
        name="end of a deletion although the tenant was changed",
        file="shared/adapters/dynamodb/tenancy/tenant_deletions.py",
        old='tenant_key(tenant.id)),\n            "ConditionExpression": "rv = :revision",\n',
        new='tenant_key(tenant.id)),\n            "ConditionExpression": "rv <> :revision",\n',
        killer=_STORE,
    ),
    Mutant(
        name="keys that outlive their tenant",
        file="shared/adapters/dynamodb/tenancy/tenant_deletions.py",
        old="        others = [*keys, open_deletion_key(ended.tenant_id)]\n",
        new="        others = [open_deletion_key(ended.tenant_id)]\n",
        killer=_STORE,
    ),
    Mutant(
        name="repeated deletion that stays in the list of the archive under its former end",
        file="shared/adapters/dynamodb/tenancy/tenant_deletions.py",
        old="            others.append(former)\n",
        new="            pass\n",
        killer=_STORE,
    ),
    Mutant(
        name="repeated deletion that its end makes repeat once more",
        file=_REPEAT,
        old=" and deletion.ended_at < until_at:\n",
        new=":\n",
        killer=_REPEATED,
    ),
    Mutant(
        name="deletion repeated for a later tenant of the same id",
        file=_REPEAT,
        old="                from_at=max(from_at, tenant.created_at),\n",
        new="                from_at=from_at,\n",
        killer=_REPEATED,
    ),
    Mutant(
        name="deletion of a tenant whose id was not confirmed",
        file="functions/api/resources/tenants/deletion_routes.py",
        old="    body.check(tenant_id)\n",
        new="",
        killer="tests/unit/api/test_tenant_deletions.py",
    ),
    Mutant(
        name="deletion over HTTP without a record",
        file="functions/api/resources/tenants/deletion_routes.py",
        old='    context.audit.record(request, "deleteTenant", tenant_id, None, deletion, tenant_id=tenant_id)\n',
        new="",
        killer="tests/unit/api/test_tenant_deletions.py",
    ),
    Mutant(
        name="export of the first page alone",
        file="shared/usecases/listings/export_tenant.py",
        old="            if page.next_after is None:\n",
        new="            if page.jobs:\n",
        killer=_EXPORT,
    ),
    Mutant(
        name="export of owner tokens",
        file="shared/usecases/listings/plain_values.py",
        old='frozenset({"owner"})',
        new="frozenset()",
        killer=_EXPORT,
    ),
)
