"""What the OpenAPI document does not say: the names of the methods, and which requests may be repeated."""

METHODS = {
    "createJob": "jobs.create",
    "createJobs": "jobs.batch",
    "listJobs": "jobs.list",
    "getJob": "jobs.get",
    "putJob": "jobs.put",
    "getJobByKey": "jobs.get_by_key",
    "updateJob": "jobs.update",
    "cancelJob": "jobs.cancel",
    "pauseJob": "jobs.pause",
    "resumeJob": "jobs.resume",
    "triggerJob": "jobs.trigger",
    "backfillJob": "jobs.backfill",
    "changeJobs": "jobs.bulk",
    "listExecutions": "jobs.list_executions",
    "listNextRuns": "jobs.upcoming",
    "listBulkTasks": "bulk_tasks.list",
    "getBulkTask": "bulk_tasks.get",
    "cancelBulkTask": "bulk_tasks.cancel",
    "undoBulkTask": "bulk_tasks.undo",
    "listExecutionsByTime": "executions.list",
    "getExecution": "executions.get",
    "explainExecution": "executions.explain",
    "searchExecutions": "executions.search",
    "listSearches": "searches.list",
    "getSearch": "searches.get",
    "cancelSearch": "searches.cancel",
    "cancelExecution": "executions.cancel",
    "redriveExecution": "executions.redrive",
    "heartbeatExecution": "executions.heartbeat",
    "completeExecution": "executions.complete",
    "failExecution": "executions.fail",
    "createWorkflow": "workflows.create",
    "listWorkflows": "workflows.list",
    "getWorkflow": "workflows.get",
    "updateWorkflow": "workflows.update",
    "deleteWorkflow": "workflows.delete",
    "putWorkflow": "workflows.put",
    "getWorkflowByKey": "workflows.get_by_key",
    "startRun": "workflows.start",
    "listRuns": "workflows.list_runs",
    "getRun": "runs.get",
    "cancelRun": "runs.cancel",
    "redriveRun": "runs.redrive",
    "listDeadLetters": "dead_letters.list",
    "inspectDeadLetter": "dead_letters.get",
    "redriveDeadLetters": "dead_letters.redrive",
    "getRedrive": "redrives.get",
    "undoRedrive": "redrives.undo",
    "previewSchedule": "schedules.preview",
    "listCalendars": "calendars.list",
    "putCalendar": "calendars.put",
    "getCalendar": "calendars.get",
    "deleteCalendar": "calendars.delete",
    "listTriggers": "triggers.list",
    "putTrigger": "triggers.put",
    "getTrigger": "triggers.get",
    "deleteTrigger": "triggers.delete",
    "sendEvent": "events.send",
    "listUpcoming": "upcoming.list",
    "getUpcomingDensity": "upcoming.density",
    "getStatistics": "stats.get",
    "getBusiestJobs": "stats.busiest_jobs",
    "getUsage": "usage.get",
    "listAudit": "audit.list",
    "getSettings": "settings.get",
    "changeSettings": "settings.update",
    "listKeys": "keys.list",
    "createKey": "keys.create",
    "rotateKey": "keys.rotate",
    "revokeKey": "keys.revoke",
    "getWhoami": "whoami.get",
    "listSigningSecrets": "signing_secrets.list",
    "rotateSigningSecret": "signing_secrets.rotate",
    "retireSigningSecret": "signing_secrets.retire",
    "getHealth": "health.get",
    "listTenants": "admin.tenants.list",
    "createTenant": "admin.tenants.create",
    "getTenant": "admin.tenants.get",
    "changeTenant": "admin.tenants.update",
    "deleteTenant": "admin.tenants.delete",
    "getTenantDeletion": "admin.tenants.deletion",
    "listKeysOfTenant": "admin.keys.list",
    "createKeyOfTenant": "admin.keys.create",
    "rotateKeyOfTenant": "admin.keys.rotate",
    "revokeKeyOfTenant": "admin.keys.revoke",
    "listSigningSecretsOfTenant": "admin.signing_secrets.list",
    "rotateSigningSecretOfTenant": "admin.signing_secrets.rotate",
    "retireSigningSecretOfTenant": "admin.signing_secrets.retire",
    "getUsageOfTenant": "admin.usage.get",
    "listAuditOfTenant": "admin.audit.list",
    "getStatisticsOfTenant": "admin.stats.of_tenant",
    "getStatisticsOfAllTenants": "admin.stats.get",
    "getBusiestJobsOfTenant": "admin.stats.busiest_jobs_of_tenant",
    "getBusiestJobsOfAllTenants": "admin.stats.busiest_jobs",
    "listParked": "admin.parked.list",
    "removeParked": "admin.parked.remove",
    "listSharedCalendars": "admin.calendars.list",
    "putSharedCalendar": "admin.calendars.put",
    "getSharedCalendar": "admin.calendars.get",
    "deleteSharedCalendar": "admin.calendars.delete",
    "listDue": "admin.upcoming.list",
    "listLanes": "admin.lanes.list",
    "listAlarms": "admin.alarms.list",
    "listEventSources": "admin.event_sources.list",
    "putEventSource": "admin.event_sources.put",
    "getEventSource": "admin.event_sources.get",
    "deleteEventSource": "admin.event_sources.delete",
}
"""The method of each operation, `group.name`. A method `list` that has pages gets an `iterate` beside it."""

REPEATS = {
    "cancelBulkTask": "ALWAYS",
    "cancelRun": "ALWAYS",
    "changeSettings": "ALWAYS",
    "changeTenant": "ALWAYS",
    "completeExecution": "ALWAYS",
    "createKey": "NEVER",
    "createKeyOfTenant": "NEVER",
    "createTenant": "NEVER",
    "deleteTenant": "ALWAYS",
    "failExecution": "ALWAYS",
    "heartbeatExecution": "ALWAYS",
    "pauseJob": "ALWAYS",
    "previewSchedule": "ALWAYS",
    "putCalendar": "ALWAYS",
    "putSharedCalendar": "ALWAYS",
    "putJob": "ALWAYS",
    "putEventSource": "ALWAYS",
    "putTrigger": "ALWAYS",
    "putWorkflow": "ALWAYS",
    "redriveExecution": "ALWAYS",
    "redriveRun": "ALWAYS",
    "removeParked": "NEVER",
    "resumeJob": "ALWAYS",
    "rotateKey": "NEVER",
    "rotateKeyOfTenant": "NEVER",
    "rotateSigningSecret": "NEVER",
    "rotateSigningSecretOfTenant": "NEVER",
    "sendEvent": "ALWAYS",
    "undoBulkTask": "ALWAYS",
    "updateJob": "ETAG",
    "updateWorkflow": "ETAG",
}
"""Whether a request without an Idempotency-Key may be sent again after a lost answer, for each POST, PUT and PATCH.

A DELETE without an entry may. `NEVER`: each request makes something, or the lost answer had what is shown once.
`ETAG`: a patch is relative to the moment (`delay_seconds`, a new schedule), so it is repeated only if If-Match names
a revision.
"""

FLATTENED = {
    "createJob": {"schedule": "ScheduleIn", "request": "RequestIn"},
    "putJob": {"schedule": "ScheduleIn", "request": "RequestIn"},
    "updateJob": {"schedule": "ScheduleIn", "request": "RequestIn"},
}
"""Members of bodies whose own members are arguments of the method, too, with the schema that has them."""

BY_CLIENT = {"createJobs": "create_batch"}
"""Operations whose steps the client has by hand, with the name of its method."""

PAIRS = {"putJob": "Put", "putWorkflow": "PutWorkflow"}
"""Operations with a `dry_run` in the query, and the class of `punctual._put` that the answer of a real one becomes."""

LEFT_OUT = {"If-None-Match"}
"""Headers of reads that a client in Python has no use for."""

HEADERS = {
    "Idempotency-Key": ("idempotency_key", "str | None"),
    "If-Match": ("if_match", "IfMatch | None"),
    "If-None-Match": ("if_none_match", 'Literal["*"] | None'),
    "Punctual-Depth": ("depth", "str | None"),
    "traceparent": ("traceparent", "str | None"),
}
"""The argument and its type for each header."""

RENAMED = {"from": "since", "to": "until"}
"""Members whose names are keywords, and their partners."""

AGO = {"from", "to"}
"""Arguments that take `"24h"` for how long ago, beside an instant. (Their schemas call them instants, or just text.)"""

INSTANTS = {"at", "start_at", "end_at", "created_from", "created_to", "until"}
"""Members of requests that are instants, though their schemas have no format for them."""

REFERENCES = {"job", "backfill_of"}
"""Arguments that take an id, or an object with one."""

PARTS = {"alerts": "AlertsIn", "request": "RequestIn", "retry": "RetryIn", "schedule": "ScheduleIn"}
"""The models of members that a patch describes as any object."""

HIDDEN = {
    "FailedRequestOut": ("body",),
    "HeaderOut": ("value",),
    "NewKeyOut": ("api_key",),
    "NewSecretOut": ("signing_secret",),
    "NewTenantOut": ("api_key", "signing_secret"),
    "RequestIn": ("headers", "body", "json"),
    "SearchFileOut": ("url",),
}
"""Members that are never part of the text of a model: secrets, and requests that the API keeps encrypted."""

CLASSES = {"Quota": "QuotaName", "WarningOut": "ScheduleWarning"}
"""The names of schemas whose own names are taken: by an answer without its `Out`, or by Python."""

BASES = {"BatchOut": "BatchResults"}
"""Models with methods of their own."""

UNIONS = {("AcceptedOut", "RefusedOut"): "BatchResult"}
"""The names of members that are one of several objects: the model has the members of all."""

PROBLEMS_WITHOUT_EXAMPLE = {"method-not-allowed": "The resource has no such method"}
"""Problem types that no operation of the document has, with their titles."""
