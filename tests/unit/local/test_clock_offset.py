"""The clock of `make run --clock-offset`."""

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from infra.local.clock_offset import clock_variables, parse_clock_offset
from infra.local.emulator import TABLES, Emulator
from infra.local.state_dir import LocalStackError, StateDir

CLOCKS = "import json, time; print(json.dumps([time.time(), time.time_ns() / 1e9]))"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CLOCKS!r}], check=True)"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("+90", 90), ("-90", -90), ("0", 0), ("3600", 3600), ("-3600", -3600)]
)
def test_clock_offset_is_read_as_written(text: str, seconds: int) -> None:
    assert parse_clock_offset(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 90",
        "90\n",
        "3601",
        "-3601",
        "99999999999",
        "90s",
        "5m",
        "1.5",
        "1e3",
        "nan",
        "--90",
        "٣",
        "0x10",
        "1_0",
    ],
)
def test_clock_offset_that_is_none_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="from -3600 to 3600, such as 90 or -90, not "):
        parse_clock_offset(text)


@pytest.mark.parametrize("offset", [0, 3600, -600])
@pytest.mark.parametrize("program", [CLOCKS, CHILD], ids=["process", "child"])
def test_clocks_of_a_process_and_of_its_children_are_shifted(program: str, offset: int) -> None:
    # As the emulator starts: -P keeps the current directory out of the import path.
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=os.environ | clock_variables(offset),
        capture_output=True,
        text=True,
        check=True,
    )
    for seconds in json.loads(ran.stdout):
        assert abs(seconds - time.time() - offset) < 60
    assert ran.stderr == ""


@pytest.mark.parametrize(
    ("saved", "asked"), [({}, 90), ({"clock_offset": 90}, 0), ({"clock_offset": 90}, 600)]
)
def test_saved_state_never_meets_another_clock(tmp_path: Path, saved: dict[str, int], asked: int) -> None:
    home = StateDir(tmp_path / "local")
    home.state.mkdir(parents=True)
    home.write("emulator.json", {"port": 1, "version": version("ministack"), "tables": TABLES, **saved})
    with pytest.raises(LocalStackError, match=r"--clock-offset \d+, .*--home, .*--fresh"):
        Emulator(home, clock_offset=asked).start()
    assert home.state.exists()
    assert not home.log.exists()
