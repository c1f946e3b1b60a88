"""Acts on many things: the count and the first five are shown, and the count is wanted typed, or `--yes`.

Without a terminal `--yes` is required. Everything is written to standard error.
"""

from collections.abc import Sequence

from punctual._texts import counted
from punctual.cli.exits import CommandError, Exit
from punctual.cli.session import Session

SHOWN = 5


def confirm(
    session: Session,
    verb: str,
    *,
    count: int,
    nouns: str,
    examples: Sequence[str],
    yes: bool,
    is_exact: bool = True,
) -> None:
    """Ask for an act such as `delete` on `count` things, such as `jobs`.

    `examples` has a line for each of the first things. `is_exact` is False where the count is a lower bound. Returns
    if the act is wanted. Raises CommandError otherwise, and then nothing has been changed.
    """
    things = counted(count, nouns) if is_exact else f"at least {counted(count, nouns)}"
    session.warn(f"{things} to {verb}:")
    for example in examples[:SHOWN]:
        session.warn(f"  {example}")
    if count > SHOWN:
        session.warn(f"  and {count - SHOWN} more")
    if yes:
        return
    if not session.can_ask:
        raise CommandError(
            f"{verb} {things}: there is no terminal to confirm it at, so nothing was changed",
            Exit.USAGE,
            hint="give --yes to do it without a question, or --dry-run to only look",
        )
    if session.ask(f"Type {count} to {verb} them: ") != str(count):
        raise CommandError(f"the answer was not {count}: nothing was changed")
