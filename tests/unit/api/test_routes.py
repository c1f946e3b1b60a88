"""The sections of the route table, which are imported at their first request."""

import pytest

from functions.api.routes import SECTIONS, every_route, routes_of, section_of
from tests.support.sources import ROOT

RESOURCES = ROOT / "functions" / "api" / "resources"


def test_every_module_with_routes_is_in_a_section() -> None:
    files = {f"{path.parent.name}.{path.stem}" for path in RESOURCES.glob("*/*routes.py")}
    assert {name for names in SECTIONS.values() for name in names} == files


def test_every_route_is_in_the_section_of_its_path() -> None:
    defined = {
        route
        for path in RESOURCES.glob("*/*routes.py")
        for route in __import__(
            f"functions.api.resources.{path.parent.name}.{path.stem}", fromlist=["ROUTES"]
        ).ROUTES
    }
    assert set(every_route()) == defined
    assert all(route in routes_of(section_of(route.path)) for route in defined)


@pytest.mark.parametrize("path", ["/", "", "/v1", "/v1/", "/v2/jobs", "v1jobs", "//v1/jobs"])
def test_paths_outside_of_v1_have_no_section(path: str) -> None:
    assert section_of(path) not in SECTIONS
