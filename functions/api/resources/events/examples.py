"""Events of a tenant."""

from typing import Any

from functions.api.examples import NOW, Examples

_EVENT: dict[str, Any] = {
    "source": "shop",
    "type": "order.paid",
    "id": "order-4711-paid",
    "data": {"order": 4711, "amount": 129.5},
}
EVENT_IN: Examples = {
    "now": _EVENT,
    "later": {**_EVENT, "deliver_at": "2030-01-01T09:00:00Z"},
}
EVENT_OUT: Examples = {
    "one_match": {
        "source": "shop",
        "id": "order-4711-paid",
        "matches": [
            {
                "trigger": "large-orders",
                "job_id": "job_r001jmg0r03szjym089eyz6ab9d1",
                "outcome": "filed",
                "execution_id": "exe_1001jmg0r03s0009xjjb7t357kf8p8b",
                "due_at": NOW,
            }
        ],
    },
    "limited_triggers": {
        "source": "warehouse",
        "id": "stock-2",
        "matches": [
            {
                "trigger": "audit",
                "job_id": "job_r001jmg0r03szjym089eyz6ab9d1",
                "outcome": "throttled",
                "throttled_until": NOW,
            },
            {
                "trigger": "stock-changes",
                "job_id": "job_r001jmg0r03szjym089eyz6ab9d1",
                "outcome": "debounced",
                "execution_id": "exe_1001jmg0r03s0009xjjb7t357kf8p8b",
                "due_at": NOW,
            },
        ],
    },
    "no_match": {"source": "shop", "id": "order-4711-paid", "matches": []},
}
