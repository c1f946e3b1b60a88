"""The pictures of the dashboard show the widgets of the template, drawn from recorded hours."""

import pytest

from tests.dashboards.__main__ import PICTURES, SECTIONS
from tests.dashboards.drawing import picture, sections, shown_series, texts_of
from tests.dashboards.hours import EXECUTORS_FAIL, FAULTS, TICKS_STOP
from tests.dashboards.records import HOURS, Record, load, series_id
from tests.infra.conftest import Synthesised, alarms_of
from tests.support.dashboard import Widget, widgets_of
from tests.support.sources import ROOT

MOST_BYTES = 150_000
PAGE = (ROOT / "docs" / "operations" / "dashboards.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def records() -> dict[str, Record]:
    return {hour: load(hour) for hour in HOURS}


def _drawn(cloud: Synthesised) -> dict[str, list[Widget]]:
    return dict(zip(SECTIONS, sections(widgets_of(cloud.service)), strict=True))


def test_every_widget_of_the_dashboard_is_in_the_picture_of_its_section(
    cloud: Synthesised, records: dict[str, Record]
) -> None:
    """Run `make pictures` if this fails, or `make pictures ARGS=--record` if functions report other metrics."""
    for hour, record in records.items():
        for name, widgets in _drawn(cloud).items():
            head, *graphs = widgets
            expected = [head.properties["markdown"].splitlines()[0].removeprefix("## ")]
            for graph in graphs:
                expected += [graph.title, *(limit["label"] for limit in graph.limits)]
                expected += [series.label for series in shown_series(graph, record)[:9]]
            shown = texts_of((PICTURES / f"{name}-{hour}.svg").read_text(encoding="utf-8"))
            escaped = {text.replace("'", "&#x27;") for text in expected}
            assert escaped - set(shown) == set(), (name, hour)


def test_picture_is_drawn_from_the_record_alone(cloud: Synthesised, records: dict[str, Record]) -> None:
    section = _drawn(cloud)["in-time"]
    bad, quiet = (picture(section, records[hour]) for hour in ("bad", "quiet"))
    assert bad == picture(section, load("bad"))
    assert bad != quiet
    assert bad.count("<polyline") > quiet.count("<polyline")


def test_all_widgets_but_the_list_of_alarms_belong_to_a_section(cloud: Synthesised) -> None:
    first, *others = widgets_of(cloud.service)
    assert first.kind == "alarm"
    assert [widget for section in _drawn(cloud).values() for widget in section] == others


def test_records_have_no_series_that_the_dashboard_does_not_read(
    cloud: Synthesised, records: dict[str, Record]
) -> None:
    read = {series_id(line) for widget in widgets_of(cloud.service) for line in widget.metrics}
    for hour, record in records.items():
        assert record.series.keys() <= read, hour
        assert {len(points) for points in record.series.values()} == {record.minutes}


def test_quiet_hour_has_no_alarm_and_the_bad_one_has_those_of_its_faults(
    cloud: Synthesised, records: dict[str, Record]
) -> None:
    alarms = alarms_of(cloud).keys()
    assert records["quiet"].alarms == {}
    bad = records["bad"].alarms
    assert bad.keys() <= alarms
    assert set(bad["WatcherHeartbeat"]) & set(TICKS_STOP)
    assert set(bad["ErrorsExecutorStandard"]) & set(EXECUTORS_FAIL)
    assert bad["StartBurnFast"]


def test_page_shows_each_picture_and_names_each_fault_and_alarm_of_the_bad_hour(
    records: dict[str, Record],
) -> None:
    for name in SECTIONS:
        for hour in HOURS:
            assert f"](pictures/{name}-{hour}.svg)" in PAGE
    flat = " ".join(PAGE.split())
    assert all(fault in flat for fault in FAULTS.values())
    for name, minutes in records["bad"].alarms.items():
        assert f"| `{name}` | {minutes[0]} |" in PAGE, name
    assert PAGE.count("\n| `") == len(records["bad"].alarms)


def test_pictures_are_small() -> None:
    for path in PICTURES.iterdir():
        assert path.suffix == ".svg"
        assert path.stat().st_size < MOST_BYTES, path.name
