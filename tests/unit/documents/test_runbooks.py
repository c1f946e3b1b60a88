"""The runbooks: the same headings on each page, a page for each alarm, and an index that leads to all of them."""

import re
from pathlib import Path

import pytest
from botocore import xform_name

from infra.components import runbooks
from infra.components.runbooks import runbook_of
from infra.components.saved_queries import QUERIES
from tests.support.documents.blocks import blocks_of
from tests.support.documents.emulator_gaps import NOT_EMULATED
from tests.support.documents.runbooks import HEADINGS, INDEX, PAGES, RUNBOOKS, headings_of, section
from tests.support.sources import ROOT

MAX_LINES = 120
ALARMS = [alarm for alarms in runbooks._ALARMS.values() for alarm in alarms]
ROW = re.compile(r"^\| (.+) \| \[[^\]]+\]\(([\w-]+\.md)\) \|$", re.MULTILINE)
DEFAULT = re.compile(r"\$\{(\w+):-")
READ_ONLY = ("RECEIVER",)
"""An address that is only looked at."""
PLACEHOLDER = re.compile(r"<[a-z][^<>]*>")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_runbook_has_the_sections_that_an_operator_expects(page: Path) -> None:
    assert headings_of(page) == HEADINGS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_runbook_is_short_and_its_blocks_can_be_pasted(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    assert "README.md#set-up-the-shell" in text.partition("## ")[0]
    for block in blocks_of(page):
        assert block.language == "sh", block
        assert not PLACEHOLDER.search(block.text), f"{block} needs a variable with a value"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_variables_of_a_runbook_have_no_default(page: Path) -> None:
    """A default, or the value of the last incident behind it, would choose a wrong tenant, job or number."""
    text = "".join(block.text for block in blocks_of(page))
    assert [found for found in DEFAULT.findall(text) if found not in READ_ONLY] == []


def test_query_for_noisy_tenants_counts_as_the_saved_one_does() -> None:
    [saved] = [query for query in QUERIES if query.name == "Accepted jobs by tenant"]
    text = (RUNBOOKS / "noisy-tenant.md").read_text(encoding="utf-8")
    assert all(line in text for line in saved.lines)


@pytest.mark.parametrize("alarm", ALARMS)
def test_symptoms_of_the_page_of_an_alarm_name_it(alarm: str) -> None:
    page = ROOT / runbook_of(alarm)
    assert f"`{alarm}`" in section(page, "Symptom")


def test_index_leads_from_each_alarm_and_to_each_page() -> None:
    by_alarm = ROW.findall(section(INDEX, "From the alarm to the page"))
    pages = {alarm: page for names, page in by_alarm for alarm in re.findall(r"`(\w+)`", names)}
    assert pages == {alarm: Path(runbook_of(alarm)).name for alarm in ALARMS}
    by_symptom = [page for _, page in ROW.findall(section(INDEX, "From the symptom to the page"))]
    assert sorted(by_symptom) == [page.name for page in PAGES]


@pytest.mark.parametrize("operation", NOT_EMULATED)
def test_operation_that_the_emulator_lacks_is_used_by_a_runbook(operation: str) -> None:
    service, _, name = operation.partition(".")
    command = f"aws {service} {xform_name(name, '-')}"
    assert any(command in page.read_text(encoding="utf-8") for page in PAGES)
