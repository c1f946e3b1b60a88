"""Synthesises the local stage's cloud assembly, once per content of the sources."""

import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local.progress import Report, silent
from infra.local.state_dir import PROJECT_ROOT, LocalStackError

SOURCES = ("infra", "shared", "functions", "docs/guides", "docs/reference", "docs/runbooks")
FILES = ("cdk.json", "requirements.lock", "requirements-archive.lock")
BUILD = PROJECT_ROOT / "build"
KEEP_SECONDS = 24 * 3600


def assembly(report: Report = silent) -> Path:
    """Return the directory of the current assembly, named by a hash of the sources.

    Synthesises it if necessary.
    """
    target = BUILD / f"assembly-{sources_hash()}"
    if target.exists():
        return target
    report("building the functions and their templates, because the sources are new or changed")
    BUILD.mkdir(exist_ok=True)
    _remove_old()
    with TemporaryDirectory(dir=BUILD, prefix="unfinished-") as scratch:
        unfinished = Path(scratch) / "assembly"
        _synthesise(unfinished)
        try:
            unfinished.rename(target)
        except OSError:
            if not target.exists():
                raise
    return target


def sources_hash() -> str:
    """Return a hash of all files that templates and bundles depend on."""
    digest = sha256()
    paths = [path for source in SOURCES for path in (PROJECT_ROOT / source).rglob("*") if path.is_file()]
    paths += [path for name in FILES if (path := PROJECT_ROOT / name).exists()]
    for path in sorted(paths):
        name = path.relative_to(PROJECT_ROOT).as_posix()
        # The code that runs the local stack is not part of the deployment.
        if "__pycache__" not in path.parts and not name.startswith("infra/local/"):
            digest.update(f"{name}\0".encode() + sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:24]


def _synthesise(target: Path) -> None:
    """Synthesise in a separate process, so that the CDK's Node process ends with it."""
    result = subprocess.run(  # noqa: S603 - no external input
        [sys.executable, "-m", "infra.local.synthesise", str(target)],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    if result.returncode:
        raise LocalStackError(f"synthesis failed:\n{(result.stdout + result.stderr)[-3000:]}")


def _remove_old() -> None:
    """Delete old assemblies; assemblies of the last day may be in use by another run."""
    for path in BUILD.glob("assembly-*"):
        if path.stat().st_mtime < time.time() - KEEP_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    """Write the assembly to the directory in the first argument."""
    from infra.app import synth
    from infra.stages import local_stage

    synth(local_stage(), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
