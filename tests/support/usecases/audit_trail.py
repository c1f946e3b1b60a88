"""A stage with an audit trail over the fakes: records, ticks of the auditor, and the operators' verification."""

from dataclasses import fields, replace
from typing import Any

from shared.bootstrap.use_cases import UseCases, use_cases
from shared.domain.audit_trail.progress import HOUR_MS
from shared.domain.audit_trail.segment import Segment, read_segment
from shared.domain.tenancy.audit import Actor, AuditRecord
from shared.settings import ApiSettings, AuditorSettings
from shared.usecases.audit_trail.export_audit import ExportReport
from shared.usecases.audit_trail.verify_trail import TrailVerdict
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, api_key, tenant
from tests.support.fakes.audit_trail import LOCK_DAYS
from tests.support.settings import settings_of
from tests.support.usecases.ports import FakePorts

START_MS = DUE_AT - DUE_AT % HOUR_MS
OTHER = "other"


def record(number: int, at: int = START_MS, **overrides: Any) -> AuditRecord:
    """A record of its own."""
    plain = AuditRecord(
        id=f"aud_{number:016d}",
        tenant_id=TENANT,
        at=at,
        actor=Actor(tenant_id=TENANT, key_id="k" * 16),
        operation="revokeKey",
        target="key",
        before="b" * 64,
        after="a" * 64,
        request_id=f"request-{number}",
    )
    return replace(plain, **overrides)


def auditor_settings(plain: ApiSettings) -> AuditorSettings:
    """The settings of the auditor of a stage."""
    own: dict[str, Any] = {each.name: getattr(plain, each.name, None) for each in fields(AuditorSettings)}
    return AuditorSettings(**(own | {"audit_bucket": "audit-trail", "audit_lock_days": LOCK_DAYS}))


def auditor(fakes: FakePorts, ports: Any) -> UseCases:
    """The use cases of an auditor with these ports."""
    return use_cases(ports, auditor_settings(settings_of(fakes.plan, fakes.retention)))


def operator(fakes: FakePorts) -> UseCases:
    """The use cases of the operators' command line."""
    return use_cases(fakes.ports(), settings_of(fakes.plan, fakes.retention))


class TrailWorld:
    def __init__(self, now_ms: int = START_MS) -> None:
        self.fakes = FakePorts(now_ms)
        for number, name in enumerate((TENANT, OTHER)):
            self.fakes.tenants.create(tenant(id=name), api_key(number, tenant_id=name))

    def append(self, *records: AuditRecord) -> None:
        for each in records:
            self.fakes.audit_log.append(each, EXPIRES_AT_S)

    def tick(self, at: int) -> ExportReport:
        self.fakes.clock.time_ms = at
        return auditor(self.fakes, self.fakes.ports()).audit_trail.export.execute()

    def verify(self, from_at: int = 0, until_at: int | None = None) -> TrailVerdict:
        until_at = self.fakes.clock.time_ms if until_at is None else until_at
        return operator(self.fakes).audit_trail.verify.execute(from_at, until_at)

    def segments(self) -> list[Segment]:
        return list(map(read_segment, self.fakes.trail_segments.contents()))

    def exported(self) -> list[AuditRecord]:
        """The records of all segments, in their order."""
        return [each for segment in self.segments() for each in segment.records]
