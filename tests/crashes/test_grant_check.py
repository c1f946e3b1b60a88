"""The check of grants refuses each call that a role does not allow, part by part."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from moto import mock_aws

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError
from shared.domain.errors import RequestRejectedError
from shared.names import ENCRYPTION_CONTEXT_TENANT, Env, QueueName, Transport
from tests.crashes.grant_check import UNUSED, USED_IN_INTEGRATION, GrantCheck, unused_grants
from tests.support.aws_calls import UNKNOWN, Need, needs
from tests.support.builders import TENANT, job, occurrence
from tests.support.conformance.clients import Clients
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.tables import TableNames, create_tables
from tests.support.function_grants import FunctionGrants, kinds_of_grants, spec_of

Checked = Callable[[str], tuple[DynamoLab, GrantCheck]]
NAMES = TableNames(executions="e", jobs="j", tenants="t", leases="l", audit="a", history="h")
URL = "http://localhost:4566/000000000000"
FOR_ACME: dict[str, Any] = {"EncryptionContext": {ENCRYPTION_CONTEXT_TENANT: "acme"}}


def _variables(names: TableNames, lane: QueueName | None = None) -> dict[str, str]:
    own = {Env.LANE: str(lane)} if lane else {}
    return own | {
        Env.EXECUTIONS_TABLE: names.executions,
        Env.JOBS_TABLE: names.jobs,
        Env.TENANTS_TABLE: names.tenants,
        Env.LEASES_TABLE: names.leases,
        Env.AUDIT_TABLE: names.audit,
        Env.HISTORY_TABLE: names.history,
        Env.LANE_QUEUE_URLS: json.dumps({str(queue): f"{URL}/{queue}-7" for queue in QueueName}),
        Env.DEAD_LETTER_ARNS: json.dumps(
            {str(queue): f"arn:aws:sqs:us-east-1:0:{queue}-7-dead" for queue in QueueName}
        ),
        Env.KMS_KEY_ID: "k-7",
        Env.API_LOG_GROUP: "api-7",
    }


@pytest.fixture
def checked() -> Iterator[Checked]:
    def of(package: str) -> tuple[DynamoLab, GrantCheck]:
        clients = Clients()
        names = create_tables(clients("dynamodb", None, Transport.BOTO3))
        lane = QueueName.STANDARD if package == "executor" else None
        check = GrantCheck(package, _variables(names, lane))
        return DynamoLab(_checked(clients("dynamodb", None), "dynamodb", check), names), check

    with mock_aws():
        yield of


def _checked(client: AwsClient, service: str, check: GrantCheck) -> AwsClient:
    """A client whose calls are checked first."""

    def call(operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        check.check(service, operation, params)
        return client.call(operation, params)

    return AwsClient(call)


def test_sweeper_may_make_the_queries_that_finish_a_deletion(checked: Checked) -> None:
    lab, check = checked("sweeper")
    lab.jobs.extras(TENANT, job().id, before=None, limit=1)
    lab.jobs.past_chains(TENANT, job().id, limit=1)
    lab.jobs.backfills(TENANT, job().id)
    assert check.take() == {"used": ["sweeper dynamodb:Query jobs"], "denied": []}


def test_call_without_a_grant_is_refused_and_told(checked: Checked) -> None:
    lab, check = checked("watcher")
    with pytest.raises(RequestRejectedError, match="AccessDenied"):
        lab.jobs.past_chains(TENANT, job().id, limit=1)
    assert check.take()["denied"] == ["watcher dynamodb:Query jobs"]
    assert check.take() == {"used": [], "denied": []}


def test_transaction_needs_the_grant_of_each_of_its_parts(checked: Checked) -> None:
    lab, check = checked("api")
    lab.jobs.create(job(), occurrence())
    used = ["api dynamodb:PutItem executions", "api dynamodb:PutItem jobs"]
    assert check.take() == {"used": used, "denied": []}
    lab, check = checked("executor")
    with pytest.raises(RequestRejectedError):
        lab.jobs.file_if_active(occurrence())
    assert check.take()["denied"] == ["executor-standard dynamodb:ConditionCheckItem jobs"]


@pytest.mark.parametrize("service", ["sqs", "kms", "logs"])
def test_calls_of_every_service_are_compared_with_the_role(service: str) -> None:
    check = GrantCheck("watcher", _variables(NAMES))
    client = _checked(Clients()(service, None), service, check)
    forbidden: dict[str, Callable[[], Any]] = {
        "sqs": lambda: client.send_message_batch(QueueUrl=f"{URL}/slow-7", Entries=[]),
        "kms": lambda: client.decrypt(KeyId="k-7", CiphertextBlob=b"", **FOR_ACME),
        "logs": lambda: client.filter_log_events(logGroupName="api-7"),
    }
    with pytest.raises(AwsError, match="AccessDenied"):
        forbidden[service]()
    denied = {
        "sqs": "watcher sqs:SendMessage slow-path/slow",
        "kms": "watcher kms:Decrypt key",
        "logs": "watcher logs:FilterLogEvents log/api",
    }
    assert check.take()["denied"] == [denied[service]]


@pytest.mark.parametrize(
    ("need", "missing"),
    [
        (("sqs:SendMessage", "bulk-7"), None),
        (("sqs:SendMessage", "slow-7"), None),
        (("sqs:SendMessage", "slow-bulk-7"), "executor-standard sqs:SendMessage slow-path/slow-bulk"),
        (("sqs:SendMessage", "bulk-7-dead"), "executor-standard sqs:SendMessage dead-letters/bulk"),
        (("sqs:SendMessage", "stranger"), "executor-standard sqs:SendMessage stranger"),
        (("sqs:ChangeMessageVisibility", "standard-7"), None),
        (
            ("sqs:ChangeMessageVisibility", "bulk-7"),
            "executor-standard sqs:ChangeMessageVisibility lane/bulk",
        ),
        (("kms:Decrypt", "key/k-7"), None),
        (("kms:Decrypt", "key/k-8"), "executor-standard kms:Decrypt key/k-8"),
        (("logs:FilterLogEvents", "log-group:api-7"), "executor-standard logs:FilterLogEvents log/api"),
        (("dynamodb:GetItem", "table/j"), None),
        (("dynamodb:GetItem", "table/x"), "executor-standard dynamodb:GetItem table/x"),
        (("lambda:Invoke", UNKNOWN), "executor-standard lambda:Invoke ?"),
    ],
)
def test_grant_holds_for_its_resource_alone(need: Need, missing: str | None) -> None:
    spec = spec_of("executor", QueueName.STANDARD)
    assert FunctionGrants(spec, _variables(NAMES, QueueName.STANDARD)).missing(need) == missing


@pytest.mark.parametrize(
    ("service", "operation", "params", "need"),
    [
        ("sqs", "SendMessageBatch", {"QueueUrl": f"{URL}/q"}, ("sqs:SendMessage", "q")),
        ("sqs", "SendMessage", {"QueueUrl": f"{URL}/q"}, ("sqs:SendMessage", "q")),
        ("sqs", "ReceiveMessage", {"QueueUrl": f"{URL}/q"}, ("sqs:ReceiveMessage", "q")),
        ("sqs", "DeleteMessageBatch", {"QueueUrl": f"{URL}/q"}, ("sqs:DeleteMessage", "q")),
        ("sqs", "GetQueueAttributes", {"QueueUrl": f"{URL}/q"}, ("sqs:GetQueueAttributes", "q")),
        ("sqs", "GetQueueUrl", {"QueueName": "q"}, ("sqs:GetQueueUrl", UNKNOWN)),
        ("kms", "Decrypt", {"KeyId": "arn:aws:kms:r:0:key/k", **FOR_ACME}, ("kms:Decrypt", "key/k")),
        ("kms", "Decrypt", {"KeyId": "k", "EncryptionContext": {"other": "acme"}}, ("kms:Decrypt", UNKNOWN)),
        ("kms", "Decrypt", {"KeyId": "k"}, ("kms:Decrypt", UNKNOWN)),
        ("kms", "Decrypt", {"CiphertextBlob": b""}, ("kms:Decrypt", UNKNOWN)),
        ("logs", "FilterLogEvents", {"logGroupName": "g"}, ("logs:FilterLogEvents", "log-group:g")),
        (
            "dynamodb",
            "Query",
            {"TableName": "e", "IndexName": "failed"},
            ("dynamodb:Query", "table/e/index/failed"),
        ),
        ("dynamodb", "BatchGetItem", {"RequestItems": {"e": {}}}, ("dynamodb:BatchGetItem", "table/e")),
        ("dynamodb", "ListTables", {}, ("dynamodb:ListTables", UNKNOWN)),
        ("s3", "GetObject", {"Bucket": "b"}, ("s3:GetObject", "objects:b")),
        ("sns", "Publish", {"TopicArn": "t"}, ("sns:Publish", UNKNOWN)),
    ],
)
def test_call_needs_an_action_on_a_resource(
    service: str, operation: str, params: dict[str, Any], need: Need
) -> None:
    assert [*needs(service, operation, params)] == [need]


@pytest.mark.parametrize(
    ("statement", "need"),
    [
        ('UPDATE "e-1" SET s=?', ("dynamodb:PartiQLUpdate", "table/e-1")),
        ('INSERT INTO "e-1" VALUE ?', ("dynamodb:PartiQLInsert", "table/e-1")),
        ('SELECT * FROM "e-1"', ("dynamodb:PartiQLSelect", "table/e-1")),
        ('DELETE FROM "e-1"', ("dynamodb:PartiQLDelete", "table/e-1")),
        ("EXISTS(SELECT 1)", ("dynamodb:PartiQL", UNKNOWN)),
    ],
)
def test_statement_needs_the_grant_of_its_verb(statement: str, need: Need) -> None:
    assert [*needs("dynamodb", "BatchExecuteStatement", {"Statements": [{"Statement": statement}]})] == [need]
    assert [*needs("dynamodb", "ExecuteStatement", {"Statement": statement})] == [need]


def test_grant_that_no_call_used_is_found() -> None:
    every = kinds_of_grants()
    assert UNUSED.keys() | USED_IN_INTEGRATION.keys() <= every, "no reason is left for a grant that is gone"
    assert unused_grants(every) == []
    assert unused_grants(every - {"watcher dynamodb:Query executions"}) == [
        "watcher dynamodb:Query executions"
    ]
    assert "executor sqs:ReceiveMessage lane" not in every, "Lambda itself receives for a function"
    assert "sweeper sqs:GetQueueAttributes lane" in every


@pytest.mark.parametrize(
    ("table", "index", "name"),
    [("e", "failed", "failed_index"), ("e", "by_tenant", "tenant_index"), ("j", "live", "live_index")],
)
def test_query_of_an_index_needs_the_grant_of_the_index(table: str, index: str, name: str) -> None:
    grants = FunctionGrants(spec_of("api", None), _variables(NAMES))
    (need,) = needs("dynamodb", "Query", {"TableName": table, "IndexName": index})
    assert grants.kind(need) == f"api dynamodb:Query {name}"
    assert grants.missing(need) is None
