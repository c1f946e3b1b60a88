"""Who may import what: the contracts of the project, and what a cold start must not pay for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.api.environment import ENVIRONMENT
from tests.support.sources import ROOT, imported, modules

HANDLERS = sorted(ROOT.glob("functions/*/handler.py"))
TICKS = [f"functions.{name}.handler" for name in ("watcher", "sweeper", "dead_letter")]


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
    assert all(
        module.parent == Path("shared/domain/schedules") and module.name.startswith("cron")
        for module in using
    )


@pytest.mark.parametrize("handler", HANDLERS, ids=[path.parent.name for path in HANDLERS])
def test_an_entry_point_is_short_enough_to_be_read_at_a_glance(handler: Path) -> None:
    assert len(handler.read_text(encoding="utf-8").splitlines()) <= 60


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    """The modules in a fresh process when the ticks' entry points were imported, and when all of them were."""
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in HANDLERS]
    script = (
        "import importlib, json, sys\n"
        f"ticks, names = {TICKS!r}, {names!r}\n"
        "for name in ticks: importlib.import_module(name)\n"
        "found = {'ticks': sorted(sys.modules)}\n"
        "for name in names: importlib.import_module(name)\n"
        "print(json.dumps(found | {'all': sorted(sys.modules)}))"
    )
    ended = run("-c", script, **ENVIRONMENT)
    assert ended.returncode == 0, ended.stderr
    found = {part: set(modules) for part, modules in json.loads(ended.stdout).items()}
    assert set(names) <= found["all"]
    return found


def test_no_entry_point_loads_the_tracer_or_a_test_library(loaded: dict[str, set[str]]) -> None:
    """The X-Ray library behind the tracer costs more at a cold start than everything else together."""
    assert not {"aws_xray_sdk", "moto", "pytest", "aws_cdk", "requests"} & loaded["all"]
    assert not {name for name in loaded["all"] if name.split(".")[0] in ("tests", "infra")}


def test_ticks_do_not_load_what_only_callbacks_need(loaded: dict[str, set[str]]) -> None:
    assert not {"aiohttp", "cryptography"} & loaded["ticks"]
    assert {"aiohttp", "cryptography"} <= loaded["all"]


@pytest.mark.parametrize("module", modules(), ids=str)
def test_no_module_asks_for_the_tracer(module: Path) -> None:
    assert not {"aws_lambda_powertools.Tracer", "aws_lambda_powertools.tracing"} & set(imported(module))
