"""The input of a run, typed in the console: what is started with it, and what is refused at its field."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.console.failing import asked
from tests.support.console.served import problem
from tests.support.console.visit import Console

URL = "https://hooks.northwind.example/x"
MARKUP = "<img src=x onerror=alert(1)>"
SECRET = "secret-4711"


@pytest.fixture
def taking(empty_console: Console) -> Console:
    """The page of a workflow with a hostile name, of which one task takes the input."""
    console = empty_console
    tasks: list[dict[str, Any]] = [
        {"key": "take", "input": True, "request": {"url": URL}},
        {"key": "rest", "request": {"url": URL}},
    ]
    console.day.workflows.append(put(console, tasks))
    console.open(f"#/workflows/{console.day.workflows[0]}")
    return console


def put(console: Console, tasks: list[dict[str, Any]]) -> str:
    made = asked(console, "PUT", "/v1/workflows/by-key/taking", {"name": MARKUP, "tasks": tasks})
    return str(made["workflow"]["id"])


def typing(page: Page) -> Any:
    page.get_by_role("button", name="Start a run").click()
    return page.get_by_role("dialog").get_by_label("Input", exact=True)


def start(page: Page) -> None:
    page.get_by_role("button", name="Start the run").click()


def runs(console: Console) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(console, "GET", f"/v1/workflows/{console.day.workflows[0]}/runs")[
        "runs"
    ]
    return found


def test_run_is_started_with_a_corrected_input_that_its_task_gets(taking: Console) -> None:
    page = taking.page
    field = typing(page)
    expect(page.get_by_role("heading", name=f"Start a run of {MARKUP}")).to_be_visible()
    field.fill('{"order": ')
    start(page)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("the input is not JSON")).to_be_visible()
    expect(field).to_have_value('{"order": ')
    taking.check_access()
    field.press("End")
    field.press_sequentially(f'"{SECRET}", "number": 12345678901234567890')
    expect(field).not_to_have_attribute("aria-invalid", "true")
    field.press_sequentially("}")
    assert runs(taking) == []
    start(page)
    expect(page.get_by_text("given; it is stored encrypted")).to_be_visible()
    expect(page.get_by_text(SECRET)).to_have_count(0)
    taking.pass_time(30)
    bodies = [call.callback.body for call in taking.api.world.sender.calls]
    assert (
        sum(b'"input":{"order":"secret-4711","number":12345678901234567890}' in body for body in bodies) == 1
    )


def test_run_with_an_input_that_is_too_long_or_refused_keeps_the_typed_text(taking: Console) -> None:
    page = taking.page
    taking.gates.allow(400)
    field = typing(page)
    too_long = '"' + "x" * 32_767 + '"'
    for text, said in [
        (too_long, "the input has at most 32768 bytes, not 32769"),
        ('{"a": 1, "a": 2}', "stands twice"),
    ]:
        field.fill(text)
        start(page)
        expect(page.get_by_text(said)).to_be_visible()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_value(text)
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(typing(page)).to_have_value('{"a": 1, "a": 2}')
    assert runs(taking) == []


def test_run_whose_answers_are_lost_is_started_once_by_two_presses(taking: Console) -> None:
    page, day = taking.page, taking.day
    taking.gates.allow(503)
    field = typing(page)
    field.fill('{"order": 7}')
    taking.api.fault = lambda sent: (
        problem(503, "unavailable", "later", Retry_After=60)
        if sent.target.endswith("/runs") and sent.method == "POST"
        else None
    )
    start(page)
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("later")
    taking.api.fault = lambda _: None
    start(page)
    expect(page.get_by_text("given; it is stored encrypted")).to_be_visible()
    keys = {
        {name.lower(): value for name, value in sent.headers.items()}["idempotency-key"]
        for sent in taking.api.sent
        if sent.method == "POST" and sent.target == f"/v1/workflows/{day.workflows[0]}/runs"
    }
    assert (len(keys), len(runs(taking))) == (1, 1)


def test_workflow_that_was_changed_meanwhile_refuses_an_input_at_the_field(taking: Console) -> None:
    page = taking.page
    taking.gates.allow(422)
    field = typing(page)
    field.fill("7")
    assert put(taking, [{"key": "rest", "request": {"url": URL}}]) == taking.day.workflows[0]
    start(page)
    expect(page.get_by_text("no task of the workflow takes an input")).to_be_visible()
    expect(field).to_have_value("7")
    field.fill("")
    start(page)
    expect(page.get_by_role("heading", name=f"Run of {MARKUP}", level=1)).to_be_visible()


def test_input_that_was_typed_when_the_session_ended_is_there_again(taking: Console) -> None:
    page = taking.page
    taking.gates.allow(401)
    typing(page).fill(f'"{SECRET}"')
    taking.api.fault = lambda sent: (
        problem(401, "unauthenticated", "send a valid API key") if sent.target.startswith("/v1/") else None
    )
    start(page)
    expect(page.get_by_text("The form is kept until this page is closed")).to_be_visible()
    taking.api.fault = lambda _: None
    page.get_by_label("API key").fill(taking.day.key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("dialog").get_by_label("Input", exact=True)).to_have_value(f'"{SECRET}"')


def test_reader_of_a_workflow_cannot_start_a_run(taking: Console) -> None:
    taking.page.get_by_role("button", name="Sign out").click()
    taking.open(f"#/workflows/{taking.day.workflows[0]}", taking.day.reader_key)
    expect(taking.page.get_by_text("scope write")).to_be_visible()
    expect(taking.page.get_by_role("button", name="Start a run")).to_have_count(0)
