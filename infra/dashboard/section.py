"""What a section of the dashboard consists of, and its widgets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch

from infra.components.alarm_spec import OVER, AlarmSpec
from infra.components.runbooks import runbook_of

WIDTH = 24
GRAPH_WIDTH, GRAPH_HEIGHT = 8, 6
TEXT_LINE_COLUMNS = 150
"""Characters that fit into a line of a text widget over the whole width."""
ALARM_COLOR, CAPACITY_COLOR, OBJECTIVE_COLOR = "#d13212", "#7d4698", "#1d8102"


@dataclass(frozen=True, slots=True)
class Limit:
    """A horizontal line of a graph, in the unit of its left axis."""

    value: float
    label: str
    color: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Lines over time. The title ends with the unit, unless it is a count in a minute."""

    title: str
    metrics: Sequence[cloudwatch.IMetric]
    limits: Sequence[Limit] = ()
    stacked: bool = False

    @property
    def widget(self) -> cloudwatch.IWidget:
        return cloudwatch.GraphWidget(
            title=self.title,
            left=list(self.metrics),
            left_annotations=[
                cloudwatch.HorizontalAnnotation(value=limit.value, label=limit.label, color=limit.color)
                for limit in self.limits
            ],
            left_y_axis=cloudwatch.YAxisProps(min=0, show_units=False),
            stacked=self.stacked,
            width=GRAPH_WIDTH,
            height=GRAPH_HEIGHT,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A question with what good looks like, the alarms that answer it, and its graphs."""

    question: str
    good: str
    alarms: Sequence[str]
    graphs: Sequence[Graph]
    more: Sequence[cloudwatch.IWidget] = ()
    """Widgets of other kinds, each as wide as a graph."""

    def rows(self, number: int) -> Iterator[Sequence[cloudwatch.IWidget]]:
        """Rows of widgets; `number` is that of the section."""
        yield [self._text(number)]
        widgets = [*(graph.widget for graph in self.graphs), *self.more]
        in_row = WIDTH // GRAPH_WIDTH
        yield from (widgets[start : start + in_row] for start in range(0, len(widgets), in_row))

    def _text(self, number: int) -> cloudwatch.IWidget:
        lines = [f"## {number}. {self.question}", "", f"**Good:** {self.good}", ""]
        if self.alarms:
            lines += [
                "**Red lines are thresholds of alarms.** If one is crossed, open its page in the repository:",
                "",
            ]
            lines += [f"- {', '.join(alarms)}: `{page}`" for page, alarms in self.pages.items()]
        shown = sum(-(-len(line) // TEXT_LINE_COLUMNS) for line in lines)
        return cloudwatch.TextWidget(markdown="\n".join(lines), width=WIDTH, height=2 + shown // 2)

    @property
    def pages(self) -> Mapping[str, Sequence[str]]:
        """The alarms of the section by the page to open, from the root of the repository."""
        pages: dict[str, list[str]] = {}
        for name in self.alarms:
            pages.setdefault(runbook_of(name), []).append(name)
        return pages


def alarm_line(spec: AlarmSpec) -> Limit:
    """The threshold of an alarm on a metric of the graph."""
    sign = "over" if spec.comparison is OVER else "under"
    return Limit(spec.threshold, f"{spec.name}: {sign} {round(spec.threshold, 2):,.10g}", ALARM_COLOR)


def capacity_line(value: float, label: str) -> Limit:
    """What AWS or the stage's configuration grants at most."""
    return Limit(value, label, CAPACITY_COLOR)


def objective_line(value: float, label: str) -> Limit:
    return Limit(value, label, OBJECTIVE_COLOR)
