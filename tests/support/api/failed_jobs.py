"""A deployment with dead letters."""

from typing import Any

from shared.domain.delivery.callback import CallbackResponse as Reply
from shared.domain.delivery.callback import Reason
from tests.support.api.api_world import ApiWorld
from tests.support.usecases.lanes import Lanes

SECRET = "s3cret-of-the-receiver"
FAILING = Reply(reason=Reason.HTTP_STATUS, duration_ms=5, status=410, body=b"gone for good")


def failed_jobs(count: int = 1, **fields: Any) -> tuple[ApiWorld, list[Any]]:
    """A deployment in which some jobs have failed, oldest first."""
    world = ApiWorld()
    world.world.sender.answer_to = lambda _: FAILING
    request = {"url": "https://receiver.example/hook", "headers": {"X-Key": SECRET}, "json": {"pin": SECRET}}
    for number in range(count):
        world.create(schedule={"delay_seconds": number % 20}, request=request, **fields)
    Lanes(world.world).until(world.world.clock.time_ms + 30_000)
    world.world.sender.answer_to = lambda _: Reply(reason=Reason.OK, duration_ms=5, status=200)
    listed = world.get("/v1/dead-letters", limit="100").json["executions"]
    assert len(listed) == count
    return world, listed[::-1]
