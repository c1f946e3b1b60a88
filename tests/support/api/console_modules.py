"""The modules of the console that need no document, run in Node."""

import atexit
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.support.api.console_files import STATIC

_SCRIPT = """
const { module, calls } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
import(module).then(async (found) => {
  const results = [];
  for (const [name, args] of calls) {
    results.push(typeof found[name] === "function" ? await found[name](...args) : found[name]);
  }
  process.stdout.write(JSON.stringify(results.map((each) => each === undefined ? null : each)));
});
"""


def results(module: str, *calls: tuple[str, list[Any]]) -> list[Any]:
    """What exported functions of a module return for arguments, each as JSON; of other exports, their value."""
    asked = json.dumps({"module": (_modules() / module).as_uri(), "calls": calls})
    ran = subprocess.run(
        ["node", "--eval", _SCRIPT],
        input=asked,
        capture_output=True,
        text=True,
        env=_environment(),
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: list[Any] = json.loads(ran.stdout)
    return found


def result(module: str, name: str, *args: Any) -> Any:
    """What one exported function returns."""
    return results(module, (name, list(args)))[0]


def evaluated(module: str, expression: str) -> Any:
    """The value of an expression in which the exports of the module are `m`. It may await."""
    script = (
        f"import({json.dumps((_modules() / module).as_uri())})"
        f".then(async (m) => process.stdout.write(JSON.stringify(await ({expression}))));"
    )
    ran = subprocess.run(
        ["node", "--eval", script], capture_output=True, text=True, env=_environment(), check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@cache
def _modules() -> Path:
    """A copy that Node of every version reads as modules. It is removed at the end of the process."""
    folder = Path(mkdtemp(prefix="console-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(STATIC, folder / "static")
    (folder / "static" / "package.json").write_text('{"type": "module"}')
    return folder / "static"


def _environment() -> dict[str, str]:
    # The zone and the language decide how instants are written.
    return {"PATH": os.environ["PATH"], "TZ": "UTC", "LANG": "C.UTF-8"}
