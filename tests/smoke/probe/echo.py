"""Shows what a gateway makes of a request: the event without what differs each time."""

import hashlib
import json

FIELDS = ("rawPath", "rawQueryString", "queryStringParameters", "cookies", "isBase64Encoded")


def handler(event, context):
    body = event.get("body") or ""
    shown = {name: event.get(name) for name in FIELDS}
    shown["method"] = event["requestContext"]["http"]["method"]
    own = {name: value for name, value in event.get("headers", {}).items() if name.startswith("x-smoke")}
    shown["headers"] = own
    shown["body"] = [len(body), hashlib.sha256(body.encode()).hexdigest()[:16]]
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(shown)}
