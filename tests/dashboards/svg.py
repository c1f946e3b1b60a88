"""Shapes of SVG as text. Numbers are rounded, so that the same data makes the same picture everywhere."""

from collections.abc import Iterator, Sequence
from html import escape

FONT = "Helvetica, Arial, sans-serif"


def text(
    x: float, y: float, content: str, *, size: int = 10, color: str = "#16191f", anchor: str = "start"
) -> str:
    attributes = f'x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" text-anchor="{anchor}"'
    return f"<text {attributes}>{escape(content)}</text>"


def box(x: float, y: float, width: float, height: float, fill: str, stroke: str = "none") -> str:
    attributes = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect {attributes} fill="{fill}" stroke="{stroke}"/>'


def line(x1: float, y1: float, x2: float, y2: float, color: str, *, dashes: str = "none") -> str:
    attributes = f'x1="{x1:g}" y1="{y1:.1f}" x2="{x2:g}" y2="{y2:.1f}"'
    return f'<line {attributes} stroke="{color}" stroke-dasharray="{dashes}"/>'


def path(points: Sequence[tuple[float, float] | None], color: str) -> Iterator[str]:
    """Lines between neighbours, and a dot for a point without any; None is a gap."""
    run: list[tuple[float, float]] = []
    for point in (*points, None):
        if point is not None:
            run.append(point)
        elif run:
            if len(run) == 1:
                yield f'<circle cx="{run[0][0]:.1f}" cy="{run[0][1]:.1f}" r="1.6" fill="{color}"/>'
            else:
                steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in run)
                yield f'<polyline points="{steps}" fill="none" stroke="{color}" stroke-width="1.3"/>'
            run = []


def area(points: Sequence[tuple[float, float]], color: str) -> str:
    steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{steps}" fill="{color}" fill-opacity="0.55"/>'


def document(width: float, height: float, shapes: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="{FONT}">'
    return "\n".join([head, box(0, 0, width, height, "#ffffff"), *shapes, "</svg>"]) + "\n"
