"""Keys of imported jobs: the API takes them, and no two jobs of a source have the same."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from functions.api.resources.jobs.keyed_models import KeyedJobIn
from punctual.applyfile import read_apply_file
from punctual.importers.job import SourceJob, without_repeats
from punctual.importers.targets import job_key
from shared.domain.jobs.job_key import is_key

GOLDEN = Path(__file__).parent / "golden"
LONGEST_SET = "s" * 64
names = st.one_of(
    st.text(max_size=8), st.text("aA0._:-/ ", max_size=5), st.text("ab/", min_size=55, max_size=200)
)


@given(names)
@example("")
@example("/")
@example("\ud800")
def test_every_name_becomes_a_key_of_every_set(name: str) -> None:
    assert is_key(f"{LONGEST_SET}.{job_key(name)}")


@given(names, names)
@example("a/b", "a:b")
@example("a b", "a-b")
@example("x" * 200, "x" * 201)
@example("-a", "a")
def test_different_names_have_different_keys(one: str, other: str) -> None:
    assert (job_key(one) == job_key(other)) == (one == other)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("billing/nightly", "billing:nightly"),
        ("Nightly.report_2", "Nightly.report_2"),
        ("a b", r"a-b-[0-9a-f]{8}"),
        ("ä", r"job-[0-9a-f]{8}"),
        ("x" * 80, r"x{51}-[0-9a-f]{8}"),
    ],
)
def test_keys_can_be_recognized(name: str, key: str) -> None:
    assert re.fullmatch(key, job_key(name))


def test_job_whose_key_another_one_has_is_reported() -> None:
    jobs = [SourceJob("a", "first", {}), SourceJob("a", "second", {})]
    first, second = without_repeats(jobs, "name")
    assert (first.misfit, second.key, second.misfit) == (
        None,
        "a-2",
        "an earlier job of the files has the same name",
    )


@pytest.mark.parametrize("source", ["eventbridge", "qstash", "crontab", "k8s"])
def test_models_of_the_api_take_the_golden_files(source: str) -> None:
    file = read_apply_file((GOLDEN / f"{source}.apply.yaml").read_bytes())
    assert file.jobs
    for job in file.jobs:
        assert is_key(file.key_of(job))
        body = {**job.body(dict.fromkeys(job.sources(), "value")), "set": file.set}
        made = KeyedJobIn.model_validate(json.loads(json.dumps(body)))
        assert made.new_job().set_name == source
