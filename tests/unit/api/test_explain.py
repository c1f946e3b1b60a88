"""GET /v1/executions/{id}/explain: why an execution was late, has not started, or did not run."""

from typing import Any

import pytest

from functions.api.resources.executions import sentences
from functions.api.resources.executions.sentences import duration_text
from shared.domain.delivery.callback import Reason
from shared.domain.dispatch.wait_hint import WaitingFor
from shared.domain.executions.attempt_outcome import AttemptOutcome
from shared.domain.executions.execution import Execution
from shared.domain.executions.stages import AttemptStages, Stage, Stages, WaitCause, code_of
from shared.domain.executions.states import EndReason, State
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState, destination_scope
from shared.domain.schedules.schedule import format_instant
from shared.domain.schedules.skipped_range import SkippedRange
from tests.support.api.api_world import ApiWorld
from tests.support.builders import DUE_AT, execution_id, in_state, one_off, with_changes

DESTINATION = "0123456789"
HOUR_MS = 3_600_000
LAG_MS = 41_030
NEXT_AT = DUE_AT + HOUR_MS


class Explained:
    """One stored execution, and what the API says about it."""

    def __init__(self, execution: Execution, late_ms: int = HOUR_MS) -> None:
        self.api = ApiWorld()
        self.world = self.api.world
        self.execution = self.world.put(execution)
        self.world.clock.time_ms = execution.id.dispatch_at + late_ms

    def open_breaker(self, until: int) -> None:
        circuit = Circuit(failures=10, trips=1, open_until=until)
        self.world.limits.states[destination_scope(DESTINATION)] = ScopeState(version=1, circuit=circuit)

    def shown(self) -> Any:
        answer = self.api.get(f"/v1/executions/{self.execution.id}/explain")
        assert answer.status == 200, answer.text
        return answer.json


def late_call(**fields: Any) -> Execution:
    """It began 41 s after its due time, because of an open breaker."""
    stages = AttemptStages(bytes(map(code_of, (20, 41_000, 7, 3, 12, 80))), WaitCause.BREAKER_OPEN)
    outcome = AttemptOutcome(
        attempt=1, started_at=DUE_AT + LAG_MS, duration_ms=90, status=200, reason=Reason.OK
    )
    plain = one_off(destination=DESTINATION, name="nightly report")
    known = Stages(number=1, first=stages, latest=stages)
    return in_state(
        plain, State.SUCCEEDED, **{"attempt": 1, "outcomes": (outcome,), "stages": known, **fields}
    )


def test_longest_stage_is_said_in_words_and_numbers() -> None:
    shown = Explained(late_call()).shown()
    assert shown["longest"]["text"] == "41 s: breaker open"
    assert (shown["longest"]["stage"], shown["longest"]["cause"]) == ("wait", "breaker_open")
    assert (shown["lag_ms"], shown["name"]) == (LAG_MS, "nightly report")
    assert shown["summary"] == (
        "Its receiver accepted the call. Its first call began 41 s after its due time. "
        "The longest stage: 41 s: breaker open."
    )


def test_stages_have_instants_and_say_whether_these_are_exact() -> None:
    explained = Explained(
        late_call(created_at=DUE_AT + 9_000, outcomes=(outcome_at(DUE_AT + 9_000 + LAG_MS),))
    )
    (attempt,) = explained.shown()["attempts"]
    assert [(span["stage"], span["precision"]) for span in attempt["stages"]] == [
        ("filed", "exact"),
        *((stage, "about") for stage in ("queue", "wait", "claim", "ready", "connect", "head", "done")),
    ]
    assert attempt["stages"][0]["began_at"] == attempt["due_at"] == format_instant(DUE_AT)
    assert attempt["stages"][0]["ended_at"] == format_instant(DUE_AT + 9_000)
    assert attempt["stages"][-1]["ended_at"] == format_instant(DUE_AT + 9_000 + LAG_MS + 90)
    assert [span["text"] for span in attempt["stages"]][:3] == [
        "created after its due time",
        "in the queue",
        "breaker open",
    ]
    begins, ends = ([span[name] for span in attempt["stages"]] for name in ("began_at", "ended_at"))
    assert begins[1:] == ends[:-1]


def outcome_at(started_at: int) -> AttemptOutcome:
    return AttemptOutcome(attempt=1, started_at=started_at, duration_ms=90, status=200, reason=Reason.OK)


def test_execution_of_an_older_release_shows_unknown_stages() -> None:
    shown = Explained(late_call(stages=None)).shown()
    assert (shown["lag_ms"], shown["longest"]) == (LAG_MS, None)
    assert [
        (span["stage"], span["duration_ms"], span["precision"]) for span in shown["attempts"][0]["stages"]
    ] == [
        ("queue", None, "unknown"),
        ("wait", None, "unknown"),
        ("claim", None, "unknown"),
        ("ready", None, "unknown"),
        ("done", 90, "exact"),
    ]


def test_call_in_time_is_said_to_be_in_time() -> None:
    stages = AttemptStages(bytes(map(code_of, (9, 0, 7, 3, 0, 80))))
    known = Stages(number=1, first=stages, latest=stages)
    shown = Explained(late_call(stages=known, outcomes=(outcome_at(DUE_AT + 19),))).shown()
    assert shown["summary"] == (
        "Its receiver accepted the call. Its first call began in time, 19 ms after its due time."
    )


def test_waiting_execution_names_its_hint_and_how_long_it_has_waited() -> None:
    waiting = Explained(one_off(destination=DESTINATION, state=State.QUEUED), late_ms=12_000)
    waiting.open_breaker(DUE_AT + 20_000)
    shown = waiting.shown()
    assert shown["waiting_for"] == {"reason": "breaker_open", "until": format_instant(DUE_AT + 20_000)}
    assert shown["longest"]["text"] == "12 s so far: breaker open"
    assert shown["summary"] == (
        "Its time has come, and no worker has started it yet. It has been due for 12 s. "
        "The longest stage: 12 s so far: breaker open."
    )
    assert (shown["lag_ms"], shown["attempts"]) == (None, [])
    assert waiting.world.throttle_status.requests == 1


@pytest.mark.parametrize("reason", WaitingFor)
def test_every_reason_of_a_hint_has_words(reason: WaitingFor) -> None:
    assert sentences.CAUSES[WaitCause[reason.name]]


def test_due_execution_without_a_hint_names_no_reason() -> None:
    shown = Explained(one_off(state=State.QUEUED), late_ms=2_500).shown()
    assert (shown["longest"], shown["waiting_for"]) == (None, None)
    assert shown["summary"].endswith("It has been due for 2.5 s.")


@pytest.mark.parametrize("state", [State.PENDING, State.QUEUED])
def test_execution_before_its_time_reads_no_hint(state: State) -> None:
    early = Explained(one_off(destination=DESTINATION, state=state), late_ms=-1)
    early.open_breaker(NEXT_AT)
    assert early.shown()["summary"] == sentences.STATES[state]
    assert early.world.throttle_status.requests == 0


def test_retry_that_is_not_due_says_when_it_begins() -> None:
    retry = in_state(late_call(), State.WAITING, next_attempt_at=NEXT_AT + 5_000)
    assert (
        f"The next attempt begins at {format_instant(NEXT_AT + 5_000)}."
        in Explained(retry).shown()["summary"]
    )


def test_retry_that_is_due_names_its_hint() -> None:
    waiting = Explained(in_state(late_call(), State.WAITING, next_attempt_at=NEXT_AT - 7_000))
    waiting.open_breaker(NEXT_AT + 7_000)
    shown = waiting.shown()
    assert shown["longest"]["text"] == "7.0 s so far: breaker open"
    assert shown["lag_ms"] == LAG_MS


def test_accepted_work_that_is_not_reported_is_said() -> None:
    running = in_state(one_off(), State.RUNNING, async_until=DUE_AT + HOUR_MS)
    assert Explained(running).shown()["summary"].startswith(sentences.ASYNC_ACCEPTED)


@pytest.mark.parametrize("reason", EndReason)
def test_every_end_has_a_sentence(reason: EndReason) -> None:
    ended = in_state(one_off(), State.CANCELLED, end_reason=reason)
    assert Explained(ended).shown()["summary"] == (
        f"{sentences.STATES[State.CANCELLED]} {sentences.END_REASONS[reason]}"
    )


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, f"It stands for the instant {format_instant(DUE_AT)}."),
        (
            3,
            f"It stands for 3 instants, from {format_instant(DUE_AT)} to {format_instant(DUE_AT + HOUR_MS)}.",
        ),
    ],
)
def test_skipped_execution_says_for_how_many_instants_it_stands(count: int, said: str) -> None:
    last_at = DUE_AT + HOUR_MS
    missed = SkippedRange(count=count, first_at=DUE_AT, last_at=last_at, resumed_at=last_at + 1)
    skipped = in_state(one_off(), State.SKIPPED, end_reason=EndReason.SUSPENDED, missed=missed)
    summary = Explained(skipped).shown()["summary"]
    assert summary == f"{sentences.STATES[State.SKIPPED]} {sentences.END_REASONS[EndReason.SUSPENDED]} {said}"


def test_every_state_stage_and_cause_has_words() -> None:
    assert set(sentences.STATES) == set(State)
    assert set(sentences.STAGES) == set(Stage)
    assert set(sentences.CAUSES) == set(WaitCause)


def test_moved_execution_leads_to_the_current_one_and_says_so() -> None:
    explained = Explained(late_call())
    moved = in_state(
        one_off(7, job_id=explained.execution.job_id), State.MOVED, moved_to=explained.execution.id
    )
    explained.world.put(moved)
    shown = explained.api.get(f"/v1/executions/{moved.id}/explain").json
    assert shown["id"] == str(explained.execution.id)
    assert shown["summary"].startswith(sentences.MOVED_HERE)


def test_explanation_reads_the_item_and_the_hint_alone() -> None:
    explained = Explained(late_call())
    explained.shown()
    explained.world.steps.taken.clear()
    explained.shown()
    assert [step for step in explained.world.steps.taken if step.startswith("store.")] == ["store.get"]


@pytest.mark.parametrize("path", ["exe_nothing", str(execution_id(99)), "x" * 300])
def test_unknown_execution_is_not_found(path: str) -> None:
    api = ApiWorld()
    answer = api.get(f"/v1/executions/{path}/explain")
    assert (answer.status, answer.problem) == (404, "not-found")


def test_execution_of_another_tenant_is_not_found() -> None:
    explained = Explained(with_changes(late_call(), tenant_id="globex"))
    answer = explained.api.get(f"/v1/executions/{explained.execution.id}/explain")
    assert (answer.status, answer.problem) == (404, "not-found")


@pytest.mark.parametrize(
    ("duration_ms", "text"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1.0 s"),
        (9_940, "9.9 s"),
        (9_960, "10 s"),
        (41_036, "41 s"),
        (119_000, "119 s"),
        (120_000, "2 min"),
        (7_100_000, "118 min"),
        (7_200_000, "2.0 h"),
        (90_000_000, "25.0 h"),
    ],
)
def test_duration_is_said_in_two_digits_or_a_few_more(duration_ms: int, text: str) -> None:
    assert duration_text(duration_ms) == text
