"""Runs of the auditor in which it is hit."""

from tests.crashes.scenario import Catalogue
from tests.crashes.stage import Stage

auditor = Catalogue("auditor", delay_seconds=0)
HOUR_SECONDS = 3_600
CLOSED_SECONDS = 310
"""After the end of an hour, its records are exported."""
CHANGES = 3


def _record_changes(stage: Stage) -> None:
    """Changes of the tenant's settings, all in one hour."""
    if stage.clock.now_ms() % (HOUR_SECONDS * 1000) > (HOUR_SECONDS - 60) * 1000:
        stage.run(120)
    stage.exported_records.expect_present_hour()
    for number in range(CHANGES):
        url = f"https://receiver.example/{number}"
        stage.request("PATCH", "/v1/settings", {"on_failure": url})
    stage.request("PATCH", "/v1/settings", {"on_failure": None})


@auditor("Query", "GetItem", "GetObject", "PutObject", "UpdateItem")
def exports_an_hour(stage: Stage) -> None:
    _record_changes(stage)
    stage.wait(HOUR_SECONDS - stage.clock.now_ms() / 1000 % HOUR_SECONDS + CLOSED_SECONDS)
    stage.mark("auditor")
    stage.audit()
