"""The workflow for GitHub Actions: pinned actions, few permissions, no secrets, targets that exist, and its gate."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.stage_files.read import read_stage
from tests.smoke.catalogue import chosen
from tests.smoke.stacks import probe_stack
from tests.support.documents.commands import check_command
from tests.support.sources import ROOT

TEXT = (ROOT / "docs" / "operations" / "github-actions.yml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "operations" / "pipeline.md").read_text(encoding="utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(TEXT)
JOBS: dict[str, dict[str, Any]] = WORKFLOW["jobs"]
GATE = "Refuse the loss of data"


def _steps(key: str) -> Iterator[str]:
    for job in JOBS.values():
        yield from (step[key] for step in job["steps"] if key in step)


def test_actions_are_pinned_by_commits_with_their_versions_beside() -> None:
    for line in TEXT.splitlines():
        if "uses:" in line:
            assert re.fullmatch(r" *- uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_versions_of_an_action_are_the_same_in_all_jobs() -> None:
    names = {use.partition("@")[0] for use in _steps("uses")}
    assert len(set(_steps("uses"))) == len(names)


def test_jobs_have_no_permission_that_they_do_not_use() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    token = {"contents": "read", "id-token": "write"}
    found = {name: job.get("permissions") for name, job in JOBS.items()}
    assert found == {
        "check": None,
        "diff": {**token, "pull-requests": "write"},
        "dev": token,
        "smoke": token,
        "prod": token,
    }
    assert all("credentials" in str(job["steps"]) for name, job in JOBS.items() if found[name])


def test_workflow_has_no_secret_and_no_key_stays_in_the_checkout() -> None:
    assert "secrets" not in TEXT
    assert not re.search(r"AKIA|aws_secret|aws-secret|access-key", TEXT, re.IGNORECASE)
    for job in JOBS.values():
        (checkout,) = (step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@"))
        assert checkout["with"] == {"persist-credentials": False}


def test_no_expression_is_part_of_a_script() -> None:
    """A title of a pull request could otherwise be a command."""
    assert [script for script in _steps("run") if "${{" in script] == []


@pytest.mark.parametrize(
    "line", sorted({line for run in _steps("run") for line in re.findall(r"make [^|\n]+", run)})
)
def test_command_exists_with_its_arguments(line: str) -> None:
    words = shlex.split(line.replace("2>&1", ""))
    # The CDK's command line takes these, and no program of the project.
    check_command([word for word in words if not word.startswith("ARGS=--method")])


def test_production_follows_dev_and_smoke_after_an_approval_and_from_main_alone() -> None:
    assert WORKFLOW[True]["push"] == {"branches": ["main"]}, "YAML reads the key `on` as true"
    assert JOBS["dev"]["if"] == "github.event_name == 'push'"
    needs = {name: JOBS[name]["needs"] for name in ("dev", "smoke", "prod")}
    assert needs == {"dev": "check", "smoke": "dev", "prod": "smoke"}
    assert {name: job["environment"] for name, job in JOBS.items() if "environment" in job} == {
        "dev": "dev",
        "smoke": "smoke",
        "prod": "prod",
    }
    found = {name: _lines_of_make(JOBS[name]) for name in ("dev", "smoke", "prod")}
    assert found == {
        "dev": ["make deploy STAGE=dev ARGS=--yes"],
        "smoke": ["make smoke STAGE=smoke", "make teardown STAGE=smoke CONFIRM=smoke"],
        "prod": ["make deploy STAGE=prod ARGS=--yes"],
    }


def _lines_of_make(job: dict[str, Any]) -> list[str]:
    scripts = "\n".join(step.get("run", "") for step in job["steps"])
    return re.findall(r"make [^|\n]+", scripts)


def test_credentials_of_the_smoke_suite_outlive_its_job_and_its_job_outlives_its_steps() -> None:
    job = JOBS["smoke"]
    (suite,) = (step for step in job["steps"] if step.get("run") == "make smoke STAGE=smoke")
    used = [step["with"] for step in job["steps"] if "configure-aws-credentials" in step.get("uses", "")]
    estimated = sum(step.minutes for step in chosen([]))
    assert estimated < suite["timeout-minutes"] < job["timeout-minutes"]
    assert job["timeout-minutes"] * 60 <= used[0]["role-duration-seconds"]
    assert f"`MaxSessionDuration` of {used[0]['role-duration-seconds']} seconds" in PAGE


def test_smoke_job_deletes_what_a_killed_suite_left_with_new_credentials() -> None:
    steps = JOBS["smoke"]["steps"]
    (suite,) = (number for number, step in enumerate(steps) if step.get("run") == "make smoke STAGE=smoke")
    after = steps[suite + 1 :]
    assert [step["if"] for step in after] == ["always()"] * 3
    assert "configure-aws-credentials" in after[0]["uses"]
    assert probe_stack(read_stage("smoke")) in after[1]["run"]


@pytest.mark.parametrize(
    ("stacks", "is_torn"),
    [
        ("CDKToolkit punctual-smoke-pipeline", False),
        ("punctual-smoke-data", True),
        ("CDKToolkit\tpunctual-smoke-service\tother", True),
    ],
)
def test_stage_is_torn_down_only_if_it_is_left(stacks: str, is_torn: bool, tmp_path: Path) -> None:
    (script,) = (step["run"] for step in JOBS["smoke"]["steps"] if step.get("name") == "Tear down the stage")
    done = run_script(script, tmp_path, aws=f"echo '{stacks}'", make='echo "made $*"')
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("made teardown STAGE=smoke CONFIRM=smoke\n" if is_torn else "")


@pytest.mark.parametrize(("head", "status"), [("abc", 0), ("def", 1)])
def test_production_takes_the_head_of_main_alone(head: str, status: int, tmp_path: Path) -> None:
    """It is the first step: an approval of an older run changes nothing."""
    done = run_script(JOBS["prod"]["steps"][0]["run"], tmp_path, gh=f"echo {head}")
    assert done.returncode == status
    assert ("main is at def" in done.stdout) == bool(status)


def run_script(script: str, folder: Path, **programs: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does, with these programs in place of those of its machine."""
    for name, text in programs.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "GITHUB_SHA": "abc", "GITHUB_REPOSITORY": "a/b"}
    return subprocess.run(
        ["bash", "-e", "-c", script], env=environment, capture_output=True, text=True, check=False
    )


def test_every_variable_is_described() -> None:
    for variable in set(re.findall(r"vars\.(\w+)", TEXT)):
        assert f"| `{variable}` |" in PAGE


@pytest.mark.parametrize(
    ("line", "is_lost"),
    [
        ("[~] AWS::DynamoDB::GlobalTable Tables/Jobs TablesJobs313634AE", False),
        ("[+] AWS::DynamoDB::GlobalTable Tables/More TablesMore313634AE", False),
        ("[-] AWS::Lambda::Version Functions/Api/Version Api1 destroy", False),
        ("[~] AWS::DynamoDB::GlobalTable Tables/Jobs TablesJobs313634AE replace", True),
        ("[~] AWS::DynamoDB::GlobalTable Tables/Jobs TablesJobs313634AE may be replaced", True),
        ("[-] AWS::DynamoDB::GlobalTable Tables/Jobs TablesJobs313634AE orphan", True),
        ("[-] AWS::KMS::Key TenantKey TenantKey8692782D destroy", True),
    ],
)
def test_gate_refuses_a_change_that_loses_data_unless_its_label_is_there(
    line: str, is_lost: bool, tmp_path: Path
) -> None:
    (gate,) = (step["run"] for step in JOBS["diff"]["steps"] if step.get("name") == GATE)
    (tmp_path / "diff.txt").write_text(f"Stack punctual-prod-data\nResources\n{line}\n └─ [~] KeySchema\n")
    for label, expected in (("false", int(is_lost)), ("true", 0)):
        done = subprocess.run(
            ["bash", "-e", "-c", gate],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "MAY_LOSE_DATA": label},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expected, done.stdout + done.stderr
        assert ("TablesJobs" in done.stdout or "TenantKey" in done.stdout) == bool(expected)
