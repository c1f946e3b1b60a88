"""The progress of something that takes time: a bar on a terminal, and nothing elsewhere or with `--quiet`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from punctual.cli.session import Session


@contextmanager
def progress(session: Session, label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show progress on standard error; the function takes how many of `total` are done."""
    if session.quiet or not session.around.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(
        file=session.around.stderr,
        width=session.around.width,
        no_color=bool(session.around.environ.get("NO_COLOR")),
    )
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(label, total=total)

        def show(done: int) -> None:
            bar.update(task, completed=done)
            bar.refresh()

        yield show
