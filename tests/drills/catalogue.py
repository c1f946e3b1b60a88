"""All drills, by name."""

from tests.drills.exercises import (
    bad_deployment,
    dead_messages,
    destination_down,
    leaked_key,
    noisy_tenant,
    stopped_lanes,
    ticks_stopped,
)

DRILLS = {
    drill.name: drill
    for drill in (
        ticks_stopped.DRILL,
        dead_messages.DRILL,
        destination_down.DRILL,
        noisy_tenant.DRILL,
        bad_deployment.DRILL,
        stopped_lanes.STOP,
        stopped_lanes.DRAIN,
        leaked_key.DRILL,
    )
}
