"""A client with a key that knows existing ids and mostly sends valid texts."""

import random
import re
from typing import Any

from schemathesis.generation.meta import TestPhase

from tests.support.contract.neighbours import NAMES, Neighbours

TOKENED = ["heartbeatExecution", "completeExecution", "failExecution"]
MEANINGS = {
    "at": "2030-01-01T09:00:00Z",
    "cron": "30 2 * * *",
    "expression": "cron(0 9 ? * MON-FRI *)",
    "timezone": "Europe/Berlin",
    "calendar": "DE",
    "deliver_at": "2030-01-01T09:00:00Z",
    "start_at": "2025-03-01T00:00:00Z",
    "end_at": "2031-01-01T00:00:00Z",
    "url": "https://receiver.example/hook",
    "from": "2025-02-01T00:00:00Z",
    "to": "2025-02-02T00:00:00Z",
}
"""A valid text for each member that has a grammar of its own."""
OF_DEAD_LETTERS = {"inspectDeadLetter", "redriveExecution"}
BEYOND_SCHEMAS = {"headers", "retry", "async_deadline_seconds", "when_excluded", "business_day"}
"""Members with joint rules that a schema cannot express."""
RECENT = 20
SHORTEST_CURSOR = 50
_OTHER_PATH = re.compile(r"[/?]|%2F|%3F", re.IGNORECASE)
"""What the gateway turns into another path, and so into another operation: see test_encoded_paths."""


def ask_as_a_client(schema: Any, near: Neighbours, seed: int) -> None:
    """Sends every generated request through this client, except deliberately invalid requests."""
    chance = random.Random(seed)

    @schema.auth(refresh_interval=None)
    class _Client:
        """Schemathesis lets whoever signs in to a request have the last word on it."""

        def get(self, case: Any, _: Any) -> str:
            return near.key_for(case.operation.path)

        def set(self, case: Any, key: str, _: Any) -> None:
            for name, value in (case.path_parameters or {}).items():
                case.path_parameters[name] = _OTHER_PATH.sub("x", str(value))
            if _operation(case) not in TOKENED:
                case.headers["Authorization"] = f"Bearer {key}"
            if not case.meta.generation.mode.is_positive:
                return
            phase = case.meta.phase.name
            case.body = whole(case.body)
            if chance.random() < _SENSE.get(phase, 0.5):
                case.body = sensible(case.body)
                _forget_invented_cursor(case.query or {})
            if chance.random() < _KNOWLEDGE.get(phase, 0.5):
                _name_what_is_there(case, near, chance)


_SENSE = {TestPhase.EXAMPLES: 1.0, TestPhase.STATEFUL: 1.0}
RUNNING = 0.75
"""How often a job or a redrive that is cancelled has a running attempt, once a cancellation was a 202."""
_KNOWLEDGE = {TestPhase.EXAMPLES: 1.0, TestPhase.STATEFUL: 0.0}
"""In stateful runs, ids come from earlier responses."""


def _forget_invented_cursor(query: Any) -> None:
    """Those that came with a page are longer than what chance makes."""
    if len(str(query.get("cursor", ""))) < SHORTEST_CURSOR:
        query.pop("cursor", None)


def _operation(case: Any) -> str:
    return str(case.operation.definition.raw["operationId"])


def _name_what_is_there(case: Any, near: Neighbours, chance: random.Random) -> None:
    if _operation(case) in TOKENED:
        attempt = chance.choice(near.attempts)
        case.headers["X-Callback-Token"] = attempt.token
        case.path_parameters["execution_id"] = attempt.execution_id
        return
    if "If-Match" in case.headers:
        case.headers["If-Match"] = "*"
        case.headers.pop("If-None-Match", None)  # Both together are never fulfilled.
    if isinstance(case.body, dict) and "workflow" in case.body and near.ours.ids["workflow_id"]:
        case.body["workflow"] = chance.choice(near.ours.ids["workflow_id"][-RECENT:])
    for name in case.path_parameters.keys() & near.ours.ids.keys():
        case.path_parameters[name] = chance.choice(near.ours.ids[name][-RECENT:])
    if _operation(case) == "cancelExecution":
        is_to_stop = _has_running_attempt(case, near, chance)
        case.query = {"stop_retries": "true"} if is_to_stop else {}
        case.path_parameters["execution_id"] = near.running if is_to_stop else near.queued
    elif _operation(case) == "cancelRun":
        # The other run was cancelled before, and is never redriven.
        is_to_stop = _has_running_attempt(case, near, chance)
        case.path_parameters["run_id"] = near.begun_run if is_to_stop else near.ours.ids["run_id"][1]
    elif _operation(case) == "redriveRun":
        # The first run was cancelled in its first epoch.
        case.path_parameters["run_id"], case.body = near.ours.ids["run_id"][0], {"epoch": 1}
    elif _operation(case) == "undoRedrive":
        case.path_parameters["redrive_id"] = near.ours.ids["redrive_id"][-1]
    elif _operation(case) == "cancelBulkTask":
        case.path_parameters["bulk_task_id"] = near.ours.ids["bulk_task_id"][-1]
    elif _operation(case) == "undoBulkTask":
        # Another one, since an operation that is undone can no longer be cancelled.
        case.path_parameters["bulk_task_id"] = near.ours.ids["bulk_task_id"][-2:][0]
    elif _operation(case) in OF_DEAD_LETTERS:
        case.path_parameters["execution_id"] = chance.choice(near.dead_letters)
    elif _operation(case) == "cancelJob" and _has_running_attempt(case, near, chance):
        # The document has no example of this parameter, because a form would be filled with it.
        case.query = {**(case.query or {}), "stop_retries": "true"}
        case.path_parameters["job_id"] = chance.choice(near.attempts).job_id
    elif _operation(case) == "putTrigger":
        case.body["pattern"] = {"source": ["shop"]}
        case.body["job_id"] = chance.choice(near.hourly)
    elif _operation(case) == "putEventSource":
        case.body["routes"] = [{"source_prefix": "aws.s3", "tenant_id": NAMES[0]}]
    elif _operation(case) == "deleteTenant":
        case.body["confirm"] = case.path_parameters["tenant_id"]
    elif _operation(case) == "backfillJob":
        case.path_parameters["job_id"] = chance.choice(near.hourly)


def _has_running_attempt(case: Any, near: Neighbours, chance: random.Random) -> bool:
    """A phase of few requests must not depend on chance for its only 202, and the next one not for its only 200."""
    seen = near.statuses.get(_operation(case), set())
    order = (202, 200) if case.meta.phase.name is TestPhase.EXAMPLES else (200, 202)
    missing = next((status for status in order if status not in seen), None)
    return chance.random() < RUNNING if missing is None else missing == 202


def whole(body: Any) -> Any:
    """The same with whole numbers as most programs write them: 30.0 is whole to JSON Schema, not to the API."""
    if isinstance(body, dict):
        return {name: whole(value) for name, value in body.items()}
    if isinstance(body, list):
        return [whole(one) for one in body]
    return int(body) if isinstance(body, float) and body.is_integer() and abs(body) < 1 << 53 else body


def sensible(body: Any) -> Any:
    """The same where each text that has a grammar of its own obeys it."""
    if isinstance(body, dict):
        given = {name: sensible(value) for name, value in body.items() if name not in BEYOND_SCHEMAS}
        texts = body.keys() & MEANINGS.keys()
        return given | {name: MEANINGS[name] for name in texts if isinstance(body[name], str)}
    return [sensible(one) for one in body] if isinstance(body, list) else body
