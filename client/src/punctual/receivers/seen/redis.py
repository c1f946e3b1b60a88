"""A store in Redis 6.2 or Valkey, for any number of machines."""

from typing import Any, Protocol

# One script, so that the comparison and the write are one step. An empty text is no entry.
_REPLACE = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EXAT', ARGV[3])
return 1
"""


class RedisClient(Protocol):
    """What the store uses of a client, such as `redis.Redis`. Answers may be bytes or text."""

    def get(self, name: str, /) -> Any: ...

    def eval(self, script: str, numkeys: int, /, *keys_and_args: Any) -> Any: ...


class RedisSeen:
    """Entries are keys below `prefix`, and expire by themselves.

    A server that evicts keys, or fails over to a replica that lags behind, can forget calls: they are then done
    twice at worst. So choose `maxmemory-policy noeviction`.
    """

    def __init__(self, client: RedisClient, *, prefix: str = "punctual:seen:") -> None:
        self._client = client
        self._prefix = prefix

    def get(self, call_id: str) -> str | None:
        found = self._client.get(self._prefix + call_id)
        return found.decode() if isinstance(found, bytes) else found

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        key = self._prefix + call_id
        return bool(self._client.eval(_REPLACE, 1, key, before or "", after, forget_at))
