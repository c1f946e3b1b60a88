"""Reports each message as failed at its first receive, after it has made the message visible again in five seconds."""

import os
import time

SECONDS = 5


def handler(event, context):
    import boto3  # of Lambda's runtime

    sqs, dynamodb, failed = boto3.client("sqs"), boto3.client("dynamodb"), []
    for record in event["Records"]:
        receives = record["attributes"]["ApproximateReceiveCount"]
        dynamodb.put_item(
            TableName=os.environ["CALLS"],
            Item={
                "id": {"S": f"{record['messageId']}#{receives}"},
                "path": {"S": f"/partial/{record['body']}"},
                "at": {"N": str(time.time_ns() // 1_000_000)},
                "headers": {"S": "{}"},
                "body": {"S": receives},
                "encoded": {"BOOL": False},
            },
        )
        if receives == "1":
            sqs.change_message_visibility(
                QueueUrl=os.environ["QUEUE"], ReceiptHandle=record["receiptHandle"], VisibilityTimeout=SECONDS
            )
            failed.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failed}
