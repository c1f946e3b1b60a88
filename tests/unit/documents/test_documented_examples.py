"""Every example in the documents works as a reader pastes it, and is answered as shown."""

import re
from collections.abc import Iterator
from itertools import groupby

import orjson
import pytest
from pydantic import ValidationError

from functions.api.http.problems import Problem
from functions.api.routes import every_route
from shared.domain.delivery.callback import Reason
from shared.domain.executions.states import EndReason
from shared.domain.listings.filters import JOB_STATES
from tests.support.documents.answers import compare
from tests.support.documents.blocks import BLOCKS, DOCUMENTS, Block, name_of
from tests.support.documents.reader import Reader, reader
from tests.support.documents.runbooks import RUNBOOKS

PAGES = [
    pytest.param(list(blocks), id=name_of(document))
    for document, blocks in groupby(BLOCKS, key=lambda block: block.document)
    if document.parent != RUNBOOKS  # tests/integration runs these against a deployed stack
]
INLINE = re.compile(r'`(\{"[^`]*\})`')
TEXT = {name_of(document): document.read_text(encoding="utf-8") for document in DOCUMENTS}
API = "docs/reference/api.md"
TENANTS = "docs/reference/tenants.md"
CREATE = """JOB=$(curl -sS "$PUNCTUAL/v1/jobs" -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" -d '{
  "schedule": {"delay_seconds": 0}, "request": {"url": "https://example.com/hooks/a"}
}' | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
"""


def read(page: Reader, language: str, text: str) -> None:
    page.read(Block(DOCUMENTS[0], 1, language, text))


@pytest.fixture
def page() -> Iterator[Reader]:
    with reader() as made:
        yield made


@pytest.mark.parametrize("blocks", PAGES)
def test_every_example_of_a_document_does_what_is_shown(blocks: list[Block], page: Reader) -> None:
    for block in blocks:
        try:
            page.read(block)
        except (Exception, SystemExit) as error:
            raise AssertionError(f"{block}: {error!r}\n{block.text}") from error
    page.close_page()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("json", "{}"),
        ("yaml", "a: 1"),
        ("", "rm -rf nothing"),
        ("", "make no-such-target"),
        ("sh", "make test NONE=1"),
        ("sh", 'make simulate ARGS="--no-such-flag"'),
        ("sh", "cdk deploy -c colour=red"),
        ("sh", "make deploy COLOUR=red"),
        ("sh", "make deploy ARGS=--no"),
        ("sh", "cp stages/none.toml stages/prod.toml"),
        ("toml", "watchers = 0"),
        ("sh", "punctual create-tenant"),
        ("sh", 'curl -sS "$PUNCTUAL/v1/nowhere"\ncurl -sS "$PUNCTUAL/v1/health"'),
        ("sh", 'curl -sS "$PUNCTUAL/v1/jobs/$JOB"'),
        ("sh", 'curl -sS "$PUNCTUAL/v1/jobs'),
        ("sh", "TOKEN=ct1_…   # the X-Callback-Token header of the call"),
        ("python", "from infra.local.stack import no_such_name"),
        ("python", "from infra.local.receiver import Receiver\nwith Receiver() as r:\n    r.no_such()"),
        ("python example", "from punctual import Punctual\nPunctual().jobs.get('job_unknown')"),
        ("python example", "print(1)  # 2"),
        ("python example", "print(1)"),
        ("sh example", "punctual get unknown"),
        ("sh example", "punctual list --no-such-option"),
        ("sh example", "curl http://127.0.0.1"),
        ("http", "POST /hooks/a HTTP/1.1\nX-Attempt: 1"),
        ("http", "HTTP/1.1 200\nno header"),
        ("text", "make test"),
        ("mermaid", 'xychart-beta\n  x-axis "seconds" [0, 1]\n  line [0]'),
        ("mermaid", "graph LR"),
    ],
)
def test_an_example_that_does_not_work_is_noticed(language: str, text: str, page: Reader) -> None:
    with pytest.raises((Exception, SystemExit)):
        read(page, language, text)


def test_a_request_that_fails_is_noticed_unless_its_problem_is_shown(page: Reader) -> None:
    nowhere = 'curl -sS "$PUNCTUAL/v1/nowhere"'
    read(page, "sh", nowhere)
    read(page, "json", '{"type": "urn:punctual:problem:unauthenticated", "...": "..."}')
    page.close_page()
    read(page, "sh", nowhere)
    with pytest.raises(AssertionError):
        page.close_page()


def test_a_variable_that_a_block_sets_is_there_in_the_next(page: Reader) -> None:
    read(page, "sh", CREATE)
    read(page, "sh", 'curl -sS "$PUNCTUAL/v1/jobs/$JOB" -H "Authorization: Bearer $KEY"')
    read(page, "json", '{"id": "job_...", "state": "queued", "...": "..."}')


def test_a_receiver_is_called_while_the_reader_sleeps(page: Reader) -> None:
    read(page, "http", "HTTP/1.1 202 Accepted\nX-Punctual-Async: true")
    read(page, "sh", CREATE + "sleep 1")
    read(page, "http", "POST /hooks/a HTTP/1.1\nHost: example.com\nX-Attempt: 1\nwebhook-id: exe_...")
    with pytest.raises(AssertionError):
        read(page, "http", "POST /hooks/a HTTP/1.1\nX-Attempt: 2")
    read(page, "sh", 'TOKEN=ct1_…   # the X-Callback-Token header of the call\necho "$TOKEN" | cat')
    read(
        page,
        "sh",
        'curl -sS -X POST "$PUNCTUAL/v1/executions/exe_${JOB#job_}/complete" -H "X-Callback-Token: $TOKEN"',
    )
    read(page, "json", '{"outcome": "succeeded", "...": "..."}')


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ({"a": "...", "b": ["x...", "..."]}, {"a": None, "b": ["xy", 1, 2]}),
        ({"...": "..."}, {"a": 1}),
        ("...:30:00.000Z", "2025-02-20T01:30:00.000Z"),
    ],
)
def test_ellipsis_in_an_example_matches_any_value(shown: object, real: object) -> None:
    compare(shown, real)


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ({"a": 1, "...": "..."}, {"b": 1}),
        ([1], [1, 2]),
        ([1, 2, "..."], [1]),
        (["ok"], {"status": "ok"}),
        ("job_...", "exe_1"),
    ],
)
def test_an_answer_that_is_shown_otherwise_is_noticed(shown: object, real: object) -> None:
    with pytest.raises(AssertionError):
        compare(shown, real)


@pytest.mark.parametrize("name", TEXT)
def test_every_body_in_a_line_of_text_is_one_that_some_operation_takes(name: str) -> None:
    bodies = {route.body for route in every_route() if route.body is not None}
    for text in INLINE.findall(TEXT[name]):
        if "…" in text or "..." in text:
            continue
        accepted = 0
        for body in bodies:
            try:
                body.model_validate(orjson.loads(text))
                accepted += 1
            except ValidationError:
                continue
        assert accepted, text


def test_every_operation_on_jobs_and_executions_is_shown_with_its_answer() -> None:
    """The operations of a tenant's clients; the others are in tables."""
    shown = {request for block in BLOCKS if block.language == "sh" for request in requests(block.text)}
    for route in every_route():
        if route.path.startswith(
            ("/v1/jobs", "/v1/executions", "/v1/schedules", "/v1/upcoming", "/v1/dead-letters")
        ):
            asked = re.compile(rf"{route.method} {re.sub('<[a-z_]+>', '[^/?]+', route.path)}(?:\\?.*)?")
            assert any(asked.fullmatch(line) for line in shown), route.operation


def requests(shell: str) -> Iterator[str]:
    """Method and path of each request of a shell block."""
    for command in shell.split("curl ")[1:]:
        if path := re.search(r"\$PUNCTUAL(/v1/[^\"\s]*)", command):
            method = re.search(r"-X ([A-Z]+)", command)
            yield f"{method[1] if method else 'POST' if ' -d ' in command else 'GET'} {path[1]}"


def test_every_operation_is_documented() -> None:
    told = TEXT[API] + TEXT[TENANTS]
    for route in every_route():
        path = re.sub(r"<[a-z_]+>", "{id}", route.path)
        shortened = [path, path.rpartition("/")[2] if route.path_parts else path]
        assert any(spelt in told for spelt in shortened), route.path


@pytest.mark.parametrize(
    "words",
    [
        [problem.slug for problem in Problem],
        [reason.value for reason in EndReason],
        [reason.word for reason in Reason],
        sorted(JOB_STATES),
    ],
    ids=["problems", "end reasons", "reasons of attempts", "states"],
)
def test_every_word_that_the_api_may_say_is_explained(words: list[str]) -> None:
    missing = [word for word in words if f"`{word}`" not in TEXT[API]]
    assert missing == []
