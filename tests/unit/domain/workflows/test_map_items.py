"""Arrays of maps, what their items mean for a run, and which definitions are refused."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import InvalidValueError
from shared.domain.workflows.graph import OnFailure, RunIf
from shared.domain.workflows.map_items import MapItems, elements, end_of_map, joined
from shared.domain.workflows.run import RunState, TaskProgress, TaskReason, TaskState
from shared.domain.workflows.run_rules import MapEnd, recorded_map
from shared.domain.workflows.task_map import pointer_tokens
from tests.support.workflows import NOW, graph, node, run_id, run_of, workflow_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON, indent=st.sampled_from([None, 1]), is_ascii=st.booleans())
def test_elements_of_an_array_are_its_texts(value: object, indent: int | None, is_ascii: bool) -> None:
    array = [value, "x", value]
    text = json.dumps({"a": {"b": array}}, indent=indent, ensure_ascii=is_ascii).encode(
        errors="surrogatepass"
    )
    found = elements(text, "/a/b")
    assert not isinstance(found, TaskReason)
    assert [json.loads(part) for part in found] == array
    assert all(part in text for part in found)
    assert json.loads(joined(found)) == array


@given(value=JSON)
def test_every_array_in_a_result_is_found_by_its_pointer(value: object) -> None:
    text = json.dumps(value).encode()

    def walk(part: object, path: str) -> None:
        found = elements(text, path)
        if isinstance(part, list):
            assert not isinstance(found, TaskReason)
            assert [json.loads(each) for each in found] == part
        else:
            assert found is TaskReason.MAP_NO_ARRAY
        members = (
            part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        )
        for name, inner in members:
            walk(inner, f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}")

    if len(text) < 200 and "\\ud" not in text.decode():
        walk(value, "")


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (b'{"a":[1],"a":[2,3]}', "/a", [b"2", b"3"]),
        (b'[[0],[1, {"x":[ ]}]]', "/1/1/x", []),
        (b"[1e400,-0.0]", "", [b"1e400", b"-0.0"]),
        (b'{"":[1]}', "/", [b"1"]),
        (b'{"a":[1]}', "/b", TaskReason.MAP_MISSING),
        (b'{"a":[1]}', "/a/b", TaskReason.MAP_MISSING),
        (b'{"a":[1]}', "/a/00", TaskReason.MAP_MISSING),
        (b'{"a":[1]}', "/a/-", TaskReason.MAP_MISSING),
        (b'{"a":[1]}', "/a/0", TaskReason.MAP_NO_ARRAY),
        (b'"[]"', "", TaskReason.MAP_NO_ARRAY),
        (b"null", "/a", TaskReason.MAP_MISSING),
    ],
)
def test_array_at_a_path(text: bytes, path: str, expected: object) -> None:
    assert elements(text, path) == expected


def test_array_may_have_a_hundred_elements_and_no_more() -> None:
    assert len(elements(json.dumps([0] * 100).encode(), "")) == 100
    assert elements(json.dumps([0] * 101).encode(), "") is TaskReason.MAP_TOO_LONG


@pytest.mark.parametrize(
    "path", ["a", "#/a", "/~", "/~2", "/a~", "/~~01", "/~~10", "/" + "x" * 256, "/a" * 33]
)
def test_path_that_is_no_json_pointer_is_refused(path: str) -> None:
    with pytest.raises(InvalidValueError):
        pointer_tokens(path)


def test_names_in_a_json_pointer_are_unescaped() -> None:
    assert pointer_tokens("/a~1b/~0/~01/") == ["a/b", "~", "~1", ""]
    assert pointer_tokens("") == []


@pytest.mark.parametrize(
    ("nodes", "path"),
    [
        ([node("a"), node("m", over="a")], ("tasks", "1", "map", "over")),
        ([node("a"), node("m", "a", over="b")], ("tasks", "1", "map", "over")),
        ([node("a"), node("m", "a", over="a", path="x")], ("tasks", "1", "map", "path")),
        ([node("a"), node("m", "a", over="a", run_if=RunIf.ANY_FAILED)], ("tasks", "1", "run_if")),
        (
            [
                node("a"),
                node("h", "a", run_if=RunIf.ANY_FAILED),
                node("m", "h", over="h", run_if=RunIf.ALL_ENDED),
            ],
            ("tasks", "2", "run_if"),
        ),
        ([node("a"), *(node(f"m{n}", "a", over="a") for n in range(10))], ("tasks",)),
    ],
)
def test_map_that_could_never_run_or_be_too_much_is_refused_with_its_path(nodes, path) -> None:
    with pytest.raises(InvalidValueError) as refused:
        graph(*nodes)
    assert refused.value.path == path


def test_nine_maps_and_ninety_one_other_tasks_are_the_most_of_a_run() -> None:
    others = [node(f"t{number}") for number in range(91)]
    maps = [node(f"m{number}", "t0", over="t0") for number in range(9)]
    assert graph(*others, *maps).most_executions == 991
    assert graph(*others, *maps).needed == {"t0"}


def items_of(*states: TaskState, stopped: TaskReason | None = None) -> MapItems:
    progress = tuple(TaskProgress(state=state, epoch=1, at=NOW) for state in states)
    return MapItems(
        run=run_id(), key="m", tenant_id="t", workflow_id="w", epoch=1, items=progress, stopped=stopped
    )


S, F, C, K, OPEN = (
    TaskState.SUCCEEDED,
    TaskState.FAILED,
    TaskState.CANCELLED,
    TaskState.SKIPPED,
    TaskState.CHOSEN,
)


@pytest.mark.parametrize(
    ("states", "state", "has_failed"),
    [
        ((), S, False),
        ((S, S), S, False),
        ((S, F, C), F, False),
        ((S, C, K), C, False),
        ((S, K), K, False),
        ((F, OPEN), None, True),
        ((S, OPEN), None, False),
    ],
)
def test_end_of_a_map_is_the_worst_of_its_items(states, state, has_failed) -> None:
    assert end_of_map(items_of(*states)) == MapEnd(epoch=1, state=state, has_failed=has_failed)


def test_map_that_was_stopped_has_ended_as_cancelled() -> None:
    end = end_of_map(items_of(S, C, stopped=TaskReason.FAIL_FAST))
    assert (end.state, end.reason) == (C, TaskReason.FAIL_FAST)


def test_first_failed_item_stops_a_run_that_fails_fast_and_no_other() -> None:
    for on_failure, state in (
        (OnFailure.FAIL_FAST, RunState.FAILING),
        (OnFailure.CONTINUE, RunState.RUNNING),
    ):
        of = graph(node("a"), node("m", "a", over="a"), node("z", "a"), on_failure=on_failure)
        run = run_of(workflow_of(of))
        succeeded = TaskProgress(state=S, epoch=1, at=NOW)
        chosen = TaskProgress(state=OPEN, epoch=1, at=NOW)
        run = replace(run, tasks=(succeeded, chosen, chosen))
        after = recorded_map(run, of, 1, MapEnd(epoch=1, state=None, has_failed=True))
        assert after.state is state
        assert after.tasks == run.tasks
        assert recorded_map(run, of, 1, MapEnd(epoch=2, state=F)) == run, "another epoch"
