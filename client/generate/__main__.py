"""`python -m client.generate`: writes the generated modules of the client."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from client.generate.bodies import bodies
from client.generate.clients import groups
from client.generate.models import models
from client.generate.operations import described, operations
from client.generate.problems import problems

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "openapi.json"
PACKAGE = ROOT / "client" / "src" / "punctual"


def generated(document: Mapping[str, Any]) -> dict[str, str]:
    """The source of each generated module, by its name; GenerationError for what no table decides."""
    found = described(document)
    sources = {
        "models.py": models(document["components"]["schemas"]),
        "problems.py": problems(document),
        "_operations.py": operations(found),
        "_bodies.py": bodies(found),
        "_sync_groups.py": groups(found, is_async=False),
        "_async_groups.py": groups(found, is_async=True),
    }
    return {name: formatted(source, name) for name, source in sources.items()}


def formatted(source: str, name: str) -> str:
    """The source without unused imports, as the formatter of the project writes it."""
    path = str(PACKAGE / name)
    for command in (["check", "--quiet", "--fix-only", "--select", "F401,I"], ["format", "--quiet"]):
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", path, "-"],
            input=source,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        source = done.stdout
    return source


def main() -> None:
    for name, source in generated(json.loads(DOCUMENT.read_text(encoding="utf-8"))).items():
        (PACKAGE / name).write_text(source, encoding="utf-8")


if __name__ == "__main__":
    main()
