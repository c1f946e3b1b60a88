"""Graphs, workflows and random graphs for tests."""

from collections.abc import Sequence

from hypothesis import strategies as st

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId, new_one_off_id
from shared.domain.workflows.graph import Graph, Node, OnFailure, RunIf
from shared.domain.workflows.run import Run
from shared.domain.workflows.task_map import TaskMap
from shared.domain.workflows.workflow import Workflow, new_run
from shared.names import Lane

COUNTS = ShardCounts(normal=2, quarter=4, midnight=4)
NOW = 1_790_000_000_000
WORKFLOW_ID = "wfl_10000000000000000000000000000"


def node(
    key: str,
    *after: str,
    run_if: RunIf = RunIf.ALL_SUCCEEDED,
    needs: Sequence[str] = (),
    over: str | None = None,
    path: str = "",
    takes_input: bool = False,
) -> Node:
    """`over`: a map over the result of this task."""
    return Node(
        key=key,
        after=after,
        run_if=run_if,
        needs=tuple(needs),
        map=TaskMap(over=over, path=path) if over is not None else None,
        takes_input=takes_input,
    )


def graph(*nodes: Node, on_failure: OnFailure = OnFailure.FAIL_FAST) -> Graph:
    return Graph(nodes=nodes, on_failure=on_failure)


def workflow_of(
    of: Graph, *, tenant_id: str = "tnt_a", retry: RetryPolicy | None = None, deadline_seconds: int = 3_600
) -> Workflow:
    call = CallSpec(
        lane=Lane.STANDARD, request=b"sealed", retry=retry or RetryPolicy(max_attempts=2), timeout_ms=5_000
    )
    return Workflow(
        id=WORKFLOW_ID,
        tenant_id=tenant_id,
        revision=1,
        created_at=NOW,
        graph=of,
        calls=(call,) * len(of.nodes),
        deadline_seconds=deadline_seconds,
        fingerprint=b"f" * 16,
    )


def run_id(now_ms: int = NOW, entropy: int = 7) -> ExecutionId:
    return new_one_off_id(now_ms, COUNTS, entropy, cell="0")


def run_of(workflow: Workflow, now_ms: int = NOW) -> Run:
    return new_run(workflow, run_id(now_ms), COUNTS, b"r" * 16, now_ms)


@st.composite
def graphs(draw: st.DrawFn, max_tasks: int = 9) -> Graph:
    """Random graphs that validation accepts: each task waits for some of the earlier ones."""
    nodes: list[Node] = []
    on_failure = draw(st.sampled_from(OnFailure))
    for number in range(draw(st.integers(1, max_tasks))):
        keys = [each.key for each in nodes]
        after = draw(st.lists(st.sampled_from(keys), max_size=3, unique=True)) if keys else []
        candidates = [draw(st.sampled_from(RunIf)), RunIf.ALL_SUCCEEDED, RunIf.ALL_ENDED]
        for run_if in candidates:
            added = Node(key=f"t{number}", after=tuple(after), run_if=run_if)
            try:
                Graph(nodes=(*nodes, added), on_failure=on_failure)
            except InvalidValueError:
                continue
            nodes.append(added)
            break
    shuffled = draw(st.permutations(nodes))
    return Graph(nodes=tuple(shuffled), on_failure=on_failure)
