"""`punctual upcoming`: how many runs are to come, step by step."""

from collections.abc import Iterator
from datetime import timedelta, tzinfo
from typing import TYPE_CHECKING, Annotated

import typer

from punctual.cli.options import DURATION, seconds
from punctual.cli.output import Column, Format
from punctual.cli.session import session_of
from punctual.cli.sparklines import sparkline
from punctual.cli.texts import escaped, local

if TYPE_CHECKING:
    from punctual.models import Density

_STEPS = (Column("at", lambda step: step.at), Column("runs", lambda step: step.count))


def show_upcoming(
    context: typer.Context,
    within: Annotated[
        str, typer.Option("--within", metavar=DURATION, help="How far to look ahead.", show_default=True)
    ] = "24h",
    step: Annotated[
        str, typer.Option("--step", metavar=DURATION, help="The length of a step.", show_default=True)
    ] = "1h",
) -> None:
    """Count the next runs of all jobs, step by step."""
    session = session_of(context)
    until = session.around.now() + timedelta(seconds=seconds(within, "--within"))
    found = session.client.upcoming.density(until=until, step_seconds=seconds(step, "--step"))
    if session.format is Format.CSV:
        session.show_list(found.steps, _STEPS, empty="")
        return
    session.show("\n".join(map(escaped, _texts(found, session.around.zone))), found)


def _texts(found: "Density", zone: tzinfo | None) -> Iterator[str]:
    width = max((len(str(each.count)) for each in found.steps), default=1)
    bars = sparkline([each.count for each in found.steps])
    for each, bar in zip(found.steps, bars, strict=True):
        yield f"{local(each.at, zone)}  {each.count:>{width}}  {bar}"
    yield ""
    about = "about " if found.estimated else ""
    yield f"{about}{sum(each.count for each in found.steps)} runs before {local(found.until, zone)}"
    if not found.complete:
        yield "not all are counted: give a shorter --within"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("upcoming")(show_upcoming)
