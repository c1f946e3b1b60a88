"""Make the calls of a batch: claim, call and outcome of each message, in threads."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import urllib3

from tests.bench.baselines.table import Plain

BATCH = 10


class Executor:
    """Ten threads and kept-alive connections for the life of the process."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain
        self._threads = ThreadPoolExecutor(BATCH)
        self._http = urllib3.PoolManager(maxsize=BATCH, retries=False)

    def run(self, pk: str, sks: list[str]) -> None:
        """One write for the claim and one for the outcome of each job."""
        for outcome in self._threads.map(lambda sk: self._run_one(pk, sk), sks):
            assert outcome == 200

    def run_batched(self, pk: str, sks: list[str]) -> None:
        """One request for all claims and one for all outcomes: the best that DynamoDB allows."""
        claims = "SET \"state\"='running' SET attempts=attempts+1 WHERE pk=? AND sk=? AND \"state\"='pending'"
        returned = self._statements(claims, pk, sks, " RETURNING ALL NEW *")
        for status in self._threads.map(lambda response: self._call(response["Item"]), returned):
            assert status == 200
        self._statements("SET \"state\"='done' SET code=200 WHERE pk=? AND sk=?", pk, sks, "")

    def _run_one(self, pk: str, sk: str) -> int:
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        claimed = self._plain.dynamodb.update_item(
            TableName=self._plain.table,
            Key=key,
            UpdateExpression="SET #s = :running, attempts = attempts + :one",
            ConditionExpression="#s = :pending",
            ExpressionAttributeNames={"#s": "state"},
            ExpressionAttributeValues={
                ":running": {"S": "running"},
                ":pending": {"S": "pending"},
                ":one": {"N": "1"},
            },
            ReturnValues="ALL_NEW",
        )
        status = self._call(claimed["Attributes"])
        self._plain.dynamodb.update_item(
            TableName=self._plain.table,
            Key=key,
            UpdateExpression="SET #s = :done, code = :code",
            ExpressionAttributeNames={"#s": "state"},
            ExpressionAttributeValues={":done": {"S": "done"}, ":code": {"N": str(status)}},
        )
        return status

    def _call(self, item: dict[str, Any]) -> int:
        response = self._http.request(item["method"]["S"], item["url"]["S"], body=item["body"]["B"])
        return response.status

    def _statements(self, change: str, pk: str, sks: list[str], tail: str) -> list[dict[str, Any]]:
        answer = self._plain.dynamodb.batch_execute_statement(
            Statements=[
                {
                    "Statement": f'UPDATE "{self._plain.table}" {change}{tail}',
                    "Parameters": [{"S": pk}, {"S": sk}],
                }
                for sk in sks
            ]
        )
        responses: list[dict[str, Any]] = answer["Responses"]
        assert not any("Error" in response for response in responses), responses
        return responses
