"""The docs page as a reader meets it: what Swagger UI shows, finds and fills in; the guides; the root."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from functions.api.openapi.document import document
from functions.api.reference.pages import DOCS_PATH, GUIDES, PAGES, RUNBOOKS
from tests.support.api.api_world import ApiWorld
from tests.support.api.api_world import Request as ApiRequest
from tests.support.sources import ROOT
from tests.unit.api.test_reference import LOADING, Elements, fetch

DOCUMENT = document()
OPERATIONS: list[dict[str, Any]] = [
    operation for methods in DOCUMENT["paths"].values() for operation in methods.values()
]
NAMES = {operation["operationId"] for operation in OPERATIONS}
PHRASES = {
    "": NAMES,
    "CRON": {"createJob", "previewSchedule"},
    "redrive": {
        "cancelExecution",
        "getRedrive",
        "redriveDeadLetters",
        "redriveExecution",
        "redriveRun",
        "undoRedrive",
        "updateWorkflow",
    },
    "  jobs   POST batch ": {"createJobs"},
    "/v1/executions/{execution_id}/heartbeat": {"heartbeatExecution"},
    "no such word": set(),
}
PREFILLING = ("example", "examples", "default")
FREE_JSON = {
    "RequestIn.json",
    "CompletionIn.result",
    "RunIn.input",
    *(f"{service}TargetIn.json" for service in ("Sqs", "Sns", "StepFunctions")),
}
"""Members that hold any JSON."""


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """What Swagger UI makes of the document, and finds for each phrase."""
    node = shutil.which("node")
    assert node is not None, "Node is a prerequisite of the project"
    sent = {
        "bundle": fetch(f"{DOCS_PATH}/swagger-ui-bundle.js").text,
        "search": fetch(f"{DOCS_PATH}/search.js").text,
        "document": DOCUMENT,
        "phrases": list(PHRASES),
    }
    script = ROOT / "tests" / "support" / "api" / "swagger_ui.js"
    done = subprocess.run(
        [node, str(script)], input=json.dumps(sent), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answered: dict[str, Any] = json.loads(done.stdout)
    return answered


def parameters() -> Iterator[tuple[str, dict[str, Any]]]:
    for operation in OPERATIONS:
        for parameter in operation["parameters"]:
            yield operation["operationId"], parameter


def test_no_parameter_is_filled_in_but_the_ids_of_a_path() -> None:
    filled = {
        (name, parameter["name"])
        for name, parameter in parameters()
        for key in PREFILLING
        if parameter["in"] != "path" and (key in parameter or key in parameter["schema"])
    }
    assert filled == set()


def test_every_id_in_a_path_has_an_example() -> None:
    assert [name for name, each in parameters() if each["in"] == "path" and "example" not in each] == []


def first_example(operation_id: str) -> Any:
    """The body that the form of an operation is filled with."""
    operation = next(each for each in OPERATIONS if each["operationId"] == operation_id)
    first = next(iter(operation["requestBody"]["content"]["application/json"]["examples"].values()))
    return DOCUMENT["components"]["examples"][first["$ref"].rpartition("/")[2]]["value"]


def test_body_that_is_filled_in_for_bulk_work_is_a_dry_run_and_suspends_nobody() -> None:
    assert first_example("redriveDeadLetters")["dry_run"] is True
    assert first_example("changeJobs")["dry_run"] is True
    assert first_example("backfillJob")["dry_run"] is True
    assert "state" not in first_example("changeTenant")


def test_every_schema_and_member_is_shown_with_a_readable_type(shown: dict[str, Any]) -> None:
    assert shown["types"].keys() >= DOCUMENT["components"]["schemas"].keys()
    unreadable = {
        name: text
        for name, text in shown["types"].items()
        if "never" in text or "| (" in text or ("any" in text and name not in FREE_JSON)
    }
    assert unreadable == {}
    assert shown["types"]["JobIn.request"] == shown["types"]["JobIn.schedule"] == "object"


@pytest.mark.parametrize("phrase", PHRASES)
def test_search_finds_operations_by_any_word_in_any_case(phrase: str, shown: dict[str, Any]) -> None:
    assert set(shown["found"][phrase]) == PHRASES[phrase]


def test_page_uses_the_search_and_follows_the_colour_scheme_of_the_reader() -> None:
    script = fetch(f"{DOCS_PATH}/start.js").text
    assert "opsFilter: searchOperations" in script and "filter: true" in script
    assert "(prefers-color-scheme: dark)" in script and '"dark-mode"' in script
    assert "html.dark-mode" in fetch(f"{DOCS_PATH}/swagger-ui.css").text
    assert "prefers-color-scheme: dark" in fetch(f"{DOCS_PATH}/docs.css").text
    scripts = [value for tag, name, value in Elements(fetch(DOCS_PATH).text).attributes if tag == "script"]
    assert scripts == ["docs/swagger-ui-bundle.js", "docs/search.js", "docs/start.js"]


def test_class_names_that_the_page_relies_on_are_those_of_swagger_ui() -> None:
    bundle = fetch(f"{DOCS_PATH}/swagger-ui-bundle.js").text
    sheet, script = fetch(f"{DOCS_PATH}/docs.css").text, fetch(f"{DOCS_PATH}/start.js").text
    names = re.findall(r"\.(json-schema[\w-]+)", sheet) + re.findall(r'querySelector\("\.([\w-]+)"\)', script)
    assert len(names) == 4
    assert [name for name in names if name not in bundle] == []


def test_docs_page_links_every_guide_and_tags_link_to_pages() -> None:
    page = Elements(fetch(DOCS_PATH).text)
    assert {f"docs/{name}" for name in (*GUIDES, RUNBOOKS[0])} <= {
        value for _, name, value in page.attributes if name == "href"
    }
    linked = [tag["externalDocs"]["url"] for tag in DOCUMENT["tags"] if "externalDocs" in tag]
    assert len(linked) == len(DOCUMENT["tags"]) - 1
    for url in linked:
        path, _, fragment = url.partition("#")
        assert path in PAGES
        assert not fragment or f'id="{fragment}"' in fetch(path).text


def test_every_guide_reference_and_runbook_of_the_documents_is_served() -> None:
    written = {
        path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for folder in ("guides", "reference", "runbooks")
        for path in (ROOT / "docs" / folder).glob("*.md")
    }
    assert {*GUIDES, *RUNBOOKS} == written


@pytest.mark.parametrize("name", (*GUIDES, *RUNBOOKS))
def test_every_link_of_a_guide_leads_to_a_served_page_and_a_heading(name: str) -> None:
    page = Elements(fetch(f"{DOCS_PATH}/{name}").text)
    links = [
        value or "" for _, attribute, value in page.attributes if attribute in LOADING and value != "data:,"
    ]
    assert links
    for link in links:
        target = urlsplit(urljoin(f"https://here.example{DOCS_PATH}/{name}", link))
        if target.netloc == "here.example":
            answer = fetch(target.path)
            assert answer.status == 200, link
            assert not target.fragment or f'id="{target.fragment}"' in answer.text, link


@pytest.mark.parametrize("name", (*GUIDES, *RUNBOOKS))
def test_a_guide_has_a_title_its_code_and_no_script(name: str) -> None:
    answer = fetch(f"{DOCS_PATH}/{name}")
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    page = Elements(answer.text)
    assert page.inline == [] and "script" not in {tag for tag, _, _ in page.attributes}
    assert re.search(r"<title>\w.*</title>", answer.text) and "<h1 " in answer.text
    source = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert answer.text.count("<pre>") == len(re.findall(r"^ *```\w", source, flags=re.MULTILINE))


@pytest.mark.parametrize("key", [None, "pk_wrong_wrong"])
def test_root_of_the_api_leads_to_the_docs_page_without_a_key(key: str | None) -> None:
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    answer = ApiWorld().handle(ApiRequest(method="GET", path="/", headers=headers))
    assert (answer.status, answer.headers["Location"]) == (302, DOCS_PATH)


def test_root_of_the_api_can_only_be_read() -> None:
    world = ApiWorld()
    assert world.handle(ApiRequest(method="POST", path="/")).problem == "unauthenticated"
    refused = world.handle(ApiRequest(method="POST", path="/", headers=world.credential))
    assert (refused.problem, refused.headers["Allow"]) == ("method-not-allowed", "GET, HEAD")
