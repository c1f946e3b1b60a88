"""All use cases of one process, in groups that are imported on first access."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.core import CoreUseCases
from shared.bootstrap.marked_ports import marked
from shared.dataclass import dataclass

if TYPE_CHECKING:
    from shared.bootstrap.archive import ArchiveUseCases
    from shared.bootstrap.attempts import AttemptUseCases
    from shared.bootstrap.audit_trail import AuditTrailUseCases
    from shared.bootstrap.bulk import BulkUseCases
    from shared.bootstrap.canary import CanaryUseCases
    from shared.bootstrap.dead_letters import DeadLetterUseCases
    from shared.bootstrap.jobs import JobUseCases
    from shared.bootstrap.listings import ListingUseCases
    from shared.bootstrap.ports import Ports
    from shared.bootstrap.searches import SearchUseCases
    from shared.bootstrap.tenancy import TenancyUseCases
    from shared.bootstrap.ticks import TickUseCases
    from shared.bootstrap.triggers import TriggerUseCases
    from shared.bootstrap.workflows import WorkflowUseCases
    from shared.settings import Settings


@dataclass(frozen=True)
class UseCases:
    """Each group is imported late, so that the cold start of a tick does not load modules for the API."""

    core: CoreUseCases

    @cached_property
    def jobs(self) -> JobUseCases:
        from shared.bootstrap.jobs import JobUseCases

        return JobUseCases(self.core, self.tenancy.check_quota)

    @cached_property
    def attempts(self) -> AttemptUseCases:
        from shared.bootstrap.attempts import AttemptUseCases

        return AttemptUseCases(self.core)

    @cached_property
    def ticks(self) -> TickUseCases:
        from shared.bootstrap.ticks import TickUseCases

        return TickUseCases(self.core)

    @cached_property
    def dead_letters(self) -> DeadLetterUseCases:
        from shared.bootstrap.dead_letters import DeadLetterUseCases

        return DeadLetterUseCases(self.core)

    @cached_property
    def bulk(self) -> BulkUseCases:
        from shared.bootstrap.bulk import BulkUseCases

        return BulkUseCases(self.core, self.dead_letters, self.searches)

    @cached_property
    def searches(self) -> SearchUseCases:
        from shared.bootstrap.searches import SearchUseCases

        return SearchUseCases(self.core)

    @cached_property
    def listings(self) -> ListingUseCases:
        from shared.bootstrap.listings import ListingUseCases

        return ListingUseCases(self.core)

    @cached_property
    def tenancy(self) -> TenancyUseCases:
        from shared.bootstrap.tenancy import TenancyUseCases

        return TenancyUseCases(self.core)

    @cached_property
    def archive(self) -> ArchiveUseCases:
        from shared.bootstrap.archive import ArchiveUseCases

        return ArchiveUseCases(self.core)

    @cached_property
    def audit_trail(self) -> AuditTrailUseCases:
        from shared.bootstrap.audit_trail import AuditTrailUseCases

        return AuditTrailUseCases(self.core)

    @property
    def workflows(self) -> WorkflowUseCases:
        return self.core.workflows

    @cached_property
    def triggers(self) -> TriggerUseCases:
        from shared.bootstrap.triggers import TriggerUseCases

        return TriggerUseCases(self.core, self.tenancy.check_quota)

    @cached_property
    def canary(self) -> CanaryUseCases:
        from shared.bootstrap.canary import CanaryUseCases

        return CanaryUseCases(self.core, self.tenancy)


def use_cases(ports: Ports, settings: Settings) -> UseCases:
    """TypeError on access to a use case for which the settings are missing."""
    return UseCases(CoreUseCases(marked(ports), settings))
