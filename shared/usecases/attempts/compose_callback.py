"""Build the signed callback, or the message to a target, for a claimed execution."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from shared.dataclass import dataclass
from shared.domain.delivery.callback import KEPT_RESULT_BYTES, Callback
from shared.domain.delivery.depth import DEPTH_CONTEXT, DEPTH_HEADER, depth_value
from shared.domain.delivery.request import Request
from shared.domain.delivery.signing import signed_headers
from shared.domain.errors import SigningSecretGoneError, UnreadableItemError
from shared.domain.executions.callback_token import CODE_CONTEXT, TOKEN_HEADER, token_for
from shared.domain.executions.execution import Execution, TaskRef
from shared.domain.executions.states import EndReason
from shared.domain.ids import backfilled_job
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.suspension import KNOWN_FOR_MS
from shared.domain.tenancy.tenant import SIGNING_CONTEXT, Tenant
from shared.ports.delivery import Vault
from shared.usecases.requests.open_request import OpenRequest
from shared.usecases.tenancy.read_tenant import ReadTenant

if TYPE_CHECKING:
    from shared.domain.delivery.aws_target import TargetCall
    from shared.domain.delivery.sigv4_auth import SignedCall

RUN_HEADER, TASK_HEADER, ITEM_HEADER = "Punctual-Run", "Punctual-Task", "Punctual-Item"


@dataclass(frozen=True, slots=True)
class ComposeCallback:
    """Unseals the request and signs it. An unsigned callback is never returned."""

    read_tenant: ReadTenant
    open_request: OpenRequest
    vault: Vault
    add_results: Callable[[Tenant, Execution, Request], Request]
    """The request of a task with the results that it needs."""
    add_input: Callable[[Tenant, Execution, Request], Request]
    """The request of a task, with its results, and with the input of its run."""
    identity_token: Callable[[str, str], str]
    """A token of the tenant for an audience. Asked only for requests that have one."""

    def execute(
        self, execution: Execution, now_ms: int, sealed: bytes | None = None
    ) -> Callback | TargetCall | SignedCall | EndReason:
        """The call of this attempt. `sealed` is its request where that stands apart and was read before.

        SUSPENDED for a first attempt of a run that its tenant's suspension ends.

        UnreadableItemError if the request is lost for good, SigningSecretGoneError if the tenant has no secret
        of the name that the job gives, TargetRoleGoneError if it has no role for the target, UnavailableError if
        something cannot be read for now.
        """
        tenant = self.read_tenant.execute(execution.tenant_id, KNOWN_FOR_MS)
        if tenant is None:
            raise UnreadableItemError("the tenant of this execution is gone")
        if execution.attempt == 1 and execution.is_missed(tenant.suspensions, now_ms):
            return EndReason.SUSPENDED
        request = self.open_request.execute(tenant, execution, sealed)
        if execution.task is not None and execution.task.needs_results:
            request = self.add_results(tenant, execution, request)
        if execution.task is not None and execution.task.takes_input:
            request = self.add_input(tenant, execution, request)
        if request.target is not None:
            # Imported late: only jobs with a target need it.
            from shared.usecases.attempts.compose_target_call import target_call

            tenant = self.read_tenant.with_roles(tenant, (request,))
            code = partial(self.vault.code, tenant)
            return target_call(tenant, execution, request, code, tenant.suspended_from(now_ms))
        callback = self._callback(tenant, execution, request, now_ms)
        if request.is_signed_for_aws:
            # Imported late: only jobs with such a call need it.
            from shared.usecases.attempts.compose_signed_call import signed_call

            tenant = self.read_tenant.with_roles(tenant, (request,))
            return signed_call(tenant, execution, request, callback, partial(self.vault.code, tenant))
        return callback

    def _callback(self, tenant: Tenant, execution: Execution, request: Request, now_ms: int) -> Callback:
        token = token_for(execution, partial(self.vault.code, tenant, CODE_CONTEXT))
        return Callback(
            tenant_id=execution.tenant_id,
            method=request.method,
            url=request.url,
            headers=(
                *request.headers,
                *self._authorization(tenant, request),
                *self._signed(tenant, execution, request, now_ms),
                (TOKEN_HEADER, token),
                (
                    DEPTH_HEADER,
                    depth_value(execution.call.depth, partial(self.vault.code, tenant, DEPTH_CONTEXT)),
                ),
                *(task_headers(execution.task) if execution.task is not None else ()),
            ),
            body=request.body,
            not_from=tenant.suspended_from(now_ms),
            kept_bytes=KEPT_RESULT_BYTES if execution.hands_on else 0,
        )

    def _authorization(self, tenant: Tenant, request: Request) -> tuple[tuple[str, str], ...]:
        if request.auth is None or request.is_signed_for_aws:
            return ()
        # Imported late: only requests with a token need it.
        from shared.domain.delivery.identity_token import OidcAuth

        assert isinstance(request.auth, OidcAuth)
        return (("Authorization", f"Bearer {self.identity_token(tenant.id, request.auth.audience)}"),)

    def _signed(
        self, tenant: Tenant, execution: Execution, request: Request, now_ms: int
    ) -> tuple[tuple[str, str], ...]:
        """Punctual's own headers, signed with every active secret of the job's name of a secret and with no
        other; UnreadableItemError if a secret is malformed."""
        name = execution.call.signing_secret
        if name is not None:
            tenant = self.read_tenant.with_secrets(tenant, (name,))
            if name not in tenant.secret_names:
                raise SigningSecretGoneError
        try:
            secrets = [
                self.vault.unseal(tenant, SIGNING_CONTEXT, secret.sealed).decode()
                for secret in tenant.signing_at(now_ms, name)
            ]
            return signed_headers(
                message_id=str(execution.id),
                timestamp_s=now_ms // 1000,
                body=request.body,
                secrets=secrets,
                job_id=execution.job_id,
                attempt=execution.attempt,
                scheduled_at=format_instant(execution.scheduled_at),
                backfill_of=backfilled_job(execution.job_id),
                traceparent=execution.trace.header(execution.span_id),
            )
        except ValueError:
            # The cause is suppressed because it may quote the unsealed secret.
            raise UnreadableItemError("a signing secret of this tenant is none") from None


def task_headers(task: TaskRef) -> tuple[tuple[str, str], ...]:
    """Which run, which task of its workflow, and which item of a map a call belongs to."""
    item = () if task.item is None else ((ITEM_HEADER, str(task.item)),)
    return (RUN_HEADER, f"run_{task.run.body}"), (TASK_HEADER, task.key), *item
