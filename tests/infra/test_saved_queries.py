"""Saved queries and metric filters: they name log groups of the stack, and fields that docs/operations/logs.md has."""

import json
import re
from collections.abc import Iterator

import pytest

from infra.components.http_entry import ACCESS_LOG
from infra.components.saved_queries import QUERIES, SavedQuery
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE, FROM_LOG, Metric
from tests.infra.conftest import Synthesised
from tests.support.sources import ROOT

PAGE = (ROOT / "docs" / "operations" / "logs.md").read_text()
ROW = re.compile(r"^\| `([^`]+)` \| [A-Z]+ \| ([^|]+) \|", re.MULTILINE)
LINES = {message: set(re.findall(r"`(\w+)`", fields)) for message, fields in ROW.findall(PAGE)}
OF_EVERY_LINE = {"level", "message", "exception", "exception_name"}
WORDS = {
    *("fields", "filter", "stats", "sort", "limit", "like", "and", "in", "as", "by", "asc", "desc"),
    *("count", "sum", "max", "bin", "coalesce"),
}
TEXT = re.compile(r'"([^"]*)"')


def fields_of(query: SavedQuery) -> set[str]:
    """The fields that a query reads, without those that it makes itself."""
    bare = TEXT.sub(" ", query.text)
    made = set(re.findall(r"\bas (\w+)", bare))
    return set(re.findall(r"(?<![@\w.])[a-z]\w*\b(?!\()", bare)) - WORDS - made - {"5m"}


def known_fields(query: SavedQuery) -> set[str]:
    """The fields of the lines that the query selects by their messages, or of all lines."""
    if query.of == ("access log",):
        return set(ACCESS_LOG)
    named = [text for text in TEXT.findall(query.text) if text in LINES]
    return OF_EVERY_LINE.union(*(LINES[name] for name in named or LINES))


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_fields_of_a_saved_query_are_fields_of_the_lines_that_it_selects(query: SavedQuery) -> None:
    assert fields_of(query)
    assert fields_of(query) <= known_fields(query)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_messages_that_a_saved_query_compares_with_are_those_of_lines(query: SavedQuery) -> None:
    for comparison in re.findall(r"message (?:=|in) (\"[^\"]*\"|\[[^\]]*\])", query.text):
        for text in TEXT.findall(comparison):
            assert text in LINES


def test_page_lists_every_saved_query_and_every_field_of_the_access_log() -> None:
    queries = PAGE.partition("## Saved queries")[2]
    assert re.findall(r"^\| `([^`]+)` \|", queries, re.MULTILINE) == [query.name for query in QUERIES]
    access = PAGE.partition("| field | value |")[2].partition("## Never")[0]
    cells = " ".join(re.findall(r"^\| (`.*?`) \|", access, re.MULTILINE))
    shown = set(re.findall(r"`(\w+)`", cells))
    assert shown == ACCESS_LOG.keys()


def saved(stacks: Synthesised) -> Iterator[tuple[SavedQuery, list[str]]]:
    """Each query with the names of the log groups that it reads."""
    of_function = {
        function["LoggingConfig"]["LogGroup"]["Ref"]: service
        for service, function in stacks.service.functions().items()
    }
    (stage,) = stacks.service.properties("AWS::ApiGatewayV2::Stage")
    of_function[stage["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0]] = "access log"
    by_name = {made["Name"]: made for made in stacks.service.properties("AWS::Logs::QueryDefinition")}
    assert by_name.keys() == {f"{stacks.stage.prefix}/{query.name}" for query in QUERIES}
    for query in QUERIES:
        made = by_name[f"{stacks.stage.prefix}/{query.name}"]
        assert made["QueryString"] == query.text
        yield query, [of_function[group["Ref"]] for group in made["LogGroupNames"]]


def test_saved_queries_read_the_log_groups_of_their_functions_by_reference(cloud: Synthesised) -> None:
    services = cloud.service.functions().keys()
    for query, groups in saved(cloud):
        assert len(set(groups)) == len(groups) > 0
        expected = {each for each in {*services, "access log"} if each.startswith(query.of)}
        assert set(groups) == expected
        assert all(any(group.startswith(start) for group in groups) for start in query.of)


def test_jobs_are_counted_from_the_lines_of_the_api_but_for_repeated_requests(cloud: Synthesised) -> None:
    api = cloud.service.functions()["api"]["LoggingConfig"]["LogGroup"]
    filters = list(cloud.service.properties("AWS::Logs::MetricFilter"))
    counted = {}
    for made in filters:
        assert made["LogGroupName"] == api
        assert "$.replayed NOT EXISTS" in made["FilterPattern"]
        (transformed,) = made["MetricTransformations"]
        assert (transformed["MetricNamespace"], transformed["MetricName"]) == (
            f"Punctual/{cloud.stage.name}",
            Metric.JOBS_CREATED,
        )
        counted[TEXT.findall(made["FilterPattern"])[0]] = transformed["MetricValue"]
    assert counted == {ACCEPTED_LOG_LINE: "1", ACCEPTED_BATCH_LOG_LINE: "$.size"}
    assert frozenset({Metric.JOBS_CREATED}) == FROM_LOG
    assert {"size", "replayed"} <= LINES[ACCEPTED_BATCH_LOG_LINE]


def test_emulated_stage_has_no_saved_queries_and_metric_filters(local: Synthesised) -> None:
    kinds = {made["Type"] for made in local.service.body["Resources"].values()}
    assert not kinds & {"AWS::Logs::QueryDefinition", "AWS::Logs::MetricFilter"}


def test_line_of_the_access_log_is_json_without_a_query_string(cloud: Synthesised) -> None:
    (stage,) = cloud.service.properties("AWS::ApiGatewayV2::Stage")
    line = json.loads(stage["AccessLogSettings"]["Format"])
    assert line == ACCESS_LOG
    assert not {"$context.authorizer", "$context.requestOverride"} & set(line.values())
    assert "$context.path" in line.values()
