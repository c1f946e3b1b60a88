"""The security page names existing tests and sources, and its figures are those of the code."""

import re

from shared.domain.delivery.addresses import BLOCKED_V4
from tests.support.delivery.hostile import RECEIVERS
from tests.support.sources import ROOT

DOCUMENT = (ROOT / "docs" / "design" / "security.md").read_text(encoding="utf-8")


def test_the_document_names_existing_tests_and_sources() -> None:
    named = set(re.findall(r"`((?:tests|shared|infra)/[a-z_/]+\.py)`", DOCUMENT))
    assert len(named) > 15
    assert {name for name in named if not (ROOT / name).is_file()} == set()


def test_the_figures_of_the_document_are_those_of_the_code() -> None:
    assert "seventy receivers" in DOCUMENT
    assert len(RECEIVERS) >= 70
    assert "169.254.0.0/16" in BLOCKED_V4
