"""What counts as left behind by a teardown."""

import pytest

from tests.smoke.judge.leftovers import leftovers

KEY = "arn:aws:kms:us-east-1:111111111111:key/k"
TABLE = "arn:aws:dynamodb:us-east-1:111111111111:table/t"


def test_leftovers_of_an_empty_list_are_none() -> None:
    assert leftovers([], {}) == []


@pytest.mark.parametrize("state", ["Enabled", "Disabled", None])
def test_key_that_is_not_to_be_deleted_is_left(state: str | None) -> None:
    assert leftovers([KEY, TABLE], {} if state is None else {KEY: state}) == [TABLE, KEY]


def test_key_whose_deletion_is_scheduled_is_gone() -> None:
    assert leftovers([KEY], {KEY: "PendingDeletion"}) == []


def test_sources_of_deleted_functions_are_no_leftovers() -> None:
    arns = [
        "arn:aws:lambda:us-east-1:111111111111:event-source-mapping:u",
        "arn:aws:codedeploy:us-east-1:111111111111:application:a",
    ]
    assert leftovers(arns, {}) == []
    function = "arn:aws:lambda:us-east-1:111111111111:function:f"
    assert leftovers([function], {}) == [function]
