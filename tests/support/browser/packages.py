"""Install the browser of the tests: `python -m tests.support.browser.packages DIRECTORY`.

npm delivers the packages, whose hashes are in packages.toml. None of their code runs here: the JavaScript of the
package with the browser wants a newer Node, and would start it without its web security.
"""

import base64
import hashlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

PACKAGES = Path(__file__).with_name("packages.toml")
MACHINE = "x86_64"
"""The only machine for which the package has a browser."""
PROGRAM, LIBRARIES, FONTS, AXE = "chromium", "lib", "fonts", "axe.min.js"
"""The names in the directory."""
FONT_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf")
"""No font with serifs: Chromium would take it for `system-ui`."""
_INFLATE = 'process.stdin.pipe(require("node:zlib").createBrotliDecompress()).pipe(process.stdout)'


class ForeignContentError(Exception):
    """A package is not the one whose hash is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package of npm."""

    name: str
    version: str
    integrity: str
    """`sha512-` and the hash of the archive, as npm spells it."""

    def check(self, content: bytes) -> None:
        """ForeignContentError for an archive with another hash."""
        found = f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"
        if found != self.integrity:
            raise ForeignContentError(
                f"{self.name} {self.version} has the hash {found}, and not {self.integrity} as in {PACKAGES.name}"
            )


def packages() -> dict[str, Package]:
    """The packages by what they are for."""
    return {purpose: Package(**values) for purpose, values in tomllib.loads(PACKAGES.read_text()).items()}


def install(directory: Path) -> None:
    """Put the browser, its libraries, the fonts and axe-core into a directory, which is emptied before."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=directory) as temporary:
        unpacked = {purpose: _unpacked(package, Path(temporary)) for purpose, package in packages().items()}
        shutil.copy(unpacked["axe"] / AXE, directory)
        (directory / FONTS).mkdir()
        for name in FONT_FILES:
            shutil.copy(unpacked["fonts"] / "ttf" / name, directory / FONTS)
        binaries = unpacked["chromium"] / "bin"
        _inflate(binaries / "chromium.br", directory / PROGRAM)
        (directory / PROGRAM).chmod(0o755)
        archive = Path(temporary) / "libraries.tar"
        _inflate(binaries / "al2023.tar.br", archive)
        _extract(archive, directory)


def _unpacked(package: Package, directory: Path) -> Path:
    """The folder with the files of a package."""
    packed = subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", directory, f"{package.name}@{package.version}"],
        check=True,
        capture_output=True,
        text=True,
    )
    archive = directory / packed.stdout.split()[-1]
    package.check(archive.read_bytes())
    into = directory / archive.stem
    _extract(archive, into)
    return into / "package"


def _extract(archive: Path, into: Path) -> None:
    with tarfile.open(archive) as members:
        members.extractall(into, filter="data")


def _inflate(compressed: Path, into: Path) -> None:
    with compressed.open("rb") as source, into.open("wb") as target:
        subprocess.run(["node", "--eval", _INFLATE], stdin=source, stdout=target, check=True)


def main(arguments: list[str]) -> int:
    """Install, unless the package has no browser for this machine."""
    if platform.machine() != MACHINE:
        sys.stderr.write(f"No browser for {platform.machine()}: the tests of the console will be skipped.\n")
        return 0
    install(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
