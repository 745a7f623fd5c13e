"""Write `xfcheck/readers/_transformers5.json`: the rotary block that each config class of transformers makes of no file at all.

A class that gives the plain block of its `default_theta` has no entry. `--check` only compares (exit 1 when stale).
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import transformers
from transformers import CONFIG_MAPPING

from xfcheck.families._classes import class_table, known_types

OUT = Path(__file__).resolve().parent.parent / "xfcheck" / "readers" / "_transformers5.json"
BASE = 77.0


def block(model_type: str, **given: Any) -> Any:
    """The class's rotary block for the keys given, null where it makes no config of them."""
    with contextlib.suppress(Exception):
        return CONFIG_MAPPING[model_type](**given).rope_parameters
    return None


def obeyed(found: Any) -> list[str] | bool:
    """Which kinds of layers took the base that was given outside the block; for a flat block whether it did."""
    if not isinstance(found, dict):
        return False
    inner = [kind for kind, value in found.items() if isinstance(value, dict)]
    return [kind for kind in inner if found[kind].get("rope_theta") == BASE] if inner else found.get("rope_theta") == BASE


def row(model_type: str) -> dict[str, Any] | None:
    """`block`: what the class makes of nothing. `base`: where a `rope_theta` outside counts then.

    `fills`: where it counts beside a flat block. `scaled`: the kinds of layers that a flat `rope_scaling` reaches;
    `old_name`: whether it may call its type `type`.
    `bare`: the base beside a flat block where the file gives none.
    """
    table = class_table(model_type)
    if table is None or "rope_parameters" not in table.fields or table.model_type != model_type:
        return None
    plain = block(model_type)
    if plain is None or plain == {"rope_theta": table.default_theta, "rope_type": "default"}:
        return None
    flat = block(model_type, rope_theta=BASE, rope_scaling={"rope_type": "linear", "factor": 2.0})
    old = block(model_type, rope_scaling={"type": "linear", "factor": 2.0})
    return {
        "block": plain, "base": obeyed(block(model_type, rope_theta=BASE)), "fills": obeyed(flat), "scaled": scaled(flat),
        "old_name": scaled(old) == scaled(flat),
        "bare": table.default_theta if old is None else old.get("rope_theta"),
    }  # fmt: skip


def scaled(found: Any) -> list[str]:
    """Which kinds of layers a linear scaling reached, none where the block stayed flat."""
    return [kind for kind, value in (found or {}).items() if isinstance(value, dict) and value.get("rope_type") == "linear"]


def main() -> int:
    """Write or check; the exit code."""
    transformers.logging.set_verbosity_error()
    rows = {model_type: found for model_type in sorted(known_types()) if (found := row(model_type)) is not None}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in rows.items())
    text = f'{{"transformers": {json.dumps(transformers.__version__)}, "types": {{\n{lines}\n}}}}\n'
    if "--check" in sys.argv:
        return int(not OUT.exists() or OUT.read_text() != text)
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
