"""Who may import what: the contracts of the project, and what a cold start must not pay for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, imported, modules
from tests.unit.functions.environment import ENVIRONMENT

HANDLERS = sorted(ROOT.glob("functions/*/handler.py"))


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_imports_run_one_way() -> None:
    linted = run("-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())")
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert "0 broken" in linted.stdout


def test_croniter_is_asked_by_the_cron_modules_alone() -> None:
    using = {
        module for module in modules() if any(name.split(".")[0] == "croniter" for name in imported(module))
    }
    assert using
    assert all(module.parent == Path("shared/domain") and module.name.startswith("cron") for module in using)


@pytest.mark.parametrize("handler", HANDLERS, ids=[path.parent.name for path in HANDLERS])
def test_an_entry_point_is_short_enough_to_be_read_at_a_glance(handler: Path) -> None:
    assert len(handler.read_text(encoding="utf-8").splitlines()) <= 60


def test_no_entry_point_loads_the_tracer_or_a_test_library() -> None:
    """The X-Ray library behind the tracer costs more at a cold start than everything else together."""
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in HANDLERS]
    script = (
        "import importlib, json, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    loaded = run("-c", script, **ENVIRONMENT)
    assert loaded.returncode == 0, loaded.stderr
    present = set(json.loads(loaded.stdout))
    assert set(names) <= present
    unwanted = {"aws_xray_sdk", "moto", "pytest", "aws_cdk", "requests"}
    assert not unwanted & present
    assert not any(name.split(".")[0] in ("tests", "infra") for name in present)


@pytest.mark.parametrize("module", modules(), ids=str)
def test_no_module_asks_for_the_tracer(module: Path) -> None:
    assert not {"aws_lambda_powertools.Tracer", "aws_lambda_powertools.tracing"} & set(imported(module))


def test_ticks_do_not_load_what_only_callbacks_need() -> None:
    script = (
        "import functions.watcher.handler, functions.sweeper.handler, functions.dead_letter.handler, sys\n"
        "print(sorted({'aiohttp', 'cryptography'} & set(sys.modules)))"
    )
    loaded = run("-c", script, **ENVIRONMENT)
    assert (loaded.returncode, loaded.stdout.strip()) == (0, "[]"), loaded.stderr
