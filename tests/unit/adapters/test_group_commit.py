"""Group commit: which calls share a request, and what each member learns."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import pytest

from shared.adapters import group_commit
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.greenlets import in_greenlet, run, wait_for
from shared.adapters.group_commit import GroupCommit

Commit = Callable[[Mapping[str, int]], Mapping[str, int]]
FOREVER = 3_600.0


class Requests:
    """Answers each member with its double, once `gate` is open."""

    def __init__(self) -> None:
        self.made: list[dict[str, int]] = []
        self.ended = 0
        self.gate = asyncio.Event()
        self.gate.set()

    def commit(self, members: Mapping[str, int]) -> dict[str, int]:
        self.made.append(dict(members))
        wait_for(self.gate.wait())
        self.ended += 1
        return {key: 2 * member for key, member in members.items()}


def ignored(fault: str) -> None:
    """For tests that look at no failure."""


def made(
    commit: Commit, size: int = 25, failed: Callable[[str], None] = ignored
) -> GroupCommit[str, int, int]:
    return GroupCommit(commit, size, failed)


def joined(groups: GroupCommit[str, int, int], **members: int) -> list[int | None]:
    """The answers of members that join at the same time."""

    async def all_of_them() -> list[int | None]:
        return await asyncio.gather(*(in_greenlet(groups.join, *member) for member in members.items()))

    return run(all_of_them())


def test_members_of_one_moment_share_a_request_and_get_their_own_answers() -> None:
    requests = Requests()
    assert joined(made(requests.commit), a=1, b=2, c=3) == [2, 4, 6]
    assert requests.made == [{"a": 1, "b": 2, "c": 3}]


def test_a_full_group_goes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "GATHER_SECONDS", FOREVER)
    requests = Requests()
    assert joined(made(requests.commit, 2), a=1, b=2, c=3, d=4) == [2, 4, 6, 8]
    assert requests.made == [{"a": 1, "b": 2}, {"c": 3, "d": 4}]


def test_a_key_is_in_a_group_once() -> None:
    requests = Requests()
    groups = made(requests.commit)

    async def same_key() -> list[int | None]:
        members = (("a", 1), ("b", 2), ("a", 3), ("c", 4))
        return await asyncio.gather(*(in_greenlet(groups.join, *member) for member in members))

    assert run(same_key()) == [2, 4, 6, 8]
    assert requests.made == [{"a": 1, "b": 2}, {"a": 3, "c": 4}]


def test_a_member_without_company_makes_its_own_call() -> None:
    requests = Requests()
    assert joined(made(requests.commit), a=1) == [None]
    assert requests.made == []


def test_blocking_callers_without_a_loop_form_no_group() -> None:
    requests = Requests()
    assert made(requests.commit, 1).join("a", 1) is None
    assert requests.made == []


def test_no_member_goes_on_before_its_group_has_its_answer() -> None:
    requests = Requests()
    groups = made(requests.commit, 2)

    async def held() -> tuple[bool, list[int | None]]:
        requests.gate.clear()
        members = asyncio.gather(in_greenlet(groups.join, "a", 1), in_greenlet(groups.join, "b", 2))
        while not requests.made:
            await asyncio.sleep(0)
        went_on = members.done()
        requests.gate.set()
        return went_on, list(await members)

    assert run(held()) == (False, [2, 4])
    assert requests.ended == 1


@pytest.mark.parametrize("error", [NoAnswerError("lost"), ValueError("a bug")])
def test_after_a_failed_request_each_member_makes_its_own_call(error: Exception) -> None:
    def fail(members: Mapping[str, int]) -> dict[str, int]:
        raise error

    assert joined(made(fail), a=1, b=2) == [None, None]


def test_members_that_the_answer_leaves_out_make_their_own_calls() -> None:
    assert joined(made(lambda members: {"b": 7}), a=1, b=2) == [None, 7]


def test_without_an_answer_in_time_the_request_is_cancelled_and_each_member_makes_its_own_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_commit, "ANSWER_SECONDS", 0.001)
    ends: list[str] = []

    def hang(members: Mapping[str, int]) -> dict[str, int]:
        try:
            wait_for(asyncio.sleep(3))
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise
        return {}

    assert joined(made(hang), a=1, b=2) == [None, None]
    assert ends == ["cancelled"]


def test_a_cancelled_member_takes_no_answer_from_the_others() -> None:
    requests = Requests()
    groups = made(requests.commit)

    async def cancelled() -> int | None:
        requests.gate.clear()
        first = asyncio.create_task(in_greenlet(groups.join, "a", 1))
        second = asyncio.create_task(in_greenlet(groups.join, "b", 2))
        while not requests.made:
            await asyncio.sleep(0.001)
        first.cancel()
        await _ended(first)
        requests.gate.set()
        return await second

    assert run(cancelled()) == 4


async def _ended(task: Awaitable[object]) -> None:
    with pytest.raises(asyncio.CancelledError):
        await task


def test_after_a_failed_request_no_group_is_formed_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[int] = []
    faults: list[str] = []

    def fail(members: Mapping[str, int]) -> dict[str, int]:
        requests.append(len(members))
        raise AwsError("BatchExecuteStatement", {"Error": {"Code": "ThrottlingException"}})

    groups = made(fail, failed=faults.append)
    assert [joined(groups, a=1, b=2) for _ in range(3)] == [[None, None]] * 3
    assert (requests, faults) == ([2], ["ThrottlingException"])
    monkeypatch.setattr(group_commit, "COOLDOWN_SECONDS", 0.0)
    joined(groups, a=1, b=2, c=3)
    assert (requests, faults) == ([2, 3], ["ThrottlingException"] * 2)


def test_late_answer_is_reported_as_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "ANSWER_SECONDS", 0.001)
    faults: list[str] = []

    def hang(members: Mapping[str, int]) -> dict[str, int]:
        wait_for(asyncio.sleep(3))
        return {}

    assert joined(made(hang, failed=faults.append), a=1, b=2) == [None, None]
    assert faults == ["TimeoutError"]


def test_request_of_a_group_ends_with_its_last_member() -> None:
    requests = Requests()
    groups = made(requests.commit)

    async def cancelled() -> list[int | None]:
        members = [asyncio.create_task(in_greenlet(groups.join, key, 1)) for key in "ab"]
        await asyncio.sleep(0)
        for member in members:
            member.cancel()
            await _ended(member)
        later = await asyncio.gather(in_greenlet(groups.join, "c", 3), in_greenlet(groups.join, "d", 4))
        return list(later)

    assert run(cancelled()) == [6, 8]
    assert requests.made == [{"c": 3, "d": 4}]


def test_members_of_another_event_loop_form_a_group_of_their_own() -> None:
    requests = Requests()
    groups = made(requests.commit)

    async def begun() -> None:
        members = [asyncio.create_task(in_greenlet(groups.join, key, 1)) for key in "ab"]
        await asyncio.sleep(0)
        assert not any(member.done() for member in members)

    stalled = asyncio.new_event_loop()
    stalled.run_until_complete(begun())
    try:
        assert joined(groups, c=3, d=4) == [6, 8]
        assert requests.made == [{"c": 3, "d": 4}]
    finally:
        for task in asyncio.all_tasks(stalled):
            task.cancel()
        stalled.run_until_complete(asyncio.sleep(0.01))
        stalled.close()
