"""The console's own files, and what they name."""

import posixpath
import re
from pathlib import Path

from tests.support.sources import ROOT

STATIC = ROOT / "functions" / "api" / "console" / "static"
_AT_ONCE = r"""(?:\bfrom\s*|\bimport\s*)['"]([^'"]+)['"]"""
_LATER = r"""\bimport\(\s*['"]([^'"]+)['"]"""


def names() -> list[str]:
    """Every file, by its path below `static`."""
    return sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file())


def own(*suffixes: str) -> list[str]:
    """The files that are written here, in contrast to libraries."""
    return [name for name in names() if name.endswith(suffixes) and not name.startswith("vendor/")]


def text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def code(name: str) -> str:
    """A script without its comments."""
    without_blocks = re.sub(r"/\*.*?\*/", "", text(name), flags=re.DOTALL)
    return re.sub(r"^\s*//.*$|\s//\s.*$", "", without_blocks, flags=re.MULTILINE)


def imports(name: str, *, also_later: bool = True) -> set[str]:
    """The files that a script imports, by their path below `static`; other specifiers as they are written.

    `also_later` are imports that happen only when the script asks for them.
    """
    folder = Path(name).parent.as_posix()
    patterns = (_AT_ONCE, _LATER) if also_later else (_AT_ONCE,)
    found = {each for pattern in patterns for each in re.findall(pattern, code(name))}
    return {posixpath.normpath(f"{folder}/{each}") if each.startswith(".") else each for each in found}
