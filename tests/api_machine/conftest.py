"""Asserts of the machine's modules say what they compared."""

from pathlib import Path

import pytest

HERE = Path(__file__)
MODULES = [path.stem for path in HERE.parent.glob("*.py") if path != HERE]
pytest.register_assert_rewrite(*(f"tests.api_machine.{name}" for name in sorted(MODULES)))
