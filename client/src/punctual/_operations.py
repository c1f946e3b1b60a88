"""The operations of the API. Generated from docs/openapi.json: run `make client-sdk` instead of editing."""

from punctual import models
from punctual._operation import Auth, Operation, Repeat

LIST_ALARMS: Operation[models.AlarmPage] = Operation(
    "listAlarms", "GET", "/v1/admin/alarms", {200: models.AlarmPage}
)

LIST_SHARED_CALENDARS: Operation[models.SharedCalendars] = Operation(
    "listSharedCalendars", "GET", "/v1/admin/calendars", {200: models.SharedCalendars}
)

DELETE_SHARED_CALENDAR: Operation[models.Calendar] = Operation(
    "deleteSharedCalendar", "DELETE", "/v1/admin/calendars/{shared_calendar}", {200: models.Calendar}
)

GET_SHARED_CALENDAR: Operation[models.Calendar] = Operation(
    "getSharedCalendar", "GET", "/v1/admin/calendars/{shared_calendar}", {200: models.Calendar}
)

PUT_SHARED_CALENDAR: Operation[models.Calendar] = Operation(
    "putSharedCalendar", "PUT", "/v1/admin/calendars/{shared_calendar}", {200: models.Calendar}
)

LIST_EVENT_SOURCES: Operation[models.EventSources] = Operation(
    "listEventSources", "GET", "/v1/admin/event-sources", {200: models.EventSources}
)

DELETE_EVENT_SOURCE: Operation[models.EventSource] = Operation(
    "deleteEventSource", "DELETE", "/v1/admin/event-sources/{account}", {200: models.EventSource}
)

GET_EVENT_SOURCE: Operation[models.EventSource] = Operation(
    "getEventSource", "GET", "/v1/admin/event-sources/{account}", {200: models.EventSource}
)

PUT_EVENT_SOURCE: Operation[models.EventSource] = Operation(
    "putEventSource", "PUT", "/v1/admin/event-sources/{account}", {200: models.EventSource}
)

LIST_LANES: Operation[models.LanePage] = Operation(
    "listLanes", "GET", "/v1/admin/lanes", {200: models.LanePage}
)

LIST_PARKED: Operation[models.ParkedPage] = Operation(
    "listParked", "GET", "/v1/admin/parked", {200: models.ParkedPage}
)

REMOVE_PARKED: Operation[models.Parked] = Operation(
    "removeParked", "DELETE", "/v1/admin/parked/{parked_id}", {200: models.Parked}, Repeat.NEVER
)

GET_STATISTICS_OF_ALL_TENANTS: Operation[models.Statistics] = Operation(
    "getStatisticsOfAllTenants", "GET", "/v1/admin/stats", {200: models.Statistics}
)

GET_BUSIEST_JOBS_OF_ALL_TENANTS: Operation[models.BusiestJobs] = Operation(
    "getBusiestJobsOfAllTenants", "GET", "/v1/admin/stats/jobs", {200: models.BusiestJobs}
)

LIST_TENANTS: Operation[models.TenantPage] = Operation(
    "listTenants", "GET", "/v1/admin/tenants", {200: models.TenantPage}
)

CREATE_TENANT: Operation[models.NewTenant] = Operation(
    "createTenant", "POST", "/v1/admin/tenants", {201: models.NewTenant}, Repeat.NEVER
)

GET_TENANT: Operation[models.Tenant] = Operation(
    "getTenant", "GET", "/v1/admin/tenants/{tenant_id}", {200: models.Tenant}
)

CHANGE_TENANT: Operation[models.Tenant] = Operation(
    "changeTenant", "PATCH", "/v1/admin/tenants/{tenant_id}", {200: models.Tenant, 202: models.Tenant}
)

LIST_AUDIT_OF_TENANT: Operation[models.AuditPage] = Operation(
    "listAuditOfTenant", "GET", "/v1/admin/tenants/{tenant_id}/audit", {200: models.AuditPage}
)

GET_TENANT_DELETION: Operation[models.Deletion] = Operation(
    "getTenantDeletion", "GET", "/v1/admin/tenants/{tenant_id}/deletion", {200: models.Deletion}
)

DELETE_TENANT: Operation[models.Deletion] = Operation(
    "deleteTenant", "POST", "/v1/admin/tenants/{tenant_id}/deletion", {202: models.Deletion}
)

LIST_KEYS_OF_TENANT: Operation[models.Keys] = Operation(
    "listKeysOfTenant", "GET", "/v1/admin/tenants/{tenant_id}/keys", {200: models.Keys}
)

CREATE_KEY_OF_TENANT: Operation[models.NewKey] = Operation(
    "createKeyOfTenant", "POST", "/v1/admin/tenants/{tenant_id}/keys", {201: models.NewKey}, Repeat.NEVER
)

REVOKE_KEY_OF_TENANT: Operation[models.Key] = Operation(
    "revokeKeyOfTenant", "DELETE", "/v1/admin/tenants/{tenant_id}/keys/{key_id}", {200: models.Key}
)

ROTATE_KEY_OF_TENANT: Operation[models.NewKey] = Operation(
    "rotateKeyOfTenant",
    "POST",
    "/v1/admin/tenants/{tenant_id}/keys/{key_id}/rotate",
    {201: models.NewKey},
    Repeat.NEVER,
)

LIST_SIGNING_SECRETS_OF_TENANT: Operation[models.Secrets] = Operation(
    "listSigningSecretsOfTenant",
    "GET",
    "/v1/admin/tenants/{tenant_id}/signing-secrets",
    {200: models.Secrets},
)

ROTATE_SIGNING_SECRET_OF_TENANT: Operation[models.NewSecret] = Operation(
    "rotateSigningSecretOfTenant",
    "POST",
    "/v1/admin/tenants/{tenant_id}/signing-secrets",
    {201: models.NewSecret},
    Repeat.NEVER,
)

RETIRE_SIGNING_SECRET_OF_TENANT: Operation[models.Secret] = Operation(
    "retireSigningSecretOfTenant",
    "DELETE",
    "/v1/admin/tenants/{tenant_id}/signing-secrets/{secret_id}",
    {200: models.Secret},
)

GET_STATISTICS_OF_TENANT: Operation[models.Statistics] = Operation(
    "getStatisticsOfTenant", "GET", "/v1/admin/tenants/{tenant_id}/stats", {200: models.Statistics}
)

GET_BUSIEST_JOBS_OF_TENANT: Operation[models.BusiestJobs] = Operation(
    "getBusiestJobsOfTenant", "GET", "/v1/admin/tenants/{tenant_id}/stats/jobs", {200: models.BusiestJobs}
)

GET_USAGE_OF_TENANT: Operation[models.Usage] = Operation(
    "getUsageOfTenant", "GET", "/v1/admin/tenants/{tenant_id}/usage", {200: models.Usage}
)

LIST_DUE: Operation[models.DuePage] = Operation("listDue", "GET", "/v1/admin/upcoming", {200: models.DuePage})

LIST_AUDIT: Operation[models.AuditPage] = Operation("listAudit", "GET", "/v1/audit", {200: models.AuditPage})

LIST_BULK_TASKS: Operation[models.BulkTaskPage] = Operation(
    "listBulkTasks", "GET", "/v1/bulk-tasks", {200: models.BulkTaskPage}
)

CANCEL_BULK_TASK: Operation[models.BulkTask] = Operation(
    "cancelBulkTask", "DELETE", "/v1/bulk-tasks/{bulk_task_id}", {200: models.BulkTask}
)

GET_BULK_TASK: Operation[models.BulkTask] = Operation(
    "getBulkTask", "GET", "/v1/bulk-tasks/{bulk_task_id}", {200: models.BulkTask}
)

UNDO_BULK_TASK: Operation[models.BulkTask] = Operation(
    "undoBulkTask", "POST", "/v1/bulk-tasks/{bulk_task_id}/undo", {202: models.BulkTask}
)

LIST_CALENDARS: Operation[models.Calendars] = Operation(
    "listCalendars", "GET", "/v1/calendars", {200: models.Calendars}
)

DELETE_CALENDAR: Operation[models.Calendar] = Operation(
    "deleteCalendar", "DELETE", "/v1/calendars/{calendar}", {200: models.Calendar}
)

GET_CALENDAR: Operation[models.Calendar] = Operation(
    "getCalendar", "GET", "/v1/calendars/{calendar}", {200: models.Calendar}
)

PUT_CALENDAR: Operation[models.Calendar] = Operation(
    "putCalendar", "PUT", "/v1/calendars/{calendar}", {200: models.Calendar}
)

LIST_DEAD_LETTERS: Operation[models.DeadLetterPage] = Operation(
    "listDeadLetters", "GET", "/v1/dead-letters", {200: models.DeadLetterPage}
)

REDRIVE_DEAD_LETTERS: Operation[models.RedrivePlan | models.Redrive] = Operation(
    "redriveDeadLetters",
    "POST",
    "/v1/dead-letters/redrive",
    {200: models.RedrivePlan, 202: models.Redrive},
    Repeat.KEY,
)

INSPECT_DEAD_LETTER: Operation[models.Inspected] = Operation(
    "inspectDeadLetter", "GET", "/v1/dead-letters/{execution_id}", {200: models.Inspected}
)

SEND_EVENT: Operation[models.Event] = Operation("sendEvent", "POST", "/v1/events", {200: models.Event})

LIST_EXECUTIONS_BY_TIME: Operation[models.ExecutionPage] = Operation(
    "listExecutionsByTime", "GET", "/v1/executions", {200: models.ExecutionPage}
)

SEARCH_EXECUTIONS: Operation[models.Search] = Operation(
    "searchExecutions", "POST", "/v1/executions/search", {202: models.Search}, Repeat.KEY
)

CANCEL_EXECUTION: Operation[models.Execution] = Operation(
    "cancelExecution",
    "DELETE",
    "/v1/executions/{execution_id}",
    {200: models.Execution, 202: models.Execution},
)

GET_EXECUTION: Operation[models.ExecutionDetail] = Operation(
    "getExecution", "GET", "/v1/executions/{execution_id}", {200: models.ExecutionDetail}
)

COMPLETE_EXECUTION: Operation[models.Report] = Operation(
    "completeExecution",
    "POST",
    "/v1/executions/{execution_id}/complete",
    {200: models.Report},
    Repeat.ALWAYS,
    Auth.TOKEN,
)

EXPLAIN_EXECUTION: Operation[models.Explanation] = Operation(
    "explainExecution", "GET", "/v1/executions/{execution_id}/explain", {200: models.Explanation}
)

FAIL_EXECUTION: Operation[models.Report] = Operation(
    "failExecution",
    "POST",
    "/v1/executions/{execution_id}/fail",
    {200: models.Report},
    Repeat.ALWAYS,
    Auth.TOKEN,
)

HEARTBEAT_EXECUTION: Operation[models.Heartbeat] = Operation(
    "heartbeatExecution",
    "POST",
    "/v1/executions/{execution_id}/heartbeat",
    {200: models.Heartbeat},
    Repeat.ALWAYS,
    Auth.TOKEN,
)

REDRIVE_EXECUTION: Operation[models.Execution] = Operation(
    "redriveExecution", "POST", "/v1/executions/{execution_id}/redrive", {201: models.Execution}
)

GET_HEALTH: Operation[models.Health] = Operation(
    "getHealth", "GET", "/v1/health", {200: models.Health}, Repeat.ALWAYS, Auth.NONE
)

LIST_JOBS: Operation[models.JobPage] = Operation("listJobs", "GET", "/v1/jobs", {200: models.JobPage})

CREATE_JOB: Operation[models.Job] = Operation("createJob", "POST", "/v1/jobs", {201: models.Job}, Repeat.KEY)

CREATE_JOBS: Operation[models.Batch] = Operation(
    "createJobs", "POST", "/v1/jobs/batch", {200: models.Batch}, Repeat.KEY
)

CHANGE_JOBS: Operation[models.BulkPlan | models.BulkTask] = Operation(
    "changeJobs", "POST", "/v1/jobs/bulk", {200: models.BulkPlan, 202: models.BulkTask}, Repeat.KEY
)

GET_JOB_BY_KEY: Operation[models.Job] = Operation(
    "getJobByKey", "GET", "/v1/jobs/by-key/{key}", {200: models.Job}
)

PUT_JOB: Operation[models.JobPut] = Operation("putJob", "PUT", "/v1/jobs/by-key/{key}", {200: models.JobPut})

CANCEL_JOB: Operation[models.Job] = Operation(
    "cancelJob", "DELETE", "/v1/jobs/{job_id}", {200: models.Job, 202: models.Job}
)

GET_JOB: Operation[models.Job] = Operation("getJob", "GET", "/v1/jobs/{job_id}", {200: models.Job})

UPDATE_JOB: Operation[models.Job] = Operation(
    "updateJob", "PATCH", "/v1/jobs/{job_id}", {200: models.Job}, Repeat.ETAG
)

BACKFILL_JOB: Operation[models.BackfillPlan | models.Job] = Operation(
    "backfillJob",
    "POST",
    "/v1/jobs/{job_id}/backfill",
    {200: models.BackfillPlan, 201: models.Job},
    Repeat.KEY,
)

LIST_EXECUTIONS: Operation[models.ExecutionPage] = Operation(
    "listExecutions", "GET", "/v1/jobs/{job_id}/executions", {200: models.ExecutionPage}
)

PAUSE_JOB: Operation[models.Job] = Operation("pauseJob", "POST", "/v1/jobs/{job_id}/pause", {200: models.Job})

RESUME_JOB: Operation[models.Job] = Operation(
    "resumeJob", "POST", "/v1/jobs/{job_id}/resume", {200: models.Job}
)

TRIGGER_JOB: Operation[models.Execution] = Operation(
    "triggerJob", "POST", "/v1/jobs/{job_id}/trigger", {201: models.Execution}, Repeat.KEY
)

LIST_NEXT_RUNS: Operation[models.NextRuns] = Operation(
    "listNextRuns", "GET", "/v1/jobs/{job_id}/upcoming", {200: models.NextRuns}
)

LIST_KEYS: Operation[models.Keys] = Operation("listKeys", "GET", "/v1/keys", {200: models.Keys})

CREATE_KEY: Operation[models.NewKey] = Operation(
    "createKey", "POST", "/v1/keys", {201: models.NewKey}, Repeat.NEVER
)

REVOKE_KEY: Operation[models.Key] = Operation("revokeKey", "DELETE", "/v1/keys/{key_id}", {200: models.Key})

ROTATE_KEY: Operation[models.NewKey] = Operation(
    "rotateKey", "POST", "/v1/keys/{key_id}/rotate", {201: models.NewKey}, Repeat.NEVER
)

UNDO_REDRIVE: Operation[models.Redrive] = Operation(
    "undoRedrive", "DELETE", "/v1/redrives/{redrive_id}", {202: models.Redrive}
)

GET_REDRIVE: Operation[models.Redrive] = Operation(
    "getRedrive", "GET", "/v1/redrives/{redrive_id}", {200: models.Redrive}
)

GET_RUN: Operation[models.RunDetail] = Operation(
    "getRun", "GET", "/v1/runs/{run_id}", {200: models.RunDetail}
)

CANCEL_RUN: Operation[models.Run] = Operation(
    "cancelRun", "POST", "/v1/runs/{run_id}/cancel", {200: models.Run, 202: models.Run}
)

REDRIVE_RUN: Operation[models.Run] = Operation(
    "redriveRun", "POST", "/v1/runs/{run_id}/redrive", {200: models.Run}
)

PREVIEW_SCHEDULE: Operation[models.SchedulePreview] = Operation(
    "previewSchedule", "POST", "/v1/schedules/preview", {200: models.SchedulePreview}
)

LIST_SEARCHES: Operation[models.SearchPage] = Operation(
    "listSearches", "GET", "/v1/searches", {200: models.SearchPage}
)

CANCEL_SEARCH: Operation[models.Search] = Operation(
    "cancelSearch", "DELETE", "/v1/searches/{search_id}", {200: models.Search}
)

GET_SEARCH: Operation[models.SearchDetail] = Operation(
    "getSearch", "GET", "/v1/searches/{search_id}", {200: models.SearchDetail}
)

GET_SETTINGS: Operation[models.Settings] = Operation(
    "getSettings", "GET", "/v1/settings", {200: models.Settings}
)

CHANGE_SETTINGS: Operation[models.Settings] = Operation(
    "changeSettings", "PATCH", "/v1/settings", {200: models.Settings}
)

LIST_SIGNING_SECRETS: Operation[models.Secrets] = Operation(
    "listSigningSecrets", "GET", "/v1/signing-secrets", {200: models.Secrets}
)

ROTATE_SIGNING_SECRET: Operation[models.NewSecret] = Operation(
    "rotateSigningSecret", "POST", "/v1/signing-secrets", {201: models.NewSecret}, Repeat.NEVER
)

RETIRE_SIGNING_SECRET: Operation[models.Secret] = Operation(
    "retireSigningSecret", "DELETE", "/v1/signing-secrets/{secret_id}", {200: models.Secret}
)

GET_STATISTICS: Operation[models.Statistics] = Operation(
    "getStatistics", "GET", "/v1/stats", {200: models.Statistics}
)

GET_BUSIEST_JOBS: Operation[models.BusiestJobs] = Operation(
    "getBusiestJobs", "GET", "/v1/stats/jobs", {200: models.BusiestJobs}
)

LIST_TRIGGERS: Operation[models.Triggers] = Operation(
    "listTriggers", "GET", "/v1/triggers", {200: models.Triggers}
)

DELETE_TRIGGER: Operation[models.Trigger] = Operation(
    "deleteTrigger", "DELETE", "/v1/triggers/{trigger}", {200: models.Trigger}
)

GET_TRIGGER: Operation[models.Trigger] = Operation(
    "getTrigger", "GET", "/v1/triggers/{trigger}", {200: models.Trigger}
)

PUT_TRIGGER: Operation[models.Trigger] = Operation(
    "putTrigger", "PUT", "/v1/triggers/{trigger}", {200: models.Trigger}
)

LIST_UPCOMING: Operation[models.UpcomingPage] = Operation(
    "listUpcoming", "GET", "/v1/upcoming", {200: models.UpcomingPage}
)

GET_UPCOMING_DENSITY: Operation[models.Density] = Operation(
    "getUpcomingDensity", "GET", "/v1/upcoming/density", {200: models.Density}
)

GET_USAGE: Operation[models.Usage] = Operation("getUsage", "GET", "/v1/usage", {200: models.Usage})

GET_WHOAMI: Operation[models.Whoami] = Operation("getWhoami", "GET", "/v1/whoami", {200: models.Whoami})

LIST_WORKFLOWS: Operation[models.WorkflowPage] = Operation(
    "listWorkflows", "GET", "/v1/workflows", {200: models.WorkflowPage}
)

CREATE_WORKFLOW: Operation[models.Workflow] = Operation(
    "createWorkflow", "POST", "/v1/workflows", {201: models.Workflow}, Repeat.KEY
)

GET_WORKFLOW_BY_KEY: Operation[models.Workflow] = Operation(
    "getWorkflowByKey", "GET", "/v1/workflows/by-key/{key}", {200: models.Workflow}
)

PUT_WORKFLOW: Operation[models.WorkflowPut] = Operation(
    "putWorkflow", "PUT", "/v1/workflows/by-key/{key}", {200: models.WorkflowPut}
)

DELETE_WORKFLOW: Operation[models.WorkflowSummary] = Operation(
    "deleteWorkflow", "DELETE", "/v1/workflows/{workflow_id}", {200: models.WorkflowSummary}
)

GET_WORKFLOW: Operation[models.Workflow] = Operation(
    "getWorkflow", "GET", "/v1/workflows/{workflow_id}", {200: models.Workflow}
)

UPDATE_WORKFLOW: Operation[models.Workflow] = Operation(
    "updateWorkflow", "PATCH", "/v1/workflows/{workflow_id}", {200: models.Workflow}, Repeat.ETAG
)

LIST_RUNS: Operation[models.RunPage] = Operation(
    "listRuns", "GET", "/v1/workflows/{workflow_id}/runs", {200: models.RunPage}
)

START_RUN: Operation[models.Run] = Operation(
    "startRun", "POST", "/v1/workflows/{workflow_id}/runs", {201: models.Run}, Repeat.KEY
)
