"""The command as a whole: its help, its common options, and what concerns the machine."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from client.tests.cli.commands import commands
from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import HOOK, URL
from punctual.cli.main import MODULES
from punctual.cli.missing_packages import command_to_install

SOURCE = Path(__file__).parents[2] / "src"


def test_help_lists_every_command_in_its_part() -> None:
    ran = Shell().ok("--help")
    listed = re.findall(r"^  ([a-z-]+)  ", ran.out, re.MULTILINE)
    for module in MODULES:
        assert f"{module.panel}:" in ran.out
        assert set(module.commands) <= set(listed)


def test_no_command_shows_the_help() -> None:
    ran = Shell().run()
    assert ran.code == 2
    assert "Usage: punctual" in ran.out + ran.err


def test_misspelt_command_is_corrected() -> None:
    ran = Shell().run("lsit")
    assert (ran.code, ran.out) == (2, "")
    assert "'list'" in ran.err


@pytest.mark.parametrize("option", ["--install-completion", "--show-completion=zsh"])
def test_option_for_completion_of_other_programs_leads_to_the_command(option: str) -> None:
    ran = Shell().run(option)
    assert (ran.code, ran.out) == (2, "")
    assert f"there is no option {option}" in ran.err
    assert "punctual completion SHELL" in ran.err


def test_every_command_has_a_help_and_the_common_options() -> None:
    shell = Shell()
    for each in commands():
        assert f"Usage: punctual {' '.join(each.names)}" in shell.ok(*each.names, "--help").out
        assert each.flags >= {"-o", "--output", "--quiet", "--profile", "--json", "--url"}, each.names
        assert each.sentence.endswith("."), each.names


@pytest.mark.parametrize(
    "arguments",
    [
        ("-o", "json", "list"),
        ("list", "-o", "json"),
        ("--json", "list"),
        ("list", "--json"),
        ("-o", "csv", "list", "--json"),
    ],
)
def test_common_options_stand_before_or_after_the_command(arguments: tuple[str, ...]) -> None:
    assert Shell().ok(*arguments).out == "[]\n"


def test_url_and_profile_make_the_client() -> None:
    shell = Shell()
    shell.ok("--url", URL, "list", "--profile", "work")
    shell.ok("--url", URL, "create", "--url", HOOK, "--delay", "1m")
    assert shell.opened == [(URL, None, "work"), (URL, None, None)]


def test_no_option_takes_an_empty_value() -> None:
    shell = Shell()
    for each in commands():
        for option in each.command.params:
            if option.param_type_name == "option" and not option.is_flag and "--help" not in option.opts:
                ran = shell.run(*each.names, option.opts[0], "")
                assert (ran.code, ran.out) == (2, ""), (each.names, option.opts)
    assert (shell.opened, shell.deployment.sent) == ([], [])


@pytest.mark.parametrize("option", ["--profile", "--url", "-o"])
@pytest.mark.parametrize("is_before", [True, False])
def test_common_option_that_is_empty_does_not_mean_the_default(option: str, is_before: bool) -> None:
    shell, command = Shell(), ["delete", "--all", "--yes"]
    ran = shell.run(*([option, "", *command] if is_before else [*command, option, ""]))
    assert (ran.code, ran.out, shell.opened) == (2, "", [])
    assert option in ran.err


def test_client_is_made_only_when_it_is_needed() -> None:
    shell = Shell()
    shell.ok("completion", "bash")
    shell.run("create", "--url", HOOK)
    assert shell.opened == []


def test_open_shows_the_address_and_opens_it_only_when_asked() -> None:
    shell = Shell()
    assert shell.ok("open").out == f"{URL}/v1/docs\n"
    assert shell.browsed == []
    shell.ok("open", "--browser")
    assert shell.browsed == [f"{URL}/v1/docs"]
    assert shell.deployment.sent == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(name: str) -> None:
    ran = Shell().ok("completion", name)
    assert f"_PUNCTUAL_COMPLETE=complete_{name}" in ran.out
    assert "punctual" in ran.out


def test_completion_completes_commands_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    def completed(words: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
        monkeypatch.setenv("_PUNCTUAL_COMPLETE", "complete_bash")
        return Shell(environ=dict(os.environ)).run().out.split()

    assert "list" in completed("punctual l")
    assert "--kind" in completed("punctual list --k")
    assert "csv" in completed("punctual list -o c")


def test_dev_runs_make_in_a_checkout_and_nowhere_else(tmp_path: Path) -> None:
    shell = Shell(directory=tmp_path)
    ran = shell.run("dev")
    assert (ran.code, shell.executed) == (2, [])
    assert "no checkout" in ran.err
    for name in ("Makefile", "infra/local/run.py", "client/pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shell.directory = tmp_path / "client"
    shell.ok("dev", "--", "--fresh", "a b")
    assert shell.executed == [(("make", "run", "ARGS=--fresh 'a b'"), tmp_path)]
    shell.program_code = 2
    assert shell.run("dev").code == 1


def test_this_repository_is_a_checkout() -> None:
    shell = Shell(directory=Path(__file__).parent)
    shell.ok("dev")
    assert shell.executed[0][0] == ("make", "run")


def python(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        env={"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"], "HOME": "/nonexistent", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_help_loads_neither_the_sdk_nor_what_draws_tables() -> None:
    code = (
        "import sys\nfrom punctual.cli.main import main\nsys.argv = ['punctual', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'httpx', 'msgspec', 'rich', 'yaml', 'punctual.models'} & set(sys.modules)))"
    )
    done = python(code)
    assert done.stdout.splitlines()[-1] == "[]", done


def test_missing_packages_are_named() -> None:
    code = "import sys\nsys.modules['typer'] = None\nfrom punctual.cli.main import main"
    done = python(code)
    assert done.returncode != 0
    assert done.stderr == "punctual: the command line needs more packages: pip install './client[cli]'\n"


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("file:///home/me/punctual/client", "/home/me/punctual/client[cli]"),
        ("file:///home/me/my%20code/client/", "/home/me/my code/client[cli]"),
        (
            "file:///tmp/punctual_client-0.1.0-py3-none-any.whl",
            "/tmp/punctual_client-0.1.0-py3-none-any.whl[cli]",
        ),
        ("https://example.com/punctual.git", "./client[cli]"),
    ],
)
def test_missing_packages_come_from_where_the_sdk_came_from(tmp_path: Path, url: str, source: str) -> None:
    record = json.dumps({"url": url})
    assert command_to_install(tmp_path, record) == f"pip install '{source}'"
    (tmp_path / "pipx_metadata.json").touch()
    assert command_to_install(tmp_path, record) == f"pipx install --force '{source}'"


@pytest.mark.parametrize("arguments", [["--help"], ["completion", "bash"]])
def test_closed_pipe_ends_without_a_traceback(arguments: list[str]) -> None:
    code = f"import sys\nfrom punctual.cli.main import main\nsys.argv = ['punctual', *{arguments}]\nmain()"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"]},
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
