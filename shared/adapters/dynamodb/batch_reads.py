"""BatchGetItem, with another request for the keys that DynamoDB left unprocessed.

Keys stay unprocessed under throttling, and also where an answer exceeds 16 MB, or 1 MB of one partition.
"""

from collections.abc import Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.attributes import Item
from shared.adapters.dynamodb.codec.errors import translated
from shared.dataclass import dataclass
from shared.domain.backoff import retry_pause_ms
from shared.domain.errors import ThrottledError, UnavailableError
from shared.ports.runtime import Entropy, Pause

TRIES = 5


@dataclass(frozen=True, slots=True)
class Backoff:
    """Blocks the calling thread for 20 to 200 ms before a request is sent again."""

    pause: Pause
    entropy: Entropy

    def wait(self) -> None:
        self.pause(retry_pause_ms(self.entropy.draw()))


@dataclass(frozen=True, slots=True)
class BatchReads:
    """Reads of at most 100 distinct keys of one table; `is_strong` chooses consistent reads."""

    client: AwsClient
    table: str
    backoff: Backoff
    is_strong: bool = True
    attributes: Sequence[str] = ()
    """The attributes to return; all if empty."""

    def read_all(self, keys: Sequence[Item], tries: int = TRIES) -> list[Item]:
        """The items in any order; UnavailableError if a key stays unprocessed."""
        items, unprocessed = self.read(keys, tries)
        if unprocessed:
            raise UnavailableError("BatchGetItem left keys unprocessed")
        return items

    def read(self, keys: Sequence[Item], tries: int = TRIES) -> tuple[list[Item], list[Item]]:
        """The items in any order, and the keys that stay unprocessed after these tries.

        ThrottledError if the first request is throttled as a whole.
        """
        items: list[Item] = []
        left: Any = list(keys)
        for number in range(tries):
            if not left:
                break
            if number:
                self.backoff.wait()
            criteria: Any = {"Keys": left}
            if self.is_strong:
                criteria["ConsistentRead"] = True
            if self.attributes:
                criteria["ProjectionExpression"] = ", ".join(f"#{name}" for name in self.attributes)
                criteria["ExpressionAttributeNames"] = {f"#{name}": name for name in self.attributes}
            try:
                with translated():
                    answer = self.client.batch_get_item(RequestItems={self.table: criteria})
            except ThrottledError:
                # DynamoDB raises it where it can process no key, as when only hot keys are left.
                if not number:
                    raise
                continue
            found: Any = answer["Responses"].get(self.table, [])
            items += found
            unprocessed: dict[str, Any] = dict(answer.get("UnprocessedKeys", {}))
            left = unprocessed.get(self.table, {}).get("Keys", [])
        return items, left
