"""Steps between the product's AWS clients and their transport, for a whole process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from shared.adapters.aws.boto_call import BotoCall
from shared.adapters.aws.http_call import HttpCall

Parsed = dict[str, Any]
Call = Callable[[Parsed], Parsed]
Step = Callable[[str, str, Parsed, Call], Parsed]
"""Of service, operation and parameters, and a function that makes the call with parameters."""


@contextmanager
def around_aws_calls(step: Step) -> Iterator[None]:
    """Every call of AWS that this process makes while the context is open takes this step, over both transports."""
    http, sdk = HttpCall.__call__, BotoCall.__call__

    def by_http(self: HttpCall, operation: str, params: Parsed) -> Parsed:
        return step(self.service.name, operation, dict(params), lambda given: http(self, operation, given))

    def by_sdk(self: BotoCall, operation: str, params: Parsed) -> Parsed:
        service = self.client.meta.service_model.service_name
        return step(service, operation, dict(params), lambda given: sdk(self, operation, given))

    with patch.object(HttpCall, "__call__", by_http), patch.object(BotoCall, "__call__", by_sdk):
        yield
