"""The plan of a bulk operation: proof that a dry run has shown its extent a short while ago."""

import re
from hmac import compare_digest

from shared.dataclass import dataclass
from shared.domain.bulk.job_task import NewJobTask
from shared.domain.bulk.members import Values
from shared.domain.delivery.alerts import Alerts
from shared.domain.errors import InvalidStateError
from shared.domain.ids import decode_base32, encode_base32
from shared.domain.tenancy.tenant import Tenant
from shared.ports.delivery import Vault
from shared.ports.runtime import Clock

PLAN = r"^pln_[0-9a-hjkmnp-tv-z]{42}$"
"""The pattern of a plan: when it was made, the count, and a code."""
PLAN_MS = 10 * 60_000
_CONTEXT = "bulk-plan"
_AT, _COUNT, _CODE = 10, 6, 26
_CODE_BYTES = 16


@dataclass(frozen=True, slots=True)
class SignPlan:
    """Nothing is stored: the code covers the filter, the action, the count and the instant."""

    vault: Vault
    clock: Clock

    def execute(self, tenant: Tenant, new: NewJobTask, count: int) -> str:
        """The plan for a count."""
        return self._plan(tenant, new, self.clock.now_ms(), count)

    def planned(self, tenant: Tenant, new: NewJobTask, plan: str) -> int:
        """The count that a plan has shown; InvalidStateError if it is of another operation, or too old."""
        if not re.fullmatch(PLAN, plan):
            raise InvalidStateError(f"this is no plan: {_AGAIN}")
        digits = plan.removeprefix("pln_")
        made_at, count = decode_base32(digits[:_AT]), decode_base32(digits[_AT : _AT + _COUNT])
        if not compare_digest(plan, self._plan(tenant, new, made_at, count)):
            raise InvalidStateError(f"the plan is of another filter or action: {_AGAIN}")
        if self.clock.now_ms() - made_at > PLAN_MS:
            raise InvalidStateError(f"the plan is older than {PLAN_MS // 60_000} minutes: {_AGAIN}")
        return count

    def _plan(self, tenant: Tenant, new: NewJobTask, made_at: int, count: int) -> str:
        data = b"|".join((canonical(new), b"%d|%d" % (made_at, count)))
        code = int.from_bytes(self.vault.code(tenant, _CONTEXT, data)[:_CODE_BYTES])
        return f"pln_{encode_base32(made_at, _AT)}{encode_base32(count, _COUNT)}{encode_base32(code, _CODE)}"


_AGAIN = "send the request with dry_run, and then with the plan of the answer"


def canonical(new: NewJobTask) -> bytes:
    """What an operation does to which jobs, in one spelling. The rate is not part of it."""
    criteria, patch = new.criteria, new.patch
    fields = (
        new.action.value,
        new.reason,
        new.grace_ms,
        criteria.state,
        criteria.tag,
        criteria.name_prefix,
        criteria.kind.value if criteria.kind else None,
        criteria.created_from,
        criteria.created_before,
        (_spelled(patch.values), patch.add_tags, patch.remove_tags) if patch else None,
        # Last, and only if there is one: plans and idempotency keys of an older release stay good.
        *(() if criteria.set_name is None else (criteria.set_name,)),
    )
    return "|".join(("bulk", *map(repr, fields))).encode()


def _spelled(values: Values) -> list[tuple[str, str]]:
    return sorted((member.value, repr(_in_order(value))) for member, value in values.items())


def _in_order(value: object) -> object:
    """The order of a set differs between processes."""
    if not isinstance(value, Alerts):
        return value
    rules = value.rules
    return value.url, sorted(rules.events), rules.late_after_seconds, rules.format
