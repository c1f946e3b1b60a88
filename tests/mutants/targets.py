"""Targets in AWS: whose rights a message goes out with, and what lets its consumer deduplicate."""

from tests.mutants.mutant import Mutant

_CALLS = "tests/unit/usecases/attempts/test_target_calls.py"
_SENDER = "tests/unit/adapters/test_target_sender.py"
_ROLES = "tests/unit/domain/tenancy/test_target_roles.py"
_API = "tests/unit/api/test_targets.py"
_CREDENTIALS = "shared/adapters/targets/role_credentials.py"

TARGETS = (
    Mutant(
        name="role of another account that sends",
        file="shared/domain/tenancy/target_roles.py",
        old="    return next((role for role in roles if _place(role) == wanted), None)\n",
        new="    return next(iter(roles), None)\n",
        killer=_ROLES,
    ),
    Mutant(
        name="role outside the pattern of the stage that is registered",
        file="shared/domain/tenancy/target_roles.py",
        old="        if not is_allowed(role, allowed):\n",
        new="        if False:\n",
        killer=_ROLES,
    ),
    Mutant(
        name="session that tenants share",
        file=_CREDENTIALS,
        old="    return call.tenant_id, call.role_arn, call.target.arn\n",
        new='    return "", call.role_arn, call.target.arn\n',
        killer=_SENDER,
    ),
    Mutant(
        name="session of one queue that sends to another",
        file=_CREDENTIALS,
        old="    return call.tenant_id, call.role_arn, call.target.arn\n",
        new='    return call.tenant_id, call.role_arn, ""\n',
        killer=_SENDER,
    ),
    Mutant(
        name="role that is assumed without the external id",
        file=_CREDENTIALS,
        old='            "ExternalId": call.external_id,\n',
        new="",
        killer=_SENDER,
    ),
    Mutant(
        name="session with all rights of its role",
        file=_CREDENTIALS,
        old='            "Policy": json.dumps(policy, separators=(",", ":")),\n',
        new="",
        killer=_SENDER,
    ),
    Mutant(
        name="message with the rights of the executor",
        file="shared/adapters/targets/sender.py",
        old="lambda: credentials, self.clock",
        new="self.roles.own, self.clock",
        killer=_SENDER,
    ),
    Mutant(
        name="message that is sent again within its attempt",
        file="shared/adapters/targets/sender.py",
        old="        service.repeats = False\n",
        new="",
        killer=_SENDER,
    ),
    Mutant(
        name="throttle of STS that costs an attempt",
        file="shared/adapters/targets/sender.py",
        old="            is_own = error.code not in _ROLE_REFUSED\n",
        new="            is_own = False\n",
        killer=_SENDER,
    ),
    Mutant(
        name="revoked session that is used until its end",
        file="shared/adapters/targets/sender.py",
        old="                self.roles.forget(call, older_than_ms=DENIED_MS)\n",
        new="                pass\n",
        killer=_SENDER,
    ),
    Mutant(
        name="denial that asks STS at each attempt",
        file="shared/adapters/targets/sender.py",
        old="forget(call, older_than_ms=DENIED_MS)",
        new="forget(call)",
        killer=_SENDER,
    ),
    Mutant(
        name="role outside the pattern of the stage that costs an attempt",
        file="shared/adapters/targets/sender.py",
        old="        if not is_allowed(call.role_arn, self.allowed_roles):\n",
        new="        if False:\n",
        killer=_SENDER,
    ),
    Mutant(
        name="clock of the executor that costs an attempt",
        file="shared/adapters/targets/sqs.py",
        old="    if code in _UNSIGNED:\n",
        new="    if False:\n",
        killer=_SENDER,
    ),
    Mutant(
        name="unknown refusal of a queue that is final",
        file="shared/adapters/targets/sqs.py",
        old="if code in _FINAL and status < 500",
        new="if status < 500",
        killer=_SENDER,
    ),
    Mutant(
        name="sessions of a tenant that evict those of another",
        file=_CREDENTIALS,
        old="            largest = max(self._of_tenants.values(), key=len)\n",
        new="            largest = next(iter(self._of_tenants.values()))\n",
        killer=_SENDER,
    ),
    Mutant(
        name="sessions without a bound",
        file=_CREDENTIALS,
        old="> MAX_KNOWN:",
        new="> 10 * MAX_KNOWN:",
        killer=_SENDER,
    ),
    Mutant(
        name="external id in the text of a call",
        file="shared/domain/delivery/aws_target.py",
        old="    external_id: str = field(repr=False)\n",
        new="    external_id: str\n",
        killer=_SENDER,
    ),
    Mutant(
        name="message in the text of a call",
        file="shared/domain/delivery/aws_target.py",
        old="    body: bytes = field(repr=False)\n",
        new="    body: bytes\n",
        killer=_SENDER,
    ),
    Mutant(
        name="idle connections without a bound",
        file="shared/adapters/aws/sender.py",
        old="        if self._idle_count > CONNECTIONS:\n",
        new="        if False:\n",
        killer="tests/unit/adapters/test_connections.py",
    ),
    Mutant(
        name="endpoints that stay known without a connection",
        file="shared/adapters/aws/sender.py",
        old="for each, kept in self._idle.items() if kept}",
        new="for each, kept in self._idle.items()}",
        killer="tests/unit/adapters/test_connections.py",
    ),
    Mutant(
        name="FIFO message without the id of its execution",
        file="shared/adapters/targets/sqs.py",
        old="    if target.is_fifo:\n",
        new="    if False:\n",
        killer=_SENDER,
    ),
    Mutant(
        name="deduplication id that changes with each attempt",
        file="shared/usecases/attempts/compose_target_call.py",
        old="        deduplication_id=str(execution.id),\n",
        new='        deduplication_id=f"{execution.id}{execution.attempt}",\n',
        killer=_CALLS,
    ),
    Mutant(
        name="target that is created for an account without a role",
        file="shared/usecases/jobs/draft_job.py",
        old="            check_target(tenant.target_roles, new.request.target)\n",
        new="            pass\n",
        killer=_API,
    ),
    Mutant(
        name="message that a change of the kind shows",
        file="functions/api/resources/jobs/differences.py",
        old='for name in part if name != "body"}',
        new="for name in part}",
        killer=_API,
    ),
    Mutant(
        name="message that the target refuses and that is sent again",
        file="shared/domain/delivery/retry.py",
        old=" | {Reason.TARGET_REFUSED}\n",
        new="\n",
        killer=_CALLS,
    ),
)
