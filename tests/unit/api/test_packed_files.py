"""Files are compressed once by a process, at their first request, and nothing else is kept compressed."""

import base64
import gzip
from collections.abc import Iterator
from typing import Any

import pytest

from functions.api.console.assets import assets
from functions.api.http.response import packed
from functions.api.reference.pages import PAGES
from tests.support.api.api_world import Answer, ApiWorld, Request

FILES = tuple(f"/console/{assets().digest}/{name}" for name in assets().by_name)


@pytest.fixture
def compressed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The size of each text that is compressed, in a process that has kept none."""
    sizes: list[int] = []
    compress = gzip.compress

    def counting(content: bytes, *level: int, **options: Any) -> bytes:
        sizes.append(len(content))
        return compress(content, *level, **options)

    monkeypatch.setattr(gzip, "compress", counting)
    packed.cache_clear()
    yield sizes
    packed.cache_clear()


def fetch(api: ApiWorld, path: str, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return api.handle(Request(method="GET", path=path, headers=sent))


def test_file_is_compressed_at_its_first_request_and_never_again(compressed: list[int]) -> None:
    api = ApiWorld()
    first = [fetch(api, path) for path in FILES]
    assert sorted(compressed) == sorted(len(each.text.encode()) for each in assets().by_name.values())
    again = [fetch(api, path, accept_encoding="gzip, br") for path in FILES for _ in range(3)]
    assert {each.text for each in again} == {each.text for each in first}
    assert len(compressed) == len(FILES)


def test_page_is_compressed_once_for_clients_that_take_it_and_not_at_all_for_others(
    compressed: list[int],
) -> None:
    api = ApiWorld()
    plain = fetch(api, "/console", accept_encoding="identity")
    assert compressed == []
    answers = [fetch(api, "/console", accept_encoding="gzip") for _ in range(3)]
    assert {each.headers["Content-Encoding"] for each in answers} == {"gzip"}
    assert compressed == [len(plain.text.encode())]


def test_client_that_knows_a_file_costs_no_compression(compressed: list[int]) -> None:
    api = ApiWorld()
    tag = fetch(api, FILES[0]).headers["ETag"]
    packed.cache_clear()
    compressed.clear()
    assert fetch(api, FILES[0], if_none_match=tag).status == 304
    assert compressed == []


def test_answers_with_data_are_not_kept(compressed: list[int]) -> None:
    api = ApiWorld()
    assert fetch(api, "/v1/jobs", accept_encoding="gzip", **api.credential).status == 200
    assert packed.cache_info().currsize == 0
    assert compressed == []


def test_process_keeps_every_file_and_a_bounded_number_of_them() -> None:
    most = packed.cache_info().maxsize
    assert most is not None
    assert len(PAGES) + len(assets().by_name) + 1 <= most <= 100


def test_compressed_file_has_no_time_so_that_every_process_sends_the_same() -> None:
    time_of_header = slice(4, 8)
    assert base64.b64decode(packed("text"))[time_of_header] == bytes(4)
