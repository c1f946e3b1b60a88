"""A dashboard's body, read as CloudWatch reads it.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.cloudwatch import Key
from tests.support.template import Template, resolve

DEFAULT_PERIOD = 300
"""Seconds, where neither the metric nor its widget names a period."""


@dataclass(frozen=True, slots=True)
class Line:
    """A metric, or an expression on others of its widget."""

    id: str
    label: str
    is_visible: bool
    period: int
    key: Key | None = None
    statistic: str = "Average"
    expression: str = ""

    @property
    def shown(self) -> str:
        """The label in the legend."""
        return self.label or (self.key[1] if self.key else self.expression)


@dataclass(frozen=True, slots=True)
class Widget:
    """A widget with its place on the grid of 24 columns."""

    kind: str
    box: tuple[int, int, int, int]
    """Column, row, width and height."""
    properties: Mapping[str, Any]

    @property
    def title(self) -> str:
        return str(self.properties.get("title", ""))

    @property
    def lines(self) -> list[Line]:
        return [self._line(each) for each in self.properties.get("metrics", [])]

    @property
    def metrics(self) -> list[Line]:
        """The lines without expressions."""
        return [line for line in self.lines if line.key]

    @property
    def limits(self) -> list[Mapping[str, Any]]:
        """Horizontal annotations."""
        found: list[Mapping[str, Any]] = self.properties.get("annotations", {}).get("horizontal", [])
        return found

    def _line(self, given: Sequence[Any]) -> Line:
        texts = [part for part in given if isinstance(part, str)]
        options = given[-1] if isinstance(given[-1], Mapping) else {}
        period = options.get("period", self.properties.get("period", DEFAULT_PERIOD))
        common = (options.get("id", ""), options.get("label", ""), options.get("visible", True), period)
        if not texts:
            return Line(*common, expression=options["expression"])
        namespace, name, *rest = texts
        dimensions = tuple(sorted(zip(rest[::2], rest[1::2], strict=True)))
        return Line(*common, key=(namespace, name, dimensions), statistic=options.get("stat", "Average"))


def body_of(service: Template) -> str:
    """The body of the stack's dashboard as CloudWatch receives it, but for plausible names of resources."""
    (dashboard,) = service.properties("AWS::CloudWatch::Dashboard")
    return resolve(dashboard["DashboardBody"])


def widgets_of(service: Template) -> list[Widget]:
    return [
        Widget(each["type"], (each["x"], each["y"], each["width"], each["height"]), each["properties"])
        for each in json.loads(body_of(service))["widgets"]
    ]
