"""What AWS does, as captured on AWS or documented, where the product relies on it; and what proves each fact."""

import ast
import json
from pathlib import Path
from typing import Any

CONFORMANCE = Path(__file__).parents[2] / "conformance"
FACTS: dict[str, dict[str, Any]] = {
    fact["id"]: fact for fact in json.loads((CONFORMANCE / "aws_facts.json").read_text(encoding="utf-8"))
}

PROVED_ELSEWHERE = {
    "b2": "test_claims_without_items::test_every_code_of_a_statement_is_told_from_every_other",
    "b11": "test_one_off_batches_faults::test_a_request_puts_25_and_no_statement_asks_for_anything_but_an_insert",
    "h1": "test_dynamodb_faults::test_throttling_names_its_reason_and_the_throttled_resource",
}
"""Facts that a test of an adapter proves better than a request to an engine. `test_<id>_...` names the others."""


def expectation_of(fact: str) -> dict[str, Any]:
    found: dict[str, Any] = FACTS[fact]["expectation"]
    return found


def functions_of(module: str) -> set[str]:
    """The tests that a module of the conformance suites defines."""
    tree = ast.parse((CONFORMANCE / f"{module}.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_"}
