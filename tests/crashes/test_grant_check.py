"""The check of grants refuses each call that a role does not allow, part by part."""

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.components.grant_table import GRANTS
from shared.domain.errors import RequestRejectedError
from shared.names import Env
from tests.crashes.grant_check import UNPLAYED, GrantCheck, granted, unused_grants
from tests.support.builders import TENANT, job, occurrence
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.tables import TableNames, create_tables

Checked = Callable[[str], tuple[DynamoLab, GrantCheck]]


def _variables(names: TableNames) -> dict[str, str]:
    return {
        Env.EXECUTIONS_TABLE: names.executions,
        Env.JOBS_TABLE: names.jobs,
        Env.TENANTS_TABLE: names.tenants,
        Env.LEASES_TABLE: names.leases,
        Env.AUDIT_TABLE: names.audit,
    }


@pytest.fixture
def checked() -> Iterator[Checked]:
    def of(package: str) -> tuple[DynamoLab, GrantCheck]:
        session: Any = boto3.Session("key", "secret", region_name=REGION)
        client = session.client("dynamodb")
        names = create_tables(client)
        check = GrantCheck(package, _variables(names))
        check.watch(client.meta.events)
        return DynamoLab(client, names), check

    with mock_aws():
        yield of


def test_sweeper_may_make_the_queries_that_finish_a_deletion(checked: Checked) -> None:
    lab, check = checked("sweeper")
    lab.jobs.extras(TENANT, job().id, before=None, limit=1)
    lab.jobs.past_chains(TENANT, job().id, limit=1)
    lab.jobs.backfills(TENANT, job().id)
    assert check.take() == {"used": ["sweeper jobs Query"], "denied": []}


def test_call_without_a_grant_is_refused_and_told(checked: Checked) -> None:
    lab, check = checked("watcher")
    with pytest.raises(RequestRejectedError, match="AccessDenied"):
        lab.jobs.past_chains(TENANT, job().id, limit=1)
    assert check.take()["denied"] == ["watcher jobs Query"]
    assert check.take() == {"used": [], "denied": []}


def test_transaction_needs_the_grant_of_each_of_its_parts(checked: Checked) -> None:
    lab, check = checked("api")
    lab.jobs.create(job(), occurrence())
    assert check.take() == {"used": ["api executions PutItem", "api jobs PutItem"], "denied": []}
    lab, check = checked("executor")
    with pytest.raises(RequestRejectedError):
        lab.jobs.file_if_active(occurrence())
    assert check.take()["denied"] == ["executor jobs ConditionCheckItem"]


@pytest.mark.parametrize(
    ("statement", "need"),
    [
        ('UPDATE "executions-1" SET s=?', "executions PartiQLUpdate"),
        ('INSERT INTO "executions-1" VALUE ?', "executions PartiQLInsert"),
        ('SELECT * FROM "executions-1"', "executions PartiQLSelect"),
        ('DELETE FROM "executions-1"', "executions PartiQLDelete"),
    ],
)
def test_statement_needs_the_grant_of_its_verb(statement: str, need: str) -> None:
    names = TableNames(executions="executions-1", jobs="j", tenants="t", leases="l", audit="a")
    check = GrantCheck("api", _variables(names))
    assert [*check.needs("BatchExecuteStatement", {"Statements": [{"Statement": statement}]})] == [need]


def test_grant_that_no_call_used_is_found() -> None:
    every = {name for package, grants in GRANTS.items() for name in granted(package, grants)}
    assert UNPLAYED.keys() <= every, "no reason is left for a grant that is gone"
    assert unused_grants(every) == []
    assert unused_grants(every - {"watcher executions Query"}) == ["watcher executions Query"]


def test_query_of_an_index_needs_the_grant_of_the_index() -> None:
    names = TableNames(executions="e", jobs="j", tenants="t", leases="l", audit="a")
    check = GrantCheck("api", _variables(names))
    (need,) = check.needs("Query", {"TableName": "e", "IndexName": "failed"})
    assert need == "failed_index Query"
