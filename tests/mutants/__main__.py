"""`make mutants`: plant each fault in a copy of the sources, and see which suite dies of it.

python -m tests.mutants [NAME ...]
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from tests.mutants.catalogue import MUTANTS, SIMULATION, Mutant

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("docs", "functions", "infra", "shared", "tests")
COPIED_FILES = ("Makefile", "README.md", "cdk.json", "pyproject.toml", "requirements.lock")
SEEDS = 500
LONGEST_SECONDS = 900
PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")

console = Console(highlight=False, soft_wrap=True)


def main(arguments: list[str]) -> int:
    """0 when every mutant died."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("names", nargs="*", help="only mutants whose name contains one of these")
    names = parser.parse_args(arguments).names
    chosen = [mutant for mutant in MUTANTS if not names or any(name in mutant.name for name in names)]
    for killer in sorted({mutant.killer for mutant in chosen} - {SIMULATION}):
        _passes_unharmed(killer)
    survivors = [mutant for mutant in chosen if not _dies(mutant)]
    console.print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants died")
    return 1 if survivors else 0


def _passes_unharmed(killer: str) -> None:
    """A suite that fails by itself would seem to kill everything."""
    done = subprocess.run([*PYTEST, killer], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        console.print(done.stdout[-2000:], markup=False)
        raise SystemExit(f"{killer} fails without any mutant")


def _dies(mutant: Mutant) -> bool:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as root:
        _copy(Path(root))
        plant(mutant, Path(root))
        done = subprocess.run(
            _command(mutant), cwd=root, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
        )
    seconds = time.monotonic() - begun
    died = done.returncode == 1
    console.print(
        f"{'died' if died else 'LIVES':5} {mutant.name}: {_evidence(mutant, done.stdout)} ({seconds:.0f} s)"
    )
    return died


def plant(mutant: Mutant, root: Path) -> None:
    """Make the one change; AssertionError where the place is not there exactly once."""
    path = root / mutant.file
    source = path.read_text()
    assert source.count(mutant.old) == 1, f"{mutant.name}: {mutant.file} has changed"
    path.write_text(source.replace(mutant.old, mutant.new))


def _copy(root: Path) -> None:
    for name in COPIED:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in COPIED_FILES:
        shutil.copy(ROOT / name, root)
    (root / ".tools").symlink_to(ROOT / ".tools")


def _command(mutant: Mutant) -> list[str]:
    if mutant.killer == SIMULATION:
        return [sys.executable, "-m", "tests.simulation", "--seeds", str(SEEDS), "--stop"]
    return [*PYTEST, mutant.killer]


def _evidence(mutant: Mutant, output: str) -> str:
    pattern = r"^seed .*$" if mutant.killer == SIMULATION else r"^(?:FAILED|ERROR) .*$"
    found = re.search(pattern, output, re.MULTILINE)
    return found[0][:160] if found else (output.strip().splitlines() or ["nothing printed"])[-1][:160]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
