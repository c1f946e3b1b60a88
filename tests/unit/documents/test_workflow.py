"""The workflow for GitHub Actions: pinned actions, few permissions, no secrets, targets that exist, and its gate."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

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
        assert job["steps"][0]["with"] == {"persist-credentials": False}


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
    assert [job["steps"][-1]["run"] for job in (JOBS["dev"], JOBS["smoke"], JOBS["prod"])] == [
        "make deploy STAGE=dev ARGS=--yes",
        "make smoke STAGE=smoke",
        "make deploy STAGE=prod ARGS=--yes",
    ]


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
