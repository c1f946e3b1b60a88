"""Sends to targets in AWS, each with the credentials of its tenant's role.

One attempt is one message at most: only a request that was refused for its signature is signed anew, once.
"""

import asyncio
from dataclasses import field

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.retries import EXPIRED
from shared.adapters.aws.sender import Limits, Send
from shared.adapters.clock import steady_seconds
from shared.adapters.targets.answers import RETRY_AFTER, TargetAnswer
from shared.adapters.targets.eventbridge import EVENTBRIDGE
from shared.adapters.targets.functions import LAMBDA
from shared.adapters.targets.role_credentials import DENIED_MS, RoleCredentials, SessionRefusedError
from shared.adapters.targets.sns import SNS
from shared.adapters.targets.sqs import SQS
from shared.adapters.targets.step_functions import STEP_FUNCTIONS
from shared.dataclass import dataclass
from shared.domain.delivery.aws_target import TargetCall, TargetKind, split_arn
from shared.domain.delivery.callback import STORED_BODY_BYTES, CallbackResponse, Reason
from shared.domain.dispatch.wakeup import MAX_KEYS
from shared.names import EXECUTOR_BATCH
from shared.ports.runtime import Clock, Entropy

AT_ONCE = EXECUTOR_BATCH * MAX_KEYS
"""Calls of targets that run side by side in a process: a whole batch, so that no tenant waits for the slow calls of
another one."""
LIMITS = Limits(in_use=AT_ONCE + 16, open=128)
"""The connections, with some for calls of STS whose callers have given up. All AWS clients have 256 descriptors."""
KEPT_BYTES = 16 * 1024
"""Kept of each answer: more than a result, an error or a session has. A function may answer with 6 MB."""
_PAST_ITS_END = frozenset({"ExpiredToken", "ExpiredTokenException"})
"""Punctual's cache or clock has used a session for too long: one that is revoked is denied instead."""
SERVICES = {
    TargetKind.SQS: SQS,
    TargetKind.LAMBDA: LAMBDA,
    TargetKind.SNS: SNS,
    TargetKind.EVENTBRIDGE: EVENTBRIDGE,
    TargetKind.STEP_FUNCTIONS: STEP_FUNCTIONS,
}


@dataclass(slots=True)
class AwsTargetSender:
    """Shares no credentials, and no rights, with the executor's own calls of AWS but for AssumeRole."""

    roles: RoleCredentials
    allowed_roles: str | None
    """The pattern of the roles that the executor may assume; None for none."""
    send_request: Send
    clock: Clock
    entropy: Entropy
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def send(self, call: TargetCall, *, timeout_seconds: float) -> CallbackResponse:
        began = steady_seconds()
        reason, status, body, retry_after = Reason.UNAVAILABLE, None, b"", None
        try:
            async with asyncio.timeout(timeout_seconds), self._places:
                statements = SERVICES[call.target.kind].statements(call.target)
                credentials = await self.roles.session(call, statements, self.allowed_roles)
                # From here on the message may have arrived.
                reason = Reason.TIMEOUT
                answer = await self._sent(call, credentials)
                reason, body = answer.reason, answer.body
                status, retry_after = answer.status or None, answer.retry_after_seconds
        except SessionRefusedError as error:
            reason = error.reason
        except TimeoutError:
            pass
        duration_ms = int((steady_seconds() - began) * 1000)
        kept = call.kept_bytes if reason is Reason.OK else STORED_BODY_BYTES
        return CallbackResponse(
            reason=reason,
            duration_ms=duration_ms,
            status=status,
            retry_after_seconds=retry_after,
            body=body[:kept],
        )

    async def _sent(self, call: TargetCall, credentials: Credentials) -> TargetAnswer:
        """The answer; its status is 0 if there was none, or if it is none of the target's own."""
        region, kind = split_arn(call.target.arn).region, SERVICES[call.target.kind]
        service = kind.protocol.to(
            kind.name, region, self.send_request, lambda: credentials, self.clock, self.entropy
        )
        # A try whose answer is lost may have had its effect: the job's own policy decides on another one.
        service.repeats = False
        try:
            return kind.read(await service.call(kind.operation, kind.message(call, service.endpoint)))
        except AwsError as error:
            return self._refused(call, error)
        except (NoAnswerError, OSError):
            return TargetAnswer(reason=Reason.CONNECT_FAILED, status=0)

    def _refused(self, call: TargetCall, error: AwsError) -> TargetAnswer:
        if error.code in EXPIRED:
            self.roles.forget(call)
            if error.code in _PAST_ITS_END:
                return TargetAnswer(reason=Reason.UNAVAILABLE, status=0)
            # Such as in an account that has not enabled the region.
            return TargetAnswer(reason=Reason.ROLE_REFUSED, status=error.status)
        reason = SERVICES[call.target.kind].codes.reason(error.code, error.status)
        if reason is Reason.OK:
            return TargetAnswer()
        if reason is Reason.TARGET_ACCESS_DENIED:
            # A revoked session is denied everything by a policy that says how old it is.
            self.roles.forget(call, older_than_ms=DENIED_MS)
        return TargetAnswer(
            reason=reason,
            status=0 if reason is Reason.UNAVAILABLE else error.status,
            retry_after_seconds=error.response.get(RETRY_AFTER),
        )
