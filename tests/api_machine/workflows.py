"""Workflows by their keys, the jobs that start them, and what may come between a run and its end.

All of that belongs to a tenant of its own, so that the model of the other jobs knows nothing of it.
"""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.api_machine.deployment import TENANTS, WORKFLOWS_TENANT
from tests.api_machine.machine import ApiMachine, picks
from tests.api_machine.sightings import SEEN
from tests.api_machine.tags import GOOD, NEW, conditions_of, put_matches
from tests.api_machine.workflow_model import (
    HOST,
    SHAPES,
    PromisedStarter,
    PromisedWorkflow,
    TaskReceiver,
    item_counts,
    run_state,
    shown_items,
    task_states,
    urls,
)
from tests.support.api.api_world import Answer

KEYS = ("order", "shop.report")
YEARLY = {"cron": "0 0 1 1 *"}
"""No machine runs until then: only triggers start runs."""
REQUEST = {"url": f"{HOST}/called"}
MOST_STARTERS = 4
MOST_WAITS = 20
"""So many seconds after its start, at most, a run of these workflows has ended."""
shapes = st.sampled_from(sorted(SHAPES))
some_workflow = precondition(lambda self: self.workflows)
some_starter = precondition(lambda self: self.starters)


class Workflows(ApiMachine):
    """/v1/workflows, and jobs with `workflow`."""

    @initialize()
    def begin_workflows(self) -> None:
        """Nothing is there yet."""
        self.workflows: list[PromisedWorkflow] = []
        self.starters: list[PromisedStarter] = []
        self.tasks = TaskReceiver()

    @rule(key=st.sampled_from(KEYS), shape=shapes, is_dry_run=st.booleans(), match=put_matches)
    def put_workflow(self, key: str, shape: str, is_dry_run: bool, match: str | None) -> None:
        """PUT /v1/workflows/by-key/{key}, with conditions that hold or not."""
        standing = self._standing(key)
        before = self._send("GET", f"/v1/workflows/by-key/{key}")
        if standing is None and match not in (None, NEW):
            conditions = {"if-match": "*"}
        else:
            conditions = conditions_of(standing, match)
        query = {"dry_run": "true"} if is_dry_run else {}
        path = f"/v1/workflows/by-key/{key}"
        answer = self.deployment.put(WORKFLOWS_TENANT, path, SHAPES[shape], conditions, **query)
        change = "created" if standing is None else "unchanged" if standing.shape == shape else "updated"
        is_refused = match not in (None, NEW) if standing is None else match not in GOOD
        if is_refused and change != "unchanged":
            is_there = standing is not None and match == NEW
            refusal = (412, "already-exists" if is_there else "precondition-failed")
            assert (answer.status, answer.problem) == refusal, answer.text
            tag = None if standing is None else f'"{standing.revisions[-1]}"'
            assert answer.headers.get("ETag") == tag
            SEEN[f"workflow refused: {answer.problem}"] += 1
        else:
            assert (answer.status, answer.json["change"]) == (200, change), answer.text
            assert bool(answer.json["fields"]) == (change == "updated")
            SEEN[f"workflow {change}{', dry run' if is_dry_run else ''}"] += 1
            if change != "unchanged" and not is_dry_run:
                self._note_workflow(key, shape, answer.json["workflow"])
                return
        assert self._send("GET", f"/v1/workflows/by-key/{key}").text == before.text

    @some_workflow
    @rule(pick=picks)
    def delete_workflow(self, pick: int) -> None:
        """Its key is free afterwards; again, nothing changes."""
        workflow = self.workflows[pick % len(self.workflows)]
        for _ in range(2):
            answer = self._send("DELETE", workflow.path)
            assert answer.status == 200, answer.text
        workflow.is_deleted = True
        assert self._send("GET", workflow.path).problem == "not-found"
        SEEN["workflow deleted"] += 1

    @some_workflow
    @rule(pick=picks, is_foreign=st.booleans())
    def create_starter(self, pick: int, is_foreign: bool) -> None:
        """A job that starts a workflow of its tenant; none that is deleted, nor one of another tenant."""
        workflow = self.workflows[pick % len(self.workflows)]
        tenant = TENANTS[0] if is_foreign else WORKFLOWS_TENANT
        if len(self.starters) == MOST_STARTERS:
            return
        document = {"schedule": YEARLY, "workflow": workflow.id}
        answer = self.deployment.send(tenant, "POST", "/v1/jobs", document)
        if is_foreign or workflow.is_deleted:
            self._check_no_workflow(answer)
            return
        assert answer.status == 201, answer.text
        starter = PromisedStarter(id=answer.json["id"], workflow=workflow)
        self.starters.append(starter)
        self.deployment.receiver.others[starter.id] = self.tasks
        self._check_starter(starter)
        SEEN["starter created"] += 1

    @some_starter
    @rule(pick=picks, other=picks, to=st.sampled_from(["workflow", "request", "name"]))
    def patch_starter(self, pick: int, other: int, to: str) -> None:
        """From a request to a workflow, from one workflow to another, and back."""
        starter = self.starters[pick % len(self.starters)]
        workflow = self.workflows[other % len(self.workflows)]
        patches = {"workflow": workflow.id, "request": REQUEST, "name": "starter"}
        answer = self._send("PATCH", starter.path, {to: patches[to]}, if_match="*")
        if to == "workflow" and workflow.is_deleted and workflow is not starter.workflow:
            assert answer.status in ((409, 422) if starter.is_deleted else (422,)), answer.text
            SEEN["starter refused: no workflow"] += 1
        elif starter.is_deleted:
            assert (answer.status, answer.problem) == (409, "invalid-state"), answer.text
        else:
            assert answer.status == 200, answer.text
            if to != "name":
                was = "request" if starter.workflow is None else "workflow"
                SEEN[f"starter patched: {was} to {to}"] += 1
                starter.workflow = workflow if to == "workflow" else None
        self._check_starter(starter)

    @some_starter
    @rule(pick=picks, act=st.sampled_from([None, "cancel run", "delete", "put", "patch"]))
    def trigger_starter(self, pick: int, act: str | None) -> None:
        """One run, from its beginning to its end; `act` is what a client does during its first call."""
        starter = self.starters[pick % len(self.starters)]
        answer = self._send("POST", f"{starter.path}/trigger")
        if starter.is_deleted:
            assert (answer.status, answer.problem) == (409, "invalid-state"), answer.text
            return
        assert answer.status == 201, answer.text
        self._follow(answer.json["id"], starter.id, starter.workflow, act, starter)

    @some_workflow
    @rule(pick=picks, act=st.sampled_from([None, "cancel run", "put", "cancel job", "stop job"]))
    def start_once(self, pick: int, act: str | None) -> None:
        """A job that runs once, now; its deletion is refused while its run is open, but for `stop_retries`."""
        workflow = self.workflows[pick % len(self.workflows)]
        document = {"schedule": {"delay_seconds": 0}, "workflow": workflow.id}
        answer = self._send("POST", "/v1/jobs", document)
        if workflow.is_deleted:
            self._check_no_workflow(answer)
            return
        assert answer.status == 201, answer.text
        job_id = answer.json["id"]
        self._follow(job_id.replace("job_", "exe_"), job_id, workflow, act)

    @some_workflow
    @rule(pick=picks)
    def reach_across_workflows(self, pick: int) -> None:
        """A workflow, a run and a job of another tenant are as unknown as any."""
        workflow = self.workflows[pick % len(self.workflows)]
        paths = [workflow.path, f"{workflow.path}/runs", *(each.path for each in self.starters)]
        runs = self._send("GET", f"{workflow.path}/runs").json["runs"]
        paths += [f"/v1/runs/{run['id']}" for run in runs[:1]]
        answers = [self.deployment.ask(TENANTS[0], "GET", path) for path in paths]
        answers.append(self.deployment.ask(TENANTS[0], "DELETE", workflow.path))
        answers += [
            self.deployment.send(TENANTS[0], "POST", f"/v1/runs/{run['id']}/cancel") for run in runs[:1]
        ]
        assert {(answer.status, answer.problem) for answer in answers} == {(404, "not-found")}

    def _follow(
        self,
        execution_id: str,
        job_id: str,
        workflow: PromisedWorkflow | None,
        act: str | None,
        starter: PromisedStarter | None = None,
    ) -> None:
        """Until the execution has ended, and what has become of it and its run."""
        self.tasks.calls.clear()
        acted: list[str] = []

        def meanwhile() -> None:
            acted.append(act or "")
            self._act(act, execution_id, job_id, workflow, starter)

        shape, revision = (workflow.shape, workflow.revisions[-1]) if workflow is not None else ("", 0)
        is_gone = workflow is not None and workflow.is_deleted
        self.tasks.meanwhile = meanwhile if workflow is not None else None
        execution = self._ended(execution_id)
        for fault in self.tasks.broken:
            raise fault
        if workflow is None:
            assert (execution["state"], self.tasks.calls) == ("succeeded", [REQUEST["url"]])
            assert execution.get("run") is None
            return
        if is_gone:
            assert (execution["state"], execution["attempts"][0]["reason"]) == ("failed", "workflow_gone")
            assert (self.tasks.calls, acted, execution.get("run")) == ([], [], None)
            self.tasks.meanwhile = None
            SEEN["run of a deleted workflow"] += 1
            return
        is_stopped = act in ("cancel run", "delete", "stop job")
        state = run_state(shape, is_stopped=is_stopped)
        assert len(acted) == 1
        assert execution["state"] == state
        assert self.tasks.calls == urls(shape, is_stopped=is_stopped)
        run = self._send("GET", f"/v1/runs/{execution['run']}").json
        assert (run["state"], run["revision"], run["workflow_id"]) == (state, revision, workflow.id)
        assert (run["execution_id"], run["job_id"]) == (execution_id, job_id)
        tasks = {task["key"]: (task["state"], task["reason"]) for task in run["tasks"]}
        assert tasks == task_states(shape, is_stopped=is_stopped)
        items = {task["key"]: shown_items(task, run["id"], self._send) for task in run["tasks"]}
        assert items == item_counts(shape, is_stopped=is_stopped)
        SEEN[f"run {state}, {act}"] += 1
        if "map" in shape:
            SEEN[f"map of a run {state}"] += 1

    def _act(
        self,
        act: str | None,
        execution_id: str,
        job_id: str,
        workflow: PromisedWorkflow | None,
        starter: PromisedStarter | None,
    ) -> None:
        """What a client does while the run is open."""
        assert workflow is not None
        execution = self._send("GET", f"/v1/executions/{execution_id}").json
        run = self._send("GET", f"/v1/runs/{execution['run']}").json
        assert (execution["state"], run["state"]) == ("running", "running")
        match act:
            case "cancel run":
                assert self._send("POST", f"/v1/runs/{run['id']}/cancel").status == 202
            case "put":
                self.put_workflow(workflow.key, "short", is_dry_run=False, match=None)
            case "patch" if starter is not None:
                self.patch_starter(self.starters.index(starter), 0, "request")
            case "delete" if starter is not None:
                deleted = self._send("DELETE", starter.path)
                assert (deleted.status, deleted.json["state"]) == (200, "deleted"), deleted.text
                starter.is_deleted = True
            case "cancel job":
                refused = self._send("DELETE", f"/v1/jobs/{job_id}")
                assert (refused.status, refused.problem) == (409, "invalid-state"), refused.text
                assert "cancel the run" in refused.json["detail"]
            case "stop job":
                stopped = self.deployment.ask(
                    WORKFLOWS_TENANT, "DELETE", f"/v1/jobs/{job_id}", stop_retries="true"
                )
                assert stopped.status == 202, stopped.text

    def _ended(self, execution_id: str) -> Any:
        for _ in range(MOST_WAITS):
            self.deployment.pass_time(1_000)
            execution = self._send("GET", f"/v1/executions/{execution_id}").json
            if execution["state"] in ("succeeded", "failed", "cancelled"):
                return execution
        raise AssertionError(f"still {execution['state']}")

    def _standing(self, key: str) -> PromisedWorkflow | None:
        found = [each for each in self.workflows if each.key == key and not each.is_deleted]
        return found[0] if found else None

    def _note_workflow(self, key: str, shape: str, shown: Any) -> None:
        """It is as the answer says, and the key leads to it."""
        standing = self._standing(key)
        if standing is None:
            assert shown["id"] not in {each.id for each in self.workflows}
            standing = PromisedWorkflow(id=shown["id"], key=key, shape=shape)
            self.workflows.append(standing)
            self.deployment.receiver.others[standing.id] = self.tasks
        else:
            standing.shape = shape
            standing.revisions.append(standing.revisions[-1] + 1)
        assert (shown["id"], shown["key"], shown["revision"]) == (standing.id, key, standing.revisions[-1])
        for path in (standing.path, f"/v1/workflows/by-key/{key}"):
            again = self._send("GET", path)
            assert (again.json, again.headers["ETag"]) == (shown, f'"{shown["revision"]}"')

    def _check_starter(self, starter: PromisedStarter) -> None:
        shown = self._send("GET", starter.path).json
        if starter.workflow is None:
            assert (shown.get("workflow"), shown["request"]["url"]) == (None, REQUEST["url"])
        else:
            assert (shown["workflow"], shown["request"]) == (starter.workflow.id, None)

    def _check_no_workflow(self, answer: Answer) -> None:
        assert (answer.status, answer.problem) == (422, "validation-failed"), answer.text
        assert [each["pointer"] for each in answer.json["errors"]] == ["/workflow"]
        SEEN["starter refused: no workflow"] += 1

    def _send(self, method: str, path: str, document: Any = None, **headers: str) -> Answer:
        return self.deployment.send(WORKFLOWS_TENANT, method, path, document, **headers)
