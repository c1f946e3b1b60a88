"""Files with jobs and workflows are applied in any order, with crashes, lost answers, refusals and rivals anywhere.

After every application that ended: the workflows are those of the file, a second one changes nothing, and no workflow
of another set has changed. After one that did not end, a repetition gets there.
"""

from contextlib import suppress
from typing import Any

from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from client.tests.applying.appliers import Blow, CrashError, Members, apply
from client.tests.sdk.deployment import HOOK, Deployment
from punctual import Punctual
from punctual.errors import PunctualError
from punctual.models import WorkflowSummary

SETS = ("a", "a.b")
TASK = f"{{url: '{HOOK}'}}"
DESCRIPTIONS: tuple[Members, ...] = (
    {"tasks": f"{{one: {TASK}}}"},
    {"tasks": f"{{one: {TASK}, two: {{url: '{HOOK}', after: [one]}}}}", "name": "two in turn"},
    {"tasks": f"{{two: {TASK}, one: {TASK}}}", "on_failure": "continue"},
    {
        "tasks": f"{{one: {{url: '{HOOK}', headers: {{X-Token: {{env: TOKEN}}}}, body: other}}}}",
        "tags": "[x]",
    },
)
REFUSED: Members = {
    "tasks": f"{{one: {{url: '{HOOK}', after: [two]}}, two: {{url: '{HOOK}', after: [one]}}}}"
}
KEYS = ["x", "y", "b.x"]
files = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(DESCRIPTIONS), max_size=3)
kinds = st.sampled_from(
    ["crash before", "crash after", "lost", "answer lost", "throttled", "silent", "refused", "rival"]
)
DAILY: Members = {"cron": "0 3 1 1 *"}


def jobs_of(kind: str, workflows: dict[str, Members]) -> dict[str, Members]:
    """The job of a file with these workflows."""
    if kind == "none" or (kind == "starts" and not workflows):
        return {}
    return {"x": {**DAILY, "workflow": max(workflows)} if kind == "starts" else DAILY}


class ApplyingWorkflows(RuleBasedStateMachine):
    """A tenant whose workflows are in two files, beside workflows of its own, and jobs under the same keys."""

    def __init__(self) -> None:
        super().__init__()
        self.deployment = Deployment()
        self.client: Punctual = self.deployment.client()
        task: Any = {"key": "one", "request": {"url": HOOK}}
        self.client.workflows.create(name="no key", tasks=[task])
        self.client.workflows.put("single", tasks=[task])
        self.client.workflows.put("a.z.hand", tasks=[task], set="other")

    def live(self) -> list[WorkflowSummary]:
        return list(self.client.workflows.iterate())

    def beside(self, set_name: str) -> list[tuple[str, int]]:
        """All that a file of this set may not touch. A workflow of no set may be taken over by its key."""
        return sorted(
            (each.id, each.revision)
            for each in self.live()
            if each.set != set_name
            and (each.set is not None or not (each.key or "").startswith(f"{set_name}."))
        )

    def of_set(self, set_name: str) -> set[str]:
        return {str(each.key) for each in self.live() if each.set == set_name}

    @rule(
        set_name=st.sampled_from(SETS),
        workflows=files,
        job=st.sampled_from(["none", "calls", "starts"]),
        prune=st.booleans(),
        kind=kinds,
        at=st.integers(0, 12),
        rival=files,
    )
    def apply(
        self,
        set_name: str,
        workflows: dict[str, Members],
        job: str,
        prune: bool,
        kind: str,
        at: int,
        rival: dict[str, Members],
    ) -> None:
        """Twice: first with a blow, and then without. A job has the key of a workflow, and may start one."""
        if self._conflicts(set_name, {**workflows, **rival}):
            event("conflict")
            before = self.beside("")
            if self._conflicts(set_name, workflows):
                plan, _ = apply(self.deployment, set_name, {}, workflows=workflows)
                assert plan.conflicts
            assert self.beside("") == before
            return
        jobs, of_rival = jobs_of(job, workflows), jobs_of(job, rival)
        beside, before_keys = self.beside(set_name), self.of_set(set_name)
        blow = Blow(kind, at, lambda: self._settle(set_name, of_rival, rival, prune=prune))
        with suppress(CrashError, PunctualError):
            plan, done = apply(self.deployment, set_name, jobs, prune=prune, blow=blow, workflows=workflows)
            changed = {(change.kind, change.key) for change in plan.changes}
            if any(each.error is not None and (each.kind, each.key) in changed for each in done):
                event(f"a change failed: {kind}")
                assert "deleted" not in {each.change for each in done}
        assert self.beside(set_name) == beside
        event(f"struck: {kind}" if blow.seen > at else "not struck")
        self._settle(set_name, jobs, workflows, prune=prune)
        assert self.beside(set_name) == beside
        wanted = {f"{set_name}.{key}" for key in workflows}
        found = self.of_set(set_name)
        assert found == wanted if prune else found >= wanted | before_keys
        if (named := jobs.get("x", {}).get("workflow")) is not None:
            event("a job starts a workflow of the file")
            started = self.client.jobs.get_by_key(f"{set_name}.x").workflow
            assert started == self.client.workflows.get_by_key(f"{set_name}.{named}").id

    @rule(set_name=st.sampled_from(SETS), workflows=files)
    def apply_with_a_refused_workflow(self, set_name: str, workflows: dict[str, Members]) -> None:
        """Nothing of the file is applied."""
        before = self.beside("")
        plan, _ = apply(self.deployment, set_name, {"job": DAILY}, workflows={**workflows, "bad": REFUSED})
        assert [(each.kind, each.key) for each in plan.refusals] == [("workflow", f"{set_name}.bad")]
        assert self.beside("") == before

    @rule(number=st.integers(0, 20))
    def delete_by_hand(self, number: int) -> None:
        if len(live := self.live()) > 2:
            self.client.workflows.delete(live[number % len(live)])

    @rule(number=st.integers(0, 20), set_name=st.sampled_from([*SETS, None]))
    def move_by_hand(self, number: int, set_name: str | None) -> None:
        """Another program gives the key of a workflow to another set, or to none."""
        workflow = self.live()[number % len(self.live())]
        if workflow.key is not None:
            task: Any = {"key": "moved", "request": {"url": HOOK}}
            self.client.workflows.put(workflow.key, tasks=[task], set=set_name)

    def _settle(
        self, set_name: str, jobs: dict[str, Members], workflows: dict[str, Members], *, prune: bool
    ) -> None:
        """Apply without a blow; after that nothing is left to do."""
        plan, done = apply(self.deployment, set_name, jobs, prune=prune, workflows=workflows)
        assert plan.is_possible
        assert all(each.error is None for each in done)
        again, _ = apply(self.deployment, set_name, jobs, prune=prune, workflows=workflows)
        assert (again.has_changes, again.unchanged) == (False, len(workflows) + len(jobs))

    def _conflicts(self, set_name: str, workflows: dict[str, Members]) -> bool:
        keys = {f"{set_name}.{key}" for key in workflows}
        return any(each.key in keys and each.set not in (None, set_name) for each in self.live())


TestApplyingWorkflows = ApplyingWorkflows.TestCase
TestApplyingWorkflows.settings = settings(max_examples=20, stateful_step_count=10, deadline=None)
