"""Which names the sources of a model type read off a config object.

Source: a syntax scan of `configuration_*.py` and `modeling_*.py` of an installed transformers. A read inside a class is ascribed
to the config class that its `__init__` or its body annotates; where no annotation says which, to every config class of the folder.
"""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import transformers

ROOT = Path(transformers.__file__).parent
LIBRARY = ("*.py", "generation/*.py", "loss/*.py")
NOT_LIBRARY = ("trainer", "training_args", "testing_utils", "modelcard", "hf_argparser", "model_debugging", "modeling_gguf")


@dataclass
class Scan:
    """Reads of one folder: by config class name, by sub-config key, of any config, and every attribute or string in the sources."""

    by_class: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    by_key: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    anywhere: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)

    def of(self, class_names: set[str], keys: set[str]) -> set[str]:
        """Names read off a config of these classes (a class and its bases) or reached under these sub-config keys."""
        return self.anywhere.union(*(self.by_class[name] for name in class_names), *(self.by_key[key] for key in keys))


@functools.cache
def scan_folder(folder: Path) -> Scan:
    """Scan of one model folder, with the classes that its modeling files import from other models."""
    scan = Scan()
    for path in sorted(folder.glob("modeling_*.py")):
        tree = _tree(path)
        _scan_module(tree, scan, None)
        for source, names in _imported_models(tree, folder):
            _scan_module(_tree(source), scan, names)
    for path in sorted(folder.glob("configuration_*.py")):
        _scan_configuration(_tree(path), scan)
    return scan


@functools.cache
def library_reads() -> frozenset[str]:
    """Names that the parts of transformers shared by all models read off a model config (cache, masks, rope, generation)."""
    scan = Scan()
    for pattern in LIBRARY:
        for path in sorted(ROOT.glob(pattern)):
            if not path.name.startswith(NOT_LIBRARY):
                _reads(_tree(path), "", scan.anywhere, scan)
    scan.anywhere.update(*scan.by_key.values())
    methods = {name for kind in (dict, transformers.PreTrainedConfig) for name in dir(kind) if callable(getattr(kind, name, None))}
    return frozenset(name for name in scan.anywhere - methods if not name.startswith("_"))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imported_models(tree: ast.Module, folder: Path) -> list[tuple[Path, set[str]]]:
    found = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 2 and node.module and ".modeling_" in node.module:
            source = folder.parent.joinpath(*node.module.split(".")).with_suffix(".py")
            if source.is_file():
                found.append((source, {alias.name for alias in node.names}))
    return found


def _scan_module(tree: ast.Module, scan: Scan, only: set[str] | None) -> None:
    """Adds the reads of a modeling file; of an imported one only the named classes, whose config is this folder's."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            if only is None or node.name in only:
                owners = set() if only else _annotated(node, classes)
                for owner in owners or {""}:
                    _reads(node, owner, scan.by_class[owner] if owner else scan.anywhere, scan)
        elif only is None:
            _reads(node, "", scan.anywhere, scan)
        if only is None or (isinstance(node, ast.ClassDef) and node.name in only):
            scan.mentioned |= _mentions(node)


def _annotated(node: ast.ClassDef, classes: dict[str, ast.ClassDef], depth: int = 0) -> set[str]:
    """Config classes that a model class is annotated with, by its own body or by its bases in the same file."""
    found: set[str] = set()
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and item.target.id == "config":
            found |= _config_names(item.annotation)
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            found |= {name for arg in item.args.args if arg.arg == "config" and arg.annotation for name in _config_names(arg.annotation)}
    if not found and depth < 4:
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes and base.id != node.name:
                found |= _annotated(classes[base.id], classes, depth + 1)
    return found


def _config_names(annotation: ast.expr) -> set[str]:
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name) and node.id.endswith("Config")}
    names |= {node.value for node in ast.walk(annotation) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return names - {"PreTrainedConfig", "PretrainedConfig"}


def _scan_configuration(tree: ast.Module, scan: Scan) -> None:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            own = scan.by_class[node.name]
            _reads(node, node.name, own, scan)
            for item in ast.walk(node):
                if isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name) and item.value.id == "self":
                    if isinstance(item.ctx, ast.Load):
                        own.add(item.attr)
                elif isinstance(item, ast.Call) and _is_getattr(item) and isinstance(item.args[0], ast.Name) and item.args[0].id == "self":
                    own.add(str(item.args[1].value) if isinstance(item.args[1], ast.Constant) else "")


def _reads(tree: ast.AST, owner: str, into: set[str], scan: Scan) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            holder, name = node.value, node.attr
        elif isinstance(node, ast.Call) and _is_getattr(node) and isinstance(node.args[1], ast.Constant):
            holder, name = node.args[0], str(node.args[1].value)
        else:
            continue
        called = _holder(holder)
        if called == "config":
            into.add(name)
        elif called == "text":
            scan.anywhere.add(name)
        elif called:
            scan.by_key[called].add(name)


def _is_getattr(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr") and len(node.args) >= 2


def _holder(node: ast.expr) -> str:
    """Whose attribute is read: "config" of a model, the key of a sub-config, "text" for whichever config holds the text part, or empty."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get_text_config":
        return "text"
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if name in ("generation_config", "quantization_config", "peft_config"):
        return ""
    return name if name == "config" or name.endswith("_config") else ""


def _mentions(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.arg):
            # A decorator of the library fills arguments that were not given from config fields of the same name.
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found
