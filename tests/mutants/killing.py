"""Kill one mutant: a copy of the sources, the change, and the suite that has to die of it."""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import SIMULATION, Mutant

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("docs", "functions", "infra", "shared", "tests")
COPIED_FILES = (
    "CONTRIBUTING.md",
    "Makefile",
    "README.md",
    "cdk.json",
    "pyproject.toml",
    "requirements.lock",
    "requirements-archive.lock",
)
SEEDS = 500
LONGEST_SECONDS = 1_800
PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
SIMULATE = (sys.executable, "-m", "tests.simulation", "--of", "jobs", "--jobs", "1")
NAMES_CHECK = (sys.executable, "-m", "ruff", "check", "--isolated", "--quiet", "--select", "E9,F821,F823")
NO_PROGRAM = -2
FAILED = 1
"""The exit code of a suite that ran and found a fault; another one is no finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """What became of a mutant. Evidence is the seed, or the test, that died of it."""

    mutant: Mutant
    died: bool
    evidence: str
    seconds: float
    seed: int | None = None

    def __str__(self) -> str:
        """For people."""
        verdict = "died" if self.died else "LIVES"
        return f"{verdict:5} {self.mutant.name}: {self.evidence} ({self.seconds:.0f} s)"


def kill(mutant: Mutant) -> Death:
    """Plant the mutant in a copy, and run its killer there.

    A seed that dies of the mutant must live without it, and a copy must be a program: else nothing is proven.
    """
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as root:
        _copy(Path(root))
        plant(mutant, Path(root))
        code, output = _run([*NAMES_CHECK, mutant.file], Path(root))
        if code == 0:
            code, output = _run(command(mutant), Path(root))
        else:
            code, output = NO_PROGRAM, f"no program: {output}"
    seed, evidence = _seed(output), evidence_of(mutant, output)
    died = code == FAILED and (seed is not None or mutant.killer != SIMULATION)
    if died and seed is not None and _run([*SIMULATE, "--first", str(seed), "--seeds", "1"], ROOT)[0] != 0:
        died, evidence = False, f"seed {seed} fails without the mutant too"
    seconds = time.monotonic() - begun
    return Death(mutant=mutant, died=died, evidence=evidence, seconds=seconds, seed=seed)


def failure_without_mutants(killers: list[str], jobs: int) -> str | None:
    """The last output of the suites where one fails without any mutant; None where all pass."""
    code, output = _run([*PYTEST, "-n", str(jobs), *killers], ROOT) if killers else (0, "")
    return None if code == 0 else output[-2000:]


def plant(mutant: Mutant, root: Path) -> None:
    """Make the one change; AssertionError where the place is not there exactly once."""
    path = root / mutant.file
    source = path.read_text(encoding="utf-8")
    assert source.count(mutant.old) == 1, f"{mutant.name}: {mutant.file} has changed"
    path.write_text(source.replace(mutant.old, mutant.new), encoding="utf-8")


def command(mutant: Mutant) -> list[str]:
    """How to run its killer: quick to stop, in one process."""
    if mutant.killer == SIMULATION:
        return [*SIMULATE, "--seeds", str(SEEDS), "--stop"]
    return [*PYTEST, mutant.killer]


def evidence_of(mutant: Mutant, output: str) -> str:
    """The line of the output that says what died."""
    pattern = r"^seed .*$" if mutant.killer == SIMULATION else r"^(?:FAILED|ERROR) .*$"
    found = re.search(pattern, output, re.MULTILINE)
    return found[0][:160] if found else (output.strip().splitlines() or ["nothing printed"])[-1][:160]


def _seed(output: str) -> int | None:
    found = re.search(r"^seed (\d+) ", output, re.MULTILINE)
    return int(found[1]) if found else None


def _run(arguments: list[str], root: Path) -> tuple[int, str]:
    try:
        done = subprocess.run(
            arguments, cwd=root, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, f"no end within {LONGEST_SECONDS} s"
    return done.returncode, done.stdout + done.stderr


def _copy(root: Path) -> None:
    for name in COPIED:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in COPIED_FILES:
        shutil.copy(ROOT / name, root)
    (root / ".tools").symlink_to(ROOT / ".tools")
