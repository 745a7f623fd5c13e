"""Writes `xfcheck/families/_tables/`: the facts of every config class of an installed transformers, one small file a class.

Run `python scripts/class_tables.py` to write, `--check` to compare (exit 1 with a summary where a file is stale), and `--types NAME...`
to look at these model types alone. Works offline on the CPU: classes are imported and asked, sources are scanned, no weights are made.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import class_tables_fields as fields
import class_tables_models as models
import class_tables_reads as reads
import transformers
from transformers import PreTrainedConfig

OUT = Path(__file__).resolve().parent.parent / "xfcheck" / "families" / "_tables"
VERSION = "5.24.0"
Tables = dict[str, type]


def tables_of(types: list[str]) -> Tables:
    """Table name to config class: the given model types, and the sub-configs of theirs that have no mapped model type."""
    found: Tables = {}
    waiting: list[tuple[str, type]] = [(name, fields.config_class(name)) for name in types]
    mapped = set(fields.mapped_types())
    while waiting:
        name, cls = waiting.pop()
        if name in found:
            continue
        found[name] = cls
        waiting += [(table, part) for part, table, _, _ in fields.sub_configs(cls).values() if part is not None and table not in mapped]
    return dict(sorted(found.items()))


def table(name: str, cls: type, holders: dict[str, set[str]]) -> dict[str, Any]:
    """Facts of one config class; see `xfcheck/families/_classes.py` for their meaning."""
    own = fields.own_fields(cls)
    subs = fields.sub_configs(cls)
    aliases: dict[str, str] = dict(sorted(getattr(cls, "attribute_map", {}).items()))
    classes = models.model_classes(name, cls)
    scan = reads.scan_folder(models.folder_of(cls))
    lineage = {base.__name__ for base in cls.__mro__ if issubclass(base, PreTrainedConfig) and base is not PreTrainedConfig}
    read = scan.of(lineage, holders.get(name, set()))
    facts: dict[str, Any] = {
        "model_type": getattr(cls, "model_type", "") or name,
        "class": cls.__name__,
        "transformers": VERSION,
        "fields": fields.field_rows(cls, own),
        "aliases": aliases,
        "sub_configs": {key: row[1] for key, row in subs.items()},
        "sub_defaults": {key: row[2] for key, row in subs.items() if row[2]},
        "sub_optional": [key for key, row in subs.items() if row[3]],
        "kwargs": fields.eaten_keys(cls),
        "default_theta": fields.json_value(getattr(cls, "default_theta", None)),
        "architectures": {class_name: kind for class_name, (kind, _) in classes.items()},
        "models": {},
        "reads": sorted(key for key in read if _undeclared(cls, key, own, aliases)),
        "unread": _unread(own, aliases, read | scan.mentioned | reads.library_reads()),
    }
    for class_name, (_, model) in classes.items():
        if model is not None and (found := models.model_facts(model, cls)):
            facts["models"][class_name] = found
    return facts


def _undeclared(cls: type, key: str, own: dict[str, Any], aliases: dict[str, str]) -> bool:
    """True for a name that is neither declared, an alias, private, nor an attribute that the class has anyway."""
    if not key.isidentifier() or key.startswith("_") or key in own or key in aliases:
        return False
    missing = object()
    return inspect.getattr_static(cls, key, missing) is missing


def _unread(own: dict[str, Any], aliases: dict[str, str], read: set[str] | frozenset[str]) -> list[str]:
    reached = read | {target for alias, target in aliases.items() if alias in read}
    return sorted(name for name in own if name not in reached)


def holders_of(tables: Tables) -> dict[str, set[str]]:
    """Table name to the sub-config keys under which a config class of the same folder holds it."""
    found: dict[str, set[str]] = {}
    for cls in tables.values():
        for key, (_, name, _, _) in fields.sub_configs(cls).items():
            if name in tables and models.folder_of(tables[name]) == models.folder_of(cls):
                found.setdefault(name, set()).add(key)
    return found


def neighbours(types: list[str]) -> list[str]:
    """The given model types with all that live in the same folders: these may hold them as sub-configs."""
    folders = {models.folder_of(fields.config_class(name)) for name in types}
    return [name for name in fields.mapped_types() if models.folder_of(fields.config_class(name)) in folders]


def file_names(names: list[str]) -> dict[str, str]:
    """Table name to file name; two names that one file system can not tell apart, or an odd character, are refused."""
    if any(not name.replace("-", "").replace("_", "").replace(".", "").isalnum() or name.startswith((".", "_")) for name in names):
        raise ValueError("a model type with a character that no file name should have")
    if len({name.lower() for name in names}) != len(names):
        raise ValueError("two model types differ in case alone")
    return {name: f"{name}.json" for name in names}


def generate(types: list[str]) -> dict[str, dict[str, Any]]:
    """File name to content: the tables of the given types, `_architectures.json` of these, `_base.json`, and the index of all."""
    every = tables_of(fields.mapped_types())
    holders = holders_of(every if len(types) > len(every) // 2 else tables_of(neighbours(types)))
    chosen = tables_of(types)
    files = file_names(list(every))
    mapped = set(fields.mapped_types())
    out: dict[str, dict[str, Any]] = {files[name]: table(name, cls, holders) for name, cls in chosen.items()}
    out["_architectures.json"] = architectures(chosen)
    out["_base.json"] = {**fields.base_facts(), "library_reads": sorted(reads.library_reads())}
    out["_index.json"] = {
        "transformers": VERSION,
        "types": {name: file for name, file in files.items() if name in mapped},
        "parts": {name: file for name, file in files.items() if name not in mapped},
    }
    return out


def architectures(tables: Tables) -> dict[str, Any]:
    """Model class to [table, head kind]; the table of its own config class before another that is mapped to it."""
    owned: dict[str, Any] = {}
    borrowed: dict[str, Any] = {}
    for name, cls in tables.items():
        for class_name, (kind, model) in models.model_classes(name, cls).items():
            owner = models.owner(model)
            if owner == name:
                owned[class_name] = [name, kind]
            else:
                borrowed.setdefault(class_name, [name, kind])
    return dict(sorted({**borrowed, **owned}.items()))


def encode(content: dict[str, Any]) -> str:
    """Compact JSON with one top-level key a line, so that a difference shows what changed."""
    lines = [f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'), allow_nan=False)}" for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def stale(fresh: dict[str, dict[str, Any]], whole: bool) -> list[str]:
    """One line for each file that is missing, superfluous or different."""
    found = []
    for name, content in sorted(fresh.items()):
        path = OUT / name
        if not path.is_file():
            found.append(f"{name}: missing")
        elif name == "_architectures.json" and not whole:
            held = json.loads(path.read_text(encoding="utf-8"))
            wrong = [key for key, row in content.items() if held.get(key) != row and _owns(row, held.get(key), fresh)]
            found += [f"{name}: {key}" for key in wrong]
        elif path.read_text(encoding="utf-8") != encode(content):
            held = json.loads(path.read_text(encoding="utf-8"))
            keys = sorted(key for key in {*held, *content} if held.get(key) != content.get(key))
            found.append(f"{name}: differs in {', '.join(keys) or 'layout'}")
    if whole:
        found += [f"{path.name}: superfluous" for path in sorted(OUT.glob("*.json")) if path.name not in fresh]
    return found


def _owns(row: list[str], held: list[str] | None, fresh: dict[str, Any]) -> bool:
    """False where the recorded owner of a borrowed model class is outside the sample."""
    return held is None or row[0] == held[0] or f"{held[0]}.json" in fresh


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing, exit 1 where stale")
    parser.add_argument("--types", nargs="+", metavar="NAME", help="these model types alone")
    options = parser.parse_args()
    if transformers.__version__ != VERSION:
        sys.stderr.write(f"transformers {VERSION} is needed, {transformers.__version__} is installed\n")
        return 2
    transformers.logging.set_verbosity_error()
    whole = options.types is None
    fresh = generate(options.types or fields.mapped_types())
    if options.check:
        lines = stale(fresh, whole)
        sys.stdout.write("".join(f"{line}\n" for line in lines[:40]) + f"{len(lines)} stale of {len(fresh)} files\n")
        return 1 if lines else 0
    if not whole:
        sys.stderr.write("--types is for --check\n")
        return 2
    OUT.mkdir(parents=True, exist_ok=True)
    for path in OUT.glob("*.json"):
        path.unlink()
    for name, content in fresh.items():
        (OUT / name).write_text(encode(content), encoding="utf-8")
    sys.stdout.write(f"{len(fresh)} files written\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
