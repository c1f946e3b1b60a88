"""The export of a tenant: complete, in pages, and without anything secret."""

import json
from pathlib import Path
from typing import Any

import pytest

from functions.admin import __main__ as admin
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.timing import Every
from tests.support.builders import DUE_AT, TENANT, in_state
from tests.support.usecases.world import REQUEST, World

JOBS = 120
"""More than a page."""


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setattr(admin, "use_cases_from", lambda _: world.cases)
    monkeypatch.setenv("TENANTS_TABLE", "tenants")
    return world


def export(tmp_path: Path, tenant_id: str = TENANT) -> list[dict[str, Any]]:
    to = tmp_path / "export.ndjson"
    assert admin.main(["export-tenant", tenant_id, "--file", str(to)]) == 0
    return [json.loads(line) for line in to.read_text().splitlines()]


def of_kind(documents: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [document for document in documents if document["kind"] == kind]


def test_every_job_and_execution_is_exported_once_over_all_pages(world: World, tmp_path: Path) -> None:
    jobs = [world.accept(Every(rate_seconds=3_600), name=f"job {number}") for number in range(JOBS)]
    one_offs = [world.accept_one_off(name=f"once {number}") for number in range(JOBS)]
    documents = export(tmp_path)
    assert all(isinstance(job, Job) for job in jobs)
    exported = [job["id"] for job in of_kind(documents, "job")]
    assert sorted(exported) == sorted(str(job.id) for job in jobs)
    ids = [execution["id"] for execution in of_kind(documents, "execution")]
    assert len(ids) == len(set(ids)) == 2 * JOBS
    assert {str(one.id) for one in one_offs} <= set(ids)
    assert documents[-1] == {
        "kind": "end",
        "documents": {"tenant": 1, "key": 1, "signing_secret": 1, "job": JOBS, "execution": 2 * JOBS},
    }


def test_exported_file_is_readable_by_its_owner_alone(world: World, tmp_path: Path) -> None:
    world.accept_one_off()
    export(tmp_path)
    assert (tmp_path / "export.ndjson").stat().st_mode & 0o777 == 0o600


def test_requests_are_exported_and_secrets_are_not(world: World, tmp_path: Path) -> None:
    world.accept(Every(rate_seconds=3_600))
    running = in_state(world.one_off(), State.RUNNING, last_body=b"no \xff")
    world.put(running)
    documents = export(tmp_path)
    (job,) = of_kind(documents, "job")
    assert (job["request"]["url"], job["request"]["body"]) == (REQUEST.url, REQUEST.body.decode())
    execution = next(each for each in of_kind(documents, "execution") if each["id"] == str(running.id))
    assert execution["request"]["url"] == REQUEST.url
    assert (execution["progress"]["state"], execution["last_body"]) == (
        "running",
        "no \N{REPLACEMENT CHARACTER}",
    )
    assert "owner" not in execution["progress"]
    text = (tmp_path / "export.ndjson").read_text()
    assert world.credentials.api_key.rpartition("_")[2] not in text
    assert world.credentials.signing_secret not in text
    assert str(running.progress.owner) not in text


def test_request_that_is_lost_leaves_the_rest_of_the_export(world: World, tmp_path: Path) -> None:
    lost = world.put(in_state(world.one_off(), State.FAILED, request=b"noise"))
    kept = world.accept_one_off()
    executions = {each["id"]: each for each in of_kind(export(tmp_path), "execution")}
    assert executions[str(lost.id)]["request"] is None
    assert executions[str(kept.id)]["request"] is not None


def test_export_has_nothing_of_other_tenants(world: World, tmp_path: Path) -> None:
    world.create_tenant.execute("globex")
    world.accept_one_off()
    documents = export(tmp_path, "globex")
    assert {document["kind"] for document in documents} == {"tenant", "key", "signing_secret", "end"}


def test_existing_file_is_left_as_it_is(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "export.ndjson"
    to.write_text("mine")
    assert admin.main(["export-tenant", TENANT, "--file", str(to)]) == 1
    assert admin.main(["export-tenant", TENANT, "--file", str(tmp_path / "no" / "such")]) == 1
    assert admin.main(["export-tenant", "nobody", "--file", str(tmp_path / "new")]) == 1
    assert to.read_text() == "mine"
    assert not (tmp_path / "new").exists()
    assert "exists" in capsys.readouterr().err
    assert world.audit_log.records == {}


def test_export_is_audited(world: World, tmp_path: Path) -> None:
    export(tmp_path)
    (record,) = world.audit_log.records.values()
    assert (record.operation, record.target, record.at) == ("exportTenant", TENANT, DUE_AT - 600_000)
