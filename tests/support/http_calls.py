"""Steps between the product's AWS clients and their transport, for a whole process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from shared.adapters.aws.http_call import HttpCall

Parsed = dict[str, Any]
Call = Callable[[Parsed], Parsed]
Step = Callable[[str, str, Parsed, Call], Parsed]
"""Of service, operation and parameters, and a function that makes the call with parameters."""


@contextmanager
def around_http_calls(step: Step) -> Iterator[None]:
    """Every call of AWS that this process makes while the context is open takes this step."""
    original = HttpCall.__call__

    def call(self: HttpCall, operation: str, params: Parsed) -> Parsed:
        return step(
            self.service.name, operation, dict(params), lambda given: original(self, operation, given)
        )

    with patch.object(HttpCall, "__call__", call):
        yield
