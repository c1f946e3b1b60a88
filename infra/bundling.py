"""The code that Lambda runs, built without docker: our sources, and wheels chosen for Lambda's platform by pip.

Bundles and installed dependencies live under `build/`, named by a hash of what they are made from, and appear
there whole or not at all: a second synth, and two synths at once, find them finished. All functions share one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from infra.config import BundleMode

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
SOURCES = ("shared", "functions")
BOTO_SERVICES = frozenset({"dynamodb", "kms", "logs", "sqs", "sts"})
"""Services whose models stay in botocore; the other 400 are most of its size and are never called."""

LAMBDA_WHEELS = (
    # python3.13 runs on Amazon Linux 2023, whose glibc is 2.34; pip takes the first tag that a wheel has.
    *(f"--platform=manylinux_2_{glibc}_aarch64" for glibc in (34, 28, 17)),
    "--platform=manylinux2014_aarch64",
    "--python-version=3.13",
    "--implementation=cp",
)
HOST_WHEELS: tuple[str, ...] = ()
"""For tests: the same closure for the interpreter that runs them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A finished directory, and the hash that names its content."""

    path: Path
    hash: str


def bundle(mode: BundleMode) -> Bundle:
    """Build, or find built, the bundle of a mode."""
    return build(LAMBDA_WHEELS if mode == "cloud" else None, ROOT / "build")


def build(wheels: tuple[str, ...] | None, build_dir: Path) -> Bundle:
    """Build the sources with the dependencies that pip chooses by `wheels`; None for the sources alone.

    The hash covers every source file, the lock and the choice of wheels, and so names the asset too.
    """
    installed = None if wheels is None else _dependencies(wheels, build_dir)
    digest = sha256((installed.name if installed else "").encode())
    sources = {path.relative_to(ROOT): path.read_bytes() for path in _source_files()}
    for name, content in sources.items():
        digest.update(f"\0{name}\0{len(content)}\0".encode() + content)

    def fill(target: Path) -> None:
        if installed:
            # Links, since most of 60 MB is the same in every bundle; nobody writes to either.
            shutil.copytree(installed, target, copy_function=os.link, dirs_exist_ok=True)
        for name, content in sources.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(content)

    path = _build_once(build_dir / f"bundle-{digest.hexdigest()[:32]}", fill)
    return Bundle(path=path, hash=digest.hexdigest())


def _source_files() -> list[Path]:
    paths = [path for source in SOURCES for path in (ROOT / source).rglob("*") if path.is_file()]
    return sorted(path for path in paths if path.suffix != ".pyc")


def _dependencies(wheels: tuple[str, ...], build_dir: Path) -> Path:
    inputs = [LOCK.read_bytes(), Path(__file__).read_bytes(), " ".join(wheels).encode()]
    if not wheels:
        inputs.append(sys.version.encode())

    def fill(target: Path) -> None:
        options = ["-qq", "--disable-pip-version-check", "--no-deps", "--no-compile", "--only-binary=:all:"]
        command = [sys.executable, "-m", "pip", "install", *options, *wheels]
        command += [f"--target={target}", f"--requirement={LOCK}"]
        subprocess.run(command, check=True)  # noqa: S603 - nothing in it comes from outside
        _prune(target)

    return _build_once(build_dir / f"wheels-{sha256(b'|'.join(inputs)).hexdigest()[:32]}", fill)


def _prune(target: Path) -> None:
    """Remove what is never imported or read: it costs upload time and room under Lambda's 250 MB."""
    models = [path for path in (target / "botocore" / "data").iterdir() if path.is_dir()]
    unused = [path for path in models if path.name not in BOTO_SERVICES]
    unused += [path for name in ("__pycache__", "tests") for path in target.rglob(name)]
    unused += [target / "bin", target / "boto3" / "examples"]
    for path in unused:
        shutil.rmtree(path, ignore_errors=True)


def _build_once(path: Path, fill: Callable[[Path], None]) -> Path:
    """Make a directory by filling another and renaming it, unless it exists."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="unfinished-") as scratch:
        unfinished = Path(scratch) / path.name
        unfinished.mkdir()
        fill(unfinished)
        for entry in unfinished.rglob("*"):
            # Lambda runs as another user: under a strict umask it could not read its own code.
            entry.chmod(0o755 if entry.is_dir() else 0o644)
        try:
            unfinished.rename(path)
        except OSError:
            if not path.exists():
                raise
    return path
