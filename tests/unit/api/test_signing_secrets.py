"""Signing secrets by name: jobs that name one, and requests that name none that exists."""

from typing import Any

import pytest

from shared.domain.tenancy.tenant import Scope, Tenant
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import DAILY, patch, post
from tests.support.builders import TENANT

BATCH = "/v1/jobs/batch"
UNKNOWN = (
    "no signing secret has the name 'biling': send one of billing, crm, create it with "
    "POST /v1/signing-secrets, or send null for the secrets without a name"
)


def with_names(*names: str) -> ApiWorld:
    """A world whose tenant has signing secrets of these names."""
    world = ApiWorld()
    for name in names:
        name_secret(world, name)
    return world


def name_secret(world: ApiWorld, name: str) -> None:
    world.world.cases.tenancy.signing_secrets.rotate(TENANT, overlap_seconds=0, name=name)


def test_batch_with_an_unknown_name_in_every_job_reads_the_tenant_once() -> None:
    world = with_names("billing")
    world.create()
    world.world.steps.taken.clear()
    answer = world.post({"jobs": [JOB | {"signing_secret": "biling"}] * 20}, BATCH)
    assert {each["status"] for each in answer.json["results"]} == {422}
    assert world.world.steps.count("tenants.get") <= 2


@pytest.mark.parametrize("name", ["Billing", "", "b" * 65, "-a", "名"])
def test_name_that_is_no_slug_is_refused_with_the_form_of_names(name: str) -> None:
    answer = ApiWorld().post(JOB | {"signing_secret": name})
    (error,) = answer.json["errors"]
    assert error == {
        "pointer": "/signing_secret",
        "detail": "must be 1 to 64 lower-case letters, digits and inner hyphens, such as billing",
    }


@pytest.mark.parametrize("kind", [{}, DAILY])
def test_job_shows_the_name_of_its_secret(kind: dict[str, Any]) -> None:
    world = with_names("billing")
    job = world.create(**kind, signing_secret="billing")
    assert job["signing_secret"] == "billing"
    assert world.get(f"/v1/jobs/{job['id']}").json == job
    assert world.create(**kind)["signing_secret"] is None
    assert world.create(**kind, signing_secret=None)["signing_secret"] is None


@pytest.mark.parametrize("kind", [{}, DAILY])
def test_patch_changes_the_name_of_the_secret_and_null_restores_the_default(kind: dict[str, Any]) -> None:
    world = with_names("billing", "crm")
    job = world.create(**kind, signing_secret="billing")
    for change, shown in (
        ({"name": "other"}, "billing"),
        ({"signing_secret": "crm"}, "crm"),
        ({"signing_secret": None}, None),
        ({"signing_secret": "billing"}, "billing"),
    ):
        answer = patch(world, job, change)
        assert answer.status == 200, answer.text
        job = answer.json | {"last_run": None}
        assert job["signing_secret"] == shown
        assert world.get(f"/v1/jobs/{job['id']}").json == job


@pytest.mark.parametrize("kind", [{}, DAILY])
def test_name_that_no_secret_has_is_refused_with_the_names_to_send_instead(kind: dict[str, Any]) -> None:
    world = with_names("crm", "billing")
    wrong = JOB | kind | {"signing_secret": "biling"}
    job = world.create(**kind)
    created, patched = world.post(wrong), patch(world, job, {"signing_secret": "biling"})
    for answer in (created, patched):
        assert (answer.status, answer.problem) == (422, "validation-failed")
        assert answer.json["errors"] == [{"pointer": "/signing_secret", "detail": UNKNOWN}]
    good, bad = world.post({"jobs": [JOB, wrong]}, BATCH).json["results"]
    assert (good["status"], bad["status"]) == (201, 422)
    assert bad["problem"]["errors"] == [{"pointer": "/jobs/1/signing_secret", "detail": UNKNOWN}]
    assert world.get(f"/v1/jobs/{job['id']}").json == job


def test_tenant_without_names_is_told_to_create_one_or_to_send_null() -> None:
    answer = ApiWorld().post(JOB | {"signing_secret": "billing"})
    assert answer.json["detail"] == (
        "no signing secret has the name 'billing': create it with POST /v1/signing-secrets, or send null for the "
        "secrets without a name"
    )


def test_unknown_name_is_told_together_with_the_other_errors() -> None:
    world = ApiWorld()
    wrong = JOB | {"signing_secret": "billing", "lane": "fast"}
    single, batch = world.post(wrong), world.post({"jobs": [wrong]}, BATCH)
    found = [single.json, batch.json["results"][0]["problem"]]
    pointers = [{each["pointer"].removeprefix("/jobs/0") for each in one["errors"]} for one in found]
    assert pointers == [{"/signing_secret", "/lane"}] * 2


@pytest.mark.parametrize(
    "name", ["", "Billing", "-a", "a-", "a b", "a_b", "a" * 65, "a\n", "ä", 7, True, ["a"]]
)
def test_name_that_cannot_be_is_refused_everywhere(name: Any) -> None:
    world = with_names("billing")
    world.limit_to(*Scope)
    for answer in (
        world.post(JOB | {"signing_secret": name}),
        patch(world, world.create(), {"signing_secret": name}),
        world.post({"name": name}, "/v1/signing-secrets"),
    ):
        assert (answer.status, answer.problem) == (422, "validation-failed")
        (error,) = answer.json["errors"]
        assert error["pointer"] in ("/signing_secret", "/name")


def test_name_that_is_younger_than_the_cached_tenant_is_accepted() -> None:
    world = ApiWorld()
    job = world.create()
    name_secret(world, "billing")
    assert world.create(signing_secret="billing")["signing_secret"] == "billing"
    name_secret(world, "crm")
    (result,) = world.post({"jobs": [JOB | {"signing_secret": "crm"}]}, BATCH).json["results"]
    assert result["status"] == 201
    name_secret(world, "audit")
    assert patch(world, job, {"signing_secret": "audit"}).status == 200


def test_jobs_with_names_that_the_cached_tenant_has_cost_no_read_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = with_names("billing")
    job = world.create()

    def unread(tenant_id: str) -> Tenant | None:
        raise AssertionError("the tenant was read")

    monkeypatch.setattr(world.world.tenants, "get", unread)
    batch = world.post({"jobs": [JOB | {"signing_secret": "billing"}] * 2}, BATCH)
    assert [each["status"] for each in batch.json["results"]] == [201, 201]
    assert patch(world, job, {"signing_secret": "billing"}).status == 200


def test_key_that_was_used_with_another_name_of_a_secret_is_refused() -> None:
    world = with_names("billing", "crm")
    made = [
        world.post(JOB | {"signing_secret": name}, idempotency_key="k")
        for name in ("billing", "billing", "crm", None)
    ]
    assert [each.status for each in made] == [201, 201, 422, 422]
    assert made[0].json["id"] == made[1].json["id"]
    assert {each.problem for each in made[2:]} == {"idempotency-key-reused"}


def test_backfill_has_the_name_of_its_job_and_keeps_it() -> None:
    world = with_names("billing", "crm")
    job = world.create(**DAILY, signing_secret="billing")
    span = {"from": "2025-02-01T00:00:00Z", "to": "2025-02-03T00:00:00Z"}
    backfill = post(world, job, "backfill", span).json
    assert world.get(f"/v1/jobs/{backfill['id']}").json["signing_secret"] == "billing"
    shown = world.get(f"/v1/jobs/{backfill['id']}").json
    refused = patch(world, shown, {"signing_secret": "crm"})
    assert [each["pointer"] for each in refused.json["errors"]] == ["/signing_secret"]


def test_secrets_are_listed_with_their_names_and_never_in_plain_text() -> None:
    world = ApiWorld()
    world.limit_to(Scope.ADMIN)
    made = [
        world.post(body, "/v1/signing-secrets")
        for body in ({"name": "crm"}, {"name": "billing"}, {"name": "crm"})
    ]
    assert [each.status for each in made] == [201] * 3
    listed = world.get("/v1/signing-secrets")
    shown = [(each["name"], each["state"]) for each in listed.json["signing_secrets"]]
    assert shown == [
        (None, "current"),
        ("billing", "current"),
        ("crm", "current"),
        ("crm", "overlapping"),
    ]
    assert "whsec_" not in listed.text
    old, current = made[0].json["id"], made[2].json["id"]
    refused = world.delete(f"/v1/signing-secrets/{current}")
    assert (refused.status, refused.json["detail"]) == (
        409,
        "this is the current secret: rotate with the name crm first",
    )
    assert world.delete(f"/v1/signing-secrets/{old}").json["state"] == "retired"
