"""Workflows in the console: the list, a definition, a run with its graph while it goes on, and the acts."""

import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from tests.console.failing import asked
from tests.console.ticking import Ticking
from tests.support.console.day import Day, run_a_workflow, start_run
from tests.support.console.served import ServedApi
from tests.support.console.visit import Console, visiting
from tests.support.fakes.sender import succeeds

RECEIVER = "https://hooks.northwind.example"
_SPILLS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def workflows(empty_console: Console) -> Console:
    """A tenant with one workflow: a task failed in its first run, and the second has just begun."""
    run_a_workflow(empty_console.api, empty_console.day)
    return empty_console


def create(console: Console, tasks: list[dict[str, Any]], **members: Any) -> str:
    body = {"tasks": [{"request": {"url": f"{RECEIVER}/x"}} | task for task in tasks], **members}
    return str(asked(console, "POST", "/v1/workflows", body)["id"])


def test_older_runs_follow_the_newest_page_each_once(workflows: Console) -> None:
    for _ in range(28):
        workflows.api.do(lambda: start_run(workflows.api, workflows.day))
    page = workflows.page
    workflows.open(f"#/workflows/{workflows.day.workflows[0]}")
    rows = page.get_by_role("table", name="Runs, latest first").locator("tbody tr")
    expect(rows).to_have_count(20)
    page.get_by_role("button", name="Older runs").click()
    expect(rows).to_have_count(30)
    links = rows.get_by_role("link").evaluate_all("all => all.map((link) => link.hash)")
    assert sorted(links) == sorted(f"#/workflow-runs/{run}" for run in workflows.day.workflow_runs)
    expect(page.get_by_role("button", name="Older runs")).to_have_count(0)


def row_of(table: Locator, task: str) -> Locator:
    return table.get_by_role("row").filter(has=table.page.get_by_role("rowheader", name=task, exact=True))


def boxes(page: Page) -> list[str]:
    """What a screen reader reads of the graph, in the order of the keyboard and of the page."""
    return page.locator(".graph .task").evaluate_all(
        "all => all.map((box) => box.getAttribute('aria-label'))"
    )


def test_list_leads_to_a_workflow_and_to_its_runs(workflows: Console) -> None:
    page = workflows.page
    workflows.open("#/workflows")
    row = page.get_by_role("row", name="closing of the month")
    expect(row).to_contain_text("billing")
    row.get_by_role("link", name="closing of the month").click()
    expect(page.get_by_role("heading", name="closing of the month", level=1)).to_be_visible()
    runs = page.get_by_role("table", name="Runs, latest first").get_by_role("row")
    expect(runs).to_have_count(3)
    expect(runs.nth(1)).to_contain_text("running")
    expect(runs.nth(2)).to_contain_text("failed")
    expect(runs.nth(2)).to_contain_text("3 succeeded, 1 failed, 1 skipped")
    tasks = page.get_by_role("table", name="Tasks")
    expect(tasks.get_by_role("row", name="clean-up")).to_contain_text("if all of them ended")
    workflows.check_access()
    runs.nth(2).get_by_role("link").click()
    expect(page.get_by_role("heading", name="Run of closing of the month", level=1)).to_be_visible()


def test_lists_of_workflows_come_in_pages_and_by_set(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    for number in range(51):
        body = {
            "set": "shop" if number == 50 else "other",
            "tasks": [{"key": "a", "request": {"url": RECEIVER}}],
        }
        asked(console, "PUT", f"/v1/workflows/by-key/w.{number}", body)
        console.api.world.clock.time_ms += 1
    console.open("#/workflows")
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_role("table", name="Workflows").get_by_role("row")).to_have_count(2)
    page.get_by_role("link", name="shop").click()
    expect(page.get_by_text("None of the workflows of this page is of the set.")).to_be_visible()
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_role("link", name="w.50")).to_be_visible()
    page.get_by_role("link", name="Show all workflows").click()
    expect(page.get_by_role("table", name="Workflows").get_by_role("row")).to_have_count(51)


def test_graph_goes_on_with_the_run_and_is_read_level_by_level(workflows: Console) -> None:
    page, run = workflows.page, workflows.day.workflow_runs[0]
    workflows.open(f"#/workflow-runs/{run}")
    expect(page.get_by_text("Running: 0 of 5 tasks ended.")).to_be_visible()
    assert boxes(page) == [
        "extract queued",
        "north blocked, after extract",
        "south blocked, after extract",
        "report blocked, after north, south",
        "clean-up blocked, after report, extract",
    ]
    assert page.locator(".graph .edge").count() == 6
    workflows.pass_time(30)
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("The run ended as failed")).to_be_visible()
    assert boxes(page) == [
        "extract succeeded",
        "north succeeded, after extract",
        "south failed, after extract",
        "report skipped, after north, south",
        "clean-up succeeded, after report, extract",
    ]
    # Shape and word tell what the colour tells.
    assert page.locator(".graph .task .word").all_text_contents() == [
        "succeeded",
        "succeeded",
        "failed",
        "skipped",
        "succeeded",
    ]
    table = page.get_by_role("table", name="Tasks, by their level in the graph")
    expect(row_of(table, "south")).to_contain_text("http status 410")
    expect(table.get_by_role("columnheader", name="Result")).to_have_count(0)
    expect(row_of(table, "report")).to_contain_text("a task before it did not succeed")
    workflows.check_access()


def test_tasks_that_have_handed_on_a_result_say_so(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    console.api.world.sender.answer_to = lambda callback: replace(succeeds(callback), body=b'{"count": 7}')
    workflow = create(console, [{"key": "count"}, {"key": "report", "after": ["count"], "needs": ["count"]}])
    run = asked(console, "POST", f"/v1/workflows/{workflow}/runs")["id"]
    console.pass_time(30)
    console.open(f"#/workflow-runs/{run}")
    table = page.get_by_role("table", name="Tasks, by their level in the graph")
    expect(table.get_by_role("columnheader", name="Result")).to_have_count(1)
    expect(row_of(table, "count")).to_contain_text("handed on")
    expect(row_of(table, "report")).not_to_contain_text("handed on")


def run_a_map(console: Console, count: int, *failing: int) -> str:
    """The id of an ended run with so many items, some of which their receiver has refused for good."""

    def answers(callback: Callback) -> CallbackResponse:
        position = dict(callback.headers).get("Punctual-Item")
        if position is not None and int(position) in failing:
            return CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
        return replace(
            succeeds(callback), body=str(list(range(count))).encode() if position is None else b"0"
        )

    console.api.world.sender.answer_to = answers
    tasks: list[dict[str, Any]] = [
        {"key": "list"},
        {"key": "each", "after": ["list"], "map": {"over": "list"}},
    ]
    workflow = create(console, tasks, on_failure="continue")
    run = asked(console, "POST", f"/v1/workflows/{workflow}/runs")["id"]
    console.pass_time(30)
    return str(run)


def test_map_shows_how_many_of_its_items_have_ended_and_leads_to_failed_ones(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    run = run_a_map(console, 3, 1)
    console.open(f"#/workflow-runs/{run}")
    table = page.get_by_role("table", name="Tasks, by their level in the graph")
    expect(row_of(table, "each")).to_contain_text("3 of 3 items ended, 1 failed")
    expect(page.locator(".graph")).to_contain_text("3 of 3 items ended")
    page.get_by_role("link", name="item 1").click()
    expect(page.get_by_text("each of its run")).to_be_visible()
    console.check_access()


def test_map_of_many_items_leads_to_each_that_failed(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    run = run_a_map(console, 30, *range(30))
    console.open(f"#/workflow-runs/{run}")
    row = row_of(page.get_by_role("table", name="Tasks, by their level in the graph"), "each")
    expect(row).to_contain_text("30 of 30 items ended, 30 failed")
    expect(row.get_by_role("link")).to_have_count(5)
    row.get_by_text("25 more items").click()
    expect(row.get_by_role("link")).to_have_count(30)
    page.get_by_role("button", name="Refresh").click()
    row.get_by_role("link", name="item 29").click()
    expect(page.get_by_text("each of its run")).to_be_visible()
    console.check_access()


def test_run_with_an_input_says_so_and_shows_no_letter_of_it(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    workflow = create(console, [{"key": "take", "input": True}])
    run = asked(console, "POST", f"/v1/workflows/{workflow}/runs", {"input": {"order": "secret-4711"}})["id"]
    console.open(f"#/workflow-runs/{run}")
    expect(page.get_by_text("given; it is stored encrypted")).to_be_visible()
    expect(page.get_by_text("secret-4711")).to_have_count(0)
    console.check_access()


def test_task_leads_to_its_execution_by_the_keyboard_and_back_to_the_run(workflows: Console) -> None:
    page, run = workflows.page, workflows.day.workflow_runs[1]
    workflows.open(f"#/workflow-runs/{run}")
    page.get_by_role("region", name="Graph of the tasks").focus()
    page.keyboard.press("Tab")
    expect(page.locator(".graph .task:focus")).to_have_attribute("aria-label", "extract succeeded")
    assert page.locator(".graph .edge.near").count() == 3
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("north of its run")).to_be_visible()
    workflows.check_access()
    page.get_by_role("link", name="its run").click()
    expect(page.get_by_role("heading", name="Run of closing of the month", level=1)).to_be_visible()
    expect(page.get_by_text(run)).to_be_visible()


def test_page_asks_while_the_run_is_open_and_no_more_when_it_has_ended(workflows: Console) -> None:
    day = workflows.day
    ticking = Ticking(workflows, "/v1/runs/")
    ticking.open(f"#/workflow-runs/{day.workflow_runs[0]}")
    assert len(ticking.advance(20)) >= 2
    assert ticking.show(is_hidden=True) == 0
    assert ticking.advance(120) == []
    assert ticking.show(is_hidden=False) == 1
    workflows.api.pass_time(30)
    assert len(ticking.advance(61)) >= 1
    expect(workflows.page.get_by_text("Ended", exact=True).first).to_be_visible()
    assert ticking.advance(300) == []


def test_run_is_started_cancelled_and_redriven(workflows: Console) -> None:
    page, api = workflows.page, workflows.api
    workflows.open(f"#/workflows/{workflows.day.workflows[0]}")
    page.get_by_role("button", name="Start a run").click()
    expect(page.get_by_text("Running: 0 of 5 tasks ended.")).to_be_visible()
    run = page.url.rpartition("/")[2]
    page.get_by_role("button", name="Cancel the run").click()
    workflows.check_access()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_text("The run ended as cancelled")).to_be_visible()
    assert asked(workflows, "GET", f"/v1/runs/{run}")["state"] == "cancelled"
    page.get_by_role("button", name="Redrive").click()
    page.get_by_role("dialog").get_by_role("button", name="Redrive").click()
    expect(page.get_by_text("Running: 0 of 5 tasks ended.")).to_be_visible()
    assert asked(workflows, "GET", f"/v1/runs/{run}")["epoch"] == 2
    starts = [each for each in api.sent if each.method == "POST" and each.target.endswith("/runs")]
    assert "idempotency-key" in {name.lower() for name in starts[-1].headers}


def test_deletion_asks_first_and_runs_go_on(workflows: Console) -> None:
    page, workflow = workflows.page, workflows.day.workflows[0]
    workflows.open(f"#/workflows/{workflow}")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("Runs that have started go on")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("There are no workflows yet")).to_be_visible()
    workflows.go(f"#/workflow-runs/{workflows.day.workflow_runs[0]}")
    expect(page.get_by_role("heading", name="Run of closing of the month", level=1)).to_be_visible()


def test_deletion_of_a_workflow_that_was_changed_meanwhile_is_refused(workflows: Console) -> None:
    page, workflow = workflows.page, workflows.day.workflows[0]
    workflows.open(f"#/workflows/{workflow}")
    page.get_by_role("button", name="Delete").click()
    asked(workflows, "PATCH", f"/v1/workflows/{workflow}", {"name": "other"})
    workflows.gates.allow(412)
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("alert")).to_contain_text("revision 2")


def test_key_that_may_only_read_sees_no_button_that_acts(workflows: Console) -> None:
    page, day = workflows.page, workflows.day
    workflows.open(f"#/workflows/{day.workflows[0]}", key=day.reader_key)
    expect(page.get_by_text("This key lacks the scope write")).to_be_visible()
    for address in (
        f"#/workflows/{day.workflows[0]}",
        *(f"#/workflow-runs/{run}" for run in day.workflow_runs),
    ):
        workflows.go(address)
        workflows.settle()
        expect(page.get_by_role("button", name=re.compile("Start|Delete|Cancel|Redrive"))).to_have_count(0)


def test_texts_of_a_workflow_are_never_markup(empty_console: Console) -> None:
    console, page = empty_console, empty_console.page
    workflow = create(console, [{"key": "a"}], name="<img src=x onerror=alert(1)>")
    console.open(f"#/workflows/{workflow}")
    expect(page.get_by_role("heading", name="<img src=x onerror=alert(1)>", level=1)).to_be_visible()
    assert page.locator("main img").count() == 0


CHAIN = [{"key": "t0"}, *({"key": f"t{n}", "after": [f"t{n - 1}"]} for n in range(1, 100))]
FAN = [
    {"key": "top"},
    *({"key": f"f{n}", "after": ["top"]} for n in range(98)),
    {"key": "x" * 64, "after": [f"f{n}" for n in range(98)]},
]


@pytest.mark.parametrize("tasks", [CHAIN, FAN], ids=["chain", "fan"])
@pytest.mark.parametrize("width", [320, 1_280])
def test_100_tasks_stay_readable_in_narrow_and_in_wide_windows(
    browser: Browser, api: ServedApi, day: Day, tasks: list[dict[str, Any]], width: int
) -> None:
    with visiting(browser, api, day, width) as console:
        page = console.page
        day.workflows.append(create(console, tasks, name="large"))
        start_run(api, day)
        console.open(f"#/workflow-runs/{day.workflow_runs[0]}")
        expect(page.locator(".graph .task")).to_have_count(100)
        assert not page.evaluate(_SPILLS)
        # Texts are drawn in their own size, and within their boxes.
        wide = page.locator(".graph .task").evaluate_all(
            """all => all.flatMap((box) => [...box.querySelectorAll("text")].filter(
              (text) => text.getBoundingClientRect().right > box.querySelector(".box").getBoundingClientRect().right
            ).map((text) => text.textContent))"""
        )
        assert wide == []
        assert page.locator(".graph > svg").evaluate("svg => svg.getScreenCTM().a") == 1
        graph = page.get_by_role("region", name="Graph of the tasks")
        graph.scroll_into_view_if_needed()
        graph.evaluate("frame => { frame.scrollTop = frame.scrollHeight; }")
        expect(page.locator(".graph .task").last).to_be_in_viewport()
        console.check_access()
