"""The form of a calendar in the console: every member of the API survives it, and errors are at their fields."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import send

FORM = "lib/calendar_form.js"
PLANT = "/v1/calendars/plant"
TAKEN = set(
    json.loads((Path(__file__).parents[3] / "docs/openapi.json").read_text())["components"]["schemas"][
        "CalendarIn"
    ]["properties"]
)
WINDOW = {"from": "2030-12-24T21:00:00+01:00", "until": "2030-12-26T06:00:00Z"}
BODIES: list[dict[str, Any]] = [
    {"country": "DE", "dates_out": ["2030-12-24", "2030-12-31"], "dates_in": ["2030-12-28"], "set": "shop"},
    {"weekend": ["friday", "saturday"], "blackouts": [WINDOW, WINDOW | {"reason": " two\nlines, <b>"}]},
    {"weekend": []},
    {},
]


def stored(world: ApiWorld, body: dict[str, Any]) -> Any:
    answer = send(world, "PUT", PLANT, body)
    assert answer.status == 200, answer.text
    return answer.json


def test_calendar_samples_have_every_member_that_the_api_takes() -> None:
    assert {name for body in BODIES for name in body} == TAKEN


@pytest.mark.parametrize("body", BODIES)
def test_calendar_that_is_opened_and_saved_is_not_changed(body: dict[str, Any]) -> None:
    world = ApiWorld()
    calendar = stored(world, body)
    again = console_modules.result(FORM, "bodyOf", console_modules.result(FORM, "formOf", calendar))
    assert again["errors"] == []
    assert stored(world, again["body"]) == calendar


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"country": "Atlantis"}, "country"),
    ({"datesOut": "2030-02-30"}, "datesOut"),
    ({"datesIn": "2030-12-24 3030-12-24"}, "datesIn"),
    ({"blackouts": [WINDOW | {"until": "soon"}]}, "blackouts"),
    ({"blackouts": [WINDOW | {"until": WINDOW["from"]}]}, "blackouts"),
    ({"blackouts": [WINDOW | {"reason": "x" * 201}]}, "blackouts"),
    ({"set": "Two words"}, "set"),
]


@pytest.mark.parametrize(("fields", "at"), BROKEN)
def test_calendar_that_the_api_refuses_has_the_error_at_its_field(fields: dict[str, Any], at: str) -> None:
    world = ApiWorld()
    form = console_modules.result(FORM, "formOf", stored(world, {})) | fields
    body = console_modules.result(FORM, "bodyOf", form)
    assert body["errors"] == []
    refused = send(world, "PUT", PLANT, body["body"])
    assert refused.status == 422, refused.text
    shown = console_modules.result(FORM, "errorsByField", refused.json["errors"])
    assert (list(shown["fields"]), shown["rest"]) == ([at], [])


def test_calendar_with_a_whole_week_as_its_weekend_has_the_error_at_its_days() -> None:
    world = ApiWorld()
    days = console_modules.result(FORM, "WEEKDAYS")
    form = console_modules.result(FORM, "EMPTY") | {"name": "plant", "weekendKind": "own", "weekend": days}
    refused = send(world, "PUT", PLANT, console_modules.result(FORM, "bodyOf", form)["body"])
    shown = console_modules.result(FORM, "errorsByField", refused.json["errors"])
    assert (refused.status, list(shown["fields"]), shown["rest"]) == (422, ["weekend"], [])


def test_error_of_a_window_says_which_one_it_is() -> None:
    world = ApiWorld()
    windows = [WINDOW, WINDOW | {"until": WINDOW["from"]}]
    refused = send(world, "PUT", PLANT, {"blackouts": windows})
    problem = {"status": refused.status, "problem": refused.json}
    (error,) = console_modules.result(FORM, "fieldErrors", problem)
    assert error["detail"].startswith("window 2: until: must be after from")


@pytest.mark.parametrize(
    ("fields", "pointer", "said"),
    [
        ({"name": ""}, "/name", "lower-case"),
        ({"name": "operator/plant"}, "/name", "lower-case"),
        ({"datesOut": "2030-12-24, <b>"}, "/dates_out", "<b> is no date"),
        ({"datesIn": "24.12.2030"}, "/dates_in", "24.12.2030 is no date"),
        ({"blackouts": [WINDOW, {"from": " ", "until": "", "reason": ""}]}, "/blackouts", "window 2 needs"),
    ],
)
def test_calendar_with_a_field_that_cannot_be_is_not_sent(
    fields: dict[str, Any], pointer: str, said: str
) -> None:
    form = console_modules.result(FORM, "EMPTY") | {"name": "plant"} | fields
    (error,) = console_modules.result(FORM, "bodyOf", form)["errors"]
    assert error["pointer"] == pointer
    assert said in error["detail"]
