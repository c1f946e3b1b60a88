"""Tables, JSON, YAML and CSV, also of names that want to harm a terminal or a program."""

import csv
import io
import json
from datetime import datetime, timezone

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from client.tests.cli.shell import BERLIN, Shell, Stream
from client.tests.sdk.deployment import HOOK
from punctual.cli.output import Column, Format, Output, plain
from punctual.cli.texts import escaped, escaped_json, local, text_of
from punctual.models import JobSummary, Schedule

AT = datetime(2025, 2, 21, 1, 30, 0, 250_000, tzinfo=timezone.utc)
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "[red]not markup[/red]",
    ":bomb: {name} %s",
    "\u202egnp.exe",
    "\u2066isolated\u2069",
    "zero\u200bwidth",
    "two\nlines\r\ttabs",
    "\x9b2J\x85\u2028\u2029",
    "\x00\x07\x7f",
    "=HYPERLINK(1)",
    "\ud800 alone",
    "\U000e0041 tag",
)
OBEYED = set("\x00\x07\x1b\x7f\x85\x9b\r\t\u202e\u2066\u2069\u200b\u2028\u2029\ud800\U000e0041")


def job(name: str | None = "nightly", **members: object) -> JobSummary:
    fields = {
        "created_at": AT,
        "id": "job_r001jmg0r03szjym089eyz6ab9d1",
        "kind": "cron",
        "lane": "standard",
        "name": name,
        "next_due_at": AT,
        "revision": 1,
        "schedule": Schedule(cron="30 2 * * *"),
        "state": "active",
        "tags": ("a", "b"),
    }
    return JobSummary(**{**fields, **members})  # type: ignore[arg-type]


COLUMNS = (
    Column("id", lambda each: each.id),
    Column("name", lambda each: each.name, folds=True),
    Column("next run", lambda each: each.next_due_at),
    Column("tags", lambda each: each.tags, folds=True),
)


def shown(
    form: Format, *jobs: JobSummary, is_terminal: bool = False, width: int | None = None, color: bool = False
) -> str:
    stream = Stream()
    Output(stream, form, BERLIN, is_terminal, color, width).list(jobs, COLUMNS)
    return stream.text


def test_table_has_local_instants_with_their_offset() -> None:
    heads, row = shown(Format.TABLE, job()).splitlines()
    assert heads.split() == ["ID", "NAME", "NEXT", "RUN", "TAGS"]
    assert row == "job_r001jmg0r03szjym089eyz6ab9d1  nightly  2025-02-21 02:30:00 +01:00  a, b"


def test_columns_without_a_value_are_left_out() -> None:
    assert shown(Format.TABLE, job(None, tags=())).split()[:3] == ["ID", "NEXT", "RUN"]
    assert "NAME" in shown(Format.TABLE, job(None), job())


def test_table_without_a_terminal_cuts_and_folds_nothing() -> None:
    name = "word " * 60
    _, row = shown(Format.TABLE, job(name)).splitlines()
    assert name.strip() in row
    assert "\x1b" not in row


@pytest.mark.parametrize("width", [120, 90, 60, 40, 20, 5])
def test_narrow_terminal_shows_everything(width: int) -> None:
    text = shown(
        Format.TABLE, job("a name of several words", tags=("one", "two")), is_terminal=True, width=width
    )
    assert "job_r001jmg0r03szjym089eyz6ab9d1" in text
    assert "2025-02-21 02:30:00 +01:00" in text
    assert {"a", "name", "of", "several", "words"} <= set(text.replace(",", " ").split())
    assert "…" not in text


def test_terminal_gets_colour_only_where_it_is_wanted() -> None:
    assert "\x1b[1m" in shown(Format.TABLE, job(), is_terminal=True, width=120, color=True)
    assert "\x1b" not in shown(Format.TABLE, job(), is_terminal=True, width=120)


def test_json_is_what_the_api_gives() -> None:
    [found] = json.loads(shown(Format.JSON, job(None)))
    assert found["next_due_at"] == "2025-02-21T01:30:00.250Z"
    assert found["name"] is None
    assert found["tags"] == ["a", "b"]
    assert found["schedule"]["cron"] == "30 2 * * *"


def test_yaml_is_the_same_as_json() -> None:
    text = shown(Format.YAML, job("on"), job("1.0"))
    loaded = yaml.safe_load(text)
    assert loaded == json.loads(shown(Format.JSON, job("on"), job("1.0")))
    assert "&id" not in text


def test_csv_has_the_columns_and_the_instants_of_the_api() -> None:
    heads, row = csv.reader(io.StringIO(shown(Format.CSV, job('a "quoted", name'))))
    assert heads == ["id", "name", "next run", "tags"]
    assert row == ["job_r001jmg0r03szjym089eyz6ab9d1", 'a "quoted", name', "2025-02-21T01:30:00.250Z", "a b"]


def test_empty_lists_are_empty_documents() -> None:
    assert shown(Format.TABLE) == ""
    assert json.loads(shown(Format.JSON)) == []
    assert yaml.safe_load(shown(Format.YAML)) == []
    assert shown(Format.CSV) == "id,name,next run,tags\n"


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", list(Format))
def test_hostile_name_reaches_no_terminal(form: Format, name: str) -> None:
    for width in (None, 120, 30):
        text = shown(form, job(name), is_terminal=width is not None, width=width)
        assert not OBEYED & set(text)
    assert len(shown(Format.TABLE, job(name)).splitlines()) == 2


@pytest.mark.parametrize("name", [each for each in HOSTILE if "\ud800" not in each])
def test_hostile_name_stays_what_it_is_for_programs(name: str) -> None:
    assert json.loads(shown(Format.JSON, job(name)))[0]["name"] == name
    assert yaml.safe_load(shown(Format.YAML, job(name)))[0]["name"] == name


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_csv_has_no_formulas(name: str) -> None:
    assert f",'{name}," in shown(Format.CSV, job(name))


def test_markup_of_rich_and_emoji_codes_stay_text() -> None:
    assert "[red]x[/red] :bomb:" in shown(
        Format.TABLE, job("[red]x[/red] :bomb:"), is_terminal=True, width=200
    )


@given(st.text())
def test_any_text_is_escaped_and_any_json_keeps_its_value(text: str) -> None:
    assert not OBEYED & set(escaped(text))
    document = json.dumps({text: [text]}, ensure_ascii=False, indent=2)
    assert json.loads(escaped_json(document)) == {text: [text]}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_keeps_its_value_in_yaml(text: str) -> None:
    stream = Stream()
    Output(stream, Format.YAML, BERLIN, False, False, None).data({"value": text, text: 1})
    assert yaml.safe_load(stream.text) == {"value": text, text: 1}
    assert not OBEYED & set(stream.text)


def test_last_instant_of_the_calendar_can_be_shown() -> None:
    assert (
        local(datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone.utc), BERLIN) == "9999-12-31 23:59:59 +00:00"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (7, "7"),
        ("a\tb", "a\\tb"),
        (("a", None, 1), "a, , 1"),
        ({"quota": 2, "\x1b": 1}, "quota: 2, \\x1b: 1"),
        (AT, "2025-02-21 02:30:00 +01:00"),
    ],
)
def test_any_value_is_a_text_in_one_line(value: object, text: str) -> None:
    assert text_of(value, BERLIN) == text


def test_plain_values_have_the_names_of_the_api() -> None:
    assert plain({"a": (1, None, True)}) == {"a": [1, None, True]}


def test_quiet_leaves_notes_out_and_keeps_errors() -> None:
    shell = Shell()
    assert shell.ok("list").err == "no jobs\n"
    assert shell.ok("list", "-q").err == ""
    assert shell.run("get", "-q", "nothing").err != ""


def test_results_are_the_only_words_on_standard_output() -> None:
    shell = Shell()
    shell.ok("create", "--url", HOOK, "--delay", "10m", "--name", "one")
    assert [each["name"] for each in shell.json("list")] == ["one"]
    assert shell.ok("list", "-o", "csv").out.count("\n") == 2
