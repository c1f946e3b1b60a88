"""Who changed what: written by every operation that changes something, and shown."""

from dataclasses import asdict, dataclass

import orjson
from pydantic import BaseModel

from functions.api.cursors import seal_cursor, unseal_cursor
from functions.api.gate import Admitted
from functions.api.models.audit import AuditPageOut, AuditRecordOut
from functions.api.models.jobs import JobOut
from functions.api.problems import Problem, ProblemError
from shared.domain.errors import UnavailableError
from shared.domain.schedules.schedule import format_instant
from shared.domain.tenancy.audit import Actor, AuditRecord, digest
from shared.domain.tenancy.tenant import OPERATOR, Tenant
from shared.names import ACCEPTED_LOG_LINE, Metric
from shared.observability import count, logger
from shared.ports.delivery import Vault
from shared.ports.tenancy import AuditLog
from shared.usecases.tenancy.record_audit import RecordAudit

FAILED_LOG_LINE = "change made but not recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who makes a change, and in which request."""

    actor: Actor
    request_id: str


def author_of(admitted: Admitted) -> Author:
    """The key of a request."""
    principal = admitted.principal
    if principal is None:
        raise ProblemError(Problem.UNAUTHENTICATED, "an API key is required")
    return Author(
        actor=Actor(tenant_id=principal.tenant.id, key_id=principal.key.id), request_id=admitted.request_id
    )


@dataclass(frozen=True, slots=True)
class AuditOperations:
    """A change is recorded when it has taken effect, and acknowledged when it is recorded."""

    record_audit: RecordAudit
    log: AuditLog
    vault: Vault
    one_offs: bool
    """Whether the creation of one-off jobs is recorded in the table too, and not in the API's log alone."""

    def record(
        self,
        admitted: Admitted,
        operation: str,
        target: str,
        before: BaseModel | None,
        after: BaseModel | None,
    ) -> None:
        """Record a change of something that the request's own tenant owns. Routes call this last before they answer.

        `before` and `after` are what the API shows of it; None where there is nothing. UnavailableError where the
        record may not be durable: the request is then answered 503 and has to be sent again.
        """
        author = author_of(admitted)
        self.write(author, author.actor.tenant_id, operation, target, before, after)

    def write(
        self,
        author: Author,
        tenant_id: str,
        operation: str,
        target: str,
        before: BaseModel | None,
        after: BaseModel | None,
    ) -> None:
        """Record a change of something that any tenant owns."""
        digests = _digest(before), _digest(after)
        try:
            self.record_audit.execute(
                author.actor,
                tenant_id,
                operation=operation,
                target=target,
                before=digests[0],
                after=digests[1],
                request_id=author.request_id,
            )
        except UnavailableError:
            count(Metric.AUDIT_FAILED)
            logger.error(
                FAILED_LOG_LINE,
                extra={"tenant": tenant_id, "operation": operation, "target": target}
                | {"before": digests[0], "after": digests[1], "request_id": author.request_id}
                | {"actor": asdict(author.actor)},
            )
            raise

    def accepted(self, admitted: Admitted, job: JobOut, *, replayed: bool) -> None:
        """Record a job that was created: a line in the API's log always, in the table unless it is a one-off.

        A backfill is on record as done to its job.

        One-off jobs come by the hundred million, and the log of the API is append-only as well; the deployment's
        `audit_one_offs` puts them into the table too.
        """
        before = job if replayed else None
        if job.backfill is not None:
            self.record(admitted, "backfillJob", job.backfill.of, before, job)
        elif job.kind != "once" or self.one_offs:
            self.record(admitted, "createJob", job.id, before, job)
        author = author_of(admitted)
        logger.info(
            ACCEPTED_LOG_LINE,
            extra={
                "tenant": author.actor.tenant_id,
                "job": job.id,
                "key": author.actor.key_id,
                "request_id": author.request_id,
                "after": _digest(job),
            },
        )

    def page(
        self,
        reader: Tenant,
        tenant_id: str,
        *,
        from_at: int,
        until_at: int,
        target: str | None,
        limit: int,
        cursor: str | None,
    ) -> AuditPageOut:
        """Records of a tenant; the cursor is the reader's."""
        question = f"audit|{tenant_id}|{from_at}|{until_at}|{target or ''}"
        after = None if cursor is None else unseal_cursor(self.vault, reader, question, cursor)
        page = self.log.page(
            tenant_id, from_at=from_at, until_at=until_at, target=target, limit=limit, after=after
        )
        records = [_shown(record, reader) for record in page.records]
        more = None if page.next_after is None else seal_cursor(self.vault, reader, question, page.next_after)
        return AuditPageOut(records=records, next_cursor=more)


def _shown(record: AuditRecord, reader: Tenant) -> AuditRecordOut:
    by_operator = record.actor.tenant_id == OPERATOR
    return AuditRecordOut(
        id=record.id,
        at=format_instant(record.at),
        actor="operator" if by_operator else "tenant",
        key_id=None if by_operator and reader.id != OPERATOR else record.actor.key_id,
        operation=record.operation,
        target=record.target,
        before=record.before,
        after=record.after,
        request_id=record.request_id,
    )


def _digest(document: BaseModel | None) -> str | None:
    if document is None:
        return None
    plain = document.model_dump(mode="json", by_alias=True)
    return digest(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS))
