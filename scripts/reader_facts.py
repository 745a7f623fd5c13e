"""Write `xfcheck/readers/_transformers4.json`: the types of transformers 4, and class defaults that the class tables have otherwise.

`python scripts/reader_facts.py FOLDER` reads the sources of an unpacked transformers 4 wheel below FOLDER; nothing of it is imported.
`--check` only compares (exit 1 when stale).
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

from xfcheck.families._classes import class_table

OUT = Path(__file__).resolve().parent.parent / "xfcheck" / "readers" / "_transformers4.json"
SKIPPED = frozenset(["self", "kwargs", "args", "torch_dtype", "dtype", "return_dict", "use_cache"])
UNKNOWN = object()


def literal(node: ast.expr | None) -> Any:
    """The value of a literal default, `UNKNOWN` for an expression."""
    try:
        return UNKNOWN if node is None else ast.literal_eval(node)
    except ValueError:
        return UNKNOWN


def declared(cls: ast.ClassDef) -> tuple[str | None, dict[str, Any]]:
    """(model_type, initialiser's parameter -> default) of a class."""
    model_type, defaults = None, {}
    for item in cls.body:
        if isinstance(item, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "model_type" for t in item.targets):
            model_type = literal(item.value)
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            names = [a.arg for a in item.args.args]
            values = [UNKNOWN] * (len(names) - len(item.args.defaults)) + [literal(d) for d in item.args.defaults]
            defaults = dict(zip(names, values, strict=True))
            defaults.update({a.arg: literal(d) for a, d in zip(item.args.kwonlyargs, item.args.kw_defaults, strict=True)})
    return (model_type if isinstance(model_type, str) else None), defaults


def differing(model_type: str, defaults: dict[str, Any]) -> dict[str, Any]:
    """The defaults that the class table does not have, or has otherwise."""
    table = class_table(model_type)
    out = {}
    for key, value in defaults.items():
        if key in SKIPPED or value is UNKNOWN or key.startswith("_"):
            continue
        if table is None or not table.declares(key) or table.default(key) != value:
            out[key] = value
    # a section that the newer class derives is no difference
    return {key: value for key, value in out.items() if value is not None or (table is not None and table.default(key) is not None)}


def absent(model_type: str, defaults: dict[str, Any]) -> list[str]:
    """Fields of the class table that the initialiser does not take by name, none where the class has no initialiser of its own."""
    table = class_table(model_type)
    return sorted(key for key in table.fields if key not in defaults) if table is not None and defaults else []


def made(folder: Path) -> dict[str, Any]:
    """The facts as they should be."""
    version = next(folder.glob("transformers-*.whl")).name.split("-")[1]
    types: dict[str, Any] = {}
    for path in sorted(folder.glob("transformers/models/*/configuration_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                model_type, defaults = declared(node)
                if model_type:
                    types[model_type] = {"defaults": differing(model_type, defaults), "absent": absent(model_type, defaults)}
    return {"transformers": version, "types": dict(sorted(types.items()))}


def main() -> int:
    """Write or check; the exit code."""
    folders = [a for a in sys.argv[1:] if not a.startswith("-")]
    facts = made(Path(folders[0]))
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in facts["types"].items())
    text = f'{{"transformers": {json.dumps(facts["transformers"])}, "types": {{\n{rows}\n}}}}\n'
    if "--check" in sys.argv:
        return int(not OUT.exists() or OUT.read_text() != text)
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
