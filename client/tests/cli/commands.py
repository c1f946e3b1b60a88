"""The commands of the app, for tests that go through all of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from punctual.cli.main import root


@dataclass(frozen=True)
class Command:
    """A command that does something: its names, such as `("report", "fail")`."""

    names: tuple[str, ...]
    command: Any

    @property
    def sentence(self) -> str:
        """The first sentence of its help."""
        paragraph = " ".join(self.command.help.strip().split("\n\n")[0].split())
        return str(paragraph)

    @property
    def flags(self) -> set[str]:
        """The flags of its options."""
        return {flag for each in self.command.params for flag in each.opts}


def commands() -> list[Command]:
    """All of them, in the order of the help."""
    return list(_within((), root()))


def _within(names: tuple[str, ...], command: Any) -> Iterator[Command]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield Command(names, command)
        return
    for name, each in inner.items():
        yield from _within((*names, name), each)
