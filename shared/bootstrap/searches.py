"""Use cases about searches of executions, whose results are in the bucket of the archive."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.settings import ReadingSettings

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.ports.searches import SearchFiles
    from shared.usecases.archive.manage_searches import ManageSearches
    from shared.usecases.archive.process_searches import ProcessSearches
    from shared.usecases.archive.start_search import StartSearch


@dataclass(frozen=True)
class SearchUseCases:
    """For functions with ReadingSettings; `start` needs CallbackSettings."""

    core: CoreUseCases

    @property
    def files(self) -> SearchFiles | None:
        """None in a stage without an archive."""
        bucket = require(self.core.settings, ReadingSettings).archive_bucket
        return self.core.ports.search_files if bucket is not None else None

    @cached_property
    def start(self) -> StartSearch:
        """InvalidStateError in a stage without an archive."""
        from shared.usecases.archive.start_search import StartSearch

        if self.files is None:
            raise InvalidStateError("this stage has no archive, and so no searches: list the executions")
        settings = require(self.core.settings, ReadingSettings)
        return StartSearch(
            tasks=self.core.ports.search_tasks,
            identify=self.core.identify_task,
            kept_days=max(settings.archive_days, settings.retention.days),
        )

    @cached_property
    def manage(self) -> ManageSearches:
        from shared.usecases.archive.manage_searches import ManageSearches

        ports = self.core.ports
        return ManageSearches(
            tasks=ports.search_tasks,
            files=self.files,
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def process(self) -> ProcessSearches:
        from shared.usecases.archive.find_matching import FindMatching
        from shared.usecases.archive.process_searches import ProcessSearches
        from shared.usecases.listings.list_by_time import ListByTime
        from shared.usecases.outcomes.follow_notifications import FollowNotifications

        ports = self.core.ports
        return ProcessSearches(
            tasks=ports.search_tasks,
            files=ports.search_files,
            read_tenant=self.core.read_tenant,
            find=FindMatching(
                list_by_time=ListByTime(queries=ports.queries, kept=self.core.kept),
                jobs=ports.jobs,
                names=ports.job_names,
                follow_notifications=FollowNotifications(ports.executions),
                clock=ports.clock,
            ),
            clock=ports.clock,
            retention=self.core.settings.retention,
        )
