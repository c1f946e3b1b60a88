"""`make pictures`: draw the sections of the dashboard from recorded hours; `--record` records these first."""

import argparse
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.dashboards.drawing import picture, sections
from tests.dashboards.hours import MINUTES, run_hour
from tests.dashboards.records import HOURS, load, recorded, save
from tests.infra.conftest import Synthesised, alarms_of, synthesise, usual_stage
from tests.support.dashboard import widgets_of
from tests.support.sources import ROOT

PICTURES = ROOT / "docs" / "operations" / "pictures"
SECTIONS = ("in-time", "lost", "hurt", "hot", "cost")


def record(hour: str, stacks: Synthesised) -> None:
    cell = run_hour(is_bad=hour == "bad")
    save(recorded(cell.recorder, widgets_of(stacks.service), alarms_of(stacks), MINUTES), hour)


def draw(stacks: Synthesised) -> None:
    PICTURES.mkdir(exist_ok=True)
    for hour in HOURS:
        found = load(hour)
        for name, section in zip(SECTIONS, sections(widgets_of(stacks.service)), strict=True):
            (PICTURES / f"{name}-{hour}.svg").write_text(picture(section, found))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.dashboards", description=__doc__)
    parser.add_argument("--record", action="store_true", help="run both hours in the scale model first")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        stacks = synthesise(usual_stage(), Path(directory))
    if arguments.record:
        with ProcessPoolExecutor(max_workers=2) as pool:
            list(pool.map(record, HOURS, [stacks] * len(HOURS)))
    draw(stacks)


if __name__ == "__main__":
    main()
