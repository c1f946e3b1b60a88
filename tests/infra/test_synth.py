"""Synthesis: the same sources give the same templates, so that a deployment without changes has nothing to do."""

import os
import subprocess
import sys
from pathlib import Path

from infra.bundling import ROOT
from tests.infra.conftest import Synthesised

SYNTHESISE = """
import sys
from pathlib import Path
from infra.app import synth
from tests.infra.conftest import usual_stage
synth(usual_stage(), Path(sys.argv[1]))
"""


def test_synthesis_of_another_process_gives_the_identical_templates(
    cloud: Synthesised, tmp_path: Path
) -> None:
    subprocess.run(
        [sys.executable, "-c", SYNTHESISE, tmp_path],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        check=True,
        capture_output=True,
        timeout=600,
    )
    for part in ("data", "service"):
        name = f"{cloud.stage.prefix}-{part}.template.json"
        assert (tmp_path / name).read_bytes() == (cloud.outdir / name).read_bytes()
