"""`punctual searches`: its files are only written where the user wants them, and only as a whole."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.worlds import failed
from punctual.cli.exits import Exit


class Files:
    """What the signed URLs lead to, and which of them were read."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self.read: list[httpx.Request] = []
        self.status = 200
        self.cut = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.read.append(request)
        tenant, search, number = urlsplit(str(request.url)).path.strip("/").split("/")
        files = self._shell.deployment.world.world.search_files.files
        content = files[tenant, search, int(number)]
        sent = content[: len(content) - self.cut]
        return httpx.Response(self.status, stream=httpx.ByteStream(sent))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Shell, str, Files]]:
    """A search that has finished, and its files."""
    shell, _ = failed(3)
    search = shell.json("searches", "create", "--since", "1h", "--state", "failed")["id"]
    shell.deployment.world.world.process_bulk_tasks.execute()
    files = Files(shell)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: files.answer(request))
    yield shell, search, files


def test_a_search_is_created_listed_shown_and_cancelled() -> None:
    shell, [job] = failed()
    made = shell.json("searches", "create", "--since", "90d", "--job", job.id, "--reason", "http_status")
    assert (made["filter"]["job"], made["filter"]["reason"]) == (job.id, "http_status")
    assert [each["id"] for each in shell.json("searches", "list")] == [made["id"]]
    assert "running" in shell.ok("searches", "show", made["id"]).out
    early = shell.run("searches", "download", made["id"], "x.gz")
    assert (early.code, early.out) == (Exit.CONFLICT, "")
    assert shell.json("searches", "cancel", made["id"])["state"] == "cancelled"
    assert shell.run("searches", "show", "srh_unknown").code == Exit.NOT_FOUND


def test_its_files_are_written_to_the_named_file(found: tuple[Shell, str, Files], tmp_path: Path) -> None:
    shell, search, files = found
    target = tmp_path / "runs.ndjson.gz"
    ran = shell.ok("searches", "download", search, str(target))
    assert "3 executions in" in ran.err
    lines = gzip.decompress(target.read_bytes()).decode().splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["failed"] * 3
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["runs.ndjson.gz"]
    assert all("authorization" not in each.headers for each in files.read)


def test_nothing_is_read_for_a_file_that_exists(found: tuple[Shell, str, Files], tmp_path: Path) -> None:
    shell, search, files = found
    target = tmp_path / "mine"
    target.write_text("precious")
    ran = shell.run("searches", "download", search, str(target))
    assert (ran.code, target.read_text(), files.read) == (Exit.USAGE, "precious", [])
    assert "--force" in ran.err
    shell.ok("searches", "download", search, str(target), "--force")
    assert gzip.decompress(target.read_bytes())


@pytest.mark.parametrize(("status", "cut"), [(403, 0), (200, 1)])
def test_a_download_that_breaks_off_leaves_nothing(
    found: tuple[Shell, str, Files], tmp_path: Path, status: int, cut: int
) -> None:
    shell, search, files = found
    files.status, files.cut = status, cut
    ran = shell.run("searches", "download", search, str(tmp_path / "x"))
    assert (ran.code, ran.out, list(tmp_path.iterdir())) == (Exit.UNAVAILABLE, "", [])
    assert "signature" not in ran.err


def test_a_directory_that_does_not_exist_is_named(found: tuple[Shell, str, Files], tmp_path: Path) -> None:
    shell, search, _ = found
    ran = shell.run("searches", "download", search, str(tmp_path / "absent" / "x"))
    assert (ran.code, "is no directory" in ran.err) == (Exit.USAGE, True)


def test_a_url_that_would_be_read_unencrypted_is_refused(
    found: tuple[Shell, str, Files], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, search, files = found
    monkeypatch.setattr(
        type(shell.deployment.world.world.search_files),
        "url",
        lambda *_, **__: "http://files.example/a/b/1?signature=s3cret",
    )
    ran = shell.run("searches", "download", search, str(tmp_path / "x"))
    assert (ran.code, files.read, list(tmp_path.iterdir())) == (Exit.USAGE, [], [])
    assert "s3cret" not in ran.err


def test_urls_are_not_part_of_a_table(found: tuple[Shell, str, Files]) -> None:
    shell, search, _ = found
    out = shell.ok("searches", "show", search).out
    assert "files     " in out
    assert "https://" not in out
    assert shell.json("searches", "show", search)["files"][0]["url"].startswith("https://")
