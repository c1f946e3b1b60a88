"""`punctual apply` and `export`: the jobs, workflows, calendars and triggers of a set as a file."""

from typing import TYPE_CHECKING, Annotated

import typer

from punctual._texts import counted
from punctual.cli.confirming import SHOWN, confirm
from punctual.cli.exits import CommandError, Exit, code_of, lines_of
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.applying import Done, Plan, WantedJob

_IMPORT = "the import"
WORKERS = 4
"""Requests at a time. Each waits as long as the API asks for."""


def apply(
    context: typer.Context,
    file: Annotated[
        str, typer.Option("-f", "--file", metavar="FILE|-", help="The file; - is standard input.")
    ],
    prune: Annotated[
        bool, typer.Option("--prune", help="Delete what the set has and the file has not.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    prune_limit: Annotated[
        int | None,
        typer.Option(
            min=0, help="The most deletions. Needed for more than 20, and for more than half of the set."
        ),
    ] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help=f"End with {Exit.CHANGES.value} if there are changes.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without a question.")] = False,
    allow_commands: Annotated[
        bool, typer.Option("--allow-commands", help="Run the commands that the file has for its values.")
    ] = False,
) -> None:
    """Create and change the entries of a file, and with --prune delete those that are not in it any more.

    A file has jobs, workflows, calendars and triggers. The changes are shown first. Nothing is sent if the file cannot
    be read or a variable is missing, and nothing is changed if the API refuses an entry of the file.
    """
    from punctual.applying import make_plan, plan_document, plan_lines, prune_error

    session = session_of(context)
    name = "standard input" if file == "-" else file.removeprefix("@")
    set_name, jobs = _wanted(session, session.content(file), name, allow_commands)
    plan = make_plan(session.client, set_name, jobs, prune=prune, workers=WORKERS)
    session.show("\n".join(plan_lines(plan)), plan_document(plan))
    _check_possible(session, plan, name)
    if (problem := prune_error(plan, prune_limit)) is not None:
        hint = (
            f"nothing was changed; look at the file, or allow them with --prune-limit {len(plan.deletions)}"
        )
        raise CommandError(problem, Exit.USAGE, hint=hint)
    if not dry_run:
        _carry_out(session, plan, jobs, yes=yes)
    if exit_code and plan.has_changes:
        raise typer.Exit(Exit.CHANGES)


def apply_imported(session: Session, text: str, *, yes: bool) -> None:
    """Create and change the jobs of a file that `import` has made, after a question. Nothing is deleted."""
    from punctual.applying import make_plan, plan_document, plan_lines

    set_name, jobs = _wanted(session, text.encode(), _IMPORT, allow_commands=False)
    plan = make_plan(session.client, set_name, jobs, prune=False, workers=WORKERS)
    session.show("\n".join(plan_lines(plan)), plan_document(plan))
    _check_possible(session, plan, _IMPORT)
    if plan.has_changes:
        keys = [each.key for each in plan.changes]
        confirm(session, "create or change", count=len(keys), nouns="jobs", examples=keys, yes=yes)
        _carry_out(session, plan, jobs, yes=yes)


def _wanted(
    session: Session, data: bytes, name: str, allow_commands: bool
) -> "tuple[str, tuple[WantedJob, ...]]":
    """The set and the jobs of the file, before anything is sent."""
    from punctual._commands import output_of
    from punctual.applyfile import read_apply_file
    from punctual.applying import wanted_jobs

    read = read_apply_file(data, name)
    run = (lambda words: output_of(words, "the command")) if allow_commands else None
    return read.set, wanted_jobs(read, session.around.environ, run)


def _check_possible(session: Session, plan: "Plan", name: str) -> None:
    from punctual.applying import named, nouns_of

    for conflict in plan.conflicts:
        session.warn(f"{name}:{conflict.line}: {conflict.key} is a {conflict.kind} of the set {conflict.set}")
    for job in plan.dangling:
        verb = "names" if job.names == "calendar" else "starts"
        starts = f"{name}:{job.line}: {named(job.kind, job.key)} {verb} the {job.names} {job.named}"
        if job.is_pruned:
            session.warn(f"{starts}, which --prune would delete: write the {job.names} into the file")
        else:
            session.warn(f"{starts}: neither the file nor the API has one with this key")
    for refusal in plan.refusals:
        session.warn(f"{name}:{refusal.line}: {named(refusal.kind, refusal.key)}")
        for line in lines_of(refusal.error):
            session.warn(f"  {line}")
    if not plan.is_possible:
        count = len(plan.conflicts) + len(plan.dangling) + len(plan.refusals)
        nouns = nouns_of((*plan.conflicts, *plan.dangling, *plan.refusals))
        code = Exit.CONFLICT if plan.conflicts else Exit.REFUSED
        if plan.refusals:
            code = code_of(plan.refusals[0].error)
        raise CommandError(
            f"{counted(count, nouns)} of the file cannot be applied: nothing was changed", code
        )


def _carry_out(session: Session, plan: "Plan", jobs: "tuple[WantedJob, ...]", *, yes: bool) -> None:
    from punctual.applying import carry_out, counts_of, named, nouns_of

    if not plan.has_changes:
        return
    if plan.deletions:
        examples = [named(each.kind, each.key) for each in plan.deletions[:SHOWN]]
        count, nouns = len(plan.deletions), nouns_of(plan.deletions)
        confirm(session, "delete", count=count, nouns=nouns, examples=examples, yes=yes)
    done = carry_out(session.client, plan, jobs, workers=WORKERS)
    _tell_failures(session, done)
    session.note(counts_of(done, plan))
    errors = [each.error for each in done if each.error is not None]
    if errors:
        raise CommandError("not all changes were made; the same command makes the others", code_of(errors[0]))


def _tell_failures(session: Session, done: "tuple[Done, ...]") -> None:
    from punctual.applying import named

    for each in done:
        if each.error is not None:
            session.warn(named(each.kind, each.key))
            for line in lines_of(each.error):
                session.warn(f"  {line}")


def export(
    context: typer.Context,
    set_: Annotated[str, typer.Option("--set", metavar="NAME", help="The set that is written.")],
) -> None:
    """Write the jobs, workflows, calendars and triggers of a set as a file for `apply`.

    The API shows no headers and no bodies, so the file has a variable for each, and a note names it. URLs are
    written as the API shows them. The key needs the scope `write`, although nothing is changed.
    """
    from punctual.applying import export_set

    session = session_of(context)
    found = export_set(session.client, set_, workers=WORKERS)
    session.around.stdout.write(found.text)
    for missing in found.missing:
        session.note(f"set {missing.variable} to the value of {missing.what} of {missing.key}")
    for key in found.left_out:
        session.warn(f"left out: {key} does not begin with {set_}.")
    for key in found.dangling:
        noun = "job" if key.startswith("trigger ") else "workflow"
        session.warn(f"{key} starts a {noun} that does not exist any more: `apply` refuses it")
    if found.left_out:
        count = len(found.left_out)
        raise CommandError(f"{count} jobs or workflows of the set cannot be in a file of the set")
    if found.dangling:
        raise CommandError("the file cannot be applied as it is")


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("apply")(apply)
    app.command("export")(export)
