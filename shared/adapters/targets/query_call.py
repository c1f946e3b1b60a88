"""Calls of AWS's query services, such as SNS and STS: forms that are answered in XML."""

import html
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from shared.adapters.aws.client import Params
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.http_call import HttpCall
from shared.dataclass import dataclass

_ELEMENT = r"<{0}>([^<]*)</{0}>"


@dataclass(slots=True)
class QueryCall(HttpCall):
    """Its answers are `{"text": ...}`, the XML as it is."""

    def serialised(self, operation: str, params: Params) -> bytes:
        return urlencode({"Action": operation, **params}).encode()

    async def exchange(self, _: str, body: bytes) -> HttpResponse:
        headers = self.signer.headers("", body, self.credentials(), self.now_s())
        return await self.send(self.endpoint, headers, body)

    def read(self, operation: str, answer: HttpResponse) -> dict[str, Any]:
        text = answer.body.decode(errors="replace")
        if answer.status != 200:
            raise AwsError(operation, {"Error": query_error(text, answer.status)}, answer.status)
        if f"<{operation}Response" not in text:
            raise NoAnswerError("the answer is none of the operation")
        return {"text": text}


def element(text: str, name: str) -> str:
    """The text of the first element with this name; empty if there is none."""
    match = re.search(_ELEMENT.format(name), text)
    return html.unescape(match[1]).strip() if match else ""


def query_error(text: str, status: int) -> Mapping[str, str]:
    return {"Code": element(text, "Code") or str(status), "Message": element(text, "Message")}
