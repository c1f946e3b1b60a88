"""The emulator's process: where it listens, what it keeps, and what it leaves behind."""

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from infra.local.clients import Clients
from infra.local.emulator import Emulator
from infra.local.processes import Process, in_group
from infra.local.state_dir import PROJECT_ROOT, LocalStackError, StateDir
from tests.support.listening import LOOPBACK, listening_addresses

pytestmark = pytest.mark.engines
linux = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads the Linux kernel's tables")


@pytest.fixture
def home(tmp_path: Path) -> StateDir:
    return StateDir(tmp_path / "local")


@linux
def test_emulator_listens_on_loopback_alone(home: StateDir) -> None:
    emulator = Emulator(home)
    emulator.start()
    try:
        # Services bind lazily, so use those that could.
        Clients(emulator.endpoint).client("sqs").create_queue(QueueName="q")
        addresses = listening_addresses([process.pid for process in emulator.processes()])
    finally:
        emulator.stop()
    assert addresses
    assert addresses <= LOOPBACK


def test_messages_keys_and_its_port_survive_a_restart(home: StateDir) -> None:
    emulator = Emulator(home)
    emulator.start()
    clients = Clients(emulator.endpoint)
    try:
        url = clients.client("sqs").create_queue(QueueName="q")["QueueUrl"]
        clients.client("sqs").send_message(QueueUrl=url, MessageBody="later", DelaySeconds=2)
        key = clients.client("kms").create_key()["KeyMetadata"]["KeyId"]
        sealed = clients.client("kms").encrypt(KeyId=key, Plaintext=b"secret", EncryptionContext={"t": "a"})
        first_port = emulator.port
    finally:
        emulator.stop()
    again = Emulator(home)
    again.start()
    try:
        assert again.port == first_port
        opened = clients.client("kms").decrypt(
            CiphertextBlob=sealed["CiphertextBlob"], EncryptionContext={"t": "a"}
        )
        assert opened["Plaintext"] == b"secret"
        received = clients.client("sqs").receive_message(QueueUrl=url, WaitTimeSeconds=5)
        assert [message["Body"] for message in received["Messages"]] == ["later"]
    finally:
        again.stop()


def test_objects_with_their_versions_and_locks_survive_a_restart(home: StateDir) -> None:
    emulator = Emulator(home)
    emulator.start()
    try:
        s3 = Clients(emulator.endpoint).client("s3")
        s3.create_bucket(Bucket="trail", ObjectLockEnabledForBucket=True)
        s3.put_object_lock_configuration(
            Bucket="trail",
            ObjectLockConfiguration={
                "ObjectLockEnabled": "Enabled",
                "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 2}},
            },
        )
        first = s3.put_object(Bucket="trail", Key="segments/0", Body=b"\x00\xff", Metadata={"hash": "a"})
        s3.put_object(Bucket="trail", Key="segments/0", Body=b"later")
        s3.put_object(Bucket="trail", Key="segments/1", Body=b"hidden")
        s3.delete_object(Bucket="trail", Key="segments/1")
        s3.create_bucket(Bucket="cdk-assets")
        s3.put_object(Bucket="cdk-assets", Key="code.zip", Body=b"only for a deployment")
        lock = s3.get_object_retention(Bucket="trail", Key="segments/0", VersionId=first["VersionId"])[
            "Retention"
        ]
        listed = s3.list_object_versions(Bucket="trail")
    finally:
        emulator.stop()
    again = Emulator(home)
    again.start()
    try:
        s3 = Clients(again.endpoint).client("s3")
        kept = s3.list_object_versions(Bucket="trail")
        assert (kept["Versions"], kept["DeleteMarkers"]) == (listed["Versions"], listed["DeleteMarkers"])
        of_first = {"Bucket": "trail", "Key": "segments/0", "VersionId": first["VersionId"]}
        assert s3.get_object_retention(**of_first)["Retention"] == lock
        with pytest.raises(ClientError, match="AccessDenied"):
            s3.delete_object(**of_first)
        read = s3.get_object(**of_first)
        assert (read["Body"].read(), read["Metadata"], read["ETag"]) == (
            b"\x00\xff",
            {"hash": "a"},
            first["ETag"],
        )
        assert s3.get_object(Bucket="trail", Key="segments/0")["Body"].read() == b"later"
        with pytest.raises(ClientError, match="PreconditionFailed"):
            s3.put_object(Bucket="trail", Key="segments/0", Body=b"", IfMatch=first["ETag"])
        assert "Contents" not in s3.list_objects_v2(Bucket="cdk-assets")
    finally:
        again.stop()


def test_emulator_leaves_no_process_after_a_stop(home: StateDir) -> None:
    emulator = Emulator(home)
    emulator.start()
    pid = emulator.processes()[0].pid
    emulator.stop()
    assert in_group(pid) == []
    emulator.stop()


def replaced(emulator: Emulator, script: str) -> int:
    """Run a shell script in the emulator's place, and return its group once it has printed a line."""
    emulator.home.prepare()
    process = subprocess.Popen(
        ["/bin/sh", "-c", script, str(emulator.home.root / "saved")],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    with process.stdout:
        process.stdout.readline()
    emulator._process = process
    return process.pid


def test_stop_kills_busy_workers_as_soon_as_the_emulator_has_ended(
    home: StateDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker in the middle of a call ignores the end of its input, and has no emulator to write to."""
    emulator = Emulator(home)
    leader, kill = replaced(emulator, "sleep 600 & echo; wait"), os.killpg
    events: list[object] = []

    def killpg(group: int, number: int) -> None:
        events.append((group, number))
        kill(group, number)

    def look(group: int) -> list[Process]:
        events.append("looks for survivors")
        return in_group(group)

    with monkeypatch.context() as patch:
        # Long enough that the emulator has ended before anybody looks for workers that hold it up.
        patch.setattr("infra.local.emulator.GRACE_SECONDS", 60)
        patch.setattr("infra.local.emulator.os.killpg", killpg)
        patch.setattr("infra.local.emulator.in_group", look)
        emulator.stop()
    assert events[0] == (leader, signal.SIGKILL)
    assert in_group(leader) == []
    assert not home.tmp.exists()


def test_stop_kills_workers_that_keep_the_emulator_from_saving_its_state(
    home: StateDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulator finishes the requests in progress, while a worker that starts waits for the emulator."""
    emulator = Emulator(home)
    leader = replaced(emulator, "trap 'wait; : >\"$0\"; exit' TERM; sleep 600 & echo; wait")
    monkeypatch.setattr("infra.local.emulator.GRACE_SECONDS", 0.05)
    emulator.stop()
    assert (home.root / "saved").exists()
    assert in_group(leader) == []


def test_directory_in_use_refuses_a_second_emulator(home: StateDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.local.state_dir.LOCK_SECONDS", 0.3)
    emulator = Emulator(home)
    emulator.start()
    try:
        with pytest.raises(LocalStackError, match="in use"):
            Emulator(home).start()
    finally:
        emulator.stop()


def test_emulator_saves_its_state_and_ends_when_its_owner_is_killed(home: StateDir) -> None:
    script = (
        "import sys, time; from pathlib import Path; from infra.local.state_dir import StateDir; "
        "from infra.local.emulator import Emulator; e = Emulator(StateDir(Path(sys.argv[1]))); e.start(); "
        "print(e.processes()[0].pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(home.root)], cwd=PROJECT_ROOT, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        emulator_pid = int(owner.stdout.readline())
        os.kill(owner.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while in_group(emulator_pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert in_group(emulator_pid) == []
    assert (home.state / "eventbridge.json").exists()


def test_the_state_of_another_version_is_refused_until_it_may_be_forgotten(home: StateDir) -> None:
    home.prepare()
    home.state.mkdir()
    home.write("emulator.json", {"port": 1, "version": "0.1"})
    with pytest.raises(LocalStackError, match="--fresh"):
        Emulator(home).start()
    emulator = Emulator(home)
    emulator.start(fresh=True)
    emulator.stop()


def test_state_with_tables_of_another_release_is_refused_until_it_may_be_forgotten(home: StateDir) -> None:
    home.prepare()
    home.state.mkdir()
    home.write("emulator.json", {"port": 1, "version": version("ministack")})
    with pytest.raises(LocalStackError, match=r"another release.*--fresh"):
        Emulator(home).start()


def test_state_that_cannot_be_read_is_an_error_and_is_left_as_it_is(home: StateDir) -> None:
    emulator = Emulator(home)
    emulator.start()
    Clients(emulator.endpoint).client("sqs").create_queue(QueueName="q")
    emulator.stop()
    (home.state / "sqs.json").write_text("{ cut short")
    with pytest.raises(LocalStackError, match=r"cannot be restored.*sqs"):
        emulator.start()
    assert (home.state / "sqs.json").read_text() == "{ cut short"
