"""The receiver of the smoke suite: it answers as the path of a call says, and stores each call in a table.

`/status-503/until-3/sleep-20/NAME` answers with 503 before the third attempt and with 200 from then on, each time
after 20 seconds. This file is the whole code of a function, so it imports nothing of the project.
"""

import json
import os
import re
import time


def reply_of(path, attempt):
    """The status, and the seconds until the answer."""

    def number(name, default):
        found = re.search(f"/{name}-([0-9]+)", path)
        return int(found[1]) if found else default

    until = number("until", 0)
    return 200 if until and attempt >= until else number("status", 200), number("sleep", 0)


def handler(event, context):
    import boto3  # of Lambda's runtime

    about = event["requestContext"]
    headers = event.get("headers", {})
    boto3.client("dynamodb").put_item(
        TableName=os.environ["CALLS"],
        Item={
            "id": {"S": about["requestId"]},
            "path": {"S": event["rawPath"]},
            # The instant at which AWS accepted the request, before any start of this function.
            "at": {"N": str(about["timeEpoch"])},
            "headers": {"S": json.dumps(headers)},
            "body": {"S": event.get("body") or ""},
            "encoded": {"BOOL": bool(event.get("isBase64Encoded"))},
        },
    )
    status, seconds = reply_of(event["rawPath"], int(headers.get("x-attempt", "1")))
    time.sleep(seconds)
    return {"statusCode": status, "body": "ok"}
