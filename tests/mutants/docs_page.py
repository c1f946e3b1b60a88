"""The docs page: what its forms are filled with, what types it shows, and where its guides lead."""

from tests.mutants.mutant import Mutant

_PAGE = "tests/unit/api/test_docs_page.py"

DOCS_PAGE = (
    Mutant(
        name="request whose type is shown as never",
        file="functions/api/resources/jobs/call_models.py",
        old='"not": {"type": "object", "required": list(_BODIES)}',
        new='"not": {"required": list(_BODIES)}',
        killer=_PAGE,
    ),
    Mutant(
        name="number of a query that a form is filled with",
        file="functions/api/openapi/parameters.py",
        old='    schema = {"type": "integer", "minimum": 1, "maximum": at_most}\n',
        new='    schema = {"type": "integer", "minimum": 1, "maximum": at_most, "default": default}\n',
        killer=_PAGE,
    ),
    Mutant(
        name="link of a guide to a page that is not served",
        file="functions/api/reference/guides.py",
        old="                is_dropped = _target(name, reference.path) not in served\n",
        new="                is_dropped = False\n",
        killer=_PAGE,
    ),
)
