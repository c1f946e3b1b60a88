"""Keep the input of a run, and hand it to the tasks that take it. To keep a sealed input needs no vault."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.request import Request, decode_request
from shared.domain.executions.execution import Execution
from shared.domain.executions.retention import Retention
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.results import body_with_results, with_json_type
from shared.domain.workflows.run import Run
from shared.domain.workflows.run_input import (
    input_name,
    input_payload_id,
    read_stored_input,
    stored_input,
    with_input,
)
from shared.ports.delivery import Vault
from shared.ports.jobs import JobStore, Payload


@dataclass(frozen=True, slots=True)
class RunInputs:
    """An input is an item of its own, which is stored before its run and named by the run.

    The name is a digest of the item. Whatever a crash has left behind, a run never gets another input than the one
    that it was begun with.
    """

    jobs: JobStore
    retention: Retention

    def store(self, draft: Run, owner_id: str, sealed: bytes, *, is_repeated: bool = False) -> Run:
        """Store a sealed request whose body is the input, and return the draft with its name.

        The input outlives the run. `is_repeated`: an earlier try may have stored it, with an earlier expiry.
        UnavailableError.
        """
        stored = stored_input(owner_id, sealed)
        named = replace(draft, input_id=input_name(draft.id, stored))
        payload_id = input_payload_id(draft.id, named.input_id or "")
        expires_at_s = self.retention.payload_expires_at_s(draft.deadline_at)
        self.jobs.put_payload(Payload(draft.tenant_id, payload_id, stored, draft.created_at, expires_at_s))
        if is_repeated:
            self.jobs.keep_payload(draft.tenant_id, payload_id, expires_at_s)
        return named

    def of_execution(self, draft: Run, execution: Execution, apart: bytes | None) -> Run:
        """The draft with the input of the execution that begins it.

        `apart` is the sealed request, if it stands apart and was read before. UnreadableItemError if it is lost.
        """
        sealed = apart or execution.call.request
        if not sealed and execution.call.payload_id is not None:
            sealed = self.jobs.get_payload(execution.tenant_id, execution.call.payload_id)
        return self.store(draft, execution.job_id, sealed, is_repeated=execution.progress.claims > 1)


@dataclass(frozen=True, slots=True)
class AddRunInput:
    """Hand the input of a run to a task that takes it."""

    jobs: JobStore
    vault: Vault

    def execute(self, tenant: Tenant, execution: Execution, request: Request) -> Request:
        """The request of a task with the input in its body, which may have results already.

        UnreadableItemError if the input is lost for good, UnavailableError if it cannot be read now.
        """
        task = execution.task
        assert task is not None
        body = request.body if task.needs_results else body_with_results(request.body, ())
        text = b""
        if task.input_id is not None:
            stored = self.jobs.get_payload(tenant.id, input_payload_id(task.run, task.input_id))
            owner_id, sealed = read_stored_input(task.run, task.input_id, stored)
            text = decode_request(self.vault.unseal(tenant, owner_id, sealed)).body
        return replace(request, headers=with_json_type(request.headers), body=with_input(body, text))


def keep_input(jobs: JobStore, retention: Retention, run: Run) -> bool:
    """Let the input outlive a redrive, whose deadline the run has; False if it is gone."""
    if run.input_id is None:
        return True
    expires_at_s = retention.reused_payload_expires_at_s(run.deadline_at)
    return jobs.keep_payload(run.tenant_id, input_payload_id(run.id, run.input_id), expires_at_s)
