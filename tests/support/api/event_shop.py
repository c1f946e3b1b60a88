"""A deployment with a recurring job that events start."""

import json
from typing import Any

from shared.domain.bucket import EVERY_SHARD
from tests.support.api.api_world import Answer, ApiWorld
from tests.support.api.job_requests import send
from tests.support.usecases.lanes import Lanes

MINUTE_MS = 60_000
LARGE: dict[str, Any] = {"source": ["shop"], "data": {"amount": [{"numeric": [">=", 100]}]}}
PAID: dict[str, Any] = {
    "source": "shop",
    "type": "order.paid",
    "id": "order-1",
    "data": {"amount": 120, "items": ["a", None]},
}
DAILY: dict[str, Any] = {"schedule": {"rate_seconds": 86_400}}


class Shop:
    """A deployment with a recurring job and the trigger `large`."""

    def __init__(self, **job: Any) -> None:
        self.api = ApiWorld()
        self.job = self.api.create(**DAILY, **job)
        self.lanes = Lanes(self.api.world)
        assert self.put("large").status == 200

    def put(self, name: str, **changes: Any) -> Answer:
        body = {"pattern": LARGE, "job_id": self.job["id"]} | changes
        return send(self.api, "PUT", f"/v1/triggers/{name}", body)

    def send(self, **changes: Any) -> Answer:
        return send(self.api, "POST", "/v1/events", PAID | changes)

    def started(self, **changes: Any) -> dict[str, Any]:
        """The only match of an event."""
        answer = self.send(**changes)
        assert answer.status == 200, answer.text
        (match,) = answer.json["matches"]
        return dict(match)

    def pass_seconds(self, seconds: int) -> None:
        """With a tick of the watcher in each minute."""
        end_ms = self.api.world.clock.time_ms + seconds * 1000
        while (now_ms := self.api.world.clock.time_ms) < end_ms:
            self.api.world.watch.execute(EVERY_SHARD)
            self.lanes.until(min(end_ms, now_ms + MINUTE_MS))

    def bodies(self) -> list[Any]:
        return [json.loads(call.callback.body) for call in self.api.world.sender.calls]
