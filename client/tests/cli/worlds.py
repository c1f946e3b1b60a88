"""Deployments in which something has happened, for the commands that look at it."""

from datetime import timedelta
from typing import Any

from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import HOOK, Deployment
from punctual.models import Job
from shared.domain.delivery.callback import CallbackResponse, Reason
from shared.domain.tenancy.tenant import Scope

GONE = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410, body=b"gone for good")
FAILING = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=503)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
FOR_ALL = frozenset(Scope)


def create(shell: Shell, **members: Any) -> Job:
    """A job that was created by the tenant."""
    with shell.deployment.client(shell.key) as client:
        return client.jobs.create(**{"url": HOOK} | members)


def failed(count: int = 1, **members: Any) -> tuple[Shell, list[Job]]:
    """A deployment in which some one-off jobs have failed, in this order."""
    shell = Shell()
    world = shell.deployment.world.world
    world.sender.answer_to = lambda _: GONE
    jobs = [create(shell, delay_seconds=place, **members) for place in range(count)]
    shell.deployment.sleep(30)
    world.sender.answer_to = lambda _: OK
    return shell, jobs


def run_of(shell: Shell, job: Job) -> str:
    """The id of the newest execution of a job."""
    with shell.deployment.client() as client:
        return client.jobs.list_executions(job).executions[0].id


def tenant_with_all_scopes(deployment: Deployment | None = None) -> Shell:
    """The tenant `shop`, whose key has every scope."""
    made = deployment or Deployment()
    key = made.world.world.create_tenant.execute("shop", FOR_ALL).api_key
    return Shell(made, key=str(key))


def operator(deployment: Deployment | None = None) -> Shell:
    """An operator."""
    made = deployment or Deployment()
    return Shell(made, key=str(made.world.world.create_tenant.operator().api_key))


def ago(shell: Shell, **span: float) -> str:
    """An instant in the past of the deployment."""
    return (shell.deployment.runtime.now() - timedelta(**span)).isoformat(timespec="milliseconds")
