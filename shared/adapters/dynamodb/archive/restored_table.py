"""Which table another one was restored from."""

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.codec.errors import translated
from shared.domain.errors import InvalidValueError, RequestRejectedError


def check_restored(client: AwsClient, table: str, source: str) -> None:
    """InvalidValueError unless `table` is ready, and was restored from the table `source` of the same account."""
    try:
        with translated():
            found = client.describe_table(TableName=table)["Table"]
    except RequestRejectedError as error:
        raise InvalidValueError(
            f"--table: there is no table {table} that these credentials may read"
        ) from error
    own_arn = str(found["TableArn"]).rpartition("/")[0] + f"/{source}"
    if found.get("RestoreSummary", {}).get("SourceTableArn") != own_arn:
        raise InvalidValueError(
            f"--table: {table} was not restored from {source}: name a table that point-in-time recovery has made of it"
        )
    if found["TableStatus"] != "ACTIVE":
        raise InvalidValueError(f"--table: {table} is not there yet: wait until its status is ACTIVE")
