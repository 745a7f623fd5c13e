"""The examples in a rule's page: one or several files each, laid into a folder and linted."""

from __future__ import annotations

import json
import re
from math import prod
from typing import TYPE_CHECKING, Any

from xfcheck.documents.folder import open_model
from xfcheck.documents.safetensors import DTYPE_BITS
from xfcheck.rules._engine import lint
from xfcheck.rules._selection import Selection

if TYPE_CHECKING:
    from pathlib import Path

    from xfcheck.rules._finding import Finding

FENCE = re.compile(r"^```(\w+)[ \t]*([\w.\-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DEFAULT_NAMES = {"json": "config.json", "yaml": "xfcheck.yaml", "jinja": "chat_template.jinja"}


def sections(page: str) -> dict[str, str]:
    """Title -> text of each `## Title` section."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return {parts[i].strip(): parts[i + 1].strip() for i in range(1, len(parts), 2)}


def lay(text: str, folder: Path) -> Path:
    """Write the fenced files of a section; returns the folder (or its only file where that is no config.json)."""
    for language, name, body in FENCE.findall(text):
        if language == "safetensors":
            (folder / name).write_bytes(safetensors(json.loads(body)))
        else:
            (folder / (name or DEFAULT_NAMES[language])).write_text(body, encoding="utf-8")
    files = list(folder.iterdir())
    return files[0] if len(files) == 1 and files[0].name not in DEFAULT_NAMES.values() else folder


def safetensors(tensors: dict[str, list[Any]]) -> bytes:
    """A safetensors file of zeros: name -> [dtype, *shape], as an example's page writes its header."""
    header: dict[str, Any] = {}
    at = 0
    for name, (dtype, *shape) in tensors.items():
        size = prod(shape) * DTYPE_BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(at)


def findings(folder: Path, extend: tuple[str, ...] = ()) -> list[Finding]:
    """What lint says of the folder's config."""
    return lint(open_model(str(folder)), Selection(extend=extend)).findings
