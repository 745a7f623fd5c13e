"""Names that rules judge by: what transformers knows of activations, layer kinds, quantisation methods and ranges.

Source: `_facts.json`, written by `scripts/rule_facts.py` from transformers 5.24.0.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any


@functools.cache
def facts() -> dict[str, Any]:
    """All facts by name; see `scripts/rule_facts.py` for how each is read."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("_facts.json").read_bytes())
    return found


def nearest(word: str, words: list[str] | tuple[str, ...], ratio: float = 0.6) -> str | None:
    """The most similar word, null where none is at least that similar (difflib's ratio)."""
    from difflib import get_close_matches

    near = get_close_matches(word, words, 1, ratio)
    return near[0] if near else None
