"""Joins the console's modules into one script, so that a visit costs three requests and not fifty.

Each request of a browser is an invocation of the function, and a browser sends those of a module's imports at the
same moment: fifty modules would need fifty processes at once. The sources stay modules, which tests and editors read.

Each module becomes a function that runs at its first use and returns what it exports. The forms of `import` and
`export` below are all that the sources may use; a test compares the exports of each joined module with those that
Node finds in its source.
"""

import json
import posixpath
import re
from collections.abc import Mapping

_RUN = """\
const __found = {};
const __use = (name) => (__found[name] ??= __modules[name]());
"""
# Each begins with its word, so that the search is one for a text: vendored modules have long lines and no imports.
_IMPORT = re.compile(
    r"""import(?:(?<=^import)|(?<=;import))\s*([^'";]*?)\s*from\s*['"]([^'"]+)['"];?""", re.MULTILINE
)
_LATER = re.compile(r"""import(?<=\bimport)\(\s*['"]([^'"]+)['"]\s*\)""")
_LIST = re.compile(r"export(?:(?<=^export)|(?<=[;}]export))\s*\{([^}]*)\};?", re.MULTILINE)
_DEFAULT_NAMED = re.compile(r"export default (?<=^export default )((?:async )?function (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"export default(?:(?<=^export default)|(?<=[;}]export default))\b", re.MULTILINE)
_DECLARED = re.compile(r"export (?<=^export )((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
_LEFT = re.compile(r"import\b(?!\()|export\b(?! [A-Z_]+=)")
"""At the beginning of a line."""


class UnknownFormError(ValueError):
    """A module imports or exports in a form that cannot be joined."""


def pack(sources: Mapping[str, str], first: str) -> str:
    """One script that does what the module `first` does; `sources` are all modules, by their path."""
    joined = (
        f"{json.dumps(name)}: () => {{\n{_body(name, source)}\n}},\n" for name, source in sources.items()
    )
    return f"const __modules = {{\n{''.join(joined)}}};\n{_RUN}__use({json.dumps(first)});\n"


def exports_of(source: str) -> dict[str, str]:
    """What a module exports: the name inside of the module, by the name that others import."""
    found = {name: name for _, name in _DECLARED.findall(source)}
    for names in _LIST.findall(source):
        found |= {_outer(each): _inner(each) for each in names.split(",") if each.strip()}
    named = _DEFAULT_NAMED.search(source)
    if named is not None:
        found["default"] = named[2]
    elif _DEFAULT.search(source):
        found["default"] = "__default"
    return found


def _body(name: str, source: str) -> str:
    folder = posixpath.dirname(name)

    def path(specifier: str) -> str:
        return json.dumps(posixpath.normpath(posixpath.join(folder, specifier)))

    body = _IMPORT.sub(lambda found: f"const {_bindings(found[1])} = __use({path(found[2])});", source)
    # A promise, whose page may fail to start, as that of `import` does.
    body = _LATER.sub(lambda found: f"Promise.resolve().then(() => __use({path(found[1])}))", body)
    body = _LIST.sub("", body)
    body = _DEFAULT_NAMED.sub(r"\1", body)
    body = _DEFAULT.sub("const __default =", body)
    body = _DECLARED.sub(r"\1 \2", body)
    for line in body.split("\n"):
        if _LEFT.match(line):
            raise UnknownFormError(f"{name}: {line[:80]}")
    given = ", ".join(f"{outer}: {inner}" for outer, inner in exports_of(source).items())
    return f"{body}\nreturn {{ {given} }};"


def _bindings(clause: str) -> str:
    """The pattern that takes what an import clause names out of a module's exports."""
    if clause.startswith("{"):
        names = [each for each in clause.strip("{} \n").split(",") if each.strip()]
        return "{ " + ", ".join(f"{_inner(each)}: {_outer(each)}" for each in names) + " }"
    if re.fullmatch(r"\w+", clause):
        return f"{{ default: {clause} }}"
    raise UnknownFormError(f"import {clause}")


def _inner(name: str) -> str:
    """`a` of `a as b`."""
    return name.split(" as ")[0].strip()


def _outer(name: str) -> str:
    """`b` of `a as b`, and `a` of `a`."""
    return name.split(" as ")[-1].strip()
