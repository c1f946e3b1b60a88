"""Every example in the documents is run: nothing is shown that would not work, or that is answered otherwise."""

import re
from itertools import groupby

import orjson
import pytest
from pydantic import ValidationError

from functions.api.problems import Problem
from functions.api.routes import ROUTES
from shared.domain.delivery.callback import Reason
from shared.domain.executions.states import EndReason
from shared.domain.listings.filters import JOB_STATES
from tests.support.documents.blocks import BLOCKS, DOCUMENTS, Block
from tests.support.documents.commands import run_commands
from tests.support.documents.exchanges import Story
from tests.support.documents.snippets import check_snippet

DRAWN = ("──", "►")
STORIES = [
    pytest.param(list(blocks), id=document.name)
    for document, blocks in groupby(BLOCKS, key=lambda block: block.document)
]
INLINE = re.compile(r'`(\{"[^`]*\})`')
TEXT = {document.name: document.read_text(encoding="utf-8") for document in DOCUMENTS}


def tell(block: Block, story: Story) -> None:
    """Run a block as what it is; ValueError for one that nobody knows how to run."""
    for directive in block.directives:
        story.obey(directive)
    match block.language:
        case "http" if block.text.startswith("HTTP/1.1 "):
            story.hear(block.text)
        case "http":
            story.say(block.text)
        case "json":
            story.hear_call(block.text)
        case "python":
            check_snippet(block.text)
        case "sh":
            run_commands(block.text, story)
        case "" | "text" if any(sign in block.text for sign in DRAWN):
            pass
        case "" if re.match(r"\s*(?:from|import) ", block.text):
            check_snippet(block.text)
        case "":
            run_commands(block.text, story)
        case _:
            raise ValueError(f"nobody knows how to run {block.language!r}")


@pytest.mark.parametrize("blocks", STORIES)
def test_every_example_of_a_document_does_what_is_shown(blocks: list[Block]) -> None:
    story = Story()
    for block in blocks:
        try:
            tell(block, story)
        except Exception as fault:
            raise AssertionError(f"{block}: {fault!r}\n{block.text}") from fault


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("json", "{}"),
        ("yaml", "a: 1"),
        ("", "rm -rf /"),
        ("", "make no-such-target"),
        ("sh", "make test NONE=1"),
        ("sh", 'make simulate ARGS="--no-such-flag"'),
        ("sh", "cdk deploy -c colour=red"),
        ("sh", "punctual create-tenant"),
        ("sh", "curl https://punctual.example/v1/nowhere"),
        ("python", "from infra.local.stack import no_such_name"),
        ("python", "from infra.local.receiver import Receiver\nwith Receiver() as r:\n    r.no_such()"),
        ("http", "HTTP/1.1 200"),
        ("http", "GET /v1/health\nno header"),
        ("text", "make test"),
    ],
)
def test_an_example_that_does_not_work_is_noticed(language: str, text: str) -> None:
    with pytest.raises((Exception, SystemExit)):
        tell(Block(DOCUMENTS[0], 1, language, text), Story())


@pytest.mark.parametrize(
    "answer",
    [
        'HTTP/1.1 201\n\n{"status": "ok"}',
        'HTTP/1.1 200\nETag: "1"',
        'HTTP/1.1 200\n\n{"status": "well"}',
        "HTTP/1.1 200\n\n{}",
        'HTTP/1.1 200\n\n{"status": "ok", "more": 1}',
        'HTTP/1.1 200\n\n["ok"]',
    ],
)
def test_an_answer_that_is_shown_otherwise_is_noticed(answer: str) -> None:
    story = Story()
    story.say("GET /v1/health")
    story.hear('HTTP/1.1 200\nCache-Control: no-store\n\n{"status": "ok"}')
    with pytest.raises((AssertionError, KeyError)):
        story.hear(answer)


def test_an_id_that_is_shown_twice_is_the_same_twice() -> None:
    story = Story()
    job = 'POST /v1/jobs\n\n{"schedule": {"delay_seconds": 60}, "request": {"url": "https://example.com/"}}'
    story.say(job)
    story.hear('HTTP/1.1 201\nLocation: /v1/jobs/job_00000001\n\n{"id": "job_00000001", "...": ""}')
    story.say("GET /v1/jobs/job_00000001")
    story.hear('HTTP/1.1 200\n\n{"id": "job_00000001", "...": ""}')
    story.say(job)
    with pytest.raises(AssertionError):
        story.hear('HTTP/1.1 201\n\n{"id": "job_00000001", "...": ""}')


@pytest.mark.parametrize("name", TEXT)
def test_every_body_in_a_line_of_text_is_one_that_some_operation_takes(name: str) -> None:
    bodies = {route.body for route in ROUTES if route.body is not None}
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
    """What tenants' clients do; the rest is in tables."""
    shown = {block.text.split("\n")[0] for block in BLOCKS if block.language == "http"}
    shown |= {
        "POST /v1/jobs" for block in BLOCKS if block.text.startswith('curl -X POST "$PUNCTUAL/v1/jobs"')
    }
    for route in ROUTES:
        if route.path.startswith(
            ("/v1/jobs", "/v1/executions", "/v1/schedules", "/v1/upcoming", "/v1/dead-letters")
        ):
            asked = re.compile(rf"{route.method} {re.sub('<[a-z_]+>', '[^/?]+', route.path)}(?:\\?.*)?")
            assert any(asked.fullmatch(line) for line in shown), route.operation


def test_every_operation_is_documented() -> None:
    told = TEXT["api.md"] + TEXT["tenants.md"]
    for route in ROUTES:
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
    missing = [word for word in words if f"`{word}`" not in TEXT["api.md"]]
    assert missing == []
