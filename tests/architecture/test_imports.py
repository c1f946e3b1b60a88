"""Import contracts of the project, and the libraries that a cold start must not load."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.api.environment import ENVIRONMENT
from tests.support.sources import ROOT, imported, modules, text

MAX_HANDLER_LINES = 60
HANDLERS = sorted(ROOT.glob("functions/*/handler.py"))
TICKS = [f"functions.{name}.handler" for name in ("watcher", "sweeper", "redriver", "dead_letter")]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, where nothing is imported yet."""
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


def test_only_the_cron_modules_import_croniter() -> None:
    using = {
        module for module in modules() if any(name.split(".")[0] == "croniter" for name in imported(module))
    }
    assert using
    assert all(
        module.parent == Path("shared/domain/schedules") and module.name.startswith("cron")
        for module in using
    )


def test_every_entry_point_fits_on_one_screen() -> None:
    assert HANDLERS
    lengths = {str(handler.relative_to(ROOT)): len(text(handler).splitlines()) for handler in HANDLERS}
    assert {name: length for name, length in lengths.items() if length > MAX_HANDLER_LINES} == {}


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    """Modules of a fresh process after importing the watcher, then all ticks, the executor and the API."""
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in HANDLERS]
    steps = {"watcher": TICKS[:1], "ticks": TICKS, "executor": ["functions.executor.handler"], "all": names}
    script = (
        "import importlib, json, sys\n"
        "found = {}\n"
        f"for step, names in {steps!r}.items():\n"
        "    for name in names: importlib.import_module(name)\n"
        "    found[step] = sorted(sys.modules)\n"
        "print(json.dumps(found))"
    )
    ended = run("-c", script, **ENVIRONMENT)
    assert ended.returncode == 0, ended.stderr
    found = {part: set(modules) for part, modules in json.loads(ended.stdout).items()}
    assert set(names) <= found["all"]
    return found


def test_no_entry_point_loads_the_tracer_or_a_test_library(loaded: dict[str, set[str]]) -> None:
    """The X-Ray library behind the tracer costs more at a cold start than everything else together."""
    assert not {"aws_xray_sdk", "moto", "pytest", "aws_cdk", "requests", "aiohttp"} & loaded["all"]
    assert not {name for name in loaded["all"] if name.split(".")[0] in ("tests", "infra")}


def test_no_entry_point_loads_the_sdk_unless_its_stage_chooses_it(loaded: dict[str, set[str]]) -> None:
    assert "boto3" not in loaded["all"]
    # Powertools looks for the SDK.
    assert "botocore" not in loaded["executor"]


def test_executors_and_ticks_load_no_workflows_and_no_triggers(loaded: dict[str, set[str]]) -> None:
    """They are imported at the first task, and where an event comes: plain jobs cost nothing more."""
    assert not {name for name in loaded["executor"] if "workflows" in name or "domain.triggers" in name}


def test_executors_and_ticks_load_nothing_for_targets_and_signed_requests_before_the_first_one(
    loaded: dict[str, set[str]],
) -> None:
    own = {
        "shared.domain.delivery.aws_target",
        "shared.domain.delivery.sigv4_auth",
        "shared.domain.tenancy.target_roles",
        "shared.usecases.attempts.compose_signed_call",
    }
    for step in ("ticks", "executor"):
        assert not {name for name in loaded[step] if "adapters.targets" in name or "target_call" in name}
        assert not own & loaded[step]


def test_executors_and_ticks_do_not_load_the_libraries_of_the_api(loaded: dict[str, set[str]]) -> None:
    """Each of them takes longer to import than a watcher needs for its whole start."""
    libraries = {"pydantic", "pydantic_core"}
    assert not libraries & loaded["executor"]
    assert libraries <= loaded["all"]


def test_no_function_loads_powertools_which_takes_a_quarter_of_a_start(loaded: dict[str, set[str]]) -> None:
    """The docs page reads the files of Swagger UI from this library, at its first request."""
    assert "aws_lambda_powertools" not in loaded["all"]


def test_ticks_do_not_load_the_libraries_of_callbacks(loaded: dict[str, set[str]]) -> None:
    assert not {"shared.adapters.http.sender", "cryptography"} & loaded["ticks"]
    assert {"shared.adapters.http.sender", "cryptography"} <= loaded["all"]


def test_watchers_load_their_own_use_cases_and_adapters_and_no_others(loaded: dict[str, set[str]]) -> None:
    rooms = {name.removeprefix("shared.") for name in loaded["watcher"] if name.startswith("shared.")}
    assert {name for name in rooms if name.startswith("usecases.") and name.count(".") == 2} == {
        "usecases.archive.mark_puts",
        "usecases.filing.scanned_shards",
        "usecases.tenancy.tenant_weights",
        "usecases.ticks.shard_scan",
        "usecases.ticks.watch_buckets",
        "usecases.ticks.window_sends",
    }
    stores = {name.split(".")[2] for name in rooms if name.startswith("adapters.dynamodb.")}
    assert stores == {"batch_reads", "codec", "dispatch", "executions", "tenancy"}
    # Instants of cron lines are computed where an execution is filed.
    calendar = {"croniter", "dateutil", "shared.domain.schedules.schedule"}
    assert not (calendar | {"importlib.resources", "email.utils"}) & loaded["watcher"]


def test_executors_do_not_load_what_heartbeats_and_reports_need(loaded: dict[str, set[str]]) -> None:
    own = {"shared.usecases.attempts.report_outcome", "shared.usecases.attempts.check_token"}
    assert not (own | {"email.utils"}) & loaded["executor"]


def test_api_loads_the_routes_of_a_section_at_its_first_request(loaded: dict[str, set[str]]) -> None:
    """Their models take an eighth of a cold start, and most requests create jobs."""
    assert not {name for name in loaded["all"] if name.startswith("functions.api.resources.")}


def test_dataclasses_are_those_without_compiled_methods() -> None:
    """Those of the standard library took a third of a cold start."""
    using = [str(module) for module in modules() if "dataclasses.dataclass" in imported(module)]
    assert using == ["shared/dataclass.py"]


def test_no_module_imports_the_tracer() -> None:
    tracers = {"aws_lambda_powertools.Tracer", "aws_lambda_powertools.tracing"}
    assert [str(module) for module in modules() if tracers & set(imported(module))] == []


def test_types_of_the_services_that_stacks_use_are_followed() -> None:
    """mypy skips the other services of the CDK, and would read the types of one that is missing as Any."""
    overrides = tomllib.loads(text(Path("pyproject.toml")))["tool"]["mypy"]["overrides"]
    followed = {
        name for each in overrides if each.get("follow_imports") == "silent" for name in each["module"]
    }
    used = {name for module in modules("infra", "tests") for name in imported(module)}
    assert {name for name in used if re.match(r"aws_cdk\.[a-z0-9_]+$", name)} <= followed
