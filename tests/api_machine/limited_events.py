"""Triggers that debounce, triggers with a throttle, and events as the input of a workflow's runs.

All of that belongs to a tenant of its own, so that the model of the other jobs knows nothing of it.
"""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from tests.api_machine.deployment import EVENTS_TENANT
from tests.api_machine.event_model import (
    BURST,
    FEW,
    HOST,
    INPUT,
    NAMES,
    EventReceiver,
    PromisedEvent,
    PromisedTriggerState,
)
from tests.api_machine.instants import instant
from tests.api_machine.machine import ApiMachine, picks
from tests.api_machine.sightings import SEEN
from tests.support.api.api_world import Answer

YEARLY = {"cron": "0 0 1 1 *"}
"""No machine runs until then: only events start runs."""
TASK = {"key": "task", "request": {"url": f"{HOST}/task"}, "input": True}
gaps = st.lists(st.sampled_from([0, 0, 1, 7, 15, 25]), min_size=1, max_size=5)
some_event = precondition(lambda self: self.events.sent)


class LimitedEvents(ApiMachine):
    """`debounce_seconds` and `throttle` of triggers, and jobs with `workflow` that events start."""

    @initialize()
    def begin_events(self) -> None:
        """A job, a job that starts a workflow, and no trigger."""
        self.events = EventReceiver(self.deployment.receiver.clock)
        document = {"schedule": YEARLY, "request": {"url": f"{HOST}/called", "json": {"own": 1}}}
        job_id = self._created_for_events("/v1/jobs", document)
        workflow_id = self._created_for_events("/v1/workflows", {"tasks": [TASK]})
        starter_id = self._created_for_events("/v1/jobs", {"schedule": YEARLY, "workflow": workflow_id})
        for each in (job_id, workflow_id):
            self.deployment.receiver.others[each] = self.events
        jobs = {BURST: job_id, FEW: job_id, INPUT: starter_id}
        self.events.triggers = {name: PromisedTriggerState(name=name, job_id=jobs[name]) for name in NAMES}

    @rule(name=st.sampled_from(NAMES), is_other=st.booleans())
    def put_limited_trigger(self, name: str, is_other: bool) -> None:
        """The same content again changes nothing; another one begins windows and bursts anew."""
        trigger = self.events.triggers[name]
        content = trigger.content(is_other=is_other)
        answer = self._ask_for_events("PUT", f"/v1/triggers/{name}", content)
        assert answer.status == 200, answer.text
        change = trigger.put(content)
        SEEN[f"limited trigger {change}"] += 1
        self._check_limited_trigger(trigger)

    @rule(name=st.sampled_from(NAMES))
    def delete_limited_trigger(self, name: str) -> None:
        trigger = self.events.triggers[name]
        answer = self._ask_for_events("DELETE", f"/v1/triggers/{name}")
        assert answer.status == (200 if trigger.is_there else 404), answer.text
        trigger.delete()
        assert self._ask_for_events("GET", f"/v1/triggers/{name}").status == 404

    @rule(name=st.sampled_from(NAMES), seconds=gaps)
    def send_limited_events(self, name: str, seconds: list[int]) -> None:
        """One event after the other. What was answered is promised."""
        for gap in seconds:
            self.let_time_pass(gap * 1000)
            self._send_event(self.events.new_event(name))

    @some_event
    @rule(pick=picks)
    def send_limited_event_again(self, pick: int) -> None:
        """Without an effect, whatever has become of its run; a throttled one is as good as new."""
        sent = self.events.sent
        self._send_event(sent[-1 - pick % len(sent)])

    @invariant()
    def every_limited_event_was_called_in_time(self) -> None:
        """With the data of the latest event of its run, once, and not before."""
        assert self.events.faults == []
        for run in self.events.runs.values():
            latest_ms = run.due_at + 5_000
            for from_ms, until_ms in sorted(self.deployment.receiver.excused):
                # One standstill may follow another before anything has run.
                latest_ms = max(latest_ms, until_ms) if from_ms <= latest_ms else latest_ms
            assert run.is_called or self.now_ms <= latest_ms, f"{run} was never called"

    def _send_event(self, event: PromisedEvent) -> None:
        trigger, now_ms = self.events.triggers[event.trigger], self.now_ms
        expected = self.events.promise(event, now_ms)
        answer = self._ask_for_events("POST", "/v1/events", event.document)
        assert answer.status == 200, answer.text
        if expected is None:
            assert answer.json["matches"] == []
            SEEN["limited event without a trigger"] += 1
            return
        (match,) = answer.json["matches"]
        run_id = match.pop("execution_id", None)
        assert match == expected | {"trigger": event.trigger, "job_id": trigger.job_id}
        SEEN[f"limited event {event.trigger}: {match['outcome']}"] += 1
        if run_id is None:
            return
        self.events.note(event, match["outcome"], run_id, now_ms)
        self._check_limited_run(run_id)
        self._check_limited_trigger(trigger)

    def _check_limited_run(self, run_id: str) -> None:
        """It is shown with its latest event, and waits where further events may postpone it."""
        run = self.events.runs[run_id]
        shown = self._ask_for_events("GET", f"/v1/executions/{run_id}").json
        event = run.event.document
        assert shown["event"] == {
            "trigger": run.event.trigger,
            "source": event["source"],
            "id": event["id"],
        }
        assert shown["due_at"] == instant(run.due_at)
        if run.event.trigger == BURST and not run.is_called:
            assert (shown["state"], shown["next_attempt_at"]) == ("waiting", instant(run.due_at))
        assert not run.is_called or shown["state"] in ("running", "succeeded")

    def _check_limited_trigger(self, trigger: PromisedTriggerState) -> None:
        """It tells of its latest run, and of its window while that is full."""
        if not trigger.is_there:
            return
        shown = self._ask_for_events("GET", f"/v1/triggers/{trigger.name}").json
        assert shown.get("latest_run") == (trigger.run if trigger.name == BURST else None)
        until = trigger.throttled_until(self.now_ms)
        assert shown.get("throttled_until") == (None if until is None else instant(until))

    def _created_for_events(self, path: str, document: dict[str, Any]) -> str:
        answer = self._ask_for_events("POST", path, document)
        assert answer.status == 201, answer.text
        return str(answer.json["id"])

    def _ask_for_events(self, method: str, path: str, document: Any = None) -> Answer:
        return self.deployment.send(EVENTS_TENANT, method, path, document)
