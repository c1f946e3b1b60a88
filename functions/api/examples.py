"""Names that the examples of several resources share. Tests check every example against its schema.

All examples belong to one story: the tenant `acme` on 19 February 2025 at 21:10:12.345 UTC. No key or secret
in them is valid anywhere.
"""

from typing import Any

Examples = dict[str, Any]
"""Examples by name. The OpenAPI document shows the name as the example's summary."""
NOW = "2025-02-19T21:10:12.345Z"
JOB_ID = "job_r001jmg0r03szjym089eyz6ab9d1"
ONE_OFF_ID = "job_1001jmg1w7y0000hx7qhqjraxa8fkgy"
TRIGGERED_ID = "exe_1001jmg0r03s0009xjjb7t357kf8p8b"
CURSOR = "eh1QBo1yMQT3c4PBZQGuuGYfKF_HMidmuvRAZnGRnqr4vr_5rZroa1"
