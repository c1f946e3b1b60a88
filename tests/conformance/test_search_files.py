"""SearchFiles: each tenant, search and number has a file of its own, and a deletion leaves no version of any."""

from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from shared.adapters.s3.search_files import S3SearchFiles
from shared.domain.errors import RequestRejectedError, UnavailableError
from shared.ports.searches import SearchFiles
from tests.support.builders import TENANT, search_task
from tests.support.conformance.interference import answering, failure

SEARCH, OTHER = search_task().id, search_task(2).id
KEY = f"searches/{TENANT}/{SEARCH}/00000004.ndjson.gz"


def test_file_is_read_as_it_was_put_under_its_own_name(search_files: SearchFiles) -> None:
    search_files.put(TENANT, SEARCH, 4, b"four")
    search_files.put(TENANT, SEARCH, 5, b"five")
    search_files.put(TENANT, OTHER, 4, b"other")
    search_files.put("globex", SEARCH, 4, b"theirs")
    assert search_files.get(TENANT, SEARCH, 4) == b"four"
    assert search_files.get(TENANT, SEARCH, 5) == b"five"
    assert search_files.get(TENANT, OTHER, 4) == b"other"
    assert search_files.get("globex", SEARCH, 4) == b"theirs"
    assert search_files.get(TENANT, SEARCH, 6) is None


def test_deletion_takes_all_files_of_a_tenant_and_none_of_others(search_files: SearchFiles) -> None:
    for number in range(5):
        search_files.put(TENANT, SEARCH, number, b"x")
    for other in (f"{TENANT}-2", TENANT[:-1]):
        search_files.put(other, SEARCH, 1, b"theirs")
    deleted = []
    while count := search_files.delete_some(TENANT):
        deleted.append(count)
    assert sum(deleted) == 5
    assert [search_files.get(TENANT, SEARCH, number) for number in range(5)] == [None] * 5
    assert search_files.get(f"{TENANT}-2", SEARCH, 1) == search_files.get(TENANT[:-1], SEARCH, 1) == b"theirs"


def test_no_version_outlives_a_deletion(
    s3_search_files: S3SearchFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.adapters.s3.search_files.PAGE", 2)
    client, bucket = s3_search_files._client, s3_search_files._bucket
    for content in (b"first", b"second"):
        s3_search_files.put(TENANT, SEARCH, 4, content)
    client.delete_object(Bucket=bucket, Key=KEY)
    assert [s3_search_files.delete_some(TENANT) for _ in range(3)] == [2, 1, 0]
    left = client.list_object_versions(Bucket=bucket)
    assert not left.get("Versions") and not left.get("DeleteMarkers")


def test_url_reads_one_file_for_some_time(s3_search_files: S3SearchFiles) -> None:
    url = s3_search_files.url(TENANT, SEARCH, 4, seconds=900)
    parts, query = urlsplit(url), parse_qs(urlsplit(url).query)
    assert parts.path.endswith(KEY)
    assert query["X-Amz-Expires"] == ["900"]
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert query["response-content-disposition"] == [f'attachment; filename="{SEARCH}-4.ndjson.gz"']
    if parts.hostname == "127.0.0.1":
        s3_search_files.put(TENANT, SEARCH, 4, b"four")
        with urlopen(url) as response:
            assert response.read() == b"four"
            assert response.headers["Content-Type"] == "application/gzip"


@pytest.mark.parametrize(
    ("code", "error"), [("SlowDown", UnavailableError), ("AccessDenied", RequestRejectedError)]
)
def test_refusal_names_the_action(s3_search_files: S3SearchFiles, code: str, error: type[Exception]) -> None:
    client = s3_search_files._client
    with answering(client, "PutObject", failure(code)), pytest.raises(error, match=r"^s3:PutObject of"):
        s3_search_files.put(TENANT, SEARCH, 4, b"x")
    with answering(client, "GetObject", failure(code)), pytest.raises(error, match=r"^s3:GetObject of"):
        s3_search_files.get(TENANT, SEARCH, 4)
    with (
        answering(client, "ListObjectVersions", failure(code)),
        pytest.raises(error, match=r"^s3:ListObjectVersions of"),
    ):
        s3_search_files.delete_some(TENANT)


def test_file_that_could_not_be_deleted_is_no_success(s3_search_files: S3SearchFiles) -> None:
    s3_search_files.put(TENANT, SEARCH, 4, b"x")
    answer = {"Errors": [{"Key": KEY, "Code": "InternalError"}]}
    with answering(s3_search_files._client, "DeleteObjects", answer), pytest.raises(UnavailableError):
        s3_search_files.delete_some(TENANT)
    assert s3_search_files.get(TENANT, SEARCH, 4) == b"x"
