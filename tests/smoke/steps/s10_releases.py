"""S10: from the release before to this one and back, under load: no job is lost or called twice."""

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from infra.local.state_dir import PROJECT_ROOT
from tests.smoke.findings import Findings
from tests.smoke.judge.lags import punctuality
from tests.smoke.world import SmokeError, Tenant, World, arrived, instant

LEAD_SECONDS = 30
PATIENCE = 300


def run(world: World, findings: Findings, previous: str | None = None) -> None:
    """`previous` is a commit or a tag; by default the latest tag before this commit."""
    if not findings.can_show("releases", "an upgrade and a rollback under load lose nothing"):
        return
    with _checkout(release_before(previous)) as folder:
        world.target.deploy_from(folder)
        load = Load(world.tenant("load"), world.path("load"), world.size.load_per_second)
        with load.running():
            world.target.deploy()
            world.target.deploy_from(folder)
        world.target.deploy()
    load.judge(world, findings)
    if findings.can_show("api_rollout", "the rollout was gradual"):
        findings.check("the rollout was gradual", world.target.stage.api_rollout == "canary")


class Load:
    """A client that creates jobs at a steady rate, and repeats a request that got no usable answer."""

    def __init__(self, tenant: Tenant, path: str, per_second: int) -> None:
        self._tenant, self._path, self._per_second = tenant, path, per_second
        self.jobs: set[str] = set()
        self.faults = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        over = threading.Event()
        workers = [
            threading.Thread(target=self._work, args=(over, number), daemon=True)
            for number in range(self._per_second)
        ]
        for worker in workers:
            worker.start()
        try:
            yield
        finally:
            over.set()
            for worker in workers:
                worker.join(120)

    def judge(self, world: World, findings: Findings) -> None:
        calls = arrived(world, self._path, len(self.jobs), LEAD_SECONDS + PATIENCE)
        seen = punctuality(calls, self.jobs)
        findings.check("no job was lost, early or doubled", bool(self.jobs) and seen.is_kept, seen)
        findings.figure(
            "under load", seen.figures() | {"requests answered with 5xx or not at all": self.faults}
        )

    def _work(self, over: threading.Event, number: int) -> None:
        count = 0
        while not over.is_set():
            count += 1
            self._create(
                f"load-{number}-{count}", self._tenant.job({"at": instant(LEAD_SECONDS)}, self._path)
            )
            over.wait(1.0)

    def _create(self, key: str, job: dict[str, object]) -> None:
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            try:
                answer = self._tenant.site.request("POST", "/v1/jobs", job, {"Idempotency-Key": key})
            except OSError:
                answer = None
            if answer is not None and answer.status == 201:
                self.jobs.add(answer.json()["id"])
                return
            self.faults += 1
            time.sleep(0.5)


def release_before(previous: str | None, folder: Path = PROJECT_ROOT) -> str:
    """The named release, or the latest tag before this commit; SmokeError if there is none of both."""
    if previous is not None:
        return previous
    done = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0", "HEAD^"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SmokeError(
            "S10 needs the release before this one, and no tag is before this commit: name a commit with --previous"
        )
    return done.stdout.strip()


@contextmanager
def _checkout(release: str) -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="punctual-release-")) / "checkout"
    _git("worktree", "add", "--detach", str(folder), release)
    try:
        yield folder
    finally:
        _git("worktree", "remove", "--force", str(folder))
        shutil.rmtree(folder.parent, ignore_errors=True)


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", *arguments], cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SmokeError(f"git {' '.join(arguments)} failed: {done.stderr[-300:]}")
