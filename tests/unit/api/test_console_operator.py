"""What the console says to operators: alarms, quotas of a tenant, and changes."""

from functools import partial
from typing import Any

import pytest

from functions.api.examples import JOB_ID
from functions.api.reference.pages import PAGES
from functions.api.resources.alarms.examples import ALARM_PAGE
from functions.api.resources.audit.examples import AUDIT_PAGE
from functions.api.resources.tenants.examples import TENANT_OUT
from functions.api.routes import every_route
from infra.components import runbooks
from infra.components.runbooks import runbook_of
from shared.domain.tenancy.quota import BOUNDS, Quota
from shared.ports.alarms import AlarmState
from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld
from tests.support.api.request_factory import ask

of_alarms = partial(console_modules.result, "lib/alarms.js")
of_tenants = partial(console_modules.result, "lib/tenant.js")
of_trail = partial(console_modules.result, "lib/trail.js")


def tenant(**fields: Any) -> dict[str, Any]:
    limits = {quota.value: most for quota, (_, most) in BOUNDS.items()} | fields
    return {"quotas": limits, "own_quotas": sorted(fields), "weight": 1}


def test_every_state_of_an_alarm_has_a_mark_and_words_of_its_own() -> None:
    states = [of_alarms("alarmState", state.value) for state in AlarmState]
    assert len({state["word"] for state in states}) == len(AlarmState)
    assert [state["kind"] for state in states] == ["failed", "warning", "ok"]
    assert of_alarms("alarmState", "new")["word"] == "new"


def test_every_runbook_of_an_alarm_is_a_page_of_the_api() -> None:
    alarms = [alarm for alarms in runbooks._ALARMS.values() for alarm in alarms]
    pages = console_modules.results(
        "lib/alarms.js", *(("runbookPage", [runbook_of(alarm)]) for alarm in alarms)
    )
    assert {f"/{page}" for page in pages} <= PAGES.keys()


@pytest.mark.parametrize("runbook", [None, "", "docs/runbooks/../x.md", "https://a.example/x.md", "<b>"])
def test_text_that_names_no_runbook_is_no_link(runbook: str | None) -> None:
    assert of_alarms("runbookPage", runbook) is None


def test_sentence_counts_the_alarms_and_those_that_notify_no_operator() -> None:
    first, second = ALARM_PAGE["one_in_alarm"]["alarms"]
    say = partial(of_alarms, "alarmSentence")
    assert say([first, second], False) == "1 of 2 alarms is in alarm."
    assert say([second], False) == "None of 1 alarm is in alarm."
    assert say([first, first | {"notifies": False}], True) == (
        "2 of 2 alarms or more are in alarm. 1 alarm notifies no operator: without a target, or with disabled actions."
    )


def test_answer_without_alarms_names_the_permission_that_may_be_missing() -> None:
    advice = partial(of_alarms, "alarmAdvice")
    assert "cloudwatch:DescribeAlarms" in advice({"status": 500})
    assert advice({"status": 403}) == advice({"status": 0}) == ""


def test_form_has_the_own_limits_of_a_tenant_and_is_empty_for_defaults() -> None:
    form = of_tenants("quotaForm", tenant(tags=5, concurrency=0))
    assert {name for name, text in form.items() if text} == {"tags", "concurrency", "weight"}
    assert (form["tags"], form["concurrency"], form["weight"]) == ("5", "0", "1")
    assert form.keys() == {*(quota.value for quota in Quota), "weight"}


def test_every_field_of_the_form_has_a_label() -> None:
    names = [*(quota.value for quota in Quota), "weight"]
    labels = console_modules.results("lib/tenant.js", *(("labelOf", [name]) for name in names))
    assert len(set(labels)) == len(names)
    assert not any("_" in label for label in labels)


PATCHES: list[tuple[dict[str, str], Any]] = [
    ({}, None),
    ({"tags": " 5 "}, None),
    ({"tags": "7"}, {"quotas": {"tags": 7}}),
    ({"tags": ""}, {"quotas": {"tags": None}}),
    ({"tags": "7", "weight": "3"}, {"quotas": {"tags": 7}, "weight": 3}),
    ({"weight": "3"}, {"weight": 3}),
]


@pytest.mark.parametrize(("typed", "patch"), PATCHES)
def test_patch_has_what_the_operator_changed_and_the_api_takes_it(typed: dict[str, str], patch: Any) -> None:
    before = of_tenants("quotaForm", tenant(tags=5))
    assert of_tenants("quotaPatch", before, before | typed) == patch
    if patch is not None:
        assert changed(patch).status == 200


@pytest.mark.parametrize(
    "typed", [{"api_keys": "1"}, {"tags": "many"}, {"tags": "-1"}, {"weight": ""}, {"weight": "101"}]
)
def test_limit_that_the_api_refuses_has_its_error_at_its_field(typed: dict[str, str]) -> None:
    before = of_tenants("quotaForm", tenant())
    refused = changed(of_tenants("quotaPatch", before, before | typed))
    assert refused.status == 422
    shown = of_tenants("quotaErrors", {"problem": refused.json})
    assert (list(shown["fields"]), shown["rest"]) == ([*typed], [])


def test_limit_that_two_operators_change_is_a_conflict_unless_they_agree() -> None:
    base = of_tenants("quotaForm", tenant(tags=5))
    rows = of_tenants(
        "quotaChanges",
        base,
        base | {"tags": "6", "api_keys": "4", "weight": "2"},
        base | {"tags": "7", "api_keys": "4", "concurrency": "50"},
    )
    shown = {row["name"]: (row["base"], row["now"], row["after"], row["isConflict"]) for row in rows}
    assert shown == {
        "tags": ("5", "6", "7", True),
        "api_keys": ("default", "4", "4", False),
        "concurrency": ("default", "default", "50", False),
    }


def test_failing_jobs_of_a_tenant_come_with_the_most_failures_first() -> None:
    day = [{"job_id": f"{JOB_ID}{n}", "failed": n % 4, "ended": 9} for n in range(6)]
    found = of_tenants("failingJobs", {"jobs": day}, 3)
    assert [job["job_id"][-1] for job in found] == ["3", "2", "1"]


def test_every_operation_is_said_in_words() -> None:
    operations = [route.operation for route in every_route()]
    words = console_modules.results("lib/trail.js", *(("operationWords", [each]) for each in operations))
    assert len(set(words)) == len(operations)
    assert all(each == each.lower() and each.count(" ") >= 1 for each in words)


def test_record_says_what_happened_to_its_target_and_by_whom() -> None:
    (record,) = AUDIT_PAGE["one_of_more"]["records"]
    assert of_trail("effectOf", record) == "changed"
    assert of_trail("effectOf", record | {"before": None}) == "created"
    assert of_trail("effectOf", record | {"after": None}) == "removed"
    assert of_trail("effectOf", record | {"after": record["before"]}) == "left as it was"
    assert of_trail("effectOf", record | {"before": None, "after": None}) == "recorded"
    assert of_trail("actorWords", record) == f"tenant, key {record['key_id']}"
    assert of_trail("actorWords", record | {"actor": "operator", "key_id": None}) == "operator"


def test_form_starts_from_what_the_api_shows() -> None:
    for example in TENANT_OUT.values():
        assert of_tenants("quotaForm", example).keys() == {*example["quotas"], "weight"}


def changed(patch: Any) -> Any:
    """What the API answers to an operator who changes a tenant."""
    api = ApiWorld()
    return ask(api, api.world.create_tenant.operator().api_key, "PATCH", "/v1/admin/tenants/acme", patch)
