"""A tenant's own settings."""

from functions.api.examples import Examples

SETTINGS_PATCH: Examples = {
    "failure_notifications": {"on_failure": "https://example.com/hooks/failures"},
    "alerts": {"alerts": {"url": "https://example.com/hooks/alerts", "events": ["failed", "skipped"]}},
    "to_a_channel": {
        "alerts": {
            "url": "https://hooks.slack.com/services/T0/B0/X0",
            "events": ["failed", "recovered"],
            "format": "slack",
        }
    },
    "none": {"on_success": None, "on_failure": None, "alerts": None},
}
SETTINGS_OUT: Examples = {
    "alerts": {
        "on_success": None,
        "on_failure": None,
        "alerts": {
            "url": "https://example.com/hooks/alerts",
            "events": ["failed", "skipped"],
            "late_after_seconds": None,
            "format": "json",
        },
    }
}
