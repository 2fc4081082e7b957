"""Reads the documents' code blocks by the manifest; the text itself is never copied here."""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MANIFEST = json.loads((HERE / "seeds_manifest.json").read_text())
BLOCKS = {block["name"]: block for block in MANIFEST["blocks"]}

# What the start of a line of Python looks like in a document that is otherwise prose, bullets and tables.
CODE_LINE = re.compile(
    r"""(import\s\w | from\s\w+.*\simport\s | class\s\w+.*:\s*$ | def\s\w+\(
        | (if|with|for)\s.*:\s*$
        | [A-Za-z_][\w.\[\]]*\s*=\s | \w+:\s\[ | [A-Za-z_][\w.]*\( | \s{2,}\S | \# )""",
    re.VERBOSE,
)


def find():
    """The document beside the project, or None."""
    for folder in ROOT.parents:
        path = folder / "shared" / "seeds" / MANIFEST["file"]
        if path.is_file():
            return path
    return None


def lines() -> list:
    """The document's lines; missing it fails in CI and skips elsewhere."""
    path = find()
    if path is None:
        message = f"shared/seeds/{MANIFEST['file']} is not beside the project"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return path.read_text(encoding="utf-8").splitlines()


def text(name: str) -> str:
    """A block as it stands in the document."""
    first, last = BLOCKS[name]["lines"]
    return "\n".join(lines()[first - 1 : last])


def digest(block_text: str) -> str:
    return hashlib.sha256(block_text.encode("utf-8")).hexdigest()[:16]


def source(name: str) -> str:
    """A block with its substitutions made, each of which must hit exactly once in its line."""
    block = BLOCKS[name]
    first, _ = block["lines"]
    code = text(name).split("\n")
    for change in block.get("substitutions", ()):
        line = code[change["line"] - first]
        assert line.count(change["old"]) == 1, f"{name}: line {change['line']} does not hold {change['old']!r}"
        code[change["line"] - first] = line.replace(change["old"], change["new"])
    return "\n".join(code)


def run(name: str, **more) -> dict:
    """Runs preamble and block and returns their names."""
    from dtorch import Graph, init_device_mesh

    block = BLOCKS[name]
    scope = {"__name__": f"seeds_{name}", **more}
    code = compile(source(name), f"{MANIFEST['file']}:{block['lines'][0]}", "exec")

    def execute():
        exec("\n".join(block.get("preamble", ())), scope)
        exec(code, scope)

    if "mesh" in block:
        mesh = init_device_mesh("cuda", tuple(block["mesh"]["shape"]), mesh_dim_names=block["mesh"]["names"])
        with Graph.default_graph().device_mesh_guard(mesh):
            execute()
    else:
        execute()
    return scope


def unclassified(without=None) -> list:
    """(number, text) of lines that look like Python and lie in no block; one block is left out if asked."""
    covered = set()
    for block in MANIFEST["blocks"]:
        if block["name"] == without:
            continue
        first, last = block["lines"]
        covered.update(range(first, last + 1))
    return [(number, line) for number, line in enumerate(lines(), 1) if number not in covered and CODE_LINE.match(line)]
