"""Triggers of a tenant."""

from typing import Any

from functions.api.examples import NOW, Examples

_JOB = "job_r001jmg0r03szjym089eyz6ab9d1"
_IN: dict[str, Any] = {
    "pattern": {
        "source": ["shop"],
        "type": [{"prefix": "order."}],
        "data": {"amount": [{"numeric": [">=", 100]}]},
    },
    "job_id": _JOB,
    "delay_seconds": 60,
}
_BURST: dict[str, Any] = {
    "pattern": {"source": ["warehouse"]},
    "job_id": _JOB,
    "debounce_seconds": 30,
    "throttle": {"count": 10, "per_seconds": 3600},
}
_TRIGGER: dict[str, Any] = {"name": "large-orders", "version": 1, "changed_at": NOW, **_IN}
TRIGGER_IN: Examples = {
    "large_orders": _IN,
    "one_run_for_several_events": _BURST,
    "either_of_two": {
        "pattern": {"$or": [{"type": ["refund"]}, {"data": {"country": [{"anything-but": ["DE", "AT"]}]}}]},
        "job_id": _JOB,
    },
    "of_a_set": {"pattern": {"source": ["shop"]}, "job_id": _JOB, "set": "billing"},
}
TRIGGER_OUT: Examples = {
    "large_orders": _TRIGGER,
    "one_run_for_several_events": {
        "name": "stock-changes",
        "version": 3,
        "changed_at": NOW,
        **_BURST,
        "delay_seconds": 0,
        "debounce_max_seconds": 300,
    },
}
TRIGGERS_OUT: Examples = {"one": {"triggers": [_TRIGGER]}}
