"""The laptop stage's cloud assembly, made once for each state of the sources that it is made from."""

import os
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local.state_dir import PROJECT_ROOT, LocalStackError

SOURCES = ("infra", "shared", "functions")
FILES = ("cdk.json", "requirements.lock")
BUILD = PROJECT_ROOT / "build"
KEEP_SECONDS = 24 * 3600


def assembly() -> Path:
    """The directory of the current assembly; its name tells the state of the sources. Synthesised if need be."""
    target = BUILD / f"assembly-{sources_hash()}"
    if target.exists():
        return target
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
    """A name for the content of everything that templates and bundles are made from."""
    digest = sha256()
    paths = [path for source in SOURCES for path in (PROJECT_ROOT / source).rglob("*") if path.is_file()]
    paths += [path for name in FILES if (path := PROJECT_ROOT / name).exists()]
    for path in sorted(paths):
        name = path.relative_to(PROJECT_ROOT).as_posix()
        # What runs the laptop stack is not part of what it deploys.
        if "__pycache__" not in path.parts and not name.startswith("infra/local/"):
            digest.update(f"{name}\0".encode() + sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:24]


def _synthesise(target: Path) -> None:
    """In a process of its own: the CDK brings a Node process along, which is of no use once it is done."""
    silence = ("DEPRECATED", "END_OF_LIFE", "UNTESTED")
    result = subprocess.run(  # noqa: S603 - nothing in it comes from outside
        [sys.executable, "-m", "infra.local.synthesise", str(target)],
        cwd=PROJECT_ROOT,
        env=os.environ | {f"JSII_SILENCE_WARNING_{what}_NODE_VERSION": "1" for what in silence},
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    if result.returncode:
        raise LocalStackError(f"synthesis failed:\n{(result.stdout + result.stderr)[-3000:]}")


def _remove_old() -> None:
    """Drop assemblies of earlier sources; the last day's may be in use by another run."""
    for path in BUILD.glob("assembly-*"):
        if path.stat().st_mtime < time.time() - KEEP_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    """Write the assembly to the directory that the command line names."""
    from infra.app import synth
    from infra.config import local_stage

    synth(local_stage(), Path(sys.argv[1]))


if __name__ == "__main__":
    main()
