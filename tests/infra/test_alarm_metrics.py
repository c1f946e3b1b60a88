"""Alarms read what the code emits: each metric by its name, the function that emits it, its dimensions and unit."""

import json

import pytest

from shared.names import METRICS_NAMESPACE, WHOLE_STAGE
from shared.observability import Metrics
from tests.infra.conftest import Synthesised, alarms_of
from tests.infra.known_metrics import EMITTERS, EXECUTORS
from tests.support.cloudwatch import Key, key_of, metrics_of


def _own_metrics(stacks: Synthesised) -> set[Key]:
    keys = {key_of(metric) for alarm in alarms_of(stacks).values() for metric in metrics_of(alarm)}
    return {key for key in keys if key[0] == METRICS_NAMESPACE}


def test_metric_of_an_alarm_is_emitted_by_the_function_whose_dimension_it_has(
    cloud: Synthesised,
) -> None:
    for _, name, dimensions in _own_metrics(cloud):
        packages = {package for package, emitted in EMITTERS if emitted == name}
        service = dict(dimensions).get("service")
        if service is None:
            assert name in WHOLE_STAGE, name
            assert packages, name
        else:
            package = "executor" if service in EXECUTORS else service.replace("-", "_")
            assert package in packages, f"{service} never emits {name}"


def test_metric_is_written_with_the_dimensions_that_its_alarm_reads(
    cloud: Synthesised, capsys: pytest.CaptureFixture[str]
) -> None:
    for namespace, name, dimensions in _own_metrics(cloud):
        metrics = Metrics(dict(dimensions).get("service", "executor-bulk"), cloud.stage.name)
        metrics.add_metric(name=name, value=1)
        metrics.flush_metrics()
        document = json.loads(capsys.readouterr().out)
        (part,) = document["_aws"]["CloudWatchMetrics"]
        assert part["Namespace"] == namespace
        assert [{each: document[each] for each in names} for names in part["Dimensions"]] == [
            dict(dimensions)
        ]


def test_alarms_take_every_unit_and_their_thresholds_are_in_the_unit_that_is_emitted(
    cloud: Synthesised,
) -> None:
    """An alarm with a unit sees no value of another unit, and no error says so."""
    for name, alarm in alarms_of(cloud).items():
        stats = [part["MetricStat"] for part in alarm.get("Metrics", []) if "MetricStat" in part]
        assert not any("Unit" in part for part in (alarm, *stats)), name
        for _, metric, _ in (key_of(part) for part in metrics_of(alarm)):
            units = {unit for (_, emitted), unit in EMITTERS.items() if emitted == metric}
            if units:
                suffix = "Seconds" if metric.endswith("Seconds") else "Count"
                assert units == {"Milliseconds" if metric.endswith("Ms") else suffix}, metric
