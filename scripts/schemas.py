"""Write `schemas/*.json` from the Pydantic models. `--check` only compares (exit 1 when stale)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from xfcheck.schemas import SCHEMAS, file_name

FOLDER = Path(__file__).parent.parent / "schemas"


def made() -> dict[Path, str]:
    """The generated files as they should be."""
    return {FOLDER / file_name(name): json.dumps(make(), indent=2, ensure_ascii=False) + "\n" for name, make in SCHEMAS.items()}


def main() -> int:
    """Write or check; the exit code."""
    files = made()
    if "--check" in sys.argv:
        return int(
            set(FOLDER.glob("*.json")) != set(files) or any(path.read_text(encoding="utf-8") != text for path, text in files.items())
        )
    FOLDER.mkdir(exist_ok=True)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
