"""The evaluator of alarms agrees with the examples that AWS documents."""

import pytest

from tests.support.cloudwatch import ALARM, OK, Summary, calculate, passes, state_of, statistic

_BREACHES = {"0": False, "X": True, "-": None}


@pytest.mark.parametrize(
    ("points", "least", "if_breaching", "if_not_breaching"),
    [
        ("0 - X - X", 3, OK, OK),
        ("0 - - - -", 3, OK, OK),
        ("- - - - -", 3, ALARM, OK),
        ("0 X X - X", 3, ALARM, ALARM),
        ("- - X - -", 3, ALARM, OK),
        ("- - - - X", 3, ALARM, OK),
        ("X - - - -", 3, ALARM, OK),
        ("0 - X - X", 2, ALARM, ALARM),
        ("0 0 X 0 X", 2, ALARM, ALARM),
        ("0 - X - -", 2, ALARM, OK),
        ("- - - - 0", 2, ALARM, OK),
        ("- - - X -", 2, ALARM, OK),
        ("- - - - X", 2, ALARM, OK),
    ],
)
def test_missing_data_counts_as_in_the_tables_of_aws(
    points: str, least: int, if_breaching: str, if_not_breaching: str
) -> None:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html: the tables of
    "How alarm state is evaluated when data is missing", where three data points are evaluated."""
    breaches = [_BREACHES[point] for point in points.split()]
    assert state_of(breaches, least, 3, "breaching") == if_breaching
    assert state_of(breaches, least, 3, "notBreaching") == if_not_breaching


def test_three_breaching_points_in_a_row_alarm_and_one_below_the_threshold_ends_it() -> None:
    """The figure of https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html: the
    threshold of three units is exceeded in the periods 3 to 5, and again in period 9."""
    units = [2, 2, 4, 5, 5, 2, 2, 2, 4]
    states = [state_of([unit > 3 for unit in units[:end]], 3, 3, "notBreaching") for end in range(3, 10)]
    assert states == [OK, OK, ALARM, OK, OK, OK, OK]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [("Sum", [1, 2], 3), ("Maximum", [1, 2], 2), ("SampleCount", [0, 0], 2), ("Sum", [], None)],
)
def test_statistics_of_a_period(name: str, values: list[float], expected: float | None) -> None:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html"""
    assert statistic(name, [Summary.of(values)]) == expected
    assert statistic(name, [None, *(Summary.of([value]) for value in values)]) == expected


@pytest.mark.parametrize(
    ("errors", "events", "expected"),
    [(5, 50, 10), (4, 4, 0), (0, 0, 0), (None, 50, 0), (5, None, None), (5, 0, None)],
)
def test_metric_math_has_a_value_where_its_operands_have(
    errors: float | None, events: float | None, expected: float | None
) -> None:
    """`IF`, `FILL` and operators: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html"""
    values = {"errors": errors, "events": events}
    assert calculate("IF(FILL(errors, 0) >= 5, 100 * errors / events, 0)", values) == expected
    if errors is None:
        assert calculate("100 * errors / events", values) is None


def test_an_expression_with_an_unknown_function_is_refused() -> None:
    with pytest.raises(AssertionError, match="RATE"):
        calculate("RATE(m1)", {"m1": 1})


@pytest.mark.parametrize(("source", "passes_or"), [("customers", True), ("dynamo", True), ("another", False)])
def test_filter_policy_with_or_passes_what_one_of_its_patterns_matches(source: str, passes_or: bool) -> None:
    """https://docs.aws.amazon.com/sns/latest/dg/and-or-logic.html"""
    policy = {"$or": [{"source": ["customers", "orders"]}, {"kind": ["table"], "source": ["dynamo"]}]}
    assert passes(policy, {"source": source, "kind": "table"}) is passes_or
