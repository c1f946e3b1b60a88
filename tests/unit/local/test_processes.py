"""Finding the processes of a group."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local import processes


def test_a_group_holds_its_leader_and_its_children_until_they_end() -> None:
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        assert leader.stdin is not None
        while len(found := processes.in_group(leader.pid)) < 2:
            assert leader.poll() is None
        assert leader.pid in {process.pid for process in found}
        assert all("-c" in process.command for process in found)
        leader.stdin.close()
    assert processes.in_group(leader.pid) == []


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists() or not Path("/bin/ps").exists(), reason="compares both"
)
def test_ps_tells_the_same_as_proc() -> None:
    mine = os.getpid(), os.getpgrp()
    assert mine in {(pid, group) for pid, group, _ in processes._from_proc()}
    assert mine in {(pid, group) for pid, group, _ in processes._from_ps()}
