"""The rules meet what they are made for, or a green machine says nothing."""

from typing import Any

from shared.names import QueueName
from tests.api_machine.authenticating import AUDIENCES, WRONG
from tests.api_machine.deployment import OPERATOR, TENANTS
from tests.api_machine.documents import Wish
from tests.api_machine.sightings import SEEN
from tests.api_machine.stepping import FAILS, FAILS_ONCE, GONE, IMPATIENT, PATIENT, Stepping
from tests.api_machine.targeting import ACCOUNTS, FOREIGN, TARGETS, role_in

MET = {
    "created rate_seconds",
    "created delay_seconds",
    "key reused",
    "replayed active",
    "cancelled while running, stop_retries=None",
    "cancelled while running, stop_retries=true",
    "cancelled while failed, stop_retries=true",
    "cancelled while waiting, stop_retries=None",
    "deleted while active",
    "looked on, active",
    "reached across",
    "instants missed",
    "cursor misused",
    "parked message removed",
    "parked message removed again: 404",
    "parked message kept from a tenant",
    "jobs filtered: state, some",
    "dead letters: 3 pages",
    "history: 2 pages",
    "failed: stopped",
    "failed: attempts_used_up",
    "2 attempts",
}
CHANGED = {
    "updated name or tags, active",
    "updated what it does, active",
    "updated when it runs, active",
    "updated what it does, paused",
    "updated when it runs, paused",
    "update refused: 409",
    "update refused: 412",
    "update refused: 422",
    "update refused: 428",
    "paused while active",
    "paused while paused",
    "pause refused: completed, 409",
    "resumed while active",
    "resumed while paused",
    "resumption refused: deleted, 409",
    "instants passed over",
    "triggered while active",
    "triggered while paused",
    "triggered again while deleted",
    "trigger refused: deleted, 409",
    "deleted while paused",
    "edited",
    "moved",
    "jobs filtered: tag, some",
    "jobs filtered: q, none",
    "refused in a batch",
    "batch replayed",
    "key reused for a batch",
    "replayed paused",
}


def test_rules_of_the_machine_reach_every_situation() -> None:
    walk = Stepping()
    walk.create("create_recurring", ("rate", (60, None)), FAILS, "a", retry=IMPATIENT)
    walk.create("create_recurring", ("cron", ("*/5 * * * *", None, None)), FAILS_ONCE, "a")
    walk.create("create_once", ("delay", 40), FAILS, retry=PATIENT)
    walk.step("replay", pick=0, change={"name": "other"})
    walk.step("cancel_while_it_runs", pick=1, stop_retries=None)
    walk.step("cancel_while_it_runs", pick=1, stop_retries="true")
    walk.step("cancel", pick=1, stop_retries="true")
    walk.create("create_once", ("delay", 1), FAILS, retry=PATIENT)
    walk.step("wait_for_the_next_call", pick=1)
    walk.step("cancel", pick=1, stop_retries=None)
    walk.step("pass_time", seconds=200, part_ms=7)
    walk.step("stand_still", seconds=600)
    walk.step("pass_time", seconds=400, part_ms=0)
    walk.step("look_on_while_it_runs", pick=0)
    walk.step("reach_across", pick=0)
    for number, by in enumerate((OPERATOR, TENANTS[0], OPERATOR)):
        walk.step("park", number=number, lane=QueueName.BULK, body="{")
        walk.step("remove_parked", pick=0, by=by, is_again=False)
    walk.step("remove_parked", pick=0, by=OPERATOR, is_again=True)
    letters = walk.step("begin_dead_letters", pick=0, limit=1)
    history = walk.step("begin_history", pick=0, limit=3)
    walk.step("filter_jobs", pick=0, query={"state": "failed"}, limit=2)
    walk.step("misuse_cursor", listing=letters, tampered="not")
    walk.step("misuse_cursor", listing=history, tampered="not")
    walk.step("cancel_while_it_runs", pick=0, stop_retries=None)
    walk.step("read_on", listing=letters, limit=2, pages=1_000)
    walk.step("read_on", listing=history, limit=1, pages=1)
    walk.end()
    assert set(SEEN) >= MET


def test_change_rules_of_the_machine_reach_every_situation() -> None:
    walk = Stepping()
    walk.create("create_recurring", ("rate", (60, None)), FAILS_ONCE, "a", retry=PATIENT)
    walk.change("update_while_it_runs", change={"name": "other"})
    walk.change("update_while_it_runs", change={"request": {"json": {"n": 2}}})
    walk.change("update", change={"lane": "bulk"}, match="stale")
    walk.change("update", change={"lane": "bulk"}, match=None)
    walk.change("update", change={"wish": ("delay", 5)})
    walk.change("update_while_it_runs", change={"wish": ("rate", (7, None))})
    walk.change("resume", match=None)
    walk.change("pause_while_it_runs", document={"reason": "maintenance"})
    walk.step("replay", pick=0, change={"name": "other"})
    walk.change("pause", document=None, match=None)
    walk.step("pass_time", seconds=130, part_ms=0)
    walk.step("trigger", pick=0, key="b!~")
    walk.change("update", change={"timeout_seconds": 7})
    walk.step("pass_time", seconds=61, part_ms=0)
    walk.change("update", change={"wish": ("cron", ("* * * * *", None, None))})
    walk.step("pass_time", seconds=130, part_ms=0)
    walk.change("resume")
    walk.step("trigger_while_it_runs", pick=0, key=None)
    walk.step("trigger", pick=0, key=None)
    walk.change("pause", document=None)
    walk.step("pass_time", seconds=400, part_ms=0)
    walk.step("cancel", pick=0, stop_retries=None)
    walk.change("resume")
    walk.step("trigger_again", pick=0)
    walk.step("trigger", pick=0, key="refused")
    walk.create("create_recurring", ("rate", (1, 1)), FAILS, "refused")
    walk.step("pass_time", seconds=3, part_ms=0)
    walk.change("pause", pick=1, document=None)
    walk.end()
    _others()
    assert set(SEEN) >= CHANGED


EVENTS_MET = {
    "event that matches nothing",
    "event while active",
    "event while paused",
    "trigger refused: completed, 422",
}


def test_event_rules_of_the_machine_reach_every_situation() -> None:
    walk = Stepping()
    walk.create("create_recurring", ("rate", (60, None)), FAILS_ONCE, "a", retry=PATIENT)
    walk.create("create_recurring", ("rate", (1, 1)), FAILS, "b")
    walk.step("send_event", pick=0, amount=99)
    walk.step("send_event", pick=0, amount=101.5)
    walk.change("pause", document=None)
    walk.step("send_event", pick=0, amount=100)
    walk.step("pass_time", seconds=30, part_ms=0)
    walk.step("send_event", pick=1, amount=100)
    walk.end()
    assert set(SEEN) >= EVENTS_MET


LIMITED_MET = {
    "limited trigger created",
    "limited trigger changed",
    "limited trigger unchanged",
    "limited event burst: filed",
    "limited event burst: debounced",
    "limited event burst: repeated",
    "limited event few: throttled",
    "limited event input: filed",
    "limited event without a trigger",
}


def test_rules_of_limited_events_reach_every_situation() -> None:
    walk = Stepping()
    walk.step("send_limited_events", name="few", seconds=[0])
    for name in ("few", "burst", "input"):
        walk.step("put_limited_trigger", name=name, is_other=False)
        walk.step("send_limited_events", name=name, seconds=[0, 1, 7])
        walk.step("send_limited_event_again", pick=0)
        walk.step("put_limited_trigger", name=name, is_other=False)
    walk.step("pass_time", seconds=61, part_ms=0)
    walk.step("put_limited_trigger", name="few", is_other=True)
    walk.step("delete_limited_trigger", name="burst")
    walk.end()
    assert set(SEEN) >= LIMITED_MET


def test_started_execution_belongs_to_its_original_chain() -> None:
    """Its receiver's 410 pauses that chain alone, and a deletion finds it in whatever chain it is."""
    walk = Stepping()
    walk.create("create_recurring", ("rate", (60, None)), GONE)
    walk.change("update_while_it_runs", change={"request": {"json": {"n": 2}}})
    walk.change("update_while_it_runs", change={"name": "other"})
    walk.change("update", change={"name": None})
    walk.change("resume")
    walk.step("change_receiver", pick=0, behaviour=FAILS)
    walk.step("wait_for_the_next_call", pick=0)
    walk.change("update", change={"retry": PATIENT})
    walk.step("wait_for_the_next_call", pick=0)
    walk.change("update", change={"wish": ("rate", (3_600, None))})
    walk.step("trigger", pick=0, key=None)
    walk.step("cancel", pick=0, stop_retries=None)
    walk.step("pass_time", seconds=3_700, part_ms=0)
    walk.end()
    assert {"failed: not_retryable", "resumed while paused", "cancelled: job_deleted"} <= set(SEEN)


def _others() -> None:
    """Jobs that run once, and batches."""
    walk = Stepping()
    walk.create("create_once", ("delay", 600), FAILS_ONCE)
    walk.change("update_before_it_runs", change={"request": {"json": {"n": 2}}})
    walk.change("update_before_it_runs", change={"wish": ("delay", 200)})
    walk.change("update_before_it_runs", change={"name": None, "tags": ["a", "b"]})
    walk.step("filter_jobs", pick=0, query={"tag": "a"}, limit=1)
    walk.step("filter_jobs", pick=0, query={"q": "other"}, limit=1)
    walk.change("update_before_it_runs", change={"wish": ("at", 59_000)})
    walk.change("update_while_it_runs", change={"name": "late"})
    good: tuple[Wish, dict[str, Any]] = (("delay", 5), {"request": {}})
    batch = {"tenant": "acme", "items": [good, "a list", good], "behaviour": FAILS_ONCE}
    walk.step("create_batch", **batch, key="a")
    walk.step("create_batch", **batch, key="a")
    walk.step("pass_time", seconds=61, part_ms=0)
    walk.step("create_batch_again", pick=0, is_other=False)
    walk.step("create_batch_again", pick=0, is_other=True)
    walk.end()


WORKFLOWS_MET = {
    "workflow created",
    "workflow created, dry run",
    "workflow updated",
    "workflow updated, dry run",
    "workflow unchanged",
    "workflow refused: already-exists",
    "workflow refused: precondition-failed",
    "workflow deleted",
    "starter created",
    "starter refused: no workflow",
    "starter patched: request to workflow",
    "starter patched: workflow to request",
    "starter patched: workflow to workflow",
    "run succeeded, None",
    "run failed, None",
    "run succeeded, put",
    "run succeeded, patch",
    "run succeeded, cancel job",
    "run cancelled, stop job",
    "run cancelled, cancel run",
    "run cancelled, delete",
    "run of a deleted workflow",
    "map of a run succeeded",
    "map of a run failed",
    "map of a run cancelled",
}


def test_workflow_rules_of_the_machine_reach_every_situation() -> None:
    walk = Stepping()

    def put(key: str, shape: str, match: str | None = None, *, is_dry_run: bool = False) -> None:
        walk.step("put_workflow", key=key, shape=shape, is_dry_run=is_dry_run, match=match)

    put("order", "succeeds", "current")
    put("order", "succeeds", is_dry_run=True)
    put("order", "succeeds", "new")
    put("order", "short", "new")
    put("order", "short", "coming")
    put("order", "short", "current", is_dry_run=True)
    put("order", "short", "current")
    put("order", "succeeds", "*")
    put("order", "succeeds", "stale")
    put("shop.report", "fails")
    for is_foreign in (False, True):
        walk.step("create_starter", pick=0, is_foreign=is_foreign)
    walk.step("trigger_starter", pick=0, act=None)
    walk.step("patch_starter", pick=0, other=1, to="workflow")
    walk.step("trigger_starter", pick=0, act=None)
    walk.step("patch_starter", pick=0, other=0, to="request")
    walk.step("trigger_starter", pick=0, act=None)
    walk.step("patch_starter", pick=0, other=0, to="workflow")
    walk.step("patch_starter", pick=0, other=0, to="name")
    walk.step("trigger_starter", pick=0, act="put")
    put("order", "succeeds")
    walk.step("trigger_starter", pick=0, act="patch")
    walk.step("patch_starter", pick=0, other=0, to="workflow")
    walk.step("trigger_starter", pick=0, act="cancel run")
    for act in (None, "cancel job", "stop job"):
        walk.step("start_once", pick=0, act=act)
    walk.step("start_once", pick=1, act="stop job")
    walk.step("reach_across_workflows", pick=0)
    walk.step("create_starter", pick=0, is_foreign=False)
    walk.step("trigger_starter", pick=1, act="delete")
    walk.step("trigger_starter", pick=1, act=None)
    walk.step("patch_starter", pick=1, other=0, to="name")
    walk.step("delete_workflow", pick=0)
    walk.step("trigger_starter", pick=0, act=None)
    walk.step("create_starter", pick=0, is_foreign=False)
    walk.step("start_once", pick=0, act=None)
    put("order", "succeeds")
    walk.step("patch_starter", pick=0, other=2, to="workflow")
    walk.step("trigger_starter", pick=0, act=None)
    for shape in ("maps in vain", "maps"):
        put("order", shape)
        walk.step("trigger_starter", pick=0, act=None)
    walk.step("trigger_starter", pick=0, act="cancel run")
    walk.end()
    assert set(SEEN) >= WORKFLOWS_MET


CALENDARS_MET = {
    "calendar created",
    "calendar created again",
    "calendar unchanged",
    "calendar replaced",
    "calendar previewed",
    "calendar with windows previewed",
    "calendar refused to a job",
    "calendar used",
    "calendar kept for its jobs",
    "calendar deleted",
}


def test_calendar_rules_of_the_machine_reach_every_situation() -> None:
    walk = Stepping()

    def put(*outs: int, weekend: list[str] | None = None) -> None:
        walk.step("put_calendar", name="plant", weekend=weekend, ins={3}, outs=set(outs), closed={3})

    walk.step("use_calendar", name="plant", is_foreign=False)
    put(1)
    put(1)
    walk.step("preview_by_calendar", pick=0)
    put(1, 2, weekend=["sunday"])
    walk.step("preview_by_calendar", pick=0)
    walk.step("use_calendar", name="plant", is_foreign=True)
    walk.step("use_calendar", name="plant", is_foreign=False)
    walk.step("delete_calendar", pick=0)
    walk.step("delete_user", pick=0)
    walk.step("delete_calendar", pick=0)
    put(1)
    walk.end()
    assert set(SEEN) >= CALENDARS_MET


TARGETS_MET = {
    "role registered",
    "role removed",
    "role refused",
    "job refused: no role",
    "job refused: foreign role",
    "task refused: no role",
    "message without its role",
    "target refused: wrong ARN",
    *(f"{who} sent to {service}" for who in ("job", "task") for service in TARGETS),
}


def test_target_rules_of_the_machine_reach_every_situation() -> None:
    walk = Stepping()

    def send(
        service: str, account: str = ACCOUNTS[0], *, is_task: bool = False, is_removed: bool = False
    ) -> None:
        walk.step("send_to_target", service=service, account=account, is_task=is_task, is_removed=is_removed)

    for is_task in (False, True):
        send("sqs", is_task=is_task)
    walk.step("register_roles", chosen=set(ACCOUNTS))
    walk.step("register_wrong_role", pattern="no ARN")
    for service in TARGETS:
        for is_task in (False, True):
            send(service, ACCOUNTS[1], is_task=is_task)
    send("sqs", FOREIGN)
    walk.step("misuse_arn", service="sqs", account=ACCOUNTS[0])
    send("sqs", is_removed=True)
    send("sqs", is_removed=True, is_task=True)
    walk.end()
    assert set(SEEN) >= TARGETS_MET


AUTH_MET = {
    "auth refused: no role",
    "auth refused: wrong",
    "auth changed",
    "auth not changed: no role",
    "signature without its role",
    "call without auth",
    "call with a token",
    "call with a signature",
}


def test_auth_rules_of_the_machine_reach_every_situation() -> None:
    walk = Stepping()
    token = {"oidc": {"audience": AUDIENCES[0]}}
    signature = {"sigv4": {"role": role_in(ACCOUNTS[0]), "service": "lambda", "region": "us-east-1"}}

    def call(
        auth: object, patch: object = "kept", *, is_task: bool = False, is_removed: bool = False
    ) -> None:
        walk.step("call_with_auth", auth=auth, patch=patch, is_task=is_task, is_removed=is_removed)

    call(None)
    call(signature)
    call(token, signature)
    walk.step("register_roles", chosen={ACCOUNTS[0]})
    call(token, is_task=True, is_removed=True)
    call(token, signature)
    call(signature, is_task=True)
    call(signature, None)
    call(signature, is_removed=True)
    for wrong in WRONG:
        walk.step("misuse_auth", wrong=wrong, is_task=False)
        walk.step("misuse_auth", wrong=wrong, is_task=True)
    walk.end()
    assert set(SEEN) >= AUTH_MET
