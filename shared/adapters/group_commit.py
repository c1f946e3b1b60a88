"""Group commit: calls made within a few milliseconds of one another go in one request.

A group only ever saves requests. A member for which the group's answer says nothing certain makes its own call,
so each call keeps its own conditions, retries and errors.
"""

import asyncio
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from typing import Generic, TypeVar

from shared.adapters.greenlets import in_greenlet, may_wait, wait_for
from shared.dataclass import dataclass

K = TypeVar("K", bound=Hashable)
M = TypeVar("M")
R = TypeVar("R")

GATHER_SECONDS = 0.005
"""The longest that a call waits for others."""
ANSWER_SECONDS = 1.0
"""Without an answer within this time, each member of a group makes its own call."""
COOLDOWN_SECONDS = 5.0
"""No group is formed for this long after one failed: groups that fail make each call twice."""


@dataclass(slots=True)
class _Group(Generic[K, M, R]):
    members: dict[K, M] = field(default_factory=dict)
    answers: list[tuple[K, asyncio.Future[R | None]]] = field(default_factory=list)
    full: asyncio.Event = field(default_factory=asyncio.Event)

    def has_other(self, key: K, member: M) -> bool:
        """Whether the key stands for another call."""
        return self.members.get(key, member) is not member


class GroupCommit(Generic[K, M, R]):
    """Groups the calls of one event loop; `commit` makes the request of a group, and returns what it answered.

    A key is in a group at most once; calls with the same member share it. Every member waits for its group: no
    request goes on after the handlers of its members have returned. `failed` is told why a request failed as a
    whole.
    """

    def __init__(
        self, commit: Callable[[Mapping[K, M]], Mapping[K, R]], size: int, failed: Callable[[str], None]
    ) -> None:
        self._commit = commit
        self._size = size
        self._failed = failed
        self._open: tuple[_Group[K, M, R], asyncio.Task[None]] | None = None
        self._cool_from = -COOLDOWN_SECONDS

    def join(self, key: K, member: M) -> R | None:
        """The group's answer for this member. None: make the call alone, for it may have happened or not."""
        return wait_for(self._joined(key, member)) if may_wait() else None

    async def _joined(self, key: K, member: M) -> R | None:
        loop = asyncio.get_running_loop()
        if loop.time() < self._cool_from + COOLDOWN_SECONDS:
            return None
        # A group of another loop would send this member, and could not tell it.
        if self._open is None or self._open[1].get_loop() is not loop or self._open[0].has_other(key, member):
            new = _Group[K, M, R]()
            self._open = new, asyncio.create_task(self._settle(new))
        group, settled = self._open
        group.members[key] = member
        answer: asyncio.Future[R | None] = loop.create_future()
        group.answers.append((key, answer))
        if len(group.members) == self._size:
            self._close(group)
            group.full.set()
        try:
            return await answer
        except asyncio.CancelledError:
            # The others go on where one member is cancelled.
            if all(each.cancelled() for _, each in group.answers):
                self._close(group)
                settled.cancel()
            raise

    def _close(self, group: _Group[K, M, R]) -> None:
        if self._open is not None and self._open[0] is group:
            self._open = None

    async def _settle(self, group: _Group[K, M, R]) -> None:
        answers: Mapping[K, R] = {}
        try:
            answers = await self._answers(group)
        finally:
            for key, answer in group.answers:
                if not answer.done():
                    answer.set_result(answers.get(key))

    async def _answers(self, group: _Group[K, M, R]) -> Mapping[K, R]:
        timer = asyncio.get_running_loop().call_later(GATHER_SECONDS, group.full.set)
        await group.full.wait()
        timer.cancel()
        self._close(group)
        if len(group.answers) == 1:
            return {}
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await in_greenlet(self._commit, group.members)
        except Exception as error:  # noqa: BLE001 - whatever failed, each member makes its own call
            self._cool_from = asyncio.get_running_loop().time()
            self._failed(getattr(error, "code", type(error).__name__))
            return {}
