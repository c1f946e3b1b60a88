"""An environment that satisfies every function."""

import json
from dataclasses import asdict

from shared.names import Env, QueueName
from tests.support.fakes.budgets import GENEROUS

QUEUES = {lane.value: f"https://sqs.eu-west-1.amazonaws.com/1/{lane.value}" for lane in QueueName}
DEAD_LETTERS = {lane.value: f"arn:aws:sqs:eu-west-1:1:{lane.value}-dlq" for lane in QueueName}
PLAN = [{"from": "2026-01-01T00:00Z", "normal": 2, "quarter": 4, "midnight": 8}]

ENVIRONMENT = {name: "set" for key, name in vars(Env).items() if key.isupper()} | {
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "POWERTOOLS_SERVICE_NAME": "punctual",
    Env.STAGE: "test",
    Env.TRANSPORT: "http",
    Env.REGION: "eu-west-1",
    Env.CELL: "0",
    Env.EXECUTIONS_TABLE: "executions",
    Env.JOBS_TABLE: "jobs",
    Env.TENANTS_TABLE: "tenants",
    Env.LEASES_TABLE: "leases",
    Env.AUDIT_TABLE: "audit",
    Env.AUDIT_RETENTION_DAYS: "400",
    Env.AUDIT_ONE_OFFS: "false",
    Env.DEFAULT_QUOTAS: json.dumps(asdict(GENEROUS)),
    Env.LANE_QUEUE_URLS: json.dumps(QUEUES),
    Env.EVENTS_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/events",
    Env.DEAD_EVENTS_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/1/events-dead",
    Env.KMS_KEY_ID: "alias/punctual",
    Env.SHARD_PLAN: json.dumps(PLAN),
    Env.RETENTION_DAYS: "14",
    Env.DIAL_EXCEPTIONS: "",
    Env.API_HOSTS: "https://abc123.execute-api.eu-west-1.amazonaws.com",
    Env.CONSOLE_ORIGIN: "https://console.example.com",
    Env.API_URL: "https://abc123.execute-api.eu-west-1.amazonaws.com",
    Env.LANE: "standard",
    Env.ARCHIVE_BUCKET: "archive",
    Env.ARCHIVE_READER: "archive-reader:live",
    Env.ARCHIVE_DAYS: "400",
    Env.HISTORY_TABLE: "history",
    Env.AUDIT_BUCKET: "audit-trail",
    Env.TARGET_ROLES: "arn:aws:iam::*:role/punctual/*",
    Env.TOKEN_ISSUER: "https://api.example.com",
    Env.TOKEN_KEYS: "2,1",
    Env.AUDIT_LOCK_DAYS: "400",
    Env.DEAD_LETTER_ARNS: json.dumps(DEAD_LETTERS),
}
