"""The call of a job: its request, destination and signing secret, its lane, timeout, retries and outcome callbacks."""

from shared.dataclass import dataclass
from shared.domain.delivery.alerts import AlertTarget
from shared.domain.delivery.async_policy import DEFAULT_ASYNC_POLICY, AsyncPolicy
from shared.domain.delivery.call_kind import AuthKind, CallKind
from shared.domain.delivery.destination import UNKNOWN
from shared.domain.delivery.outcome_callbacks import INHERIT, OutcomeCallbacks
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.delivery.trace import Trace
from shared.names import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSpec:
    """A job and all its executions share this value; each attempt is made as it says."""

    lane: Lane
    request: bytes
    """The sealed request; empty where `payload_id` names the item that holds it."""
    payload_id: str | None = None
    destination: str = UNKNOWN
    """The key of the per-destination limits."""
    target: str | None = None
    """The ARN of the target in AWS; None for an HTTP request."""
    auth: AuthKind | None = None
    """How the request authenticates itself. The request has the rest; this keeps older releases from calling
    without it."""
    callbacks: OutcomeCallbacks = INHERIT
    alerts: AlertTarget | None = None
    """The job's own subscription; None inherits the tenant's."""
    retry: RetryPolicy
    timeout_ms: int
    async_policy: AsyncPolicy = DEFAULT_ASYNC_POLICY
    signing_secret: str | None = None
    """The name of the secrets that sign the calls and the outcome callbacks; None for the secrets without a
    name."""
    depth: int = 0
    """How many calls in a row have created the job of the next one, up to this job."""
    trace: Trace | None = None
    """The trace of the client that created the job; None if each execution has a trace of its own."""
    workflow_id: str | None = None
    """The workflow that each execution starts a run of, in place of a call."""
    has_input: bool = False
    """Whether the body of the request is the input of that run."""

    @property
    def kind(self) -> CallKind:
        """What each execution calls, sends to or starts."""
        if self.target is not None:
            return CallKind.TARGET
        return CallKind.REQUEST if self.workflow_id is None else CallKind.WORKFLOW
