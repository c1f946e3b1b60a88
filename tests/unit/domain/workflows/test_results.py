"""Results of tasks: what is one, how it is put into a body, and which definitions are refused for it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.delivery.callback import MAX_RESULT_BYTES
from shared.domain.delivery.json_text import MAX_DEPTH
from shared.domain.delivery.request import Request
from shared.domain.errors import InvalidValueError
from shared.domain.executions.states import State
from shared.domain.workflows.graph import MAX_NEEDS, OnFailure, RunIf
from shared.domain.workflows.new_workflow import NewTask, NewWorkflow, encode_new_workflow
from shared.domain.workflows.results import (
    NeededTask,
    body_with_results,
    longest_body,
    needed_tasks,
    read_result,
    with_json_type,
)
from shared.domain.workflows.run import TaskState
from shared.domain.workflows.run_rules import decided, execution_of, recorded
from shared.domain.workflows.workflow import task_execution
from shared.names import MAX_PAYLOAD_BYTES
from tests.support.workflows import NOW, graph, node, run_id, run_of, workflow_of

TEXTS = [
    b"null",
    b"0",
    b'""',
    b'"\\ud800"',
    b'{"a":1,"a":2}',
    b"1e400",
    b"-0.0",
    b"1" * MAX_RESULT_BYTES,
    b'"' + b"x" * (MAX_RESULT_BYTES - 2) + b'"',
    b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
    '{"straße":"\u2028"}'.encode(),
    b'"' + b"[" * 100 + b'"',
]
NO_RESULTS = [
    b"",
    b" ",
    b"ok",
    b"{",
    b"NaN",
    b"Infinity",
    b"[1,]",
    b"{} {}",
    b"\xff",
    b'"\xed\xa0\x80"',
    b"\xef\xbb\xbf{}",
    b'"' + b"x" * (MAX_RESULT_BYTES - 1) + b'"',
    b"1" + b" " * MAX_RESULT_BYTES,
    b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    b'{"a":' * 1_000,
    b"[" * MAX_RESULT_BYTES,
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:12]))
def test_result_is_any_json_text_and_stays_as_it_is(text: bytes) -> None:
    assert read_result(text) == text
    if len(text) < MAX_RESULT_BYTES - 3:
        assert read_result(b" \r\n" + text + b"\n") == text


@pytest.mark.parametrize("text", NO_RESULTS, ids=lambda text: repr(text[:12]))
def test_result_that_is_no_json_or_too_long_or_too_deep_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidValueError):
        read_result(text)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)


@given(own=st.none() | values, results=st.lists(values, max_size=3))
def test_body_has_each_result_and_the_own_body_as_they_were(own: Any, results: list[Any]) -> None:
    texts = [read_result(json.dumps(value).encode()) for value in results]
    tasks = [
        NeededTask(key=f"t{number}", state=TaskState.SUCCEEDED, execution_id=run_id())
        for number in range(len(texts))
    ]
    skipped = NeededTask(key="no", state=TaskState.SKIPPED, execution_id=None)
    own_text = b"" if own is None else json.dumps(own).encode()
    body = body_with_results(own_text, [*zip(tasks, texts, strict=True), (skipped, b"")])
    assert json.loads(body) == {
        "body": own,
        "results": {
            f"t{number}": {"state": "succeeded", "result": value} for number, value in enumerate(results)
        }
        | {"no": {"state": "skipped", "result": None}},
    }
    assert all(text in body for text in texts)
    assert len(body) <= longest_body(own_text, [*(task.key for task in tasks), "no"])


def test_longest_body_is_long_enough_for_the_longest_keys_and_results() -> None:
    key, text = "k" * 64, b"1" * MAX_RESULT_BYTES
    task = NeededTask(key=key, state=TaskState.SUCCEEDED, execution_id=run_id())
    for number in (1, MAX_NEEDS):
        assert len(body_with_results(b"", [(task, text)] * number)) <= longest_body(b"", [key] * number)


def test_type_of_a_request_with_results_is_json_unless_it_has_its_own() -> None:
    assert with_json_type(()) == (("Content-Type", "application/json"),)
    own = (("content-type", "application/vnd.shop+json"),)
    assert with_json_type(own) == own


def test_task_needs_results_of_tasks_in_after_alone_and_of_each_once() -> None:
    for needs, text in (
        (("a",), "add 'a' to after"),
        (("b", "b"), "in this list already"),
        (("x",), "add 'x' to after"),
        (("c",), "add 'c' to after"),
    ):
        with pytest.raises(InvalidValueError, match=text) as refused:
            graph(node("a"), node("b", "a"), node("c", "b", needs=needs))
        assert refused.value.path == ("tasks", "2", "needs", str(len(needs) - 1))


def test_task_needs_twenty_results_at_most() -> None:
    keys = [f"t{number}" for number in range(MAX_NEEDS + 1)]
    graph(*map(node, keys), node("join", *keys, needs=keys[1:]))
    with pytest.raises(InvalidValueError, match="at most 20 results"):
        graph(*map(node, keys), node("join", *keys, needs=keys))


def new(*tasks: tuple[str, dict[str, Any]], **request: Any) -> NewWorkflow:
    """`a`, and `b` that needs its result; `request` is that of `b`."""
    fields = {"method": "POST", "url": "https://receiver.example/", **request}
    first = {"method": "POST", "url": "https://receiver.example/"} | dict(tasks).get("a", {})
    return NewWorkflow(
        tasks=(
            NewTask(key="a", request=Request(**first)),
            NewTask(key="b", after=("a",), needs=("a",), request=Request(**fields)),
        )
    )


@pytest.mark.parametrize(
    ("request_of_b", "path"),
    [
        ({"method": "GET"}, "method"),
        ({"method": "HEAD"}, "method"),
        ({"method": "DELETE"}, "method"),
        ({"body": b"not json"}, "body"),
        ({"body": b"\xff"}, "body"),
        ({"body": b"[" * 100_000}, "body"),
        ({"body": b'"' + b"x" * (MAX_PAYLOAD_BYTES - MAX_RESULT_BYTES) + b'"'}, "body"),
    ],
)
def test_request_that_could_not_have_results_is_refused_with_its_path(
    request_of_b: dict[str, Any], path: str
) -> None:
    with pytest.raises(InvalidValueError) as refused:
        new(**request_of_b)
    assert refused.value.path == ("tasks", "1", "request", path)


def test_task_whose_result_is_needed_cannot_be_called_with_head() -> None:
    with pytest.raises(InvalidValueError, match="answers to HEAD have no body") as refused:
        new(("a", {"method": "HEAD"}))
    assert refused.value.path == ("tasks", "0", "request", "method")


def test_fingerprint_of_a_workflow_differs_by_its_needs_and_is_as_ever_without_any() -> None:
    plain = NewWorkflow(
        tasks=(
            NewTask(key="a", request=Request(method="POST", url="https://receiver.example/")),
            NewTask(key="b", after=("a",), request=Request(method="POST", url="https://receiver.example/")),
        )
    )
    assert encode_new_workflow(plain) != encode_new_workflow(new())
    assert b'"standard"]' in encode_new_workflow(plain)


def test_execution_of_a_task_says_whether_its_result_is_needed_and_whether_it_needs_any() -> None:
    workflow = workflow_of(graph(node("a"), node("b"), node("c", "a", "b", needs=["a"])))
    run = run_of(workflow)
    flags = [task_execution(workflow, run, index, created_at=NOW).task for index in (0, 1)]
    assert [(ref.hands_on, ref.needs_results) for ref in flags if ref] == [(True, False), (False, False)]
    for index in (0, 1):
        execution_id = execution_of(run, workflow.graph, index)
        assert execution_id is not None
        run = recorded(run, workflow.graph, {execution_id: State.SUCCEEDED})
    run = decided(run, workflow.graph, NOW + 1)
    task = task_execution(workflow, run, 2, created_at=NOW).task
    assert task is not None
    assert (task.hands_on, task.needs_results) == (False, True)


def test_needed_tasks_have_the_states_in_which_they_ended() -> None:
    of = graph(
        node("a"),
        node("b"),
        node("c", "b"),
        node("d", "a", "b", "c", run_if=RunIf.ALL_ENDED, needs=["c", "a", "b"]),
        on_failure=OnFailure.CONTINUE,
    )
    run = run_of(workflow_of(of))
    with pytest.raises(InvalidValueError, match="has not ended"):
        needed_tasks(run, of, "d")
    first, second = execution_of(run, of, 0), execution_of(run, of, 1)
    assert first is not None and second is not None
    run = recorded(run, of, {first: State.SUCCEEDED, second: State.FAILED})
    run = decided(run, of, NOW + 1)
    assert needed_tasks(run, of, "d") == [
        NeededTask(key="c", state=TaskState.SKIPPED, execution_id=None),
        NeededTask(key="a", state=TaskState.SUCCEEDED, execution_id=first),
        NeededTask(key="b", state=TaskState.FAILED, execution_id=None),
    ]
