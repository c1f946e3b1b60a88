"""The changelog names the version that the project has."""

import re
import tomllib

from tests.support.sources import ROOT


def test_newest_version_of_the_changelog_is_that_of_the_project() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    announced = re.findall(r"^The (?:first|next) release will be (\d+\.\d+\.\d+)\.", changelog, re.MULTILINE)
    assert [*announced, *released][:1] == [version]
