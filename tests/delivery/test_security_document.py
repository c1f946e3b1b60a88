"""What the document on security names is there."""

import re

from shared.domain.delivery.addresses import BLOCKED_V4
from tests.support.delivery.hostile import RECEIVERS
from tests.support.sources import ROOT

DOCUMENT = (ROOT / "docs" / "design" / "security.md").read_text(encoding="utf-8")


def test_every_test_and_source_that_it_names_exists() -> None:
    tests = set(re.findall(r"`([a-z_/]+/[a-z_]+\.py)`", DOCUMENT))
    named = {name if name.startswith(("shared/", "infra/config")) else f"tests/{name}" for name in tests}
    assert len(named) > 15
    assert {name for name in named if not (ROOT / name).is_file()} == set()


def test_the_figures_are_those_of_the_code() -> None:
    assert "seventy receivers" in DOCUMENT
    assert len(RECEIVERS) >= 70
    assert "169.254.0.0/16" in BLOCKED_V4
