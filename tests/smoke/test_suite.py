"""The smoke suite itself: its steps, its bounds, its report and its tables."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from infra.config import StageConfig
from infra.stage_files.read import read_stage
from infra.stages import cloud_stage, local_stage
from tests.smoke import on_aws
from tests.smoke.catalogue import BY_NAME, STEPS, Step, chosen
from tests.smoke.findings import Findings, Verdict
from tests.smoke.gaps import BEHAVIOURS, GAPS, STAGE_FLAGS
from tests.smoke.probe.template import template
from tests.smoke.report import as_json, as_text, summary
from tests.smoke.run import Run, check_bounds
from tests.smoke.walk import calls
from tests.smoke.world import Size, SmokeError

ROOT = Path(__file__).parents[2]
OF_SIZE = {
    "account",
    "default_quotas",
    "event_bus",
    "lane_concurrency",
    "memory",
    "name",
    "region",
    "shard_plan",
    "sweepers",
    "target_roles",
    "token_keys",
    "watchers",
}
"""Fields in which the stage `local` is another stage, and not one that lacks anything."""


def numbered(name: str) -> int:
    return int(name[1:])


def test_steps_are_those_of_the_document() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "docs/operations/smoke.md").read_text().splitlines()
        if re.match(r"\| S\d", line)
    ]
    shown = {row[0]: (row[1], float(row[3]), float(row[4].strip("$"))) for row in rows}
    assert shown == {step.name: (step.title, step.minutes, step.dollars) for step in STEPS}


def test_every_step_has_a_number_of_its_own_and_a_file() -> None:
    assert sorted(map(numbered, BY_NAME)) == list(range(15))
    files = {path.name.split("_")[0] for path in (ROOT / "tests/smoke/steps").glob("s*.py")}
    assert files == {f"s{numbered(name):02d}" for name in BY_NAME}


def test_named_steps_bring_the_deployment_and_the_teardown() -> None:
    assert [step.name for step in chosen(["S3"])] == ["S0", "S1", "S3", "S13"]
    assert [step.name for step in chosen(["S0"])] == ["S0"]
    assert "S12" not in {step.name for step in chosen([])}
    with pytest.raises(SmokeError, match="there is no step S15"):
        chosen(["S15"])


def test_run_that_costs_more_than_its_bound_is_refused() -> None:
    check_bounds(STEPS, dollars=2.0)
    with pytest.raises(SmokeError, match=r"the bound is \$0.50"):
        check_bounds(STEPS, dollars=0.5)


def test_protected_stage_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_aws, "read_stage", lambda name: cloud_stage(name, "us-east-1", "111111111111"))
    with pytest.raises(SmokeError, match="the stage prod is protected"):
        on_aws.aws_target("prod")


def test_stage_of_the_suite_is_unprotected() -> None:
    assert on_aws.aws_target("smoke").stage == read_stage("smoke")


def test_flags_of_the_table_are_the_fields_in_which_the_local_stage_leaves_something_out() -> None:
    local, cloud = local_stage(), cloud_stage("local", "us-east-1", "000000000000")
    differing = {
        each.name for each in fields(StageConfig) if getattr(local, each.name) != getattr(cloud, each.name)
    }
    assert set(STAGE_FLAGS) == differing - OF_SIZE


@pytest.mark.parametrize("flag", GAPS)
def test_every_gap_names_steps_that_ask_for_it_and_an_existing_test(flag: str) -> None:
    gap = GAPS[flag]
    assert (ROOT / gap.tested_by).exists()
    for name in gap.steps:
        (source,) = (ROOT / "tests/smoke/steps").glob(f"s{numbered(name):02d}_*.py")
        assert re.search(rf'can_show\(\s*"{flag}"', source.read_text())


def test_document_lists_the_same_flags() -> None:
    text = (ROOT / "docs/design/deviations.md").read_text()
    shown = {}
    for line in text.splitlines():
        if found := re.match(r"\| `(\w+)(?:=[^`]*)?` \|.*\| `([^`]+)` \| ([S0-9, ]+) \|$", line):
            shown[found[1]] = (found[2], tuple(found[3].split(", ")))
    assert shown == {flag: (gap.tested_by, gap.steps) for flag, gap in GAPS.items()}
    assert not set(STAGE_FLAGS) & set(BEHAVIOURS)


def test_every_row_of_a_difference_names_an_existing_step() -> None:
    lines = (ROOT / "docs/design/deviations.md").read_text().splitlines()
    begin = lines.index("| behaviour | AWS | moto | ministack | DynamoDB Local | shown by |") + 2
    rows = list(_rows(lines[begin:]))
    assert rows
    for row in rows:
        steps = row.rpartition("|")[0].rpartition("|")[2].strip().split(", ")
        assert set(steps) <= set(BY_NAME), row


def _rows(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("|"):
            return
        yield line


def test_walk_calls_every_operation_of_the_api() -> None:
    document = json.loads((ROOT / "docs/openapi.json").read_text())
    operations = {
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method in ("get", "post", "put", "patch", "delete")
    }
    assert {call.operation for call in calls("https://example.com", "opened")} == operations


def test_probe_fits_an_inline_template_and_refers_to_its_own_parts() -> None:
    made = template()
    assert len(json.dumps(made)) < 51_200
    assert set(_references(made)) <= set(made["Resources"]) | set(made["Parameters"]) | {"AWS::StackName"}
    for name, part in made["Resources"].items():
        if part["Type"] == "AWS::Lambda::Function":
            compile(part["Properties"]["Code"]["ZipFile"], name, "exec")


def _references(part: Any) -> Iterator[str]:
    match part:
        case {"Ref": str(name)}:
            yield name
        case {"Fn::GetAtt": [name, _]}:
            yield name
        case dict():
            for each in part.values():
                yield from _references(each)
        case list():
            for each in part:
                yield from _references(each)


class Nowhere:
    """A target without anything behind it."""

    emulated = True
    account = "000000000000"
    stage = local_stage()

    def outputs(self) -> dict[str, str]:
        raise SmokeError("nothing is deployed")


def steps_of(*acts: tuple[str, Any]) -> list[Step]:
    return [
        Step(name=name, title=name, passes_if="so", minutes=1, dollars=0, on_target=act) for name, act in acts
    ]


def run(steps: list[Step], minutes: float = 1) -> dict[str, Findings]:
    found = Run(Nowhere(), steps, Size(), minutes=minutes, say=lambda _: None).execute()  # type: ignore[arg-type]
    return {each.step: each for each in found}


def passing(_target: Any, findings: Findings) -> None:
    findings.check("fine", True)


def failing(_target: Any, findings: Findings) -> None:
    findings.check("fine", False, "seen")


def raising(_target: Any, findings: Findings) -> None:
    raise ValueError("broken")


def test_failed_deployment_is_torn_down_and_no_other_step_runs() -> None:
    found = run(steps_of(("S0", passing), ("S1", raising), ("S3", passing), ("S13", passing)))
    assert {name: each.verdict for name, each in found.items()} == {
        "S0": Verdict.PASSED,
        "S1": Verdict.FAILED,
        "S3": Verdict.NOT_RUN,
        "S13": Verdict.PASSED,
    }
    assert "broken" in found["S1"].failed[0]


def test_stage_that_was_not_deployed_is_not_torn_down() -> None:
    found = run(steps_of(("S0", failing), ("S1", passing), ("S13", passing)))
    assert [each.verdict for each in found.values()] == [Verdict.FAILED, Verdict.NOT_RUN, Verdict.NOT_RUN]


def test_teardown_runs_after_the_bound_of_time_and_other_steps_do_not() -> None:
    def late(target: Any, findings: Findings) -> None:
        findings.check("deployed", True)
        running._ends = 0.0

    steps = steps_of(("S1", late), ("S3", passing), ("S13", passing))
    running = Run(Nowhere(), steps, Size(), minutes=1, say=lambda _: None)  # type: ignore[arg-type]
    verdicts = {each.step: each.verdict for each in running.execute()}
    assert verdicts == {"S1": Verdict.PASSED, "S3": Verdict.NOT_RUN, "S13": Verdict.PASSED}


def test_teardown_runs_after_an_interruption() -> None:
    torn: list[bool] = []

    def interrupted(_target: Any, findings: Findings) -> None:
        raise KeyboardInterrupt

    def teardown(_target: Any, findings: Findings) -> None:
        torn.append(True)

    with pytest.raises(KeyboardInterrupt):
        run(steps_of(("S1", interrupted), ("S13", teardown)))
    assert torn == [True]


def test_step_that_shows_nothing_here_passes_no_judgement() -> None:
    findings = Findings("S9", emulated=True)
    assert not findings.can_show("throttling", "alarm fires")
    assert findings.verdict is Verdict.NOT_SHOWN
    assert Findings("S9", emulated=False).can_show("throttling", "alarm fires")
    with pytest.raises(ValueError, match="no gap of S9"):
        findings.can_show("drift", "x")


def test_report_has_verdicts_failures_and_reasons() -> None:
    findings = Findings("S9", emulated=True)
    findings.check("a message arrives", False, "nothing")
    findings.can_show("throttling", "a throttle fires")
    text = "\n".join(as_text(findings))
    assert "S9  FAILED  alarms" in text
    assert "failed: a message arrives: nothing" in text
    assert "not shown: a throttle fires (throttling: the emulator throttles no request)" in text
    document = json.loads(as_json("local", "000000000000", "us-east-1", [findings]))
    assert document["steps"][0]["verdict"] == "failed"
    assert document["computed_dollars"] == 0
    assert summary([findings]) == "1 failed"
