"""Group commit over real engines: a group of outcomes and successors, and one whose answer is lost."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from shared.adapters import group_commit
from shared.adapters.aws.client import AwsCall, AwsClient
from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.executions.grouped_writes import GroupedWrites
from shared.adapters.greenlets import in_greenlet, run
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State, Transition
from shared.ports.executions import Finish
from tests.support.builders import DUE_AT, EXPIRES_AT_S, in_state, occurrence, one_off, with_changes
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.fakes.clock import SeededEntropy

SUCCEEDED = Finish(transition=Transition.SUCCEED, outcomes=(), expires_at_s=EXPIRES_AT_S)


class Requests:
    """Counts the requests that pass; with `loses`, the answers of groups are lost after they took effect."""

    def __init__(self, call: AwsCall, *, loses: bool) -> None:
        self.made: list[str] = []
        self._call = call
        self._loses = loses

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self.made.append(operation)
        answer = self._call(operation, params)
        if self._loses and operation == "BatchExecuteStatement":
            raise NoAnswerError("lost")
        return answer


@pytest.mark.parametrize("loses", [False, True], ids=["answered", "answer lost"])
def test_group_of_outcomes_and_successors_tells_each_member_what_its_own_call_would(
    engine_lab: DynamoLab, monkeypatch: pytest.MonkeyPatch, *, loses: bool
) -> None:
    """One outcome is fenced, and one successor exists: neither keeps the others from being written."""
    monkeypatch.setattr(group_commit, "GATHER_SECONDS", 0.5)
    monkeypatch.setattr(group_commit, "ANSWER_SECONDS", 60)
    runs = [in_state(one_off(number), State.RUNNING) for number in range(3)]
    fenced = with_changes(runs[2], owner="another worker")
    existing, new = occurrence(), occurrence(nominal_at=DUE_AT + 60_000)
    for standing in (*runs[:2], fenced, existing):
        engine_lab.executions.put_if_absent(standing)
    requests = Requests(engine_lab.client.call, loses=loses)
    grouped = GroupedWrites(requests, requests, engine_lab.names.executions, lambda fault: None)
    store = DynamoExecutionStore(
        AwsClient(grouped),
        engine_lab.names.executions,
        REGION,
        Backoff(lambda duration_ms: None, SeededEntropy()),
    )

    async def side_by_side() -> list[Execution | None]:
        outcomes = [in_greenlet(store.finish, each, SUCCEEDED) for each in runs]
        successors = [in_greenlet(store.put_if_absent, each) for each in (existing, new)]
        return list(await asyncio.gather(*outcomes, *successors))

    first, second, refused, found, filed = run(side_by_side())
    assert requests.made[0] == "BatchExecuteStatement"
    assert (refused, found) == (fenced, existing)
    assert engine_lab.executions.get(new.id) == new
    assert [engine_lab.executions.get(each.id).state for each in runs[:2]] == [State.SUCCEEDED] * 2  # type: ignore[union-attr]
    assert engine_lab.executions.get(fenced.id) == fenced
    if not loses:
        assert (first, second, filed) == (None, None, None)
        assert requests.made[1:] == ["GetItem"]
