"""Which graphs are workflows, and what the errors of all others say."""

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.workflows.graph import MAX_EDGES, Graph, Node, OnFailure, RunIf
from tests.support.workflows import graph, node


def faults(*nodes: Node, on_failure: OnFailure = OnFailure.FAIL_FAST) -> list[tuple[str, str]]:
    with pytest.raises(InvalidValueError) as caught:
        Graph(nodes=nodes, on_failure=on_failure)
    return [("/".join(error.path), str(error)) for error in caught.value.each()]


def test_a_diamond_is_accepted_and_ordered():
    diamond = graph(node("d", "b", "c"), node("b", "a"), node("c", "a"), node("a"))
    order = [diamond.nodes[index].key for index in diamond.order()]
    assert order == ["a", "b", "c", "d"]


def test_a_workflow_without_tasks_is_refused():
    assert faults() == [("tasks", "a workflow has 1 to 100 tasks")]


def test_101_tasks_are_refused():
    assert faults(*(node(f"t{number}") for number in range(101)))[0][0] == "tasks"


def test_more_than_500_edges_are_refused():
    roots = [f"r{number}" for number in range(60)]
    nodes = [node(key) for key in roots] + [node(f"t{number}", *roots) for number in range(9)]
    assert MAX_EDGES < 9 * 60
    text = "a workflow has at most 500 edges, and this one has 540: let tasks wait for one that joins"
    assert faults(*nodes) == [("tasks", text)]


def test_key_that_is_unknown_repeated_or_malformed_is_named_with_its_path():
    found = faults(node("a"), node("a"), node("b", "a", "x", "a"), node("-c"))
    assert found == [
        ("tasks/1/key", "the key is already that of tasks/0"),
        ("tasks/3/key", "a key is 1 to 64 letters, digits and . _ - with a letter or digit at its beginning"),
        ("tasks/2/after/1", "no task has the key 'x'"),
        ("tasks/2/after/2", "the key is in this list already"),
    ]


def test_a_cycle_is_named_in_the_order_of_its_tasks():
    [(path, text)] = faults(node("start"), node("c", "b"), node("a", "c", "start"), node("b", "a"))
    assert path == "tasks/2/after"
    assert text == "the tasks form a cycle: a → b → c → a"


def test_a_task_that_waits_for_itself_is_a_cycle():
    assert faults(node("a", "a")) == [("tasks/0/after", "the tasks form a cycle: a → a")]


def test_a_handler_without_predecessors_never_runs():
    assert faults(node("a", run_if=RunIf.ANY_FAILED)) == [
        ("tasks/0/run_if", "any_failed needs a task in after")
    ]


def test_a_task_behind_a_handler_never_runs_under_fail_fast():
    nodes = (node("a"), node("h", "a", run_if=RunIf.ANY_FAILED), node("b", "h"), node("c", "b"))
    assert [path for path, _ in faults(*nodes)] == ["tasks/2/run_if", "tasks/3/run_if"]
    assert Graph(nodes=nodes, on_failure=OnFailure.CONTINUE)


def test_a_task_that_needs_both_a_success_and_its_handler_never_runs():
    nodes = (node("a"), node("h", "a", run_if=RunIf.ANY_FAILED), node("b", "a", "h"))
    assert faults(*nodes, on_failure=OnFailure.CONTINUE) == [
        ("tasks/2/run_if", "it never runs: h runs only if a task fails that must succeed here")
    ]
    either = (node("a"), node("x"), node("h", "a", "x", run_if=RunIf.ANY_FAILED), node("b", "a", "h"))
    assert Graph(nodes=either, on_failure=OnFailure.CONTINUE)
