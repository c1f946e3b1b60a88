"""Jobs and tasks of workflows with targets in AWS, while operators register roles of their tenant and remove them.

The tenant is that of the workflows, whose jobs the model of the other jobs does not know.
"""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.api_machine.deployment import OPERATOR, TENANTS, WORKFLOWS_TENANT
from tests.api_machine.machine import ApiMachine
from tests.api_machine.sightings import SEEN
from tests.support.api.api_world import Answer

ACCOUNTS = ("333333333333", "444444444444")
FOREIGN = "555555555555"
"""The account whose role another tenant has."""
PLACE = "eu-west-1:{account}"
TARGETS: dict[str, dict[str, Any]] = {
    "lambda": {"arn": f"arn:aws:lambda:{PLACE}:function:close"},
    "sqs": {"arn": f"arn:aws:sqs:{PLACE}:orders"},
    "sns": {"arn": f"arn:aws:sns:{PLACE}:orders"},
    "eventbridge": {
        "arn": f"arn:aws:events:{PLACE}:event-bus/orders",
        "source": "com.example",
        "detail_type": "Day closed",
    },
    "step_functions": {"arn": f"arn:aws:states:{PLACE}:stateMachine:close"},
}
OTHER = {"lambda": "sqs", "sqs": "sns", "sns": "eventbridge", "eventbridge": "step_functions"}
"""Whose ARN is sent for a service in error."""
accounts = st.sampled_from((*ACCOUNTS, FOREIGN))
services = st.sampled_from(sorted(TARGETS))


def role_in(account: str) -> str:
    """The role that is registered in an account."""
    return f"arn:aws:iam::{account}:role/punctual/role"


class Targeting(ApiMachine):
    """PATCH /v1/admin/tenants/{id} with `target_roles`, and `target` of jobs and tasks."""

    @initialize()
    def begin_targets(self) -> None:
        """Another tenant has a role, and this one has none."""
        self.target_accounts: set[str] = set()
        self._register(TENANTS[1], {FOREIGN})

    @rule(chosen=st.sets(st.sampled_from(ACCOUNTS)))
    def register_roles(self, chosen: set[str]) -> None:
        """In the place of all earlier ones. A process may know a role for a minute after its removal."""
        removed = self.target_accounts - chosen
        if removed:
            SEEN["role removed"] += 1
        if chosen - self.target_accounts:
            SEEN["role registered"] += 1
        self._register(WORKFLOWS_TENANT, chosen)
        self.target_accounts = chosen
        if removed:
            self.deployment.pass_time(61_000)

    @rule(pattern=st.sampled_from(["arn:aws:iam::333333333333:role/admin", "no ARN"]))
    def register_wrong_role(self, pattern: str) -> None:
        """One that the stage may not assume, and what is no role; the registered ones stay."""
        path = f"/v1/admin/tenants/{WORKFLOWS_TENANT}"
        answer = self.deployment.send(OPERATOR, "PATCH", path, {"target_roles": [pattern]})
        assert (answer.status, answer.problem) == (422, "validation-failed"), answer.text
        shown = self.deployment.ask(OPERATOR, "GET", path).json["target_roles"]
        assert set(shown) == {role_in(each) for each in self.target_accounts}
        SEEN["role refused"] += 1

    @rule(service=services, account=accounts, is_task=st.booleans(), is_removed=st.booleans())
    def send_to_target(self, service: str, account: str, is_task: bool, is_removed: bool) -> None:
        """In a minute, by a job or by a task; `is_removed`: the role goes before the message does."""
        arn = TARGETS[service]["arn"].format(account=account)
        target = {service: {**TARGETS[service], "arn": arn, "json": {"n": 1}}}
        path, document = ("/v1/workflows", _workflow(target)) if is_task else ("/v1/jobs", _job(target))
        answer = self._send_target(path, document)
        if account not in self.target_accounts:
            pointer = f"/tasks/0/target/{service}/arn" if is_task else f"/target/{service}/arn"
            check_refused(answer, pointer)
            SEEN[
                f"{'task' if is_task else 'job'} refused: {'foreign' if account == FOREIGN else 'no'} role"
            ] += 1
            return
        assert answer.status == 201, answer.text
        kept = self.target_accounts
        sent = len(self.deployment.target_calls)
        if is_removed:
            self.register_roles(set())
        self.deployment.pass_time(61_000)
        if is_task:
            started = self._send_target(f"/v1/workflows/{answer.json['id']}/runs", {})
            assert started.status == 201, started.text
            self.deployment.pass_time(1_000)
        calls = self.deployment.target_calls[sent:]
        if is_removed:
            assert not calls
            self.register_roles(kept)
            SEEN["message without its role"] += 1
            self._check_job_of(answer, is_task, "role_refused")
        else:
            (call,) = calls
            said = dict(call.attributes)
            assert (call.tenant_id, call.role_arn, call.target.arn) == (
                WORKFLOWS_TENANT,
                role_in(account),
                arn,
            )
            assert call.deduplication_id == said["Punctual-Execution"]
            SEEN[f"{'task' if is_task else 'job'} sent to {service}"] += 1
            self._check_job_of(answer, is_task, "ok")

    @rule(service=st.sampled_from(sorted(OTHER)), account=accounts)
    def misuse_arn(self, service: str, account: str) -> None:
        """The ARN of another service, whatever roles there are."""
        wrong = TARGETS[OTHER[service]]["arn"].format(account=account)
        target = {service: {**TARGETS[service], "arn": wrong, "json": {"n": 1}}}
        check_refused(self._send_target("/v1/jobs", _job(target)), f"/target/{service}/arn")
        check_refused(self._send_target("/v1/workflows", _workflow(target)), f"/tasks/0/target/{service}/arn")
        SEEN["target refused: wrong ARN"] += 1

    def _check_job_of(self, answer: Answer, is_task: bool, reason: str) -> None:
        """What the only execution of a job says of its first attempt."""
        if is_task:
            return
        path = f"/v1/jobs/{answer.json['id']}/executions"
        (record,) = self.deployment.ask(WORKFLOWS_TENANT, "GET", path).json["executions"]
        assert record["attempts"][0]["reason"] == reason
        assert record["state"] == ("succeeded" if reason == "ok" else "failed")

    def _register(self, tenant: str, chosen: set[str]) -> None:
        roles = [role_in(each) for each in sorted(chosen)]
        answer = self.deployment.send(
            OPERATOR, "PATCH", f"/v1/admin/tenants/{tenant}", {"target_roles": roles}
        )
        assert answer.status == 200, answer.text
        assert answer.json["target_roles"] == roles

    def _send_target(self, path: str, document: Any) -> Answer:
        return self.deployment.send(WORKFLOWS_TENANT, "POST", path, document)


def _job(target: dict[str, Any]) -> dict[str, Any]:
    """Long enough after the request for a removal of its role to be known everywhere."""
    return {"schedule": {"delay_seconds": 60}, "target": target, "retry": {"max_attempts": 1}}


def _workflow(target: dict[str, Any]) -> dict[str, Any]:
    return {"tasks": [{"key": "a", "target": target, "retry": {"max_attempts": 1}}]}


def check_refused(answer: Answer, pointer: str) -> None:
    assert (answer.status, answer.problem) == (422, "validation-failed"), answer.text
    assert pointer in [each["pointer"] for each in answer.json["errors"]]
