"""The one script that a browser loads is what the modules are."""

import json
from pathlib import Path

import pytest

from functions.api.console.pack import UnknownFormError, exports_of, pack
from tests.support.api import console_files
from tests.unit.console.test_scripts import run_node, scripts

__all__ = ["scripts"]
MODULES = [name for name in console_files.names() if name.endswith((".js", ".mjs"))]


def run(sources: dict[str, str], scripts: Path) -> str:
    script = scripts.with_name("joined.mjs")
    script.write_text(pack(sources, "first.js"))
    done = run_node(scripts, str(script))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_module_exports_what_node_finds_in_it(scripts: Path) -> None:
    names = [name for name in MODULES if name != "app.js"]
    done = run_node(scripts, str(Path(__file__).with_name("exports.mjs")), str(scripts), *names)
    assert done.returncode == 0, done.stderr
    assert {name: sorted(exports_of(console_files.text(name))) for name in names} == json.loads(done.stdout)


def test_every_module_runs_in_the_joined_script_without_a_browser(scripts: Path) -> None:
    sources = {name: console_files.text(name) for name in MODULES if name != "app.js"}
    first = "".join(
        f"import('./{name}').then((m) => console.log(Object.keys(m).length));\n" for name in sources
    )
    assert len(run({**sources, "first.js": first}, scripts).split()) == len(sources)


def test_no_module_imports_itself_by_way_of_others() -> None:
    """A module runs at its first use, so a circle would never end."""
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path, name])
        if name not in done:
            for each in console_files.imports(name, also_later=False):
                visit(each, (*path, name))
        done.add(name)

    for name in MODULES:
        visit(name, ())


def test_all_forms_of_import_and_export_mean_the_same_when_joined(scripts: Path) -> None:
    sources = {
        "first.js": "import main from './lib/x.js';\nimport { a as b, c } from './lib/x.js';\n"
        "import {\n  d,\n} from './lib/x.js';\nconsole.log(main(), b, c(), new d().e);\n"
        "import('./lib/y.mjs').then((y) => console.log(y.default(), y.later));\n",
        "lib/x.js": "import z from './y.mjs';\nexport default function main() { return z(); }\n"
        "export const a = 1;\nexport async function c2() {}\nfunction c() { return 2; }\n"
        "class d { e = 3; }\nexport { c, d };\n",
        "lib/y.mjs": "var t=4;function n(){return t}export default function(){return n()};export{t as later};",
    }
    assert run(sources, scripts).splitlines() == ["4 1 2 3", "4 4"]


def test_module_runs_once_however_many_use_it(scripts: Path) -> None:
    sources = {
        "first.js": "import { a } from './a.js';\nimport { b } from './b.js';\nconsole.log(a === b);\n",
        "a.js": "import { c } from './c.js';\nexport const a = c;\n",
        "b.js": "import { c } from './c.js';\nexport const b = c;\n",
        "c.js": "console.log('once');\nexport const c = {};\n",
    }
    assert run(sources, scripts).split() == ["once", "true"]


@pytest.mark.parametrize(
    "source",
    [
        "import * as x from './x.js';",
        "export let x = 1;",
        "export * from './x.js';",
        "import './x.js';",
        "import a, { b } from './x.js';",
    ],
)
def test_module_of_another_form_is_refused_by_name(source: str) -> None:
    with pytest.raises(UnknownFormError):
        pack({"a.js": f"{source}\n"}, "a.js")


def test_text_of_a_template_that_looks_like_a_shell_line_stays() -> None:
    assert "export PUNCTUAL_URL=1" in pack({"a.js": "const x = `\nexport PUNCTUAL_URL=1\n`;\n"}, "a.js")
