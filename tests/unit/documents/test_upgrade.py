"""The page about upgrades knows every version of items that a rollback may leave."""

import re

from shared.adapters.dynamodb.codec.versions import VERSION
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "operations" / "upgrade.md").read_text(encoding="utf-8")


def test_version_of_items_that_an_earlier_release_leaves_alone_is_in_the_table() -> None:
    _, _, section = PAGE.partition("### Versions of items")
    table, _, _ = section.partition("\n## ")
    assert re.findall(r"^\| (\d+) \| \w", table, re.M) == [str(each) for each in range(2, VERSION + 1)]
