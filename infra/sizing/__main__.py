"""`python -m infra.sizing`: what a deployment needs for its traffic, and what it costs."""

import argparse
import json
import sys

from infra.sizing.cost import Cost
from infra.sizing.plan import plan_for
from infra.sizing.prices import DEFAULT_REGION, prices_of
from infra.sizing.report import Report
from infra.sizing.traffic import Traffic, parse_bytes, parse_seconds

USUAL = Traffic(jobs_per_second=1)


def main(arguments: list[str]) -> int:
    """Print the plan; 2 and a message for input that no deployment could have."""
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    region, as_json = options.pop("region"), options.pop("json")
    try:
        options["body_bytes"] = parse_bytes(options.pop("body"))
        options["every_seconds"] = parse_seconds(options.pop("every"))
        traffic = Traffic(**options)
        plan = plan_for(traffic, region)
        cost = Cost(traffic, plan.stage, prices_of(region))
    except ValueError as error:
        parser.error(str(error))
    report = Report(plan, cost, region)
    sys.stdout.write(json.dumps(report.json(), indent=2) + "\n" if as_json else report.text())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m infra.sizing",
        description="Print the configuration, the quotas and the monthly cost of a deployment.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--jobs-per-second", type=float, required=True, help="executions of all kinds, mean of a month")
    add("--burst", type=int, default=USUAL.burst, help="jobs that are due at one instant, beside that rate")
    add("--tenants", type=int, default=USUAL.tenants, help="tenants that have jobs")
    add("--body", default=f"{USUAL.body_bytes}B", help="size of a request's body, such as 70B, 2kB or 100KB")
    add("--recurring", type=int, default=USUAL.recurring, help="recurring jobs; their runs count in the rate")
    add("--every", default="1h", help="interval of the recurring jobs, such as 1m or 1d")
    add("--jobs-per-request", type=float, default=USUAL.jobs_per_request, help="above 1 in batches")
    add("--keyed", type=float, default=USUAL.keyed, help="share of requests with an Idempotency-Key")
    add("--due-soon", type=float, default=USUAL.due_soon, help="share of one-off jobs due within two minutes")
    add("--callback-ms", type=float, default=USUAL.callback_ms, help="mean duration of a call")
    add(
        "--jobs-per-batch",
        type=float,
        default=USUAL.jobs_per_batch,
        help="1 in thin traffic, 10 in full batches",
    )
    add("--region", default=DEFAULT_REGION, help="the region whose prices are used")
    add("--json", action="store_true", help="print the same as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
