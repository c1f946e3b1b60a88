"""`punctual triggers` and `punctual events`: events that start jobs."""

import json
from typing import Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.options import DURATION, seconds
from punctual.cli.output import Column
from punctual.cli.session import Session, session_of

TriggerArgument = Annotated[
    str, typer.Argument(metavar="TRIGGER", help="The name of a trigger.", show_default=False)
]
IfMatch = Annotated[int | None, typer.Option(metavar="VERSION", help="Only if it is at this version.")]
_JSON = "JSON|@FILE|-"
COLUMNS = (
    Column("trigger", lambda trigger: trigger.name),
    Column("version", lambda trigger: trigger.version),
    Column("job", lambda trigger: trigger.job_id),
    Column("delay s", lambda trigger: trigger.delay_seconds),
    Column("debounce s", lambda trigger: _debounce(trigger)),
    Column("throttle", lambda trigger: _throttle(trigger)),
    Column("set", lambda trigger: trigger.set),
    Column("pattern", lambda trigger: json.dumps(trigger.pattern), folds=True),
    Column("changed", lambda trigger: trigger.changed_at),
)
MATCH_COLUMNS = (
    Column("trigger", lambda match: match.trigger),
    Column("outcome", lambda match: match.outcome),
    Column("job", lambda match: match.job_id),
    Column("execution", lambda match: getattr(match, "execution_id", None)),
    Column("due", lambda match: getattr(match, "due_at", None)),
    Column("until", lambda match: getattr(match, "throttled_until", None)),
    Column("reason", lambda match: getattr(match, "reason", None), folds=True),
)


def list_triggers(context: typer.Context) -> None:
    """List the tenant's triggers."""
    session = session_of(context)
    session.show_list(session.client.triggers.list().triggers, COLUMNS, empty="no triggers")


def get_trigger(context: typer.Context, trigger: TriggerArgument) -> None:
    """Show a trigger."""
    session = session_of(context)
    session.show_one(session.client.triggers.get(trigger), COLUMNS)


def put_trigger(
    context: typer.Context,
    trigger: TriggerArgument,
    job: Annotated[str, typer.Option(metavar="JOB", help="The id of the recurring job that events start.")],
    pattern: Annotated[str, typer.Option(metavar=_JSON, help="The pattern that an event has to match.")],
    delay: Annotated[
        str | None, typer.Option(metavar=DURATION, help="How long after the event the run is due.")
    ] = None,
    debounce: Annotated[
        str | None,
        typer.Option(metavar=DURATION, help="One run once no further event has come for this time."),
    ] = None,
    debounce_max: Annotated[
        str | None,
        typer.Option(metavar=DURATION, help="How long after the first event that run is due at the latest."),
    ] = None,
    throttle: Annotated[
        str | None,
        typer.Option(metavar="COUNT/DURATION", help="How many runs may start in a window, such as 10/1m."),
    ] = None,
    set_: Annotated[str | None, typer.Option("--set", help="The set of the trigger.")] = None,
    if_match: IfMatch = None,
) -> None:
    """Create a trigger, or replace it."""
    session = session_of(context)
    body: dict[str, Any] = {"pattern": _object(session, "--pattern", pattern), "job_id": job}
    if delay is not None:
        body["delay_seconds"] = seconds(delay, "--delay")
    if debounce is not None:
        body["debounce_seconds"] = seconds(debounce, "--debounce")
    if debounce_max is not None:
        body["debounce_max_seconds"] = seconds(debounce_max, "--debounce-max")
    if throttle is not None:
        body["throttle"] = _read_throttle(throttle)
    if set_ is not None:
        body["set"] = set_
    session.show_one(session.client.triggers.put(trigger, if_match=if_match, **body), COLUMNS)


def delete_trigger(context: typer.Context, trigger: TriggerArgument, if_match: IfMatch = None) -> None:
    """Delete a trigger; runs that it has started are left alone."""
    session = session_of(context)
    session.show_one(session.client.triggers.delete(trigger, if_match=if_match), COLUMNS)


def send_event(
    context: typer.Context,
    source: Annotated[str, typer.Option(help="Where the event comes from.")],
    type_: Annotated[str, typer.Option("--type", help="What has happened.")],
    id_: Annotated[str, typer.Option("--id", help="The same one for a repetition of the event.")],
    data: Annotated[str | None, typer.Option(metavar=_JSON, help="The data of the event.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="When the event counts, in place of now.")
    ] = None,
) -> None:
    """Send an event, and show which triggers it matches and what it starts."""
    session = session_of(context)
    body: dict[str, Any] = {"source": source, "type": type_, "id": id_}
    if data is not None:
        body["data"] = _object(session, "--data", data)
    if at is not None:
        body["deliver_at"] = at
    sent = session.client.events.send(**body)
    session.show_list(sent.matches, MATCH_COLUMNS, empty="no trigger matches")


def _debounce(trigger: Any) -> str | None:
    seconds_, longest = (
        getattr(trigger, name, None) for name in ("debounce_seconds", "debounce_max_seconds")
    )
    return None if seconds_ is None else f"{seconds_}, at most {longest}"


def _throttle(trigger: Any) -> str | None:
    throttle = getattr(trigger, "throttle", None)
    return None if throttle is None else f"{throttle.count} in {throttle.per_seconds} s"


def _read_throttle(text: str) -> dict[str, int]:
    count, _, window = text.partition("/")
    if not count.isascii() or not count.isdigit() or not window:
        raise CommandError("--throttle needs a count and a duration, such as 10/1m", Exit.USAGE)
    return {"count": int(count), "per_seconds": seconds(window, "--throttle")}


def _object(session: Session, option: str, text: str) -> dict[str, Any]:
    """The JSON object of an option: in itself, in a file, or from standard input."""
    content = session.content(text) if text == "-" or text.startswith("@") else text
    try:
        value = json.loads(content)
    except ValueError as error:
        raise CommandError(f"{option}: no JSON: {error}", Exit.USAGE) from None
    if not isinstance(value, dict):
        raise CommandError(f"{option} needs a JSON object", Exit.USAGE)
    return value


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    triggers = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Events that start jobs.")
    triggers.command("list")(list_triggers)
    triggers.command("get")(get_trigger)
    triggers.command("put")(put_trigger)
    triggers.command("delete")(delete_trigger)
    app.add_typer(triggers, name="triggers")
    events = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The tenant's own events.")
    events.command("send")(send_event)
    app.add_typer(events, name="events")
