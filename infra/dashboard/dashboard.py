from collections.abc import Sequence

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from infra.components.alarms import Alarms
from infra.components.resource_alarms import MonitoredResources
from infra.config import StageConfig
from infra.dashboard.contributors import Contributors
from infra.dashboard.cost import cost
from infra.dashboard.hot import hot
from infra.dashboard.hurt import hurt
from infra.dashboard.in_time import in_time
from infra.dashboard.lost import lost
from infra.dashboard.section import WIDTH, Section
from infra.dashboard.sources import Sources

ALARMS_HEIGHT = 5
START = "-PT3H"


def add_dashboard(
    scope: Construct,
    stage: StageConfig,
    resources: MonitoredResources,
    alarms: Alarms,
    contributors: Contributors | None,
) -> None:
    """Declare the dashboard; its name includes the region, because dashboards are global to an account."""
    dashboard = cloudwatch.Dashboard(
        scope,
        "Dashboard",
        dashboard_name=f"{stage.prefix}-{stage.region}",
        start=START,
        # Thresholds are those of a minute: sums of longer periods would be compared with them.
        period_override=cloudwatch.PeriodOverride.INHERIT,
    )
    dashboard.add_widgets(
        cloudwatch.AlarmStatusWidget(
            title="Alarms", alarms=list(alarms.alarms), width=WIDTH, height=ALARMS_HEIGHT
        )
    )
    sources = Sources(stage=stage, resources=resources, specs=alarms.specs)
    for number, section in enumerate(_sections(sources, contributors), 1):
        for row in section.rows(number):
            dashboard.add_widgets(*row)


def _sections(sources: Sources, contributors: Contributors | None) -> Sequence[Section]:
    failures = [] if contributors is None else [contributors.failures]
    creators = [] if contributors is None else [contributors.creators]
    return (in_time(sources), lost(sources), hurt(sources, failures), hot(sources, creators), cost(sources))
