"""The state directory."""

import os
import stat
import time
from pathlib import Path

import pytest

from infra.local.state_dir import LocalStackError, StateDir


@pytest.fixture
def home(tmp_path: Path) -> StateDir:
    made = StateDir(tmp_path / "local")
    made.prepare()
    return made


def test_documents_are_replaced_whole_and_read_by_their_owner_alone(home: StateDir) -> None:
    home.write("demo.json", {"api_key": "first"})
    home.write("demo.json", {"api_key": "second"})
    assert home.read("demo.json") == {"api_key": "second"}
    assert stat.S_IMODE((home.root / "demo.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_an_unreadable_document_reads_as_empty(home: StateDir, content: str) -> None:
    (home.root / "demo.json").write_text(content)
    assert home.read("demo.json") == {}
    assert home.read("absent.json") == {}


def test_wiping_forgets_state_and_notes(home: StateDir) -> None:
    home.state.mkdir()
    home.write("demo.json", {"api_key": "k"})
    home.wipe()
    assert not home.state.exists()
    assert home.read("demo.json") == {}


def test_unpacked_code_is_moved_aside_at_once_and_deleted_by_a_process_of_its_own(home: StateDir) -> None:
    (home.tmp / "code").mkdir()
    home.discard_tmp()
    assert not home.tmp.exists()
    deadline = time.monotonic() + 60
    while list(home.root.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(home.root.iterdir()) == []
    home.discard_tmp()


def test_a_second_owner_is_refused_until_the_first_lets_go(home: StateDir) -> None:
    first = home.lock()
    with pytest.raises(LocalStackError, match="in use"):
        home.lock(wait_seconds=0)
    os.close(first)
    os.close(home.lock(wait_seconds=0))
