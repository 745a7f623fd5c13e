"""Training recipes of other tools, one module a tool: told by their content, read into the `train` section with the tool's defaults.

Each module has `reads(written)`, whether the recipe is its tool's, and `recipe(written)`, the recipe. Nothing of a recipe is run, and the
base model that it names is not looked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..documents.document import Document, Problem
from ..documents.search import describes_model

if TYPE_CHECKING:
    from ..documents.folder import ModelFolder
    from .recipe import Recipe, Written

TOOLS = (
    "torchtune", "nemo_rl", "nemo_aligner", "megatron_bridge", "axolotl", "unsloth", "ms_swift", "llama_factory", "megatron", "trl",
)  # fmt: skip
"""Modules of this package in the order in which they are asked: the ones with the plainest marks first."""


OF_RECIPES = ("dataset", "datasets", "base_model")
"""Keys that no model config has."""


def as_recipe(folder: ModelFolder) -> ModelFolder:
    """The folder, or the recipe in its file where that holds no model config but a training recipe."""
    document = folder.config
    if document is None or hasattr(folder, "recipe"):
        return folder
    data: Any = document.data
    if isinstance(data, dict):
        # recipes of ms-swift and axolotl have a model_type too
        if describes_model(data) and data.keys().isdisjoint(OF_RECIPES):
            return folder
    elif document.path.endswith(".json") or not document.text:
        return folder
    found = recognise(document)
    if found is None:
        _say_no_recipe(document)
        return folder
    from .folder import RecipeFolder

    return RecipeFolder(folder, *found)


def _say_no_recipe(document: Document) -> None:
    """Of a script that is no recipe one thing is said, and not where it is no YAML or TOML."""
    if document.data is None and document.path.endswith((".py", ".sh")) and len(document.text) > 1:
        problem = Problem("no training recipe is recognised in this script", help="docs/recipes.md says by what each tool's is told")
        document.problems[:] = [problem]


def recognise(document: Document) -> tuple[Recipe, Document] | None:
    """The recipe in a file and the file with its keys as data; null for any other file."""
    for written in _readings(document):
        for name in TOOLS:
            module: Any = import_module(f"{__package__}.{name}")
            if module.reads(written):
                return module.recipe(written), written.document
    return None


def _readings(document: Document) -> list[Written]:
    """What the text can be: keys, the flags of a command, or Python calls."""
    from .recipe import Written

    text, path = document.text, document.path
    if not text.strip():
        return []
    if path.endswith(".py"):
        return _python(path, text)
    if isinstance(document.data, dict) and not path.endswith(".sh"):
        return [Written(document, document.data, "mapping", text)]
    from .flags import read_flags

    found = []
    if "=" in text:
        from .overrides import read_overrides

        over, at = read_overrides(text)
        if over:
            found.append(Written(Document(path, "text", text, over, spans=lambda: at), over, "overrides", text))
    flags, places = read_flags(text)
    if flags:
        found.append(Written(Document(path, "text", text, flags, spans=lambda: places), flags, "flags", text))
    return found or _python(path, text)


def _python(path: str, text: str) -> list[Written]:
    from .calls import read_calls
    from .recipe import Written

    read = read_calls(text)
    return [] if read is None else [Written(Document(path, "text", text, read[0], spans=lambda: read[1]), read[0], "python", text)]
