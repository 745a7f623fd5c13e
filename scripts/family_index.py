"""Write `xfcheck/families/_index.json`: which family file reads which model type. `--check` only compares (exit 1 when stale)."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "xfcheck" / "families"


def made() -> str:
    """The index as it should be. Raises ValueError where two files read one type."""
    index: dict[str, str] = {}
    for path in sorted(FOLDER.glob("[a-z]*.py")):
        for model_type in importlib.import_module(f"xfcheck.families.{path.stem}").MODEL_TYPES:
            if model_type in index:
                raise ValueError(f"{model_type} is read by {index[model_type]} and by {path.stem}")
            index[model_type] = path.stem
    return json.dumps(index, indent=0, sort_keys=True) + "\n"


def main() -> int:
    """Write or check; the exit code."""
    target = FOLDER / "_index.json"
    text = made()
    if "--check" in sys.argv:
        return int(not target.exists() or target.read_text() != text)
    target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
