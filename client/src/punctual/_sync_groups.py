"""The methods of `Punctual`. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, overload

from msgspec import UNSET, UnsetType

from punctual import _bodies, _operations
from punctual._groups import Group
from punctual._model import Instant, Ref
from punctual._put import Put, PutWorkflow
from punctual._values import IfMatch, When
from punctual.models import (
    Alarm,
    AlarmPage,
    AlertsIn,
    AuditPage,
    AuditRecord,
    AuthIn,
    AwsTargetIn,
    BackfillPlan,
    Batch,
    BlackoutIn,
    BulkAction,
    BulkFilterIn,
    BulkPatchIn,
    BulkPlan,
    BulkTask,
    BulkTaskPage,
    BusiestJobs,
    Calendar,
    Calendars,
    CatchUp,
    DeadLetter,
    DeadLetterPage,
    Deletion,
    Density,
    DuePage,
    DueRow,
    Event,
    EventRouteIn,
    EventSource,
    EventSources,
    Execution,
    ExecutionDetail,
    ExecutionPage,
    Explanation,
    Gap,
    Health,
    Heartbeat,
    HotScope,
    Inspected,
    Job,
    JobIn,
    JobPage,
    JobPut,
    JobSummary,
    Key,
    Keys,
    Lane,
    LanePage,
    NewKey,
    NewSecret,
    NewTenant,
    NextRuns,
    OnFailure,
    Overlap,
    OverlapPolicy,
    Parked,
    ParkedPage,
    Redrive,
    RedrivePlan,
    Report,
    RequestIn,
    RetryIn,
    Run,
    RunAlertsIn,
    RunCallbacksIn,
    RunDetail,
    RunPage,
    ScheduleIn,
    SchedulePreview,
    Scope,
    Search,
    SearchDetail,
    SearchFilterIn,
    SearchPage,
    Secret,
    Secrets,
    Settings,
    SharedCalendars,
    Statistics,
    TaskIn,
    Tenant,
    TenantAlertsIn,
    TenantPage,
    TenantState,
    ThrottleIn,
    Trigger,
    Triggers,
    UpcomingPage,
    UpcomingRun,
    Usage,
    WhenExcluded,
    WhenSuspended,
    Whoami,
    Workflow,
    WorkflowPage,
    WorkflowPut,
    WorkflowSummary,
)


class AdminAlarmsMethods(Group):
    """The operations of `admin.alarms`."""

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> AlarmPage:
        """List the alarms of the deployment, those in alarm first (operators).

        With their states at most half a minute ago, and the runbook of each. An alarm that changes its
        state between two pages may be missing or repeated.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(_operations.LIST_ALARMS, query={"limit": limit, "cursor": cursor})

    def iterate(self, *, limit: int | None = None) -> Iterator[Alarm]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(limit=limit, cursor=cursor), lambda page: page.alarms
        )


class AdminAuditMethods(Group):
    """The operations of `admin.audit`."""

    def list(
        self,
        tenant: Ref,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: When | None = None,
        until: When | None = None,
        target: str | None = None,
    ) -> AuditPage:
        """List changes of a tenant, newest first (operators).

        Operators see the key of an operator who made a change; the tenant does not.

        * `tenant`: A tenant's `id`.
        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        * `target`: Only changes of the thing with this id.
        """
        return self._client.call(
            _operations.LIST_AUDIT_OF_TENANT,
            tenant,
            query={
                "limit": limit,
                "cursor": cursor,
                "from": self._client.instant(since),
                "to": self._client.instant(until),
                "target": target,
            },
        )

    def iterate(
        self,
        tenant: Ref,
        *,
        limit: int | None = None,
        since: When | None = None,
        until: When | None = None,
        target: str | None = None,
    ) -> Iterator[AuditRecord]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        since = self._client.instant(since)
        until = self._client.instant(until)
        return self._client.pages(
            lambda cursor: self.list(
                tenant, limit=limit, since=since, until=until, target=target, cursor=cursor
            ),
            lambda page: page.records,
        )


class AdminCalendarsMethods(Group):
    """The operations of `admin.calendars`."""

    def list(self) -> SharedCalendars:
        """List the calendars that all tenants may name (operators).

        By name, each with the name that schedules have, such as `operator/deployments`.
        """
        return self._client.call(_operations.LIST_SHARED_CALENDARS)

    def delete(self, shared_calendar: str) -> Calendar:
        """Delete a calendar that all tenants may name (operators).

        No schedule that is sent from now on may name it. Jobs that name it keep the days that they have,
        which reach five years ahead.

        * `shared_calendar`: The name of a calendar of the operators, without `operator/`.
        """
        return self._client.call(_operations.DELETE_SHARED_CALENDAR, shared_calendar)

    def get(self, shared_calendar: str) -> Calendar:
        """Show a calendar that all tenants may name (operators).

        Its version grows with each change. Jobs keep the days that they were computed with.

        * `shared_calendar`: The name of a calendar of the operators, without `operator/`.
        """
        return self._client.call(_operations.GET_SHARED_CALENDAR, shared_calendar)

    def put(
        self,
        shared_calendar: str,
        *,
        blackouts: Sequence[BlackoutIn | Mapping[str, Any]] | UnsetType = UNSET,
        country: str | UnsetType | None = UNSET,
        dates_in: Sequence[str] | UnsetType = UNSET,
        dates_out: Sequence[str] | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        weekend: Sequence[
            Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        ]
        | UnsetType
        | None = UNSET,
    ) -> Calendar:
        """Create a calendar that all tenants may name, or replace its days (operators).

        Schedules name it with `operator/` before its name. After a change, the runs of the jobs of all
        tenants that name it move within about 15 minutes.

        * `shared_calendar`: The name of a calendar of the operators, without `operator/`.
        * `blackouts`: Windows of instants, such as those of a deployment. They may overlap. `when_excluded`
          of a schedule says what happens to a run in one.
        * `country`: A country whose public holidays, and whose weekend, are excluded.
        * `dates_in`: Days that are business days in any case.
        * `dates_out`: Days that are excluded as well.
        * `set`: The set to which the calendar belongs, such as one file.
        * `weekend`: Null: the weekend of the country, or Saturday and Sunday without one.
        """
        return self._client.call(
            _operations.PUT_SHARED_CALENDAR,
            shared_calendar,
            body={
                "blackouts": blackouts,
                "country": country,
                "dates_in": dates_in,
                "dates_out": dates_out,
                "set": set,
                "weekend": weekend,
            },
        )


class AdminEventSourcesMethods(Group):
    """The operations of `admin.event_sources`."""

    def list(self) -> EventSources:
        """List the accounts of AWS whose events reach tenants (operators).

        All of them in one answer: there are at most 200.
        """
        return self._client.call(_operations.LIST_EVENT_SOURCES)

    def delete(self, account: str) -> EventSource:
        """Let no more events of an account of AWS reach a tenant (operators).

        Counts within a minute. Runs that its events have started are left alone.

        * `account`: An account of AWS: 12 digits.
        """
        return self._client.call(_operations.DELETE_EVENT_SOURCE, account)

    def get(self, account: str) -> EventSource:
        """Show which tenants the events of an account of AWS are for (operators).

        Its version grows with each change.

        * `account`: An account of AWS: 12 digits.
        """
        return self._client.call(_operations.GET_EVENT_SOURCE, account)

    def put(self, account: str, *, routes: Sequence[EventRouteIn | Mapping[str, Any]]) -> EventSource:
        """Say which tenants the events of an account of AWS are for (operators).

        Counts within a minute for the events of the stage's event bus. The same content again keeps the
        version.

        * `account`: An account of AWS: 12 digits.
        * `routes`: Events that no prefix matches are dropped.
        """
        return self._client.call(_operations.PUT_EVENT_SOURCE, account, body={"routes": routes})


class AdminKeysMethods(Group):
    """The operations of `admin.keys`."""

    def list(self, tenant: Ref) -> Keys:
        """List the API keys (operators, for any tenant).

        Expired and revoked keys stay listed for a while.

        * `tenant`: A tenant's `id`.
        """
        return self._client.call(_operations.LIST_KEYS_OF_TENANT, tenant)

    def create(
        self,
        tenant: Ref,
        *,
        scopes: Sequence[Scope],
        expires_in_seconds: int | UnsetType | None = UNSET,
        name: str | UnsetType | None = UNSET,
    ) -> NewKey:
        """Create an API key (operators, for any tenant).

        `api_key` is shown only once; only a hash of it is stored.

        * `tenant`: A tenant's `id`.
        """
        return self._client.call(
            _operations.CREATE_KEY_OF_TENANT,
            tenant,
            body={"expires_in_seconds": expires_in_seconds, "name": name, "scopes": scopes},
        )

    def revoke(self, tenant: Ref, key: Ref) -> Key:
        """Revoke an API key (operators, for any tenant).

        Every function refuses it within a minute. A tenant cannot revoke its own last key that may manage
        keys.

        * `tenant`: A tenant's `id`.
        * `key`: The id of an API key: the part between the underscores of `pk_<id>_…`.
        """
        return self._client.call(_operations.REVOKE_KEY_OF_TENANT, tenant, key)

    def rotate(
        self,
        tenant: Ref,
        key: Ref,
        *,
        expires_in_seconds: int | UnsetType | None = UNSET,
        overlap_seconds: int | UnsetType = UNSET,
    ) -> NewKey:
        """Replace an API key with a new one (operators, for any tenant).

        The new key has the same scopes and name; the old one ends after `overlap_seconds`.

        * `tenant`: A tenant's `id`.
        * `key`: The id of an API key: the part between the underscores of `pk_<id>_…`.
        * `expires_in_seconds`: The life of the new key. Absent: it does not expire.
        """
        return self._client.call(
            _operations.ROTATE_KEY_OF_TENANT,
            tenant,
            key,
            body={"expires_in_seconds": expires_in_seconds, "overlap_seconds": overlap_seconds},
            body_is_required=False,
        )


class AdminLanesMethods(Group):
    """The operations of `admin.lanes`."""

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> LanePage:
        """Show the lanes, and list the tenants and destinations in which calls wait or fail (operators).

        By the shared state of backpressure, quotas, adaptive limits and circuit breakers, at most some
        seconds old. The index of hot scopes is bounded: behind many others, a scope may be missing.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(_operations.LIST_LANES, query={"limit": limit, "cursor": cursor})

    def iterate(self, *, limit: int | None = None) -> Iterator[HotScope]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(limit=limit, cursor=cursor), lambda page: page.hot_scopes
        )


class AdminParkedMethods(Group):
    """The operations of `admin.parked`."""

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> ParkedPage:
        """List the messages that could not be handled, newest first (operators).

        Messages of the dead-letter queues that are unreadable, or whose execution is in no state that they
        could apply to. They are kept until an operator removes them.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(_operations.LIST_PARKED, query={"limit": limit, "cursor": cursor})

    def iterate(self, *, limit: int | None = None) -> Iterator[Parked]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(limit=limit, cursor=cursor), lambda page: page.messages
        )

    def remove(self, parked: Ref) -> Parked:
        """Remove a message that could not be handled (operators).

        For good. The answer is the last that is seen of the message.

        * `parked`: A parked message's `id`.
        """
        return self._client.call(_operations.REMOVE_PARKED, parked)


class AdminSigningSecretsMethods(Group):
    """The operations of `admin.signing_secrets`."""

    def list(self, tenant: Ref) -> Secrets:
        """List the secrets that sign callbacks (operators, for any tenant).

        The calls of a job are signed with each active secret of its `signing_secret`, the current one
        first.

        * `tenant`: A tenant's `id`.
        """
        return self._client.call(_operations.LIST_SIGNING_SECRETS_OF_TENANT, tenant)

    def rotate(
        self, tenant: Ref, *, name: str | UnsetType | None = UNSET, overlap_seconds: int | UnsetType = UNSET
    ) -> NewSecret:
        """Create a signing secret; the old ones sign beside it for a while (operators, for any tenant).

        `signing_secret` is shown only once. At most five secrets of one name sign at once, and a tenant has
        at most 20 names. A name stays: jobs may give it as their `signing_secret`.

        * `tenant`: A tenant's `id`.
        * `name`: Jobs with this `signing_secret` are signed with the secrets of this name alone. Null: the
          secrets that sign all other jobs.
        """
        return self._client.call(
            _operations.ROTATE_SIGNING_SECRET_OF_TENANT,
            tenant,
            body={"name": name, "overlap_seconds": overlap_seconds},
            body_is_required=False,
        )

    def retire(self, tenant: Ref, secret: Ref) -> Secret:
        """Retire an old signing secret now (operators, for any tenant).

        The current secret of a name, or without one, cannot be retired: rotate first.

        * `tenant`: A tenant's `id`.
        * `secret`: A signing secret's `id`.
        """
        return self._client.call(_operations.RETIRE_SIGNING_SECRET_OF_TENANT, tenant, secret)


class AdminStatsMethods(Group):
    """The operations of `admin.stats`."""

    def get(
        self,
        *,
        since: When | None = None,
        until: When | None = None,
        by: Literal["minute", "hour", "day"] | None = None,
    ) -> Statistics:
        """Show counts by outcome of all tenants together (operators).

        Hours that are not counted yet have no counts. The range is extended to whole steps in UTC. It ends
        with the present step at the latest, and has at most 6 hours by minute, 7 days by hour and 31 days
        by day.

        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        * `by`: The length of a step; `hour` by default.
        """
        return self._client.call(
            _operations.GET_STATISTICS_OF_ALL_TENANTS,
            query={"from": self._client.instant(since), "to": self._client.instant(until), "by": by},
        )

    def busiest_jobs(self, *, day: str | None = None) -> BusiestJobs:
        """Show the recurring jobs of all tenants with the most executions of a day (operators).

        At most 500, those with the most executions first. `day` is a day in UTC that is over, by default
        the latest one.

        * `day`: A day in UTC that is over; by default the latest one.
        """
        return self._client.call(_operations.GET_BUSIEST_JOBS_OF_ALL_TENANTS, query={"day": day})

    def of_tenant(
        self,
        tenant: Ref,
        *,
        since: When | None = None,
        until: When | None = None,
        by: Literal["minute", "hour", "day"] | None = None,
        job: Ref | None = None,
    ) -> Statistics:
        """Show counts by outcome, and how late calls began (operators, for any tenant).

        By the due times of executions. The range is extended to whole steps in UTC. It ends with the
        present step at the latest, and has at most 6 hours by minute, 7 days by hour and 31 days by day.
        With `job`, the executions of one job are counted, at most 2000, while their records exist. `GET
        /v1/stats/jobs` has the days before. With the id of a workflow, `job` counts the executions of its
        tasks, as far back as the archive reaches.

        * `tenant`: A tenant's `id`.
        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        * `by`: The length of a step; `hour` by default.
        * `job`: Only executions of this job, or of the tasks of this workflow.
        """
        return self._client.call(
            _operations.GET_STATISTICS_OF_TENANT,
            tenant,
            query={
                "from": self._client.instant(since),
                "to": self._client.instant(until),
                "by": by,
                "job": job,
            },
        )

    def busiest_jobs_of_tenant(self, tenant: Ref, *, day: str | None = None) -> BusiestJobs:
        """Show the recurring jobs with the most executions of a day (operators, for any tenant).

        At most 500, those with the most executions first, counted when the day is over. `day` is a day in
        UTC that is over, by default the latest one.

        * `tenant`: A tenant's `id`.
        * `day`: A day in UTC that is over; by default the latest one.
        """
        return self._client.call(_operations.GET_BUSIEST_JOBS_OF_TENANT, tenant, query={"day": day})


class AdminTenantsMethods(Group):
    """The operations of `admin.tenants`."""

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> TenantPage:
        """List all tenants (operators).

        By id.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(_operations.LIST_TENANTS, query={"limit": limit, "cursor": cursor})

    def iterate(self, *, limit: int | None = None) -> Iterator[Tenant]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(limit=limit, cursor=cursor), lambda page: page.tenants
        )

    def create(self, *, id: str, scopes: Sequence[Scope] | UnsetType = UNSET) -> NewTenant:
        """Create a tenant with a first API key (operators).

        The API key and the signing secret are shown only once.

        * `id`: admin, operator, punctual, punctual-canary, system are reserved.
        """
        return self._client.call(_operations.CREATE_TENANT, body={"id": id, "scopes": scopes})

    def get(self, tenant: Ref) -> Tenant:
        """Show a tenant (operators).

        The state, the quotas, and which quotas override the defaults.

        * `tenant`: A tenant's `id`.
        """
        return self._client.call(_operations.GET_TENANT, tenant)

    def update(
        self,
        tenant: Ref,
        *,
        alerts: TenantAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        index_shards: int | UnsetType = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
        quotas: Mapping[str, int | None] | UnsetType = UNSET,
        state: TenantState | UnsetType = UNSET,
        target_roles: Sequence[str] | UnsetType = UNSET,
        weight: int | UnsetType = UNSET,
    ) -> Tenant:
        """Suspend or resume a tenant, or change its weight and quotas (operators).

        Requests of a suspended tenant are refused within a minute, and **none of its calls begins from
        `effective_at` on**. A resumed tenant (`active`) gets both back at `effective_at`; what it had
        paused itself stays paused. A quota of null returns to the deployment's default. `index_shards` can
        only grow. `on_success` and `on_failure` are called with the outcomes of jobs that name no URL of
        their own; null removes them. `target_roles` let its jobs reach targets in AWS: the trust policy of
        each role requires `target_external_id`.

        * `tenant`: A tenant's `id`.
        * `alerts`: Replaced as a whole.
        * `on_success`: Called with the outcome of executions whose job names no URL of its own.
        * `target_roles`: The roles with which the tenant's jobs reach targets in AWS, one for each account.
          Replaced as a whole; an empty array removes all.
        """
        return self._client.call(
            _operations.CHANGE_TENANT,
            tenant,
            body={
                "alerts": alerts,
                "index_shards": index_shards,
                "on_failure": on_failure,
                "on_success": on_success,
                "quotas": quotas,
                "state": state,
                "target_roles": target_roles,
                "weight": weight,
            },
        )

    def deletion(self, tenant: Ref) -> Deletion:
        """Show how far the deletion of a tenant is (operators).

        The record stays when the tenant is gone.

        * `tenant`: A tenant's `id`.
        """
        return self._client.call(_operations.GET_TENANT_DELETION, tenant)

    def delete(self, tenant: Ref, *, asked_by: str, confirm: str) -> Deletion:
        """Delete a suspended tenant and all that is stored of it, for good (operators).

        Only a tenant whose suspension has taken effect can be deleted; it cannot be resumed any more. The
        deletion proceeds in the background, and begins an hour after the suspension took effect at the
        earliest. A repetition changes nothing, and answers with the first request.

        * `tenant`: A tenant's `id`.
        * `asked_by`: Who asked for it, such as a ticket. It stays in the record of the deletion.
        * `confirm`: The id of the tenant once more, so that no other tenant is deleted.
        """
        return self._client.call(
            _operations.DELETE_TENANT, tenant, body={"asked_by": asked_by, "confirm": confirm}
        )


class AdminUpcomingMethods(Group):
    """The operations of `admin.upcoming`."""

    def list(
        self, *, limit: int | None = None, cursor: str | None = None, within: int | None = None
    ) -> DuePage:
        """List executions that are about to be due, across tenants, by time (operators).

        The rows of the buckets. A retry within the next 15 minutes is a delayed message, and is not
        included.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `within`: How many seconds to look ahead. 300 by default.
        """
        return self._client.call(
            _operations.LIST_DUE, query={"limit": limit, "cursor": cursor, "within": within}
        )

    def iterate(self, *, limit: int | None = None, within: int | None = None) -> Iterator[DueRow]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(limit=limit, within=within, cursor=cursor), lambda page: page.rows
        )


class AdminUsageMethods(Group):
    """The operations of `admin.usage`."""

    def get(self, tenant: Ref) -> Usage:
        """Show a tenant's quotas and their present usage (operators).

        The same as the tenant sees.

        * `tenant`: A tenant's `id`.
        """
        return self._client.call(_operations.GET_USAGE_OF_TENANT, tenant)


class AuditMethods(Group):
    """The operations of `audit`."""

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: When | None = None,
        until: When | None = None,
        target: str | None = None,
    ) -> AuditPage:
        """List changes, newest first.

        Every change has one record, which is written before the change is acknowledged.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        * `target`: Only changes of the thing with this id.
        """
        return self._client.call(
            _operations.LIST_AUDIT,
            query={
                "limit": limit,
                "cursor": cursor,
                "from": self._client.instant(since),
                "to": self._client.instant(until),
                "target": target,
            },
        )

    def iterate(
        self,
        *,
        limit: int | None = None,
        since: When | None = None,
        until: When | None = None,
        target: str | None = None,
    ) -> Iterator[AuditRecord]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        since = self._client.instant(since)
        until = self._client.instant(until)
        return self._client.pages(
            lambda cursor: self.list(limit=limit, since=since, until=until, target=target, cursor=cursor),
            lambda page: page.records,
        )


class BulkTasksMethods(Group):
    """The operations of `bulk_tasks`."""

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> BulkTaskPage:
        """List bulk operations, newest first.

        Operations that have ended are listed as long as executions are kept.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(_operations.LIST_BULK_TASKS, query={"limit": limit, "cursor": cursor})

    def iterate(self, *, limit: int | None = None) -> Iterator[BulkTask]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(limit=limit, cursor=cursor), lambda page: page.operations
        )

    def cancel(self, bulk_task: Ref) -> BulkTask:
        """Cancel a bulk operation that is still running.

        No further job is changed, except for a page that is being worked on. What was changed stays
        changed: jobs that a deletion has paused stay paused, and are never deleted. A repetition changes
        nothing.

        * `bulk_task`: A bulk operation's `id`.
        """
        return self._client.call(_operations.CANCEL_BULK_TASK, bulk_task)

    def get(self, bulk_task: Ref) -> BulkTask:
        """Show the progress of a bulk operation.

        The read is strongly consistent. A bulk operation is kept as long as executions are.

        * `bulk_task`: A bulk operation's `id`.
        """
        return self._client.call(_operations.GET_BULK_TASK, bulk_task)

    def undo(self, bulk_task: Ref) -> BulkTask:
        """Undo a bulk operation, where no later request has changed the jobs.

        Paused jobs are resumed, resumed jobs are paused again, patched jobs get their former members, and
        triggered runs that have not started are cancelled. A deletion can be undone until its grace has
        passed. `changed_since` counts jobs that others have changed since, and runs that had started. The
        undo proceeds in the background until the state is `undone`. A repetition changes nothing.

        * `bulk_task`: A bulk operation's `id`.
        """
        return self._client.call(_operations.UNDO_BULK_TASK, bulk_task)


class CalendarsMethods(Group):
    """The operations of `calendars`."""

    def list(self) -> Calendars:
        """List the tenant's own calendars, by name.

        `shared` has the calendars of the operators, whose names begin with `operator/`. Calendars of
        countries are not listed: their names are those of ISO 3166, such as `DE`.
        """
        return self._client.call(_operations.LIST_CALENDARS)

    def delete(self, calendar: str, *, if_match: IfMatch | None = None) -> Calendar:
        """Delete a calendar that no job names.

        The answer is 409 while jobs that have not ended name it, and says which.

        * `calendar`: The name of a calendar.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(_operations.DELETE_CALENDAR, calendar, if_match=if_match)

    def get(self, calendar: str) -> Calendar:
        """Show a calendar.

        Its version grows with each change. Jobs keep the days that they were computed with.

        * `calendar`: The name of a calendar.
        """
        return self._client.call(_operations.GET_CALENDAR, calendar)

    def put(
        self,
        calendar: str,
        *,
        blackouts: Sequence[BlackoutIn | Mapping[str, Any]] | UnsetType = UNSET,
        country: str | UnsetType | None = UNSET,
        dates_in: Sequence[str] | UnsetType = UNSET,
        dates_out: Sequence[str] | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        weekend: Sequence[
            Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        ]
        | UnsetType
        | None = UNSET,
        dry_run: bool | None = None,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> Calendar:
        """Create a calendar, or replace its days.

        A calendar that has these days keeps its version. After a change, the runs of active jobs that name
        it move within about 15 minutes. Jobs that are created or changed meanwhile have the new days at
        once. `dry_run=true` changes nothing, and shows the calendar as it would be. With `If-Match`, a
        calendar at another version is not changed, and a missing one not created. With `If-None-Match: *`,
        a calendar is created and none is changed. A calendar that needs no change is answered under every
        condition.

        * `calendar`: The name of a calendar.
        * `blackouts`: Windows of instants, such as those of a deployment. They may overlap. `when_excluded`
          of a schedule says what happens to a run in one.
        * `country`: A country whose public holidays, and whose weekend, are excluded.
        * `dates_in`: Days that are business days in any case.
        * `dates_out`: Days that are excluded as well.
        * `set`: The set to which the calendar belongs, such as one file.
        * `weekend`: Null: the weekend of the country, or Saturday and Sunday without one.
        * `dry_run`: Only answer what the request would do.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        * `if_none_match`: `*`: create, and change nothing that exists.
        """
        return self._client.call(
            _operations.PUT_CALENDAR,
            calendar,
            query={"dry_run": dry_run},
            body={
                "blackouts": blackouts,
                "country": country,
                "dates_in": dates_in,
                "dates_out": dates_out,
                "set": set,
                "weekend": weekend,
            },
            if_match=if_match,
            headers={"If-None-Match": if_none_match},
        )


class DeadLettersMethods(Group):
    """The operations of `dead_letters`."""

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        job: Ref | None = None,
        tag: str | None = None,
        reason: Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | None = None,
        status: int | None = None,
        lane: Literal["critical", "standard", "bulk"] | None = None,
        since: When | None = None,
        until: When | None = None,
    ) -> DeadLetterPage:
        """List the executions that failed for good, newest first.

        Executions in state `failed`, by `due_at`: their attempts are used up, or their receivers refused
        any further attempt. The index may lag by a moment, but the data of each listed execution is never
        stale.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `job`: Only executions of this job, or of the tasks of this workflow.
        * `tag`: Only jobs with this tag.
        * `reason`: Only dead letters that ended for this reason, or whose last attempt did.
        * `status`: Only dead letters whose last attempt got this HTTP status.
        * `lane`: Only dead letters of this lane.
        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        """
        return self._client.call(
            _operations.LIST_DEAD_LETTERS,
            query={
                "limit": limit,
                "cursor": cursor,
                "job": job,
                "tag": tag,
                "reason": reason,
                "status": status,
                "lane": lane,
                "from": self._client.instant(since),
                "to": self._client.instant(until),
            },
        )

    def iterate(
        self,
        *,
        limit: int | None = None,
        job: Ref | None = None,
        tag: str | None = None,
        reason: Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | None = None,
        status: int | None = None,
        lane: Literal["critical", "standard", "bulk"] | None = None,
        since: When | None = None,
        until: When | None = None,
    ) -> Iterator[DeadLetter]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        since = self._client.instant(since)
        until = self._client.instant(until)
        return self._client.pages(
            lambda cursor: self.list(
                limit=limit,
                job=job,
                tag=tag,
                reason=reason,
                status=status,
                lane=lane,
                since=since,
                until=until,
                cursor=cursor,
            ),
            lambda page: page.executions,
        )

    @overload
    def redrive(
        self,
        *,
        dry_run: Literal[True],
        since: When | UnsetType | None = UNSET,
        job: Ref | UnsetType | None = UNSET,
        lane: Lane | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | UnsetType
        | None = UNSET,
        status: int | UnsetType | None = UNSET,
        tag: str | UnsetType | None = UNSET,
        until: When | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> RedrivePlan: ...

    @overload
    def redrive(
        self,
        *,
        dry_run: Literal[False] | UnsetType = UNSET,
        since: When | UnsetType | None = UNSET,
        job: Ref | UnsetType | None = UNSET,
        lane: Lane | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | UnsetType
        | None = UNSET,
        status: int | UnsetType | None = UNSET,
        tag: str | UnsetType | None = UNSET,
        until: When | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Redrive: ...

    @overload
    def redrive(
        self,
        *,
        dry_run: bool,
        since: When | UnsetType | None = UNSET,
        job: Ref | UnsetType | None = UNSET,
        lane: Lane | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | UnsetType
        | None = UNSET,
        status: int | UnsetType | None = UNSET,
        tag: str | UnsetType | None = UNSET,
        until: When | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> RedrivePlan | Redrive: ...

    def redrive(
        self,
        *,
        dry_run: bool | UnsetType = UNSET,
        since: When | UnsetType | None = UNSET,
        job: Ref | UnsetType | None = UNSET,
        lane: Lane | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: Literal[
            "attempts_used_up",
            "not_retryable",
            "stopped",
            "too_old",
            "job_deleted",
            "worker_lost",
            "http_status",
            "redirect",
            "timeout",
            "connect_failed",
            "dns_failed",
            "tls_failed",
            "address_not_allowed",
            "protocol_error",
            "lease_too_short",
            "request_unreadable",
            "receiver_failed",
            "receiver_gave_up",
            "unavailable",
            "signing_secret_gone",
            "result_invalid",
            "workflow_gone",
            "run_failed",
            "run_timed_out",
            "role_refused",
            "target_not_found",
            "target_access_denied",
            "target_throttled",
            "target_refused",
            "target_failed",
            "function_failed",
        ]
        | UnsetType
        | None = UNSET,
        status: int | UnsetType | None = UNSET,
        tag: str | UnsetType | None = UNSET,
        until: When | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> RedrivePlan | Redrive:
        """Redrive all dead letters of a range, at a limited rate.

        A 202 means that the bulk redrive is durable. It proceeds in the background, oldest first, and at
        most `rate` redrives are due in one second. Dead letters with a redrive that is open or has
        succeeded are skipped, so nothing is redriven twice. A tenant can have one open bulk redrive at a
        time. With `dry_run` nothing is created.

        * `dry_run`: Only count the dead letters; redrive nothing.
        * `since`: Due at this instant or later.
        * `job`: Only dead letters of this job, or of the tasks of this workflow.
        * `lane`: Only dead letters of this lane.
        * `rate`: At most this many redrives are due in one second.
        * `reason`: Only dead letters that ended for this reason, or whose last attempt did.
        * `status`: Only dead letters whose last attempt got this HTTP status.
        * `tag`: Only dead letters of jobs with this tag.
        * `until`: Due before this instant; by default before the time of the request.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        """
        return self._client.call(
            _operations.REDRIVE_DEAD_LETTERS,
            body={
                "dry_run": dry_run,
                "from": self._client.instant(since),
                "job": self._client.reference(job),
                "lane": lane,
                "rate": rate,
                "reason": reason,
                "status": status,
                "tag": tag,
                "to": self._client.instant(until),
            },
            idempotency_key=idempotency_key,
        )

    def get(self, execution: Ref, *, reveal: bool | None = None) -> Inspected:
        """Show a dead letter with its request.

        Header values and the body are withheld. `reveal=true` shows them: the key then needs `admin`
        besides `read`, and the audit trail records it.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        * `reveal`: Show header values and the body. Needs the scope `admin` besides `read`.
        """
        return self._client.call(_operations.INSPECT_DEAD_LETTER, execution, query={"reveal": reveal})


class EventsMethods(Group):
    """The operations of `events`."""

    def send(
        self,
        *,
        id: str,
        source: str,
        type: str,
        data: Mapping[str, Any] | UnsetType = UNSET,
        deliver_at: str | UnsetType | None = UNSET,
        depth: str | None = None,
    ) -> Event:
        """Send an event, which starts a job for each trigger that it matches.

        The answer comes once all these runs are durable. Without an answer, send the same event again: it
        completes what is missing, and files nothing twice. An event that matches no trigger is not kept.
        Each run counts in the quota `due_per_minute` once; if they do not all fit, none is filed.

        * `id`: Another one for each event of the source; the same one for a repetition.
        * `source`: Where the event comes from.
        * `type`: What has happened.
        * `data`: At most 32768 bytes, as compact JSON.
        * `deliver_at`: When the event counts, in place of now. Delays of triggers begin then.
        * `depth`: The value that the call carried from which this job is created. The job is one deeper
          than the call's, and refused beyond 8.
        """
        return self._client.call(
            _operations.SEND_EVENT,
            body={"data": data, "deliver_at": deliver_at, "id": id, "source": source, "type": type},
            headers={"Punctual-Depth": depth},
        )


class ExecutionsMethods(Group):
    """The operations of `executions`."""

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: Literal[
            "pending", "queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"
        ]
        | None = None,
        since: When | None = None,
        until: When | None = None,
    ) -> ExecutionPage:
        """List all executions of the tenant by due time, newest first.

        By `due_at`. The index may lag by a moment, but the data of each listed execution is never stale.
        With `state=failed` only failed executions are read. The list goes on in the archive, where a page
        may be short, or empty, while `next_cursor` is there.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `state`: Only executions in this state.
        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        """
        return self._client.call(
            _operations.LIST_EXECUTIONS_BY_TIME,
            query={
                "limit": limit,
                "cursor": cursor,
                "state": state,
                "from": self._client.instant(since),
                "to": self._client.instant(until),
            },
        )

    def iterate(
        self,
        *,
        limit: int | None = None,
        state: Literal[
            "pending", "queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"
        ]
        | None = None,
        since: When | None = None,
        until: When | None = None,
    ) -> Iterator[Execution]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        since = self._client.instant(since)
        until = self._client.instant(until)
        return self._client.pages(
            lambda cursor: self.list(limit=limit, state=state, since=since, until=until, cursor=cursor),
            lambda page: page.executions,
        )

    def search(
        self,
        *,
        since: When,
        filter: SearchFilterIn | Mapping[str, Any] | UnsetType = UNSET,
        until: When | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Search:
        """Search the executions of a long range, into files.

        A 202 means that the search is durable. It begins within a minute, in the background, with the
        newest executions, and reads the archive behind the tables. Follow it under `/v1/searches`, which
        has URLs of its files once it has finished. A tenant can have three open searches. The scope `read`
        is enough.

        * `since`: Due at this instant or later. An instant before all that is kept is raised to that.
        * `until`: Due before this instant; the time of the request at the latest, and by default.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        """
        return self._client.call(
            _operations.SEARCH_EXECUTIONS,
            body={"filter": filter, "from": self._client.instant(since), "to": self._client.instant(until)},
            idempotency_key=idempotency_key,
        )

    def cancel(self, execution: Ref, *, stop_retries: bool | None = None) -> Execution:
        """Cancel a redrive.

        Every other execution is cancelled with its job. While an attempt runs the answer is 409; with
        `stop_retries=true` it is 202, and that attempt is the last. A repetition changes nothing.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        * `stop_retries`: Make a running attempt the last one, where it is too late to cancel.
        """
        return self._client.call(
            _operations.CANCEL_EXECUTION, execution, query={"stop_retries": stop_retries}
        )

    def get(self, execution: Ref) -> ExecutionDetail:
        """Show an execution.

        With all of its attempts. The read is strongly consistent, except for `waiting_for`, which is a
        hint. An execution whose record has expired is read from the archive.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        """
        return self._client.call(_operations.GET_EXECUTION, execution)

    def complete(self, execution: Ref, *, token: str, result: Any = UNSET) -> Report:
        """Report that a long-running callback has succeeded.

        The execution ends as `succeeded`. The same report may be repeated; a different one is answered with
        409. A task of a workflow hands on its `result`, of which the first counts.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        * `token`: The `X-Callback-Token` of the call that the attempt made.
        * `result`: Any JSON value of at most 4,096 bytes. It is required if another task of the workflow
          needs the result, and dropped otherwise.
        """
        return self._client.call(
            _operations.COMPLETE_EXECUTION,
            execution,
            body={"result": result},
            body_is_required=False,
            token=token,
        )

    def explain(self, execution: Ref) -> Explanation:
        """Explain why an execution was late, or has not started.

        The stages of its first and of its latest attempt, the longest of them, and a summary in words.
        Stages are stored with the outcome of an attempt; those of earlier releases are `unknown`. The
        archive keeps the stages of the first attempt.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        """
        return self._client.call(_operations.EXPLAIN_EXECUTION, execution)

    def fail(
        self,
        execution: Ref,
        *,
        token: str,
        reason: str | UnsetType = UNSET,
        retryable: bool | UnsetType = UNSET,
    ) -> Report:
        """Report that a long-running callback has failed.

        The job's `retry` decides whether it is tried again or ends as `failed`. The same report may be
        repeated; a different one is answered with 409.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        * `token`: The `X-Callback-Token` of the call that the attempt made.
        * `reason`: Kept as `last_response_body`; at most 256 bytes.
        * `retryable`: Whether the job's retry policy applies.
        """
        return self._client.call(
            _operations.FAIL_EXECUTION,
            execution,
            body={"reason": reason, "retryable": retryable},
            body_is_required=False,
            token=token,
        )

    def heartbeat(self, execution: Ref, *, token: str) -> Heartbeat:
        """Report that a long-running callback is still running.

        Extends the attempt's lease by `heartbeat_seconds`, at most to its deadline.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        * `token`: The `X-Callback-Token` of the call that the attempt made.
        """
        return self._client.call(_operations.HEARTBEAT_EXECUTION, execution, token=token)

    def redrive(self, execution: Ref) -> Execution:
        """Repeat the request of a failed execution, now.

        The redrive is an execution of its own with a full set of attempts; the failed execution stays
        failed. While the redrive is open, and after it succeeded, a repetition changes nothing: the answer
        has the same redrive and `Idempotency-Replayed: true`. After it failed or was cancelled, a
        repetition creates another. No `Idempotency-Key` is needed; one that is sent is ignored.

        * `execution`: An execution's `id`: the `webhook-id` of its calls.
        """
        return self._client.call(_operations.REDRIVE_EXECUTION, execution)


class HealthMethods(Group):
    """The operations of `health`."""

    def get(self) -> Health:
        """Check that the API answers.

        The function runs. No table or queue is checked.
        """
        return self._client.call(_operations.GET_HEALTH)


class JobsMethods(Group):
    """The operations of `jobs`."""

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: Literal[
            "active",
            "cancelled",
            "completed",
            "deleted",
            "deleting",
            "failed",
            "paused",
            "pausing",
            "pending",
            "queued",
            "running",
            "skipped",
            "succeeded",
            "updating",
            "waiting",
        ]
        | None = None,
        tag: str | None = None,
        set: str | None = None,
        q: str | None = None,
        kind: Literal["once", "cron", "rate", "backfill"] | None = None,
        backfill_of: Ref | None = None,
        include: Literal["last_run"] | None = None,
    ) -> JobPage:
        """List the tenant's jobs: recurring jobs by id, then one-off jobs by due time.

        A one-off job keeps its position when its time is changed. `GET /v1/jobs/{job_id}` shows the members
        that are left out here. `include=last_run` shows the last runs of recurring jobs as well, for two
        reads of each.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `state`: Only jobs in this state. A one-off job has the state of its execution.
        * `tag`: Only jobs with this tag.
        * `set`: Only recurring jobs, or workflows, of this set.
        * `q`: Only jobs whose name starts with this text; case-sensitive.
        * `kind`: Only jobs of this kind.
        * `backfill_of`: Only the backfills of this job.
        * `include`: Show the last runs of recurring jobs, too.
        """
        return self._client.call(
            _operations.LIST_JOBS,
            query={
                "limit": limit,
                "cursor": cursor,
                "state": state,
                "tag": tag,
                "set": set,
                "q": q,
                "kind": kind,
                "backfill_of": backfill_of,
                "include": include,
            },
        )

    def iterate(
        self,
        *,
        limit: int | None = None,
        state: Literal[
            "active",
            "cancelled",
            "completed",
            "deleted",
            "deleting",
            "failed",
            "paused",
            "pausing",
            "pending",
            "queued",
            "running",
            "skipped",
            "succeeded",
            "updating",
            "waiting",
        ]
        | None = None,
        tag: str | None = None,
        set: str | None = None,
        q: str | None = None,
        kind: Literal["once", "cron", "rate", "backfill"] | None = None,
        backfill_of: Ref | None = None,
        include: Literal["last_run"] | None = None,
    ) -> Iterator[JobSummary]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(
                limit=limit,
                state=state,
                tag=tag,
                set=set,
                q=q,
                kind=kind,
                backfill_of=backfill_of,
                include=include,
                cursor=cursor,
            ),
            lambda page: page.jobs,
        )

    def create(
        self,
        *,
        at: Instant | UnsetType | None = UNSET,
        business_day: int | UnsetType | None = UNSET,
        calendar: str | UnsetType | None = UNSET,
        cron: str | UnsetType | None = UNSET,
        delay_seconds: int | UnsetType | None = UNSET,
        dst_gap: Gap | UnsetType | None = UNSET,
        dst_overlap: Overlap | UnsetType | None = UNSET,
        end_at: Instant | UnsetType | None = UNSET,
        expression: str | UnsetType | None = UNSET,
        jitter_seconds: int | UnsetType = UNSET,
        max_runs: int | UnsetType | None = UNSET,
        rate_seconds: int | UnsetType | None = UNSET,
        start_at: Instant | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        when_excluded: WhenExcluded | UnsetType | None = UNSET,
        auth: AuthIn | Mapping[str, Any] | UnsetType | None = UNSET,
        body: str | UnsetType | None = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        json: Any = UNSET,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET,
        url: str | UnsetType = UNSET,
        alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        async_deadline_seconds: int | UnsetType = UNSET,
        catch_up: CatchUp | UnsetType = UNSET,
        catch_up_limit: int | UnsetType = UNSET,
        catch_up_window_seconds: int | UnsetType = UNSET,
        heartbeat_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        late_tolerance_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
        retry: RetryIn | Mapping[str, Any] | UnsetType = UNSET,
        schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
        signing_secret: str | UnsetType | None = UNSET,
        start_deadline_seconds: int | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        target: AwsTargetIn | Mapping[str, Any] | UnsetType = UNSET,
        timeout_seconds: int | UnsetType = UNSET,
        when_suspended: WhenSuspended | UnsetType | None = UNSET,
        workflow: str | UnsetType = UNSET,
        idempotency_key: str | None = None,
        depth: str | None = None,
        traceparent: str | None = None,
    ) -> Job:
        """Create a job that runs once, on a cron line or at a fixed rate.

        Needs `schedule`, and `request.url` or `target`; other members have defaults. A 201 means that the
        job is durable and will run. With an `Idempotency-Key` the same request may be sent again for 7
        days. A repetition returns the job in its present state, with `Idempotency-Replayed: true`.

        * `at`: Once: RFC 3339 with an offset, or a local time together with `timezone`.
        * `business_day`: Only on the nth business day of the month; -1 is the last one.
        * `calendar`: A country, such as DE or US-CA, whose weekend and public holidays are excluded, a
          calendar of your own, or one of the operators, such as operator/deployments.
        * `cron`: Five fields of a Unix cron line, or an alias such as @hourly or @daily.
        * `delay_seconds`: Once, this many seconds from now.
        * `dst_gap`: A local time that is skipped: run after the gap (`shift`) or not at all (`skip`).
        * `dst_overlap`: A local time that comes twice: run the `first`, the `second` or `both`.
        * `end_at`: Nothing runs after.
        * `expression`: EventBridge Scheduler's `cron(...)`, `rate(...)` or `at(...)`, unchanged.
        * `jitter_seconds`: Each run starts later by up to this many seconds; the delay of one run never
          changes.
        * `max_runs`: The job ends after this many runs.
        * `rate_seconds`: At this interval, counted from `start_at` or from the second of creation.
        * `start_at`: Nothing runs before; the anchor of a rate.
        * `timezone`: IANA zone of a cron line (UTC where absent) or of local times.
        * `when_excluded`: What a run on an excluded day does: `skip`, or move to the `next` or `previous`
          business day, or to the next one of the month and else the previous one (`modified_following`).
        * `auth`: What the call has as its `Authorization` header, beside Punctual's own signature: an
          identity token, which the receiver verifies with the public keys of this deployment, or a
          signature of AWS. Null: none.
        * `body`: Text that is sent as it is, in UTF-8; at most 204,800 bytes.
        * `headers`: Headers of the request. Those that Punctual or the connection sets are refused.
        * `json`: Any value; sent as JSON, with its content type.
        * `url`: Absolute, with a public host; port 443, or 1024 and above. Deployed stacks call https.
        * `alerts`: The events to announce. Null: the tenant's default.
        * `async_deadline_seconds`: The longest duration of an attempt whose receiver answered 202 and
          reports later.
        * `catch_up`: The instants to run after an outage: none, the latest, or all.
        * `catch_up_limit`: The maximum that `all` runs; the newest instants run.
        * `catch_up_window_seconds`: Instants missed longer ago than this never run.
        * `heartbeat_seconds`: Such an attempt counts as lost after this time without a heartbeat.
        * `lane`: The queue and its workers. Lanes never wait for one another.
        * `late_tolerance_seconds`: A run that is late by at most this much does not count as missed.
        * `name`: Shown in lists. The filter `q` finds jobs by a prefix of their name.
        * `on_failure`: The URL to call after a failure.
        * `on_success`: The URL to call after a success. `none`: no call. Null: the tenant's default.
        * `overlap_policy`: The rule for a run whose predecessor has not ended.
        * `request`: The HTTP request to make.
        * `signing_secret`: The name of the signing secrets that sign the calls and outcome callbacks, and
          no others do. Null: the secrets without a name.
        * `start_deadline_seconds`: A one-off job that has not started this long after its time is skipped.
        * `tags`: Lists can be filtered by one tag.
        * `target`: The target in AWS to send to, in place of a `request`, with the rights of a role that an
          operator registered. Such a job has no `signing_secret`.
        * `timeout_seconds`: For the whole call, including the response body.
        * `when_suspended`: For a one-off job that is due while its tenant is suspended. Null: `skip`.
        * `workflow`: The workflow to start, in place of a `request`. Each execution starts a run, is open
          until the run has ended, and ends as the run does. Such a job has no `retry`, `timeout_seconds`,
          `async_deadline_seconds`, `heartbeat_seconds`.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        * `depth`: The value that the call carried from which this job is created. The job is one deeper
          than the call's, and refused beyond 8.
        * `traceparent`: W3C Trace Context, version 00: the job's calls belong to this trace. A value that
          is not valid is ignored; then each execution has a trace of its own.
        """
        return self._client.call(
            _operations.CREATE_JOB,
            body=_bodies.new_job(
                at=at,
                business_day=business_day,
                calendar=calendar,
                cron=cron,
                delay_seconds=delay_seconds,
                dst_gap=dst_gap,
                dst_overlap=dst_overlap,
                end_at=end_at,
                expression=expression,
                jitter_seconds=jitter_seconds,
                max_runs=max_runs,
                rate_seconds=rate_seconds,
                start_at=start_at,
                timezone=timezone,
                when_excluded=when_excluded,
                auth=auth,
                body=body,
                headers=headers,
                json=json,
                method=method,
                url=url,
                alerts=alerts,
                async_deadline_seconds=async_deadline_seconds,
                catch_up=catch_up,
                catch_up_limit=catch_up_limit,
                catch_up_window_seconds=catch_up_window_seconds,
                heartbeat_seconds=heartbeat_seconds,
                lane=lane,
                late_tolerance_seconds=late_tolerance_seconds,
                name=name,
                on_failure=on_failure,
                on_success=on_success,
                overlap_policy=overlap_policy,
                request=request,
                retry=retry,
                schedule=schedule,
                signing_secret=signing_secret,
                start_deadline_seconds=start_deadline_seconds,
                tags=tags,
                target=target,
                timeout_seconds=timeout_seconds,
                when_suspended=when_suspended,
                workflow=workflow,
            ),
            idempotency_key=idempotency_key,
            headers={"Punctual-Depth": depth, "traceparent": traceparent},
        )

    def batch(
        self,
        jobs: Iterable[JobIn | Mapping[str, Any]],
        *,
        idempotency_key: str | None = None,
        depth: str | None = None,
        traceparent: str | None = None,
    ) -> Batch:
        """Create up to 100 jobs, each with a result of its own.

        Each job is accepted or refused by itself: **check the `status` of each result**. The whole batch is
        refused where its body cannot be read, and where it exceeds `creates_per_second`. An `Idempotency-
        Key` covers the whole batch: where any result was 503, send the same batch again.

        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        * `depth`: The value that the call carried from which this job is created. The job is one deeper
          than the call's, and refused beyond 8.
        * `traceparent`: W3C Trace Context, version 00: the job's calls belong to this trace. A value that
          is not valid is ignored; then each execution has a trace of its own.
        """
        return self._client.create_batch(
            jobs, idempotency_key=idempotency_key, depth=depth, traceparent=traceparent
        )

    @overload
    def bulk(
        self,
        *,
        action: BulkAction,
        filter: BulkFilterIn | Mapping[str, Any],
        dry_run: Literal[True],
        grace_hours: int | UnsetType | None = UNSET,
        patch: BulkPatchIn | Mapping[str, Any] | UnsetType | None = UNSET,
        plan: str | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> BulkPlan: ...

    @overload
    def bulk(
        self,
        *,
        action: BulkAction,
        filter: BulkFilterIn | Mapping[str, Any],
        dry_run: Literal[False] | UnsetType = UNSET,
        grace_hours: int | UnsetType | None = UNSET,
        patch: BulkPatchIn | Mapping[str, Any] | UnsetType | None = UNSET,
        plan: str | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> BulkTask: ...

    @overload
    def bulk(
        self,
        *,
        action: BulkAction,
        filter: BulkFilterIn | Mapping[str, Any],
        dry_run: bool,
        grace_hours: int | UnsetType | None = UNSET,
        patch: BulkPatchIn | Mapping[str, Any] | UnsetType | None = UNSET,
        plan: str | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> BulkPlan | BulkTask: ...

    def bulk(
        self,
        *,
        action: BulkAction,
        filter: BulkFilterIn | Mapping[str, Any],
        dry_run: bool | UnsetType = UNSET,
        grace_hours: int | UnsetType | None = UNSET,
        patch: BulkPatchIn | Mapping[str, Any] | UnsetType | None = UNSET,
        plan: str | UnsetType | None = UNSET,
        rate: int | UnsetType = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> BulkPlan | BulkTask:
        """Pause, resume, trigger, patch or delete all jobs that match a filter.

        A 202 means that the operation is durable. It proceeds in the background, job by job under the rules
        of the single requests, and covers jobs that were created before the request. A job that cannot take
        the action is counted under `refused`. With `dry_run` nothing is changed: the answer counts the
        jobs, shows examples, and has the `plan` that a request for more than 100 jobs must show within 10
        minutes. The operations of a tenant run one after another.

        * `dry_run`: Only count the jobs and make a plan; change nothing.
        * `grace_hours`: Of a deletion: the jobs are paused at once, and deleted this much later unless the
          operation is undone or cancelled. 24 by default; 0 deletes at once.
        * `patch`: Of the action `patch`, which needs it.
        * `plan`: The plan of a dry run with the same filter and action, at most 10 minutes old. An
          operation on more than 100 jobs needs it.
        * `rate`: At most this many jobs are changed per second.
        * `reason`: The reason of a pause, shown with each job together with the operation's id.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        """
        return self._client.call(
            _operations.CHANGE_JOBS,
            body={
                "action": action,
                "dry_run": dry_run,
                "filter": filter,
                "grace_hours": grace_hours,
                "patch": patch,
                "plan": plan,
                "rate": rate,
                "reason": reason,
            },
            idempotency_key=idempotency_key,
        )

    def get_by_key(self, key: str) -> Job:
        """Show the latest job with a key.

        As `GET /v1/jobs/{job_id}`. A deleted job is shown until its record expires, or its key is used
        again.

        * `key`: The key that the owner gives to the job.
        """
        return self._client.call(_operations.GET_JOB_BY_KEY, key)

    @overload
    def put(
        self,
        key: str,
        *,
        dry_run: Literal[True],
        at: Instant | UnsetType | None = UNSET,
        business_day: int | UnsetType | None = UNSET,
        calendar: str | UnsetType | None = UNSET,
        cron: str | UnsetType | None = UNSET,
        delay_seconds: int | UnsetType | None = UNSET,
        dst_gap: Gap | UnsetType | None = UNSET,
        dst_overlap: Overlap | UnsetType | None = UNSET,
        end_at: Instant | UnsetType | None = UNSET,
        expression: str | UnsetType | None = UNSET,
        jitter_seconds: int | UnsetType = UNSET,
        max_runs: int | UnsetType | None = UNSET,
        rate_seconds: int | UnsetType | None = UNSET,
        start_at: Instant | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        when_excluded: WhenExcluded | UnsetType | None = UNSET,
        auth: AuthIn | Mapping[str, Any] | UnsetType | None = UNSET,
        body: str | UnsetType | None = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        json: Any = UNSET,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET,
        url: str | UnsetType = UNSET,
        alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        async_deadline_seconds: int | UnsetType = UNSET,
        catch_up: CatchUp | UnsetType = UNSET,
        catch_up_limit: int | UnsetType = UNSET,
        catch_up_window_seconds: int | UnsetType = UNSET,
        heartbeat_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        late_tolerance_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
        retry: RetryIn | Mapping[str, Any] | UnsetType = UNSET,
        schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        signing_secret: str | UnsetType | None = UNSET,
        start_deadline_seconds: int | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        target: AwsTargetIn | Mapping[str, Any] | UnsetType = UNSET,
        timeout_seconds: int | UnsetType = UNSET,
        when_suspended: WhenSuspended | UnsetType | None = UNSET,
        workflow: str | UnsetType = UNSET,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
        depth: str | None = None,
        traceparent: str | None = None,
    ) -> JobPut: ...

    @overload
    def put(
        self,
        key: str,
        *,
        at: Instant | UnsetType | None = UNSET,
        business_day: int | UnsetType | None = UNSET,
        calendar: str | UnsetType | None = UNSET,
        cron: str | UnsetType | None = UNSET,
        delay_seconds: int | UnsetType | None = UNSET,
        dst_gap: Gap | UnsetType | None = UNSET,
        dst_overlap: Overlap | UnsetType | None = UNSET,
        end_at: Instant | UnsetType | None = UNSET,
        expression: str | UnsetType | None = UNSET,
        jitter_seconds: int | UnsetType = UNSET,
        max_runs: int | UnsetType | None = UNSET,
        rate_seconds: int | UnsetType | None = UNSET,
        start_at: Instant | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        when_excluded: WhenExcluded | UnsetType | None = UNSET,
        auth: AuthIn | Mapping[str, Any] | UnsetType | None = UNSET,
        body: str | UnsetType | None = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        json: Any = UNSET,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET,
        url: str | UnsetType = UNSET,
        alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        async_deadline_seconds: int | UnsetType = UNSET,
        catch_up: CatchUp | UnsetType = UNSET,
        catch_up_limit: int | UnsetType = UNSET,
        catch_up_window_seconds: int | UnsetType = UNSET,
        heartbeat_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        late_tolerance_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
        retry: RetryIn | Mapping[str, Any] | UnsetType = UNSET,
        schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        signing_secret: str | UnsetType | None = UNSET,
        start_deadline_seconds: int | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        target: AwsTargetIn | Mapping[str, Any] | UnsetType = UNSET,
        timeout_seconds: int | UnsetType = UNSET,
        when_suspended: WhenSuspended | UnsetType | None = UNSET,
        workflow: str | UnsetType = UNSET,
        dry_run: Literal[False] | None = None,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
        depth: str | None = None,
        traceparent: str | None = None,
    ) -> Put: ...

    @overload
    def put(
        self,
        key: str,
        *,
        dry_run: bool,
        at: Instant | UnsetType | None = UNSET,
        business_day: int | UnsetType | None = UNSET,
        calendar: str | UnsetType | None = UNSET,
        cron: str | UnsetType | None = UNSET,
        delay_seconds: int | UnsetType | None = UNSET,
        dst_gap: Gap | UnsetType | None = UNSET,
        dst_overlap: Overlap | UnsetType | None = UNSET,
        end_at: Instant | UnsetType | None = UNSET,
        expression: str | UnsetType | None = UNSET,
        jitter_seconds: int | UnsetType = UNSET,
        max_runs: int | UnsetType | None = UNSET,
        rate_seconds: int | UnsetType | None = UNSET,
        start_at: Instant | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        when_excluded: WhenExcluded | UnsetType | None = UNSET,
        auth: AuthIn | Mapping[str, Any] | UnsetType | None = UNSET,
        body: str | UnsetType | None = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        json: Any = UNSET,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET,
        url: str | UnsetType = UNSET,
        alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        async_deadline_seconds: int | UnsetType = UNSET,
        catch_up: CatchUp | UnsetType = UNSET,
        catch_up_limit: int | UnsetType = UNSET,
        catch_up_window_seconds: int | UnsetType = UNSET,
        heartbeat_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        late_tolerance_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
        retry: RetryIn | Mapping[str, Any] | UnsetType = UNSET,
        schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        signing_secret: str | UnsetType | None = UNSET,
        start_deadline_seconds: int | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        target: AwsTargetIn | Mapping[str, Any] | UnsetType = UNSET,
        timeout_seconds: int | UnsetType = UNSET,
        when_suspended: WhenSuspended | UnsetType | None = UNSET,
        workflow: str | UnsetType = UNSET,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
        depth: str | None = None,
        traceparent: str | None = None,
    ) -> JobPut | Put: ...

    def put(
        self,
        key: str,
        *,
        at: Instant | UnsetType | None = UNSET,
        business_day: int | UnsetType | None = UNSET,
        calendar: str | UnsetType | None = UNSET,
        cron: str | UnsetType | None = UNSET,
        delay_seconds: int | UnsetType | None = UNSET,
        dst_gap: Gap | UnsetType | None = UNSET,
        dst_overlap: Overlap | UnsetType | None = UNSET,
        end_at: Instant | UnsetType | None = UNSET,
        expression: str | UnsetType | None = UNSET,
        jitter_seconds: int | UnsetType = UNSET,
        max_runs: int | UnsetType | None = UNSET,
        rate_seconds: int | UnsetType | None = UNSET,
        start_at: Instant | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        when_excluded: WhenExcluded | UnsetType | None = UNSET,
        auth: AuthIn | Mapping[str, Any] | UnsetType | None = UNSET,
        body: str | UnsetType | None = UNSET,
        headers: Mapping[str, str] | UnsetType = UNSET,
        json: Any = UNSET,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType = UNSET,
        url: str | UnsetType = UNSET,
        alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        async_deadline_seconds: int | UnsetType = UNSET,
        catch_up: CatchUp | UnsetType = UNSET,
        catch_up_limit: int | UnsetType = UNSET,
        catch_up_window_seconds: int | UnsetType = UNSET,
        heartbeat_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        late_tolerance_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
        retry: RetryIn | Mapping[str, Any] | UnsetType = UNSET,
        schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        signing_secret: str | UnsetType | None = UNSET,
        start_deadline_seconds: int | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        target: AwsTargetIn | Mapping[str, Any] | UnsetType = UNSET,
        timeout_seconds: int | UnsetType = UNSET,
        when_suspended: WhenSuspended | UnsetType | None = UNSET,
        workflow: str | UnsetType = UNSET,
        dry_run: bool | None = None,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
        depth: str | None = None,
        traceparent: str | None = None,
    ) -> JobPut | Put:
        """Create, change or leave the recurring job with a key.

        The body is the whole description of the job. The answer tells whether the job was created, updated
        or left unchanged, and what differed. The request may be repeated at any time. `dry_run=true`
        changes nothing. A paused job stays paused. A deleted job is created anew, and so is a job that has
        ended by its schedule, if the description differs. A rate without `start_at` keeps the phase of the
        job. With `If-Match`, a job at another revision is not changed, and a missing one not created: the
        answer is 412, with the present `ETag` if there is a job. With `If-None-Match: *`, a job is created
        and none is changed: the answer is 412, `already-exists`, if the key has a job that has not ended. A
        job that needs no change is `unchanged` under every condition.

        * `key`: The key that the owner gives to the job.
        * `at`: Once: RFC 3339 with an offset, or a local time together with `timezone`.
        * `business_day`: Only on the nth business day of the month; -1 is the last one.
        * `calendar`: A country, such as DE or US-CA, whose weekend and public holidays are excluded, a
          calendar of your own, or one of the operators, such as operator/deployments.
        * `cron`: Five fields of a Unix cron line, or an alias such as @hourly or @daily.
        * `delay_seconds`: Once, this many seconds from now.
        * `dst_gap`: A local time that is skipped: run after the gap (`shift`) or not at all (`skip`).
        * `dst_overlap`: A local time that comes twice: run the `first`, the `second` or `both`.
        * `end_at`: Nothing runs after.
        * `expression`: EventBridge Scheduler's `cron(...)`, `rate(...)` or `at(...)`, unchanged.
        * `jitter_seconds`: Each run starts later by up to this many seconds; the delay of one run never
          changes.
        * `max_runs`: The job ends after this many runs.
        * `rate_seconds`: At this interval, counted from `start_at` or from the second of creation.
        * `start_at`: Nothing runs before; the anchor of a rate.
        * `timezone`: IANA zone of a cron line (UTC where absent) or of local times.
        * `when_excluded`: What a run on an excluded day does: `skip`, or move to the `next` or `previous`
          business day, or to the next one of the month and else the previous one (`modified_following`).
        * `auth`: What the call has as its `Authorization` header, beside Punctual's own signature: an
          identity token, which the receiver verifies with the public keys of this deployment, or a
          signature of AWS. Null: none.
        * `body`: Text that is sent as it is, in UTF-8; at most 204,800 bytes.
        * `headers`: Headers of the request. Those that Punctual or the connection sets are refused.
        * `json`: Any value; sent as JSON, with its content type.
        * `url`: Absolute, with a public host; port 443, or 1024 and above. Deployed stacks call https.
        * `alerts`: The events to announce. Null: the tenant's default.
        * `async_deadline_seconds`: The longest duration of an attempt whose receiver answered 202 and
          reports later.
        * `catch_up`: The instants to run after an outage: none, the latest, or all.
        * `catch_up_limit`: The maximum that `all` runs; the newest instants run.
        * `catch_up_window_seconds`: Instants missed longer ago than this never run.
        * `heartbeat_seconds`: Such an attempt counts as lost after this time without a heartbeat.
        * `lane`: The queue and its workers. Lanes never wait for one another.
        * `late_tolerance_seconds`: A run that is late by at most this much does not count as missed.
        * `name`: Shown in lists. The filter `q` finds jobs by a prefix of their name.
        * `on_failure`: The URL to call after a failure.
        * `on_success`: The URL to call after a success. `none`: no call. Null: the tenant's default.
        * `overlap_policy`: The rule for a run whose predecessor has not ended.
        * `request`: The HTTP request to make.
        * `set`: The set of jobs to which the job belongs, such as one file. Lists can be filtered by it.
        * `signing_secret`: The name of the signing secrets that sign the calls and outcome callbacks, and
          no others do. Null: the secrets without a name.
        * `start_deadline_seconds`: A one-off job that has not started this long after its time is skipped.
        * `tags`: Lists can be filtered by one tag.
        * `target`: The target in AWS to send to, in place of a `request`, with the rights of a role that an
          operator registered. Such a job has no `signing_secret`.
        * `timeout_seconds`: For the whole call, including the response body.
        * `when_suspended`: For a one-off job that is due while its tenant is suspended. Null: `skip`.
        * `workflow`: The workflow to start, in place of a `request`. Each execution starts a run, is open
          until the run has ended, and ends as the run does. Such a job has no `retry`, `timeout_seconds`,
          `async_deadline_seconds`, `heartbeat_seconds`.
        * `dry_run`: Only answer what the request would do.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        * `if_none_match`: `*`: create, and change nothing that exists.
        * `depth`: The value that the call carried from which this job is created. The job is one deeper
          than the call's, and refused beyond 8.
        * `traceparent`: W3C Trace Context, version 00: the job's calls belong to this trace. A value that
          is not valid is ignored; then each execution has a trace of its own.
        """
        answer = self._client.call(
            _operations.PUT_JOB,
            key,
            query={"dry_run": dry_run},
            body=_bodies.keyed_job(
                at=at,
                business_day=business_day,
                calendar=calendar,
                cron=cron,
                delay_seconds=delay_seconds,
                dst_gap=dst_gap,
                dst_overlap=dst_overlap,
                end_at=end_at,
                expression=expression,
                jitter_seconds=jitter_seconds,
                max_runs=max_runs,
                rate_seconds=rate_seconds,
                start_at=start_at,
                timezone=timezone,
                when_excluded=when_excluded,
                auth=auth,
                body=body,
                headers=headers,
                json=json,
                method=method,
                url=url,
                alerts=alerts,
                async_deadline_seconds=async_deadline_seconds,
                catch_up=catch_up,
                catch_up_limit=catch_up_limit,
                catch_up_window_seconds=catch_up_window_seconds,
                heartbeat_seconds=heartbeat_seconds,
                lane=lane,
                late_tolerance_seconds=late_tolerance_seconds,
                name=name,
                on_failure=on_failure,
                on_success=on_success,
                overlap_policy=overlap_policy,
                request=request,
                retry=retry,
                schedule=schedule,
                set=set,
                signing_secret=signing_secret,
                start_deadline_seconds=start_deadline_seconds,
                tags=tags,
                target=target,
                timeout_seconds=timeout_seconds,
                when_suspended=when_suspended,
                workflow=workflow,
            ),
            if_match=if_match,
            headers={"If-None-Match": if_none_match, "Punctual-Depth": depth, "traceparent": traceparent},
        )
        return answer if dry_run else Put.of(answer)

    def cancel(self, job: Ref, *, stop_retries: bool | None = None, if_match: IfMatch | None = None) -> Job:
        """Cancel a one-off job or delete a recurring one.

        A one-off job can be cancelled until an attempt starts, and between attempts. While an attempt runs
        the answer is 409; with `stop_retries=true` it is 202, and that attempt is the last. Deleting a
        recurring job cancels its next executions and retries. After the answer nothing starts any more. A
        repetition changes nothing, and the job can still be read.

        * `job`: A job's `id`.
        * `stop_retries`: Make a running attempt the last one, where it is too late to cancel.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(
            _operations.CANCEL_JOB, job, query={"stop_retries": stop_retries}, if_match=if_match
        )

    def get(self, job: Ref) -> Job:
        """Show a job.

        The definition, the state, the next due time and the last run. Headers and body of the request are
        never shown again.

        * `job`: A job's `id`.
        """
        return self._client.call(_operations.GET_JOB, job)

    def update(
        self,
        job: Ref,
        *,
        at: Instant | UnsetType | None = UNSET,
        business_day: int | UnsetType | None = UNSET,
        calendar: str | UnsetType | None = UNSET,
        cron: str | UnsetType | None = UNSET,
        delay_seconds: int | UnsetType | None = UNSET,
        dst_gap: Gap | UnsetType | None = UNSET,
        dst_overlap: Overlap | UnsetType | None = UNSET,
        end_at: Instant | UnsetType | None = UNSET,
        expression: str | UnsetType | None = UNSET,
        jitter_seconds: int | UnsetType | None = UNSET,
        max_runs: int | UnsetType | None = UNSET,
        rate_seconds: int | UnsetType | None = UNSET,
        start_at: Instant | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        when_excluded: WhenExcluded | UnsetType | None = UNSET,
        auth: AuthIn | Mapping[str, Any] | UnsetType | None = UNSET,
        body: str | UnsetType | None = UNSET,
        headers: Mapping[str, str] | UnsetType | None = UNSET,
        json: Any = UNSET,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | UnsetType | None = UNSET,
        url: str | UnsetType | None = UNSET,
        alerts: AlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        async_deadline_seconds: int | UnsetType | None = UNSET,
        catch_up: CatchUp | UnsetType | None = UNSET,
        catch_up_limit: int | UnsetType | None = UNSET,
        catch_up_window_seconds: int | UnsetType | None = UNSET,
        heartbeat_seconds: int | UnsetType | None = UNSET,
        lane: Lane | UnsetType | None = UNSET,
        late_tolerance_seconds: int | UnsetType | None = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
        overlap_policy: OverlapPolicy | UnsetType | None = UNSET,
        request: RequestIn | Mapping[str, Any] | UnsetType = UNSET,
        retry: RetryIn | Mapping[str, Any] | UnsetType | None = UNSET,
        schedule: ScheduleIn | Mapping[str, Any] | UnsetType = UNSET,
        signing_secret: str | UnsetType | None = UNSET,
        start_deadline_seconds: int | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType | None = UNSET,
        target: Mapping[str, Any] | UnsetType = UNSET,
        timeout_seconds: int | UnsetType | None = UNSET,
        when_suspended: WhenSuspended | UnsetType | None = UNSET,
        workflow: str | UnsetType = UNSET,
        if_match: IfMatch | None = None,
    ) -> Job:
        """Change a job with a JSON merge patch.

        A JSON merge patch (RFC 7396) of the members of a new job. Null restores a default, and the result
        is validated like a new job. A `schedule` of another kind replaces the whole schedule. A one-off job
        can be changed until its first attempt starts. For a recurring job, every run that has not started
        uses the new definition.

        * `job`: A job's `id`.
        * `at`: Once: RFC 3339 with an offset, or a local time together with `timezone`.
        * `business_day`: Only on the nth business day of the month; -1 is the last one.
        * `calendar`: A country, such as DE or US-CA, whose weekend and public holidays are excluded, a
          calendar of your own, or one of the operators, such as operator/deployments.
        * `cron`: Five fields of a Unix cron line, or an alias such as @hourly or @daily.
        * `delay_seconds`: Once, this many seconds from now.
        * `dst_gap`: A local time that is skipped: run after the gap (`shift`) or not at all (`skip`).
        * `dst_overlap`: A local time that comes twice: run the `first`, the `second` or `both`.
        * `end_at`: Nothing runs after.
        * `expression`: EventBridge Scheduler's `cron(...)`, `rate(...)` or `at(...)`, unchanged.
        * `jitter_seconds`: Each run starts later by up to this many seconds; the delay of one run never
          changes.
        * `max_runs`: The job ends after this many runs.
        * `rate_seconds`: At this interval, counted from `start_at` or from the second of creation.
        * `start_at`: Nothing runs before; the anchor of a rate.
        * `timezone`: IANA zone of a cron line (UTC where absent) or of local times.
        * `when_excluded`: What a run on an excluded day does: `skip`, or move to the `next` or `previous`
          business day, or to the next one of the month and else the previous one (`modified_following`).
        * `auth`: What the call has as its `Authorization` header, beside Punctual's own signature: an
          identity token, which the receiver verifies with the public keys of this deployment, or a
          signature of AWS. Null: none.
        * `body`: Text that is sent as it is, in UTF-8; at most 204,800 bytes.
        * `headers`: Headers of the request. Those that Punctual or the connection sets are refused.
        * `json`: Any value; sent as JSON, with its content type.
        * `url`: Absolute, with a public host; port 443, or 1024 and above. Deployed stacks call https.
        * `alerts`: Members of a new job's `alerts`.
        * `request`: Members of a new job's `request`. They replace a `workflow` or `target`.
        * `retry`: Members of a new job's `retry`.
        * `schedule`: Members of a new job's `schedule`.
        * `target`: Members of a new job's `target`. They replace a `request` or `workflow`.
        * `when_suspended`: For a one-off job that is due while its tenant is suspended. Null: `skip`.
        * `workflow`: Replaces the present one, or the `request` with what only calls have.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(
            _operations.UPDATE_JOB,
            job,
            body=_bodies.job_patch(
                at=at,
                business_day=business_day,
                calendar=calendar,
                cron=cron,
                delay_seconds=delay_seconds,
                dst_gap=dst_gap,
                dst_overlap=dst_overlap,
                end_at=end_at,
                expression=expression,
                jitter_seconds=jitter_seconds,
                max_runs=max_runs,
                rate_seconds=rate_seconds,
                start_at=start_at,
                timezone=timezone,
                when_excluded=when_excluded,
                auth=auth,
                body=body,
                headers=headers,
                json=json,
                method=method,
                url=url,
                alerts=alerts,
                async_deadline_seconds=async_deadline_seconds,
                catch_up=catch_up,
                catch_up_limit=catch_up_limit,
                catch_up_window_seconds=catch_up_window_seconds,
                heartbeat_seconds=heartbeat_seconds,
                lane=lane,
                late_tolerance_seconds=late_tolerance_seconds,
                name=name,
                on_failure=on_failure,
                on_success=on_success,
                overlap_policy=overlap_policy,
                request=request,
                retry=retry,
                schedule=schedule,
                signing_secret=signing_secret,
                start_deadline_seconds=start_deadline_seconds,
                tags=tags,
                target=target,
                timeout_seconds=timeout_seconds,
                when_suspended=when_suspended,
                workflow=workflow,
            ),
            if_match=self._client.revision_of(job, if_match),
        )

    @overload
    def backfill(
        self,
        job: Ref,
        *,
        since: When,
        until: When,
        dry_run: Literal[True],
        every_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> BackfillPlan: ...

    @overload
    def backfill(
        self,
        job: Ref,
        *,
        since: When,
        until: When,
        dry_run: Literal[False] | UnsetType = UNSET,
        every_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> Job: ...

    @overload
    def backfill(
        self,
        job: Ref,
        *,
        since: When,
        until: When,
        dry_run: bool,
        every_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> BackfillPlan | Job: ...

    def backfill(
        self,
        job: Ref,
        *,
        since: When,
        until: When,
        dry_run: bool | UnsetType = UNSET,
        every_seconds: int | UnsetType = UNSET,
        lane: Lane | UnsetType = UNSET,
        overlap_policy: OverlapPolicy | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> BackfillPlan | Job:
        """Run a recurring job for the instants of a past range.

        The backfill is a job of its own: it is read, paused, resumed and deleted by its own id, and ends
        with its range. It makes the request that the job had at the time of the backfill, once for each
        instant, whatever happens to the job meanwhile; deleting the job deletes the backfill too. With
        `dry_run` nothing is created.

        * `job`: A job's `id`.
        * `since`: Start of the range, inclusive: RFC 3339 with an offset.
        * `until`: End of the range, exclusive; not in the future.
        * `dry_run`: Only return the plan; create nothing.
        * `every_seconds`: The time between the starts of two runs, whatever lies between their instants.
        * `lane`: The queue and its workers. The bulk lane yields to work that is due.
        * `overlap_policy`: The rule for a run whose predecessor in the backfill has not ended.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        """
        return self._client.call(
            _operations.BACKFILL_JOB,
            job,
            body={
                "dry_run": dry_run,
                "every_seconds": every_seconds,
                "from": self._client.instant(since),
                "lane": lane,
                "overlap_policy": overlap_policy,
                "to": self._client.instant(until),
            },
            idempotency_key=idempotency_key,
        )

    def list_executions(
        self,
        job: Ref,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: Literal[
            "pending", "queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"
        ]
        | None = None,
        since: When | None = None,
        until: When | None = None,
    ) -> ExecutionPage:
        """List a job's executions, newest first.

        The whole history of a job, across all of its changes, by `scheduled_at`. The read is strongly
        consistent: every acknowledged execution is included. Runs whose records have expired are read from
        the archive.

        * `job`: A job's `id`.
        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `state`: Only executions in this state.
        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        """
        return self._client.call(
            _operations.LIST_EXECUTIONS,
            job,
            query={
                "limit": limit,
                "cursor": cursor,
                "state": state,
                "from": self._client.instant(since),
                "to": self._client.instant(until),
            },
        )

    def iterate_executions(
        self,
        job: Ref,
        *,
        limit: int | None = None,
        state: Literal[
            "pending", "queued", "running", "waiting", "succeeded", "failed", "cancelled", "skipped"
        ]
        | None = None,
        since: When | None = None,
        until: When | None = None,
    ) -> Iterator[Execution]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See
        `list_executions`.
        """
        since = self._client.instant(since)
        until = self._client.instant(until)
        return self._client.pages(
            lambda cursor: self.list_executions(
                job, limit=limit, state=state, since=since, until=until, cursor=cursor
            ),
            lambda page: page.executions,
        )

    def pause(
        self, job: Ref, *, reason: str | UnsetType | None = UNSET, if_match: IfMatch | None = None
    ) -> Job:
        """Pause a recurring job.

        After the answer no run starts. Runs that had started before continue, including their retries.
        Skipped instants are recorded. A repetition changes nothing.

        * `job`: A job's `id`.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(
            _operations.PAUSE_JOB, job, body={"reason": reason}, body_is_required=False, if_match=if_match
        )

    def resume(self, job: Ref, *, if_match: IfMatch | None = None) -> Job:
        """Resume a paused job.

        Continues with the next instant in the future; instants skipped during the pause never run. A
        repetition changes nothing.

        * `job`: A job's `id`.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(_operations.RESUME_JOB, job, if_match=if_match)

    def trigger(
        self, job: Ref, *, idempotency_key: str | None = None, if_match: IfMatch | None = None
    ) -> Execution:
        """Run a recurring job once more, now.

        Independent of its schedule, and even while the job is paused. With an `Idempotency-Key` a
        repetition starts no second run.

        * `job`: A job's `id`.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(
            _operations.TRIGGER_JOB, job, idempotency_key=idempotency_key, if_match=if_match
        )

    def upcoming(self, job: Ref, *, count: int | None = None) -> NextRuns:
        """List a job's next runs.

        Each with its local time in the job's zone. A job that is not active has no next runs.

        * `job`: A job's `id`.
        * `count`: How many runs to show. 10 by default.
        """
        return self._client.call(_operations.LIST_NEXT_RUNS, job, query={"count": count})


class KeysMethods(Group):
    """The operations of `keys`."""

    def list(self) -> Keys:
        """List the API keys.

        Expired and revoked keys stay listed for a while.
        """
        return self._client.call(_operations.LIST_KEYS)

    def create(
        self,
        *,
        scopes: Sequence[Scope],
        expires_in_seconds: int | UnsetType | None = UNSET,
        name: str | UnsetType | None = UNSET,
    ) -> NewKey:
        """Create an API key.

        `api_key` is shown only once; only a hash of it is stored.
        """
        return self._client.call(
            _operations.CREATE_KEY,
            body={"expires_in_seconds": expires_in_seconds, "name": name, "scopes": scopes},
        )

    def revoke(self, key: Ref) -> Key:
        """Revoke an API key.

        Every function refuses it within a minute. A tenant cannot revoke its own last key that may manage
        keys.

        * `key`: The id of an API key: the part between the underscores of `pk_<id>_…`.
        """
        return self._client.call(_operations.REVOKE_KEY, key)

    def rotate(
        self,
        key: Ref,
        *,
        expires_in_seconds: int | UnsetType | None = UNSET,
        overlap_seconds: int | UnsetType = UNSET,
    ) -> NewKey:
        """Replace an API key with a new one.

        The new key has the same scopes and name; the old one ends after `overlap_seconds`.

        * `key`: The id of an API key: the part between the underscores of `pk_<id>_…`.
        * `expires_in_seconds`: The life of the new key. Absent: it does not expire.
        """
        return self._client.call(
            _operations.ROTATE_KEY,
            key,
            body={"expires_in_seconds": expires_in_seconds, "overlap_seconds": overlap_seconds},
            body_is_required=False,
        )


class RedrivesMethods(Group):
    """The operations of `redrives`."""

    def undo(self, redrive: Ref) -> Redrive:
        """Undo a bulk redrive, except for redrives that have started.

        No more dead letters are redriven, and redrives that have not started are cancelled in the
        background until the state is `undone`; `already_started` counts the others. A repetition changes
        nothing.

        * `redrive`: A bulk redrive's `id`.
        """
        return self._client.call(_operations.UNDO_REDRIVE, redrive)

    def get(self, redrive: Ref) -> Redrive:
        """Show the progress of a bulk redrive.

        The read is strongly consistent. A bulk redrive is kept as long as executions are.

        * `redrive`: A bulk redrive's `id`.
        """
        return self._client.call(_operations.GET_REDRIVE, redrive)


class RunsMethods(Group):
    """The operations of `runs`."""

    def get(self, run: Ref) -> RunDetail:
        """Show a run with its tasks and its graph.

        Each task with its state, its execution and its attempts; the graph as nodes and edges. The read is
        strongly consistent.

        * `run`: A run's `id`.
        """
        return self._client.call(_operations.GET_RUN, run)

    def cancel(self, run: Ref) -> Run:
        """Cancel a run.

        After the answer no attempt of its tasks starts. With a 202, attempts are running: each is the last
        of its task, and the run ends with them. A repetition changes nothing.

        * `run`: A run's `id`.
        """
        return self._client.call(_operations.CANCEL_RUN, run)

    def redrive(self, run: Ref, *, epoch: int) -> Run:
        """Run again what has not succeeded in a run.

        The same run goes on in its next epoch: tasks that failed, were skipped or were cancelled run anew
        as the graph wants, and tasks that succeeded keep their success. A run that has not ended, or that
        has succeeded, is refused. A repetition with the same `epoch` redrives once. Each task that may run
        anew counts in the quota `due_per_minute`, and each item of a map that has not succeeded.

        * `run`: A run's `id`.
        * `epoch`: The `epoch` of the run as you have seen it: sending the request twice redrives once.
        """
        return self._client.call(_operations.REDRIVE_RUN, run, body={"epoch": epoch})


class SchedulesMethods(Group):
    """The operations of `schedules`."""

    def preview(
        self,
        *,
        at: Instant | UnsetType | None = UNSET,
        business_day: int | UnsetType | None = UNSET,
        calendar: str | UnsetType | None = UNSET,
        cron: str | UnsetType | None = UNSET,
        delay_seconds: int | UnsetType | None = UNSET,
        dst_gap: Gap | UnsetType | None = UNSET,
        dst_overlap: Overlap | UnsetType | None = UNSET,
        end_at: Instant | UnsetType | None = UNSET,
        expression: str | UnsetType | None = UNSET,
        jitter_seconds: int | UnsetType = UNSET,
        max_runs: int | UnsetType | None = UNSET,
        rate_seconds: int | UnsetType | None = UNSET,
        start_at: Instant | UnsetType | None = UNSET,
        timezone: str | UnsetType | None = UNSET,
        when_excluded: WhenExcluded | UnsetType | None = UNSET,
    ) -> SchedulePreview:
        """Show the runs of a schedule; nothing is stored.

        The next ten runs of a cron line, a rate or an expression, the changes of the clocks within two
        years that affect any run, and warnings. The body is the `schedule` of a job by itself, so the
        pointers of errors start inside of it. A key with `read` or `write` is enough.

        * `at`: Once: RFC 3339 with an offset, or a local time together with `timezone`.
        * `business_day`: Only on the nth business day of the month; -1 is the last one.
        * `calendar`: A country, such as DE or US-CA, whose weekend and public holidays are excluded, a
          calendar of your own, or one of the operators, such as operator/deployments.
        * `cron`: Five fields of a Unix cron line, or an alias such as @hourly or @daily.
        * `delay_seconds`: Once, this many seconds from now.
        * `dst_gap`: A local time that is skipped: run after the gap (`shift`) or not at all (`skip`).
        * `dst_overlap`: A local time that comes twice: run the `first`, the `second` or `both`.
        * `end_at`: Nothing runs after.
        * `expression`: EventBridge Scheduler's `cron(...)`, `rate(...)` or `at(...)`, unchanged.
        * `jitter_seconds`: Each run starts later by up to this many seconds; the delay of one run never
          changes.
        * `max_runs`: The job ends after this many runs.
        * `rate_seconds`: At this interval, counted from `start_at` or from the second of creation.
        * `start_at`: Nothing runs before; the anchor of a rate.
        * `timezone`: IANA zone of a cron line (UTC where absent) or of local times.
        * `when_excluded`: What a run on an excluded day does: `skip`, or move to the `next` or `previous`
          business day, or to the next one of the month and else the previous one (`modified_following`).
        """
        return self._client.call(
            _operations.PREVIEW_SCHEDULE,
            body={
                "at": at,
                "business_day": business_day,
                "calendar": calendar,
                "cron": cron,
                "delay_seconds": delay_seconds,
                "dst_gap": dst_gap,
                "dst_overlap": dst_overlap,
                "end_at": end_at,
                "expression": expression,
                "jitter_seconds": jitter_seconds,
                "max_runs": max_runs,
                "rate_seconds": rate_seconds,
                "start_at": start_at,
                "timezone": timezone,
                "when_excluded": when_excluded,
            },
        )


class SearchesMethods(Group):
    """The operations of `searches`."""

    def list(self, *, limit: int | None = None, cursor: str | None = None) -> SearchPage:
        """List searches, newest first.

        Searches that have ended are listed as long as records of executions are kept.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(_operations.LIST_SEARCHES, query={"limit": limit, "cursor": cursor})

    def iterate(self, *, limit: int | None = None) -> Iterator[Search]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(limit=limit, cursor=cursor), lambda page: page.searches
        )

    def cancel(self, search: Ref) -> Search:
        """Cancel a search that is still running.

        What it has found is dropped. A repetition changes nothing.

        * `search`: A search's `id`.
        """
        return self._client.call(_operations.CANCEL_SEARCH, search)

    def get(self, search: Ref) -> SearchDetail:
        """Show the progress of a search, and its files.

        The read is strongly consistent. Each response has new URLs, so that an expired one is replaced by
        another request. A URL alone suffices to read the file: treat it like a secret.

        * `search`: A search's `id`.
        """
        return self._client.call(_operations.GET_SEARCH, search)


class SettingsMethods(Group):
    """The operations of `settings`."""

    def get(self) -> Settings:
        """Show the tenant's own settings.

        The defaults for jobs that set nothing else.
        """
        return self._client.call(_operations.GET_SETTINGS)

    def update(
        self,
        *,
        alerts: TenantAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        on_failure: str | UnsetType | None = UNSET,
        on_success: str | UnsetType | None = UNSET,
    ) -> Settings:
        """Change the tenant's own settings.

        `on_success` and `on_failure` are called with the outcomes of jobs that name no URL of their own,
        and `alerts` announces events of jobs that have none; null removes a member. Workers see a change
        within a minute.

        * `alerts`: Announces events of executions whose job has no `alerts`; replaced as a whole.
        * `on_success`: Called with the outcome of executions whose job names no URL of its own.
        """
        return self._client.call(
            _operations.CHANGE_SETTINGS,
            body={"alerts": alerts, "on_failure": on_failure, "on_success": on_success},
        )


class SigningSecretsMethods(Group):
    """The operations of `signing_secrets`."""

    def list(self) -> Secrets:
        """List the secrets that sign callbacks.

        The calls of a job are signed with each active secret of its `signing_secret`, the current one
        first.
        """
        return self._client.call(_operations.LIST_SIGNING_SECRETS)

    def rotate(
        self, *, name: str | UnsetType | None = UNSET, overlap_seconds: int | UnsetType = UNSET
    ) -> NewSecret:
        """Create a signing secret; the old ones sign beside it for a while.

        `signing_secret` is shown only once. At most five secrets of one name sign at once, and a tenant has
        at most 20 names. A name stays: jobs may give it as their `signing_secret`.

        * `name`: Jobs with this `signing_secret` are signed with the secrets of this name alone. Null: the
          secrets that sign all other jobs.
        """
        return self._client.call(
            _operations.ROTATE_SIGNING_SECRET,
            body={"name": name, "overlap_seconds": overlap_seconds},
            body_is_required=False,
        )

    def retire(self, secret: Ref) -> Secret:
        """Retire an old signing secret now.

        The current secret of a name, or without one, cannot be retired: rotate first.

        * `secret`: A signing secret's `id`.
        """
        return self._client.call(_operations.RETIRE_SIGNING_SECRET, secret)


class StatsMethods(Group):
    """The operations of `stats`."""

    def get(
        self,
        *,
        since: When | None = None,
        until: When | None = None,
        by: Literal["minute", "hour", "day"] | None = None,
        job: Ref | None = None,
    ) -> Statistics:
        """Show counts by outcome, and how late calls began.

        By the due times of executions. The range is extended to whole steps in UTC. It ends with the
        present step at the latest, and has at most 6 hours by minute, 7 days by hour and 31 days by day.
        With `job`, the executions of one job are counted, at most 2000, while their records exist. `GET
        /v1/stats/jobs` has the days before. With the id of a workflow, `job` counts the executions of its
        tasks, as far back as the archive reaches.

        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        * `until`: Before this instant. An RFC 3339 instant with an offset.
        * `by`: The length of a step; `hour` by default.
        * `job`: Only executions of this job, or of the tasks of this workflow.
        """
        return self._client.call(
            _operations.GET_STATISTICS,
            query={
                "from": self._client.instant(since),
                "to": self._client.instant(until),
                "by": by,
                "job": job,
            },
        )

    def busiest_jobs(self, *, day: str | None = None) -> BusiestJobs:
        """Show the recurring jobs with the most executions of a day.

        At most 500, those with the most executions first, counted when the day is over. `day` is a day in
        UTC that is over, by default the latest one.

        * `day`: A day in UTC that is over; by default the latest one.
        """
        return self._client.call(_operations.GET_BUSIEST_JOBS, query={"day": day})


class TriggersMethods(Group):
    """The operations of `triggers`."""

    def list(self) -> Triggers:
        """List the tenant's triggers, by name.

        All of them in one answer: a tenant has at most 50.
        """
        return self._client.call(_operations.LIST_TRIGGERS)

    def delete(self, trigger: str, *, if_match: IfMatch | None = None) -> Trigger:
        """Delete a trigger.

        Events start no more runs by it. Runs that it has started are left alone.

        * `trigger`: The name of a trigger.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(_operations.DELETE_TRIGGER, trigger, if_match=if_match)

    def get(self, trigger: str) -> Trigger:
        """Show a trigger.

        Its version grows with each change.

        * `trigger`: The name of a trigger.
        """
        return self._client.call(_operations.GET_TRIGGER, trigger)

    def put(
        self,
        trigger: str,
        *,
        job_id: str,
        pattern: Mapping[str, Any],
        debounce_max_seconds: int | UnsetType | None = UNSET,
        debounce_seconds: int | UnsetType = UNSET,
        delay_seconds: int | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        throttle: ThrottleIn | Mapping[str, Any] | UnsetType | None = UNSET,
        dry_run: bool | None = None,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> Trigger:
        """Create a trigger, or replace it.

        Each event that is sent from then on, and that the pattern matches, starts a run of the job. The
        same content again keeps the version. `dry_run=true` changes nothing, and shows the trigger as it
        would be. With `If-Match`, a trigger at another version is not changed, and a missing one not
        created. With `If-None-Match: *`, a trigger is created and none is changed. A trigger that needs no
        change is answered under every condition.

        * `trigger`: The name of a trigger.
        * `job_id`: A recurring job. It may be paused: its schedule is then no matter.
        * `pattern`: In the pattern language of Amazon EventBridge, against `source`, `type`, `id` and
          `data`.
        * `debounce_max_seconds`: How long after the first event this run is due at the latest. Ten times
          `debounce_seconds` by default.
        * `debounce_seconds`: One run for several events: it is due once no further event has come for this
          time, and gets the latest one. In place of `delay_seconds`.
        * `delay_seconds`: How long after the event the run is due.
        * `set`: The set to which the trigger belongs, such as one file.
        * `throttle`: How many runs may start in a window. Further events start none, and are not kept.
        * `dry_run`: Only answer what the request would do.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        * `if_none_match`: `*`: create, and change nothing that exists.
        """
        return self._client.call(
            _operations.PUT_TRIGGER,
            trigger,
            query={"dry_run": dry_run},
            body={
                "debounce_max_seconds": debounce_max_seconds,
                "debounce_seconds": debounce_seconds,
                "delay_seconds": delay_seconds,
                "job_id": job_id,
                "pattern": pattern,
                "set": set,
                "throttle": throttle,
            },
            if_match=if_match,
            headers={"If-None-Match": if_none_match},
        )


class UpcomingMethods(Group):
    """The operations of `upcoming`."""

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        within: int | None = None,
        since: When | None = None,
    ) -> UpcomingPage:
        """List the next runs of all jobs of the tenant, by time.

        The calls of `within` seconds, from now on or from the instant `from` on, which is at most 31 days
        ahead. All pages cover the window of the first page, however long reading them takes.

        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        * `within`: How many seconds to look ahead. 300 by default.
        * `since`: At this instant or later. An RFC 3339 instant with an offset.
        """
        return self._client.call(
            _operations.LIST_UPCOMING,
            query={"limit": limit, "cursor": cursor, "within": within, "from": self._client.instant(since)},
        )

    def iterate(
        self, *, limit: int | None = None, within: int | None = None, since: When | None = None
    ) -> Iterator[UpcomingRun]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        since = self._client.instant(since)
        return self._client.pages(
            lambda cursor: self.list(limit=limit, within=within, since=since, cursor=cursor),
            lambda page: page.runs,
        )

    def density(self, *, until: When | None = None, step_seconds: int | None = None) -> Density:
        """Count the next runs of all jobs of the tenant, step by step.

        From now to the end of the step before `to`, which is by default in 24 hours and at most in 31 days.
        A range has at most 1000 steps, which begin at multiples of `step_seconds` since 1970. One request
        counts at most 10000 runs. It reads at most 200 of those that are stored: of more, it reads a
        sample, and `estimated` is true.

        * `until`: Before this instant. An RFC 3339 instant with an offset.
        * `step_seconds`: The length of a step, in seconds. 3600 by default.
        """
        return self._client.call(
            _operations.GET_UPCOMING_DENSITY,
            query={"to": self._client.instant(until), "step_seconds": step_seconds},
        )


class UsageMethods(Group):
    """The operations of `usage`."""

    def get(self) -> Usage:
        """Show the tenant's quotas and their present usage.

        `used` is null for quotas that are not counted.
        """
        return self._client.call(_operations.GET_USAGE)


class WhoamiMethods(Group):
    """The operations of `whoami`."""

    def get(self) -> Whoami:
        """Show the tenant and the key of the request.

        Every valid key may ask, whatever its scopes. A change of the key shows within a minute.
        """
        return self._client.call(_operations.GET_WHOAMI)


class WorkflowsMethods(Group):
    """The operations of `workflows`."""

    def list(
        self, *, set: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> WorkflowPage:
        """List the workflows, oldest first.

        The read is strongly consistent. Deleted workflows are left out, and with `set` those of other sets.
        So a page may be short, or empty, while `next_cursor` is there.

        * `set`: Only recurring jobs, or workflows, of this set.
        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(
            _operations.LIST_WORKFLOWS, query={"set": set, "limit": limit, "cursor": cursor}
        )

    def iterate(self, *, set: str | None = None, limit: int | None = None) -> Iterator[WorkflowSummary]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See `list`."""
        return self._client.pages(
            lambda cursor: self.list(set=set, limit=limit, cursor=cursor), lambda page: page.workflows
        )

    def create(
        self,
        *,
        tasks: Sequence[TaskIn | Mapping[str, Any]],
        alerts: RunAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        callbacks: RunCallbacksIn | Mapping[str, Any] | UnsetType = UNSET,
        deadline_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: OnFailure | UnsetType = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> Workflow:
        """Create a workflow: tasks that wait for one another.

        Up to 100 tasks, each with a request of its own. A cycle, an unknown key and a task that could never
        run are refused with their place in the body. Nothing runs before a run is started. A repetition
        with the same `Idempotency-Key` answers with the workflow as it is now, and with 409 once it is
        deleted.

        * `tasks`: 1 to 100 tasks, with 500 entries in all their `after` lists at most.
        * `alerts`: The ends of runs to announce. Null: the tenant's default.
        * `deadline_seconds`: The longest duration of a run: no attempt of a task starts later.
        * `name`: Shown in lists.
        * `on_failure`: What happens to the other tasks of a run when a task fails. `fail_fast`: those that
          have not started are cancelled, but for handlers of the failure. `continue`: those that can still
          run go on.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        """
        return self._client.call(
            _operations.CREATE_WORKFLOW,
            body={
                "alerts": alerts,
                "callbacks": callbacks,
                "deadline_seconds": deadline_seconds,
                "name": name,
                "on_failure": on_failure,
                "tags": tags,
                "tasks": tasks,
            },
            idempotency_key=idempotency_key,
        )

    def get_by_key(self, key: str) -> Workflow:
        """Show the workflow with a key.

        As `GET /v1/workflows/{workflow_id}`. A deleted workflow has no key any more.

        * `key`: The key that the owner gives to the job.
        """
        return self._client.call(_operations.GET_WORKFLOW_BY_KEY, key)

    @overload
    def put(
        self,
        key: str,
        *,
        tasks: Sequence[TaskIn | Mapping[str, Any]],
        dry_run: Literal[True],
        alerts: RunAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        callbacks: RunCallbacksIn | Mapping[str, Any] | UnsetType = UNSET,
        deadline_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: OnFailure | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> WorkflowPut: ...

    @overload
    def put(
        self,
        key: str,
        *,
        tasks: Sequence[TaskIn | Mapping[str, Any]],
        alerts: RunAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        callbacks: RunCallbacksIn | Mapping[str, Any] | UnsetType = UNSET,
        deadline_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: OnFailure | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        dry_run: Literal[False] | None = None,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> PutWorkflow: ...

    @overload
    def put(
        self,
        key: str,
        *,
        tasks: Sequence[TaskIn | Mapping[str, Any]],
        dry_run: bool,
        alerts: RunAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        callbacks: RunCallbacksIn | Mapping[str, Any] | UnsetType = UNSET,
        deadline_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: OnFailure | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> WorkflowPut | PutWorkflow: ...

    def put(
        self,
        key: str,
        *,
        tasks: Sequence[TaskIn | Mapping[str, Any]],
        alerts: RunAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        callbacks: RunCallbacksIn | Mapping[str, Any] | UnsetType = UNSET,
        deadline_seconds: int | UnsetType = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: OnFailure | UnsetType = UNSET,
        set: str | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType = UNSET,
        dry_run: bool | None = None,
        if_match: IfMatch | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> WorkflowPut | PutWorkflow:
        """Create, change or leave the workflow with a key.

        The body is the whole description of the workflow. The answer tells whether the workflow was
        created, updated or left unchanged, and what differed. The request may be repeated at any time.
        `dry_run=true` changes nothing. Runs that have started keep the revision that they began with. A
        deleted workflow is created anew. With `If-Match`, a workflow at another revision is not changed,
        and a missing one not created: the answer is 412, with the present `ETag` if there is a workflow.
        With `If-None-Match: *`, a workflow is created and none is changed: the answer is 412, `already-
        exists`, if the key has a workflow. A workflow that needs no change is `unchanged` under every
        condition.

        * `key`: The key that the owner gives to the job.
        * `tasks`: 1 to 100 tasks, with 500 entries in all their `after` lists at most.
        * `alerts`: The ends of runs to announce. Null: the tenant's default.
        * `deadline_seconds`: The longest duration of a run: no attempt of a task starts later.
        * `name`: Shown in lists.
        * `on_failure`: What happens to the other tasks of a run when a task fails. `fail_fast`: those that
          have not started are cancelled, but for handlers of the failure. `continue`: those that can still
          run go on.
        * `set`: The set to which the workflow belongs, such as one file. The list can be filtered by it.
        * `dry_run`: Only answer what the request would do.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        * `if_none_match`: `*`: create, and change nothing that exists.
        """
        answer = self._client.call(
            _operations.PUT_WORKFLOW,
            key,
            query={"dry_run": dry_run},
            body={
                "alerts": alerts,
                "callbacks": callbacks,
                "deadline_seconds": deadline_seconds,
                "name": name,
                "on_failure": on_failure,
                "set": set,
                "tags": tags,
                "tasks": tasks,
            },
            if_match=if_match,
            headers={"If-None-Match": if_none_match},
        )
        return answer if dry_run else PutWorkflow.of(answer)

    def delete(self, workflow: Ref, *, if_match: IfMatch | None = None) -> WorkflowSummary:
        """Delete a workflow.

        No run starts afterwards. Runs that have started go on: cancel them by their own ids. A repetition
        changes nothing.

        * `workflow`: A workflow's `id`.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(_operations.DELETE_WORKFLOW, workflow, if_match=if_match)

    def get(self, workflow: Ref) -> Workflow:
        """Show a workflow.

        Headers and bodies of the requests are never shown again.

        * `workflow`: A workflow's `id`.
        """
        return self._client.call(_operations.GET_WORKFLOW, workflow)

    def update(
        self,
        workflow: Ref,
        *,
        alerts: RunAlertsIn | Mapping[str, Any] | UnsetType | None = UNSET,
        callbacks: RunCallbacksIn | Mapping[str, Any] | UnsetType | None = UNSET,
        deadline_seconds: int | UnsetType | None = UNSET,
        name: str | UnsetType | None = UNSET,
        on_failure: OnFailure | UnsetType | None = UNSET,
        tags: Sequence[str] | UnsetType | None = UNSET,
        tasks: Sequence[Mapping[str, Any]] | UnsetType | None = UNSET,
        if_match: IfMatch | None = None,
    ) -> Workflow:
        """Change a workflow with a JSON merge patch.

        A JSON merge patch (RFC 7396) of the members of a new workflow: `tasks` replaces all tasks, and null
        restores a default. Runs that start afterwards follow the new revision; runs that have started, and
        their redrives, keep theirs.

        * `workflow`: A workflow's `id`.
        * `tasks`: All tasks, as in a new workflow.
        * `if_match`: The ETag from your last read, with its quotes (`"3"`), or `*` for any revision.
        """
        return self._client.call(
            _operations.UPDATE_WORKFLOW,
            workflow,
            body={
                "alerts": alerts,
                "callbacks": callbacks,
                "deadline_seconds": deadline_seconds,
                "name": name,
                "on_failure": on_failure,
                "tags": tags,
                "tasks": tasks,
            },
            if_match=self._client.revision_of(workflow, if_match),
        )

    def list_runs(self, workflow: Ref, *, limit: int | None = None, cursor: str | None = None) -> RunPage:
        """List the runs of a workflow, latest first.

        The index may lag by a moment, but the data of each listed run is never stale. The runs of a deleted
        workflow are listed until its record expires.

        * `workflow`: A workflow's `id`.
        * `limit`: The maximum number of entries in a page. 50 by default.
        * `cursor`: The `next_cursor` of the page before. Valid only for the same tenant and filters.
        """
        return self._client.call(_operations.LIST_RUNS, workflow, query={"limit": limit, "cursor": cursor})

    def iterate_runs(self, workflow: Ref, *, limit: int | None = None) -> Iterator[Run]:
        """Go through the entries of all pages, and read a page when its first entry is wanted. See
        `list_runs`.
        """
        return self._client.pages(
            lambda cursor: self.list_runs(workflow, limit=limit, cursor=cursor), lambda page: page.runs
        )

    def start(self, workflow: Ref, *, input: Any = UNSET, idempotency_key: str | None = None) -> Run:
        """Start a run of a workflow.

        A 201 means that the run is durable and goes on to its end. It follows the present revision of the
        workflow. Each task counts in the quota `due_per_minute`, and a map counts 100. With an
        `Idempotency-Key`, a repetition with the same input starts no second run.

        * `workflow`: A workflow's `id`.
        * `input`: Any JSON value of at most 32,768 bytes, for the tasks with `input`. It is encrypted, and
          never shown again. Null: the run has no input.
        * `idempotency_key`: Visible ASCII. For 7 days, repetitions with the same key have no further
          effect.
        """
        return self._client.call(
            _operations.START_RUN,
            workflow,
            body={"input": input},
            body_is_required=False,
            idempotency_key=idempotency_key,
        )


class AdminMethods(Group):
    """The groups of `admin`."""

    @cached_property
    def alarms(self) -> AdminAlarmsMethods:
        return AdminAlarmsMethods(self._client)

    @cached_property
    def audit(self) -> AdminAuditMethods:
        return AdminAuditMethods(self._client)

    @cached_property
    def calendars(self) -> AdminCalendarsMethods:
        return AdminCalendarsMethods(self._client)

    @cached_property
    def event_sources(self) -> AdminEventSourcesMethods:
        return AdminEventSourcesMethods(self._client)

    @cached_property
    def keys(self) -> AdminKeysMethods:
        return AdminKeysMethods(self._client)

    @cached_property
    def lanes(self) -> AdminLanesMethods:
        return AdminLanesMethods(self._client)

    @cached_property
    def parked(self) -> AdminParkedMethods:
        return AdminParkedMethods(self._client)

    @cached_property
    def signing_secrets(self) -> AdminSigningSecretsMethods:
        return AdminSigningSecretsMethods(self._client)

    @cached_property
    def stats(self) -> AdminStatsMethods:
        return AdminStatsMethods(self._client)

    @cached_property
    def tenants(self) -> AdminTenantsMethods:
        return AdminTenantsMethods(self._client)

    @cached_property
    def upcoming(self) -> AdminUpcomingMethods:
        return AdminUpcomingMethods(self._client)

    @cached_property
    def usage(self) -> AdminUsageMethods:
        return AdminUsageMethods(self._client)


class Operations(Group):
    """Every group of operations."""

    @cached_property
    def admin(self) -> AdminMethods:
        return AdminMethods(self._client)

    @cached_property
    def audit(self) -> AuditMethods:
        return AuditMethods(self._client)

    @cached_property
    def bulk_tasks(self) -> BulkTasksMethods:
        return BulkTasksMethods(self._client)

    @cached_property
    def calendars(self) -> CalendarsMethods:
        return CalendarsMethods(self._client)

    @cached_property
    def dead_letters(self) -> DeadLettersMethods:
        return DeadLettersMethods(self._client)

    @cached_property
    def events(self) -> EventsMethods:
        return EventsMethods(self._client)

    @cached_property
    def executions(self) -> ExecutionsMethods:
        return ExecutionsMethods(self._client)

    @cached_property
    def health(self) -> HealthMethods:
        return HealthMethods(self._client)

    @cached_property
    def jobs(self) -> JobsMethods:
        return JobsMethods(self._client)

    @cached_property
    def keys(self) -> KeysMethods:
        return KeysMethods(self._client)

    @cached_property
    def redrives(self) -> RedrivesMethods:
        return RedrivesMethods(self._client)

    @cached_property
    def runs(self) -> RunsMethods:
        return RunsMethods(self._client)

    @cached_property
    def schedules(self) -> SchedulesMethods:
        return SchedulesMethods(self._client)

    @cached_property
    def searches(self) -> SearchesMethods:
        return SearchesMethods(self._client)

    @cached_property
    def settings(self) -> SettingsMethods:
        return SettingsMethods(self._client)

    @cached_property
    def signing_secrets(self) -> SigningSecretsMethods:
        return SigningSecretsMethods(self._client)

    @cached_property
    def stats(self) -> StatsMethods:
        return StatsMethods(self._client)

    @cached_property
    def triggers(self) -> TriggersMethods:
        return TriggersMethods(self._client)

    @cached_property
    def upcoming(self) -> UpcomingMethods:
        return UpcomingMethods(self._client)

    @cached_property
    def usage(self) -> UsageMethods:
        return UsageMethods(self._client)

    @cached_property
    def whoami(self) -> WhoamiMethods:
        return WhoamiMethods(self._client)

    @cached_property
    def workflows(self) -> WorkflowsMethods:
        return WorkflowsMethods(self._client)
