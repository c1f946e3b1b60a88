"""Calls of functions of Lambda, whose payload and client context name the execution."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import field
from typing import Any
from urllib.parse import quote

from shared.adapters.aws.client import Params
from shared.adapters.aws.errors import AwsError
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.http_call import HttpCall, error_of
from shared.adapters.aws.services import Endpoint
from shared.adapters.aws.sigv4 import UnsignedRequest, signature_headers
from shared.adapters.http.retry_after import retry_after_seconds
from shared.adapters.targets.answers import RETRY_AFTER, Codes, TargetAnswer, TargetService
from shared.adapters.targets.origin import with_origin
from shared.dataclass import dataclass
from shared.domain.delivery.aws_target import AwsTarget, InvocationType, TargetCall
from shared.domain.delivery.callback import Reason

_TYPES = {InvocationType.EVENT: "Event", InvocationType.REQUEST_RESPONSE: "RequestResponse"}


@dataclass(slots=True)
class InvokeCall(HttpCall):
    """One invocation. The parameters but the payload are in the path and the headers of the request."""

    path: str = "/"
    invocation: Mapping[str, str] | None = field(default=None, repr=False)

    def serialised(self, _: str, params: Params) -> bytes:
        self.path = f"/2015-03-31/functions/{quote(params['FunctionName'], safe='')}/invocations"
        self.invocation = {
            "X-Amz-Invocation-Type": params["InvocationType"],
            "X-Amz-Client-Context": params["ClientContext"],
        }
        payload: bytes = params["Payload"]
        return payload

    async def exchange(self, _: str, body: bytes) -> HttpResponse:
        own = {
            "Content-Type": self.service.content_type,
            "Host": self.endpoint.host,
            **(self.invocation or {}),
        }
        request = UnsignedRequest(method="POST", path=self.path, headers=own, body=body)
        signed = signature_headers(
            request, self.service.name, self.signer.region, self.credentials(), self.now_s()
        )
        return await self.send(self.endpoint, {**own, **signed}, body, self.path)

    def read(self, operation: str, answer: HttpResponse) -> dict[str, Any]:
        if answer.status >= 300:
            error = error_of(answer, _members(answer.body))
            retry_after = retry_after_seconds(answer.headers)
            raise AwsError(operation, {**error, RETRY_AFTER: retry_after}, answer.status)
        return {
            "StatusCode": answer.status,
            "FunctionError": answer.headers.get("x-amz-function-error"),
            "Payload": answer.body,
        }


def _members(body: bytes) -> dict[str, Any]:
    try:
        read = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _message(call: TargetCall, _: Endpoint) -> dict[str, Any]:
    context = json.dumps({"custom": dict(call.attributes)}, separators=(",", ":"))
    return {
        "FunctionName": call.target.arn,
        "InvocationType": _TYPES[call.target.invocation_type or InvocationType.EVENT],
        # Lambda passes it on to functions that are waited for, and to no others.
        "ClientContext": b64encode(context.encode()).decode(),
        "Payload": with_origin(call),
    }


def _statements(target: AwsTarget) -> list[dict[str, Any]]:
    return [{"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": target.arn}]


def _answer(read: Mapping[str, Any]) -> TargetAnswer:
    # Lambda answers 200 to a function that has raised an error or exceeded its time.
    failed = read["FunctionError"] is not None
    return TargetAnswer(
        reason=Reason.FUNCTION_FAILED if failed else Reason.OK,
        status=read["StatusCode"],
        body=read["Payload"],
    )


LAMBDA = TargetService(
    name="lambda",
    operation="Invoke",
    protocol=InvokeCall,
    message=_message,
    statements=_statements,
    codes=Codes(
        not_found={"ResourceNotFoundException"},
        throttled={"EC2ThrottledException"},
        final={
            "InvalidParameterValueException",
            "InvalidRequestContentException",
            "ModeNotSupportedException",
            "RecursiveInvocationException",
            "RequestEntityTooLargeException",
            "RequestTooLargeException",
            "SerializedRequestEntityTooLargeException",
            "UnsupportedMediaTypeException",
        },
    ),
    read=_answer,
)
