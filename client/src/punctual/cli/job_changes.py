"""What an edit has changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from punctual.cli.output import plain
from punctual.cli.texts import escaped

if TYPE_CHECKING:
    from punctual.models import Job

_NEVER_SHOWN = ("headers", "body", "json")
"""Members of a request that the API never shows again."""
_CONSEQUENCES = frozenset({"revision", "last_run"})


@dataclass(frozen=True, slots=True)
class Change:
    """A member that differs. The values of a hidden one are None."""

    pointer: str
    before: Any
    after: Any
    is_hidden: bool = False

    @property
    def text(self) -> str:
        """In one line, such as `schedule.cron: 30 2 * * * → 0 3 * * *`."""
        name = escaped(self.pointer.removeprefix("/").replace("/", "."))
        if self.is_hidden:
            return f"{name}: sent (its value is never shown)"
        return f"{name}: {_shown(self.before)} → {_shown(self.after)}"

    @property
    def data(self) -> dict[str, Any]:
        """In the form of the API."""
        return {"pointer": self.pointer, "before": self.before, "after": self.after, "hidden": self.is_hidden}


def changes_between(before: "Job", after: "Job", patch: Mapping[str, Any]) -> list[Change]:
    """The members that differ, and those of the patch that are never shown."""
    request = patch.get("request") or {}
    hidden = [Change(f"/request/{name}", None, None, True) for name in _NEVER_SHOWN if name in request]
    for service, message in (patch.get("target") or {}).items():
        sent = [name for name in _NEVER_SHOWN if name in (message or {})]
        hidden += [Change(f"/target/{service}/{name}", None, None, True) for name in sent]
    return [*_differences("", plain(before), plain(after)), *hidden]


def _differences(pointer: str, before: Any, after: Any) -> Iterator[Change]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            if pointer or name not in _CONSEQUENCES:
                yield from _differences(f"{pointer}/{name}", before.get(name), after.get(name))
    elif before != after:
        yield Change(pointer, before, after)


def _shown(value: Any) -> str:
    match value:
        case None:
            return "(none)"
        case list():
            return escaped(", ".join(map(str, value))) or "(none)"
        case bool():
            return "yes" if value else "no"
    return escaped(str(value))
