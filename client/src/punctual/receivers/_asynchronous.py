"""`Receiver.handle` for coroutines, in any event loop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from punctual.receivers.errors import CallFailedError
from punctual.receivers.received import ReceivedCall
from punctual.receivers.receiver import release, settle
from punctual.receivers.replies import Reply, failed

T = TypeVar("T")


async def handle_async(
    call: ReceivedCall,
    handler: Callable[[], Awaitable[T]],
    status_of: Callable[[T], int],
    in_thread: Callable[..., Awaitable[Any]],
    body_of: Callable[[T], bytes] | None = None,
) -> T | Reply:
    """Run the handler of an admitted call, and record the end of its work.

    `in_thread(function, *arguments)` runs a function of the store, which blocks.
    """
    try:
        made = await handler()
    except CallFailedError as error:
        await in_thread(release, call)
        return failed(error)
    except Exception:
        await in_thread(release, call)
        raise
    except BaseException:
        # A cancelled task may not wait any more.
        threading.Thread(target=release, args=(call,)).start()
        raise
    await in_thread(settle, call, made, status_of, body_of)
    return made
