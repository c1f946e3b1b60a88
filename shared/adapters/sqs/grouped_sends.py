"""Group commit of an executor's sends: single messages to one queue go in one request."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from shared.adapters.aws.client import AwsCall, Params
from shared.adapters.group_commit import GroupCommit
from shared.adapters.sqs.wakeup_queue import MAX_ENTRIES
from shared.ports.runtime import Clock

Entry = Mapping[str, Any]


class GroupedSends:
    """Calls of SQS. A message that its group's request did not accept is sent alone."""

    def __init__(self, call: AwsCall, once: AwsCall, clock: Clock, failed: Callable[[str], None]) -> None:
        """`once` makes the requests of groups. It repeats none, since the single sends follow a failure."""
        self._call = call
        self._once = once
        self._clock = clock
        self._failed = failed
        self._groups: dict[str, GroupCommit[object, Entry, Entry]] = {}

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        if operation != "SendMessageBatch" or len(params["Entries"]) != 1:
            return self._call(operation, params)
        queue_url, [entry] = params["QueueUrl"], params["Entries"]
        groups = self._groups.setdefault(
            queue_url, GroupCommit(partial(self._commit, queue_url), MAX_ENTRIES, self._failed)
        )
        began_ms = self._clock.now_ms()
        accepted = groups.join(object(), entry)
        if accepted is None:
            waited_s = max(0, self._clock.now_ms() - began_ms) // 1_000
            left_s = max(0, entry.get("DelaySeconds", 0) - waited_s)
            return self._call(operation, {**params, "Entries": [{**entry, "DelaySeconds": left_s}]})
        return {"Successful": [{**accepted, "Id": entry["Id"]}]}

    def _commit(self, queue_url: str, members: Mapping[object, Entry]) -> dict[object, Entry]:
        entries = [{**entry, "Id": str(number)} for number, entry in enumerate(members.values())]
        answer = self._once("SendMessageBatch", {"QueueUrl": queue_url, "Entries": entries})
        accepted = {each["Id"]: each for each in answer.get("Successful", [])}
        return {key: accepted[str(number)] for number, key in enumerate(members) if str(number) in accepted}
