"""Draws the sections of a dashboard from a record, as CloudWatch would lay them out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from textwrap import wrap

from tests.dashboards import svg
from tests.dashboards.records import Record
from tests.support.cloudwatch import Point
from tests.support.dashboard import Widget

COLUMN, ROW = 44, 34
COLORS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#7f7f7f")
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP = 46, 10, 30
LEGEND_ROW = 13
MOST_IN_LEGEND = 9
SHORT_LABEL = 18
"""Characters of a label that leaves room for two more beside it."""
TEXT_CHARACTERS = 170
RANKED = 5
GREY = "#687078"
PLACES = (("end", 1.0), ("start", 0.02), ("middle", 0.45))
"""Anchors of a limit's label, and how far to the right in the plot it is."""
LABEL = 10
"""The height of a label."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line with its label in the legend."""

    label: str
    points: Sequence[Point]


def sections(widgets: Sequence[Widget]) -> list[list[Widget]]:
    """The widgets by section, each of which begins with a text; what comes before the first is left out."""
    found: list[list[Widget]] = []
    for widget in widgets:
        if widget.kind == "text":
            found.append([])
        if found:
            found[-1].append(widget)
    return found


def picture(section: Sequence[Widget], record: Record) -> str:
    """One section as an SVG document."""
    head, *graphs = section
    shapes = list(_text(head))
    offset = 64 - min(widget.box[1] for widget in graphs) * ROW
    for widget in graphs:
        x, y, width, height = widget.box
        shapes += _widget(widget, record, x * COLUMN, offset + y * ROW, width * COLUMN, height * ROW)
    bottom = max(widget.box[1] + widget.box[3] for widget in graphs)
    return svg.document(24 * COLUMN, offset + bottom * ROW, shapes)


def shown_series(widget: Widget, record: Record) -> list[Series]:
    """The lines of a widget that have data."""
    if rule := widget.properties.get("insightRule"):
        return _ranked(record, rule["ruleName"].rpartition("-")[2], widget.properties["period"] // 60)
    lines = [(line, record.points(line, widget)) for line in widget.lines if line.is_visible]
    return [
        Series(line.shown, points) for line, points in lines if any(point is not None for point in points)
    ]


def _ranked(record: Record, rule: str, step: int) -> list[Series]:
    """The tenants with most lines in the hour."""
    tenants = record.tenants.get(rule, {})
    first = sorted(tenants, key=lambda tenant: (-sum(tenants[tenant]), tenant))[:RANKED]
    starts = range(0, record.minutes, step)
    return [Series(each, [sum(tenants[each][start : start + step]) for start in starts]) for each in first]


def _text(widget: Widget) -> Iterator[str]:
    """The question, and what good looks like."""
    heading, good = (
        line for line in widget.properties["markdown"].splitlines() if line.startswith(("## ", "**Good"))
    )
    yield svg.text(10, 22, heading.removeprefix("## "), size=16)
    for number, line in enumerate(wrap(good.replace("**", ""), TEXT_CHARACTERS)[:2]):
        yield svg.text(10, 40 + 14 * number, line, size=11, color=GREY)


def _widget(widget: Widget, record: Record, x: float, y: float, width: float, height: float) -> Iterator[str]:
    yield svg.box(x + 3, y + 3, width - 6, height - 6, "#ffffff", "#d5dbdb")
    yield svg.text(x + 12, y + 20, widget.title, size=12)
    found = shown_series(widget, record)
    if widget.properties["view"] == "singleValue":
        for number, series in enumerate(found):
            column, row = number % 3, number // 3
            at_x, at_y = x + 20 + column * (width - 20) / 3, y + 70 + row * 60
            yield svg.text(at_x, at_y, f"{series.points[-1]:,.4f}", size=18)
            yield svg.text(at_x, at_y + 16, series.label, color=GREY)
        return
    if widget.properties.get("stacked"):
        sums = list(accumulate((series.points for series in found), _added))
        found = [Series(series.label, points) for series, points in zip(found, sums, strict=True)]
    rows = -(-min(len(found), MOST_IN_LEGEND) // _legend_columns(found))
    plot = Plot(
        x=x + MARGIN_LEFT,
        y=y + MARGIN_TOP,
        width=width - MARGIN_LEFT - MARGIN_RIGHT,
        height=height - MARGIN_TOP - 24 - LEGEND_ROW * max(1, rows),
        minutes=record.minutes,
        top=_top(widget, found),
    )
    yield from plot.axes()
    yield from plot.curves(found, is_stacked=bool(widget.properties.get("stacked")))
    yield from plot.limits(widget)
    yield from _legend(found, x + 12, y + height - 10 - LEGEND_ROW * max(0, rows - 1), width - 20)


def _added(below: Sequence[Point], points: Sequence[Point]) -> list[Point]:
    return [(a or 0) + (b or 0) for a, b in zip(below, points, strict=True)]


def _top(widget: Widget, found: Sequence[Series]) -> float:
    """The end of the axis: above all points and limits, at a round number."""
    values = [point for series in found for point in series.points if point is not None]
    most = max([*values, *(limit["value"] for limit in widget.limits)], default=0) * 1.05 or 1.0
    step = float(10 ** (len(str(int(most))) - 1)) if most >= 1 else 0.1
    if most < 0.1:
        step = 0.001
    return next(step * factor for factor in (0.5, 1, 2, 4, 5, 8, 10, 20, 50, 100) if step * factor >= most)


def _legend_columns(found: Sequence[Series]) -> int:
    return 3 if all(len(series.label) <= SHORT_LABEL for series in found) else 2


def _legend(found: Sequence[Series], x: float, y: float, width: float) -> Iterator[str]:
    columns = _legend_columns(found)
    if not found:
        yield svg.text(x, y, "no data in this hour", color=GREY)
    for number, series in enumerate(found[:MOST_IN_LEGEND]):
        at_x = x + number % columns * width / columns
        at_y = y + number // columns * LEGEND_ROW
        yield svg.box(at_x, at_y - 7, 7, 7, COLORS[number % len(COLORS)])
        yield svg.text(at_x + 10, at_y, series.label, size=9)
    if len(found) > MOST_IN_LEGEND:
        yield svg.text(
            x + width, y - LEGEND_ROW, f"and {len(found) - MOST_IN_LEGEND} more", size=9, anchor="end"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """The area between the axes; minutes to the right, values from 0 to `top`."""

    x: float
    y: float
    width: float
    height: float
    minutes: int
    top: float

    def axes(self) -> Iterator[str]:
        for part in range(3):
            value, y = self.top * part / 2, self._y(self.top * part / 2)
            yield svg.line(self.x, y, self.x + self.width, y, "#eaeded")
            yield svg.text(self.x - 5, y + 3, _short(value), size=9, color=GREY, anchor="end")
        for minute in range(0, self.minutes + 1, 15):
            at = self.x + self.width * minute / self.minutes
            yield svg.text(
                at, self.y + self.height + 12, f":{minute % 60:02}", size=9, color=GREY, anchor="middle"
            )

    def curves(self, found: Sequence[Series], *, is_stacked: bool) -> Iterator[str]:
        below = [(self.x, self._y(0)), (self.x + self.width, self._y(0))]
        for number, series in enumerate(found):
            color = COLORS[number % len(COLORS)]
            points = [
                None if point is None else (self._x(at, len(series.points)), self._y(point))
                for at, point in enumerate(series.points)
            ]
            if is_stacked:
                upper = [point for point in points if point is not None]
                yield svg.area([*upper, *reversed(below)], color)
                below = upper
            else:
                yield from svg.path(points, color)

    def limits(self, widget: Widget) -> Iterator[str]:
        used: list[tuple[str, float]] = []
        for limit in sorted(widget.limits, key=lambda limit: -limit["value"]):
            y = self._y(limit["value"])
            yield svg.line(self.x, y, self.x + self.width, y, limit["color"], dashes="5 3")
            # Labels of lines that are close together take turns, from the right to the left.
            anchor, share = next(
                (place for place in PLACES if all(place[0] != at or abs(y - of) > LABEL for at, of in used)),
                PLACES[0],
            )
            used.append((anchor, y))
            x = self.x + self.width * share
            yield svg.text(x, y - 3, limit["label"], size=9, color=limit["color"], anchor=anchor)

    def _x(self, number: int, count: int) -> float:
        return self.x + self.width * number / max(1, count - 1)

    def _y(self, value: float) -> float:
        return self.y + self.height * (1 - value / self.top)


def _short(value: float) -> str:
    """A number of an axis, in thousands or millions if it is large."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if value >= 10 * size:
            return f"{value / size:,.10g}{unit}"
    return f"{value:,.10g}"


def texts_of(drawn: str) -> list[str]:
    """All texts of a picture."""
    return re.findall(r"<text [^>]*>([^<]*)</text>", drawn)
