"""A deployment in memory that runs workflows: an executor, a sweeper, and receivers that know tasks by their URLs."""

from collections import Counter
from typing import Any

from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import ONE_ATTEMPT, RetryPolicy
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.schedules.timing import After, Timing
from shared.domain.workflows.graph import Graph, Node, OnFailure
from shared.domain.workflows.identities import run_id_text, run_of
from shared.domain.workflows.map_items import MapItems
from shared.domain.workflows.new_workflow import NewTask, NewWorkflow
from shared.domain.workflows.run import Run
from shared.domain.workflows.run_rules import execution_of
from shared.domain.workflows.workflow import Workflow
from shared.settings import Settings
from shared.usecases.attempts.batch_report import Delivery
from tests.support.builders import TENANT
from tests.support.fakes.sender import succeeds
from tests.support.fakes.wakeup_queue import SentMessage
from tests.support.settings import only
from tests.support.usecases.world import World

ONCE = RetryPolicy(max_attempts=1)
FAILS = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
LONGEST = 500
"""Messages that one run of `work` handles at most."""


class WorkflowWorld(World):
    """One tenant's workflows."""

    batch = 1
    """Messages that the executor gets at once, at most."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(answer_to=self._answer, **settings)
        self.sweep = use_cases(self.ports(), only(Settings, self.settings)).ticks.sweep_buckets
        self.answers: dict[str, CallbackResponse] = {}
        """What the receiver of a task answers; by default, success."""
        self.put_workflow = self.cases.workflows.put_workflow
        self.start_run = self.cases.workflows.start_run
        self.cancel_run = self.cases.workflows.cancel_run
        self.redrive_run = self.cases.workflows.redrive_run
        self.advance_run = self.cases.workflows.advance_run

    def define(self, *nodes: Node, **fields: Any) -> Workflow:
        """A workflow that a client has created."""
        return self.put_workflow.create(self.tenant, self.new_workflow(*nodes, **fields))[0]

    def new_workflow(
        self,
        *nodes: Node,
        on_failure: OnFailure = OnFailure.FAIL_FAST,
        retry: RetryPolicy = ONCE,
        deadline_seconds: int = 3_600,
        body: bytes = b"",
        url: str = "https://receiver.example/{key}",
        **fields: Any,
    ) -> NewWorkflow:
        tasks = tuple(
            NewTask(
                key=each.key,
                after=each.after,
                run_if=each.run_if,
                needs=each.needs,
                map=each.map,
                takes_input=each.takes_input,
                request=Request(method="POST", url=url.format(key=each.key), body=body),
                retry=retry,
            )
            for each in nodes
        )
        return NewWorkflow(tasks=tasks, on_failure=on_failure, deadline_seconds=deadline_seconds, **fields)

    def start(self, workflow: Workflow, key: str | None = None, text: bytes = b"") -> Run:
        return self.start_run.execute(self.tenant, workflow.id, key, text=text).run

    def schedule(self, workflow: Workflow, timing: Timing | None = None, **fields: Any) -> Execution | Job:
        """A job that starts the workflow: by default once, now."""
        named = {"on_failure": fields.pop("on_failure", None)}
        return self.accept(
            timing or After(0),
            request=Request(workflow_id=workflow.id, **named),
            retry=ONE_ATTEMPT,
            **fields,
        )

    def parent(self, execution: Execution) -> tuple[Execution, Run]:
        """An execution that starts a workflow, and its run, as they are stored."""
        return self.standing(execution.id), self.table.runs[run_of(execution.id)].run

    def cancel(self, run: Run) -> Run:
        return self.cancel_run.execute(TENANT, run_id_text(run.id))[0]

    def redriven(self, run: Run, epoch: int | None = None) -> Run:
        return self.redrive_run.execute(TENANT, run_id_text(run.id), epoch=epoch)[0]

    def redrive_execution(self, failed: Execution) -> None:
        self.cases.dead_letters.redrive_execution.execute(TENANT, str(failed.id))

    def stored(self, run: Run) -> Run:
        """The run as it is stored."""
        return self.table.runs[run.id].run

    def states(self, run: Run, of: Graph) -> dict[str, str]:
        """The state of each task by its key."""
        pairs = zip(of.nodes, self.stored(run).tasks, strict=True)
        return {node.key: str(task.state) if task else "waits" for node, task in pairs}

    def execution(self, run: Run, of: Graph, key: str) -> Execution:
        """The stored execution of a chosen task."""
        execution_id = execution_of(self.stored(run), of, of.indexes()[key])
        assert execution_id is not None, f"{key} is not chosen"
        return self.standing(execution_id)

    def items(self, run: Run, key: str) -> MapItems:
        """The stored items of a map."""
        return self.table.maps[run.id, key].items

    def called_items(self, key: str) -> list[int]:
        """The positions of the items for which a map was called, in the order of the calls."""
        headers = (dict(c.callback.headers) for c in self.sender.calls if _key_of(c.callback) == key)
        return [int(each["Punctual-Item"]) for each in headers]

    def called(self) -> Counter[str]:
        """How often each task was called."""
        return Counter(_key_of(call.callback) for call in self.sender.calls)

    def work(self) -> None:
        """Let the executor handle messages until none is left; the clock goes on to the next message."""
        for _ in range(LONGEST):
            if not self.queue.messages:
                return
            self.work_one()
        raise AssertionError("the messages do not come to an end")

    def work_one(self) -> None:
        """Let the executor handle the next messages: one, or as many as are visible and make a batch."""
        messages = sorted(self.queue.messages, key=lambda each: each.visible_at)
        self.clock.time_ms = max(self.clock.time_ms, messages[0].visible_at)
        received = [each for each in messages if each.visible_at <= self.clock.time_ms][: self.batch]
        for message in received:
            self.queue.messages.remove(message)
        self._receive(*received)

    def sweep_after(self, minutes: int = 0) -> None:
        """Let the sweeper run once each minute, for so many minutes and two more."""
        for _ in range(minutes + 2):
            self.clock.time_ms += MINUTE_MS
            self.sweep.execute()

    def recover(self) -> None:
        """Sweep and work until nothing is left to do, as after a crash."""
        for _ in range(6):
            self.sweep_after(5)
            self.work()
        # An old shard that was open at a pass has its next pass after an hour.
        self.clock.time_ms += 60 * MINUTE_MS
        self.sweep_after()
        self.work()

    def handle(self, wakeup: Wakeup) -> None:
        """Let the executor handle a message."""
        now_ms = self.clock.now_ms()
        self._receive(SentMessage(wakeup=wakeup, sent_at=now_ms, visible_at=now_ms))

    def _receive(self, *messages: SentMessage) -> None:
        by_id = {f"m{number}": message for number, message in enumerate(messages)}
        report = self.run(
            *(
                Delivery(message_id=message_id, sent_at=each.sent_at, receive_count=1, wakeup=each.wakeup)
                for message_id, each in by_id.items()
            )
        )
        for settled in report.returned():
            message = by_id[settled.delivery.message_id]
            again = self.clock.time_ms + 1_000 * max(1, settled.visible_after_seconds or 0)
            self.queue.messages.append(
                SentMessage(wakeup=message.wakeup, sent_at=message.sent_at, visible_at=again)
            )

    def _answer(self, callback: Callback) -> CallbackResponse:
        return self.answers.get(_key_of(callback)) or succeeds(callback)


def _key_of(callback: Callback) -> str:
    return callback.url.rpartition("/")[2]
