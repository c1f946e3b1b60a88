"""The package imports little, and nothing of the server."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import punctual

SOURCE = Path(punctual.__file__).parent
OTHERS = {"httpx", "msgspec", "tomli"}
"""The distributions that the SDK needs."""


def loaded(code: str) -> set[str]:
    """The modules that are loaded after some code has run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        env={"PYTHONPATH": str(SOURCE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_import_of_the_package_alone_loads_no_other_distribution() -> None:
    assert not loaded("import punctual") & OTHERS
    assert "httpx" not in loaded("from punctual import ApiError, new_job")


def test_every_public_name_is_found_and_listed() -> None:
    for name in punctual.__all__:
        assert getattr(punctual, name).__name__ == name
        assert name in dir(punctual)
    with pytest.raises(AttributeError, match="module 'punctual' has no attribute 'Puncutal'"):
        punctual.Puncutal  # noqa: B018


def test_client_alone_loads_nothing_of_the_command_line() -> None:
    assert not loaded("from punctual import AsyncPunctual, Punctual, new_job") & {"typer", "yaml"}


def test_modules_import_nothing_of_the_server() -> None:
    imported = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported |= {name.partition(".")[0] for name in names}
    assert imported >= OTHERS
    assert not imported & {"client", "functions", "infra", "shared", "tests"}
