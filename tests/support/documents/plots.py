"""Plots of a page, in the language of Mermaid."""

import re


def check_plot(text: str) -> None:
    """ValueError unless each line has a point for each value of the axis."""
    [axis] = re.findall(r"^ *x-axis .*\[(.*)\]$", text, re.MULTILINE)
    lines = re.findall(r"^ *line \[(.*)\]$", text, re.MULTILINE)
    if not lines or {len(each.split(",")) for each in lines} != {len(axis.split(","))}:
        raise ValueError("a plot whose lines have other points than its axis")
