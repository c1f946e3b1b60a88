"""Writing of apply files: the text is read back as the same jobs, in a fixed order, and comments change nothing."""

import json
import re
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from punctual.applyfile import (
    Job,
    Section,
    Workflow,
    read_apply_file,
    variable_name,
    variable_names,
    write_apply_file,
)

texts = st.text(max_size=30).filter(lambda text: text.encode(errors="ignore").decode() == text)
odd = st.sampled_from(
    [
        "yes",
        "off",
        "010",
        "1_000",
        "12:30:45",
        "2030-01-01",
        "~",
        "null",
        "0x1f",
        "1e5",
        "<<",
        "- a",
        "#x",
        "\x85",
        "a\u2028 b\r\n",
        "a\u202eb",
        "\ufeff: \u200b",
    ]
)
numbers = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | texts | odd,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | odd, inner, max_size=4),
    max_leaves=12,
)
keys = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,20}", fullmatch=True)


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(keys, st.tuples(values, texts, st.booleans()), max_size=4), st.lists(texts, max_size=2)
)
def test_written_file_is_read_back_as_its_live_jobs(
    jobs: dict[str, tuple[Any, str, bool]], comments: list[str]
) -> None:
    sections = [
        Section(
            Job(key, {"cron": "@daily", "url": "https://example.com/", "json": value}),
            (comment,),
            is_left_out=left_out,
        )
        for key, (value, comment, left_out) in jobs.items()
    ]
    text = write_apply_file("s", sections, comments=comments)
    file = read_apply_file(text.encode())
    live = {key: value for key, (value, _, left_out) in jobs.items() if not left_out}
    assert [job.key for job in file.jobs] == list(live)
    assert json.dumps([job.members["json"] for job in file.jobs]) == json.dumps(list(live.values()))


task_keys = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,20}", fullmatch=True)


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(keys, st.dictionaries(task_keys, values, min_size=1, max_size=3), max_size=3),
    st.booleans(),
)
def test_written_workflows_are_read_back_beside_jobs_and_alone(
    workflows: dict[str, dict[str, Any]], has_job: bool
) -> None:
    call = {"url": "https://example.com/"}
    written = [
        Workflow(
            key,
            {"on_failure": "continue"},
            {each: Job(each, {**call, "json": value}) for each, value in tasks.items()},
        )
        for key, tasks in workflows.items()
    ]
    sections = [Section(Job("j", {"cron": "@daily", **call}))] if has_job else []
    file = read_apply_file(write_apply_file("s", sections, workflows=written).encode())
    assert len(file.jobs) == has_job
    found = {
        each.key: {key: task.members["json"] for key, task in each.tasks.items()} for each in file.workflows
    }
    assert json.dumps(found) == json.dumps(workflows)
    assert all(each.members == {"on_failure": "continue"} for each in file.workflows)


def test_members_have_a_fixed_order_and_comments_stand_above_their_job() -> None:
    members = {"url": "https://example.com/", "retry": {"max_attempts": 2}, "cron": "0 9 * * *", "name": "n"}
    text = write_apply_file(
        "billing",
        [
            Section(Job("a", members), ("first\nsecond\x1b[31m",)),
            Section(Job("b", members), ("left out",), is_left_out=True),
            Section(None, ("c: no job",)),
        ],
        comments=["head"],
    )
    assert text == (
        "# head\n"
        "set: billing\n"
        "jobs:\n"
        "  # first\n"
        "  # second?[31m\n"
        "  a:\n"
        "    name: n\n"
        "    cron: 0 9 * * *\n"
        "    url: https://example.com/\n"
        "    retry:\n"
        "      max_attempts: 2\n"
        "  # left out\n"
        "  # b:\n"
        "  #   name: n\n"
        "  #   cron: 0 9 * * *\n"
        "  #   url: https://example.com/\n"
        "  #   retry:\n"
        "  #     max_attempts: 2\n"
        "  # c: no job\n"
    )
    assert [job.key for job in read_apply_file(text.encode()).jobs] == ["a"]


def test_marks_of_direction_are_visible() -> None:
    job = Job("a", {"url": "https://example.com/", "cron": "@daily", "body": "gpj\u202egnp.exe"})
    text = write_apply_file("s", [Section(job)])
    assert '    body: "gpj\\u202egnp.exe"\n' in text
    assert read_apply_file(text.encode()).jobs[0].members["body"] == "gpj\u202egnp.exe"


def test_names_of_variables_are_ones_that_a_file_may_have() -> None:
    assert variable_name("billing.nightly", "X-Token") == "BILLING_NIGHTLY_X_TOKEN"
    assert variable_name("1st", "body") == "JOB_1ST_BODY"
    assert len(variable_name("k" * 128, "h" * 300)) == 200


_TEXTS = st.text(st.sampled_from("aB1._-:\u00e9"), min_size=1, max_size=4)
_PARTS = st.tuples(_TEXTS, _TEXTS)


@given(st.lists(_PARTS, max_size=12), st.randoms())
def test_every_part_has_a_variable_of_its_own_whatever_the_order(
    parts: list[tuple[str, str]], random: Random
) -> None:
    names = variable_names(parts)
    assert len(set(names.values())) == len(set(parts))
    random.shuffle(parts)
    assert variable_names(parts) == names
    assert all(re.fullmatch("[A-Z_][A-Z0-9_]{0,199}", name) for name in names.values())


@given(st.lists(_PARTS, min_size=1, max_size=12), _PARTS)
def test_no_part_takes_over_the_variable_of_another(
    parts: list[tuple[str, str]], more: tuple[str, str]
) -> None:
    before, after = variable_names(parts), variable_names([more, *parts])
    taken = {name for part, name in after.items() if part not in before or before[part] != name}
    assert not taken & set(before.values())


def test_part_without_a_rival_keeps_the_plain_name() -> None:
    parts = [("a.b", "t"), ("a-b", "t"), ("c", "t")]
    names = variable_names(parts)
    assert names["c", "t"] == "C_T"
    assert names["a.b", "t"] != names["a-b", "t"]
    assert {name.split("__")[0] for name in names.values()} == {"A_B_T", "C_T"}


def test_digest_of_a_long_name_stays_within_the_length() -> None:
    names = variable_names([("k" * 128, "h" * 300), ("K" * 128, "h" * 300)])
    assert sorted(map(len, names.values())) == [200, 200]
    assert len(set(names.values())) == 2
