"""What routes work with, made once for each process."""

from dataclasses import replace
from functools import cached_property, partial

from functions.api.audit_trail import AuditTrail
from functions.api.http.cursors import Cursors
from functions.api.http.request import AuthenticatedRequest
from shared.bootstrap.ports import Ports
from shared.bootstrap.settings import require
from shared.bootstrap.use_cases import UseCases
from shared.dataclass import dataclass
from shared.domain.delivery.depth import DEPTH_CONTEXT, DEPTH_HEADER, depth_below
from shared.domain.delivery.request import Request
from shared.domain.delivery.trace import TRACEPARENT, Trace, Traceparent, read_traceparent
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.executions.execution import Execution
from shared.domain.jobs.job import Job
from shared.domain.jobs.new_job import NewJob
from shared.domain.tenancy.tenant import Tenant
from shared.settings import ApiSettings


@dataclass(frozen=True)
class Context:
    """The use cases, and what presents and records their results."""

    cases: UseCases

    @property
    def ports(self) -> Ports:
        return self.cases.core.ports

    @cached_property
    def settings(self) -> ApiSettings:
        return require(self.cases.core.settings, ApiSettings)

    @cached_property
    def cursors(self) -> Cursors:
        return Cursors(self.ports.vault)

    @cached_property
    def audit(self) -> AuditTrail:
        return AuditTrail(self.cases.tenancy.record_audit)

    def with_calendar(self, tenant: Tenant, new: NewJob) -> NewJob:
        """The job with the days of the tenant's own calendar, if its schedule names one. InvalidValueError for an
        unknown calendar."""
        try:
            timing = self.cases.core.read_calendar.resolved(tenant.id, new.timing)
        except ScheduleError as error:
            raise InvalidValueError(str(error), path=("schedule", *error.path)) from error
        return new if timing is new.timing else replace(new, timing=timing)

    def now_ms(self) -> int:
        return self.ports.clock.now_ms()

    def depth(self, request: AuthenticatedRequest) -> int:
        """The depth of a job that this request creates; InvalidValueError if it must not create one."""
        make_code = partial(self.ports.vault.code, request.tenant, DEPTH_CONTEXT)
        return depth_below(request.header(DEPTH_HEADER.lower()), make_code)

    def traceparent(self, request: AuthenticatedRequest) -> Traceparent | None:
        """The client's trace and span; None without a valid header."""
        return read_traceparent(request.header(TRACEPARENT))

    def trace(self, request: AuthenticatedRequest) -> Trace | None:
        """The trace of a job that this request creates; None if each execution has one of its own."""
        parent = self.traceparent(request)
        return parent.trace if parent else None

    def open_request(self, tenant: Tenant, job: Execution | Job) -> Request:
        """The stored request of a job or execution, decrypted."""
        return self.cases.core.open_request.described(tenant, job)
