"""Builds the Lambda bundles without docker: our sources, wheels that pip selects for Lambda's platform, bytecode.

Bundles and installed dependencies live under `build/`, named by a hash of their inputs. They appear
atomically, so repeated and concurrent runs reuse finished directories. All functions share one bundle, but for the
archiver and the reader of the archive, whose bundle also has the library of Parquet files.
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
ARCHIVE_LOCK = ROOT / "requirements-archive.lock"
"""What the bundle of the archiver has beside the packages of `LOCK`."""
SOURCES = ("shared", "functions", "docs/guides", "docs/reference", "docs/runbooks")
_FOR_BUILDERS = frozenset({".c", ".cpp", ".h", ".hpp", ".pxd", ".pxi", ".pyi", ".pyx", ".rs"})
"""Sources of extension modules, and stubs for type checkers."""
BOTO_SERVICES = frozenset({"dynamodb", "kms", "lambda", "logs", "s3", "sqs", "ssm", "sts"})
"""Services whose botocore models are kept; the other 400 are most of its size and never used."""

RUNTIME = "3.13"
"""The Python version of the functions."""
LAMBDA_WHEELS = (
    # Lambda's python3.13 runs on Amazon Linux 2023 with glibc 2.34; pip uses the first tag with a matching wheel.
    *(f"--platform=manylinux_2_{glibc}_aarch64" for glibc in (34, 28, 17)),
    "--platform=manylinux2014_aarch64",
    f"--python-version={RUNTIME}",
    "--implementation=cp",
)
NO_BYTECODE = (
    f"No Python {RUNTIME} is on this machine, so the bundle has no bytecode and each cold start compiles every module "
    f"again. Install it, for example with `.venv/bin/uv python install {RUNTIME}`, and deploy again."
)
HOST_WHEELS: tuple[str, ...] = ()
"""For tests: the same dependencies for the interpreter that runs the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A finished directory, and the hash of its content."""

    path: Path
    hash: str


def bundle(mode: BundleMode, *, archive: bool = False) -> Bundle:
    """Return the bundle of a mode, or that of the archiver; builds it if necessary."""
    if mode == "host":
        return build(None, ROOT / "build", sys.executable)
    compiler = runtime_interpreter()
    if compiler is None and not archive:
        print(NO_BYTECODE, file=sys.stderr)  # noqa: T201 - for the engineer who deploys
    return build(LAMBDA_WHEELS, ROOT / "build", compiler, archive=archive)


def runtime_interpreter() -> str | None:
    """An interpreter of the functions' Python version on this machine; None if there is none.

    The code of a function is read-only, so without bytecode each cold start compiles all modules again.
    """
    found = [shutil.which(f"python{RUNTIME}"), _found_by_uv()]
    return next((path for path in found if path is not None and _version_of(path) == RUNTIME), None)


def build(
    wheels: tuple[str, ...] | None, build_dir: Path, compiler: str | None, *, archive: bool = False
) -> Bundle:
    """Build the sources with dependencies that pip selects with the options `wheels`; None for sources only.

    The hash covers all source files, the lock and the options, so it also serves as the asset hash.
    `compiler` is the interpreter whose bytecode is added.
    """
    installed = None if wheels is None else _dependencies(wheels, build_dir, compiler, archive=archive)
    digest = sha256(f"{installed.name if installed else ''}|{_version_of(compiler)}".encode())
    sources = {path.relative_to(ROOT): path.read_bytes() for path in _source_files()}
    for name, content in sources.items():
        digest.update(f"\0{name}\0{len(content)}\0".encode() + content)

    def fill(target: Path) -> None:
        if installed:
            # Hard links, because most of the 60 MB is equal in every bundle and never modified.
            shutil.copytree(installed, target, copy_function=os.link, dirs_exist_ok=True)
        for name, content in sources.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(content)
        if compiler is not None:
            _compile(compiler, *(target / source for source in SOURCES if (target / source).exists()))

    path = _build_once(build_dir / f"bundle-{digest.hexdigest()[:32]}", fill)
    return Bundle(path=path, hash=digest.hexdigest())


def _source_files() -> list[Path]:
    paths = [path for source in SOURCES for path in (ROOT / source).rglob("*") if path.is_file()]
    return sorted(path for path in paths if path.suffix != ".pyc")


def _dependencies(wheels: tuple[str, ...], build_dir: Path, compiler: str | None, *, archive: bool) -> Path:
    locks = (LOCK, ARCHIVE_LOCK) if archive else (LOCK,)
    inputs = [*(lock.read_bytes() for lock in locks), Path(__file__).read_bytes(), " ".join(wheels).encode()]
    inputs.append(_version_of(compiler).encode())
    if not wheels:
        inputs.append(sys.version.encode())

    def fill(target: Path) -> None:
        options = ["-qq", "--disable-pip-version-check", "--no-deps", "--no-compile", "--only-binary=:all:"]
        command = [sys.executable, "-m", "pip", "install", *options, *wheels]
        command += [f"--target={target}", *(f"--requirement={lock}" for lock in locks)]
        subprocess.run(command, check=True)  # noqa: S603 - no external input
        _prune(target)
        if compiler is not None:
            _compile(compiler, target)

    return _build_once(build_dir / f"wheels-{sha256(b'|'.join(inputs)).hexdigest()[:32]}", fill)


def _compile(interpreter: str, *folders: Path) -> None:
    """Add bytecode that is used without a look at its source: the files of a function never change."""
    options = ["-q", "-j", "0", "--invalidation-mode", "unchecked-hash"]
    subprocess.run([interpreter, "-m", "compileall", *options, *folders], check=True)  # noqa: S603


def _version_of(interpreter: str | None) -> str:
    """The version, such as `3.13`; empty for what does not run."""
    if interpreter is None:
        return ""
    command = [interpreter, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return _output_of(command)


def _found_by_uv() -> str | None:
    """An interpreter that uv has installed before; uv downloads none here."""
    uv = Path(sys.executable).with_name("uv")
    return _output_of([str(uv), "python", "find", "--no-python-downloads", RUNTIME]) or None


def _output_of(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _prune(target: Path) -> None:
    """Remove unused files, which cost upload time and count towards Lambda's limit of 250 MB."""
    models = [path for path in (target / "botocore" / "data").iterdir() if path.is_dir()]
    unused = [path for path in models if path.name not in BOTO_SERVICES]
    unused += [path for name in ("__pycache__", "tests") for path in target.rglob(name)]
    unused += [target / "bin", target / "boto3" / "examples"]
    # Names of holidays in other languages.
    unused += [target / "holidays" / "locale"]
    for path in unused:
        shutil.rmtree(path, ignore_errors=True)
    for path in target.rglob("*"):
        if path.suffix in _FOR_BUILDERS or path.name == "examples-1.json":
            path.unlink()


def _build_once(path: Path, fill: Callable[[Path], None]) -> Path:
    """Create a directory atomically, by filling a temporary directory and renaming it, unless it exists."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="unfinished-") as scratch:
        unfinished = Path(scratch) / path.name
        unfinished.mkdir()
        fill(unfinished)
        for entry in unfinished.rglob("*"):
            # Lambda runs as another user, which could not read the code under a strict umask.
            entry.chmod(0o755 if entry.is_dir() else 0o644)
        try:
            unfinished.rename(path)
        except OSError:
            if not path.exists():
                raise
    return path
