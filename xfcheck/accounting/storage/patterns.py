"""Module patterns of quantisation configs: which names they mean, and which layers."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...problems import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...architecture.layers import LayerSet
    from . import Scheme

LONGEST = 2000
"""Characters of a pattern that is read."""
LAYER = re.compile(r"(.*?layers\\?\.)(\d+)(.*)", re.DOTALL)


def names(value: Any) -> tuple[str, ...]:
    """A list of patterns, () for null. Raises TypeError for anything else."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(v, str) and len(v) <= LONGEST for v in value):
        raise TypeError("no list of module names")
    return tuple(value)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise Refused(f"{pattern!r} is no regular expression: {error}", code="usage") from error


def beginning_or_end(pattern: str, name: str) -> bool:
    """As transformers compares (`should_convert_module`): a pattern is an expression that a name begins with, or the end of a name."""
    return _compiled(pattern).match(name) is not None or name.endswith(pattern)


def exact_or_expression(pattern: str, name: str) -> bool:
    """compressed-tensors: a whole name, or an expression after `re:`."""
    return _compiled(pattern[3:]).match(name) is not None if pattern.startswith("re:") else name == pattern


def glob(pattern: str, name: str) -> bool:
    """Model-Optimizer: a glob over the whole name; a plain name means what is under it too. `re:` as in compressed-tensors."""
    return exact_or_expression(pattern, name) if pattern.startswith("re:") else fnmatchcase(name, pattern) or name.startswith(pattern + ".")


def keeper(patterns: Iterable[str], match: Callable[[str, str], bool]) -> Callable[[str], bool]:
    """Whether one of the patterns that name no layer means a module."""
    general = tuple(p for p in patterns if not _of_layers(p))
    return lambda name: any(match(p, name) for p in general)


def kept_layers(module: str, layers: LayerSet, scheme: Scheme) -> set[int]:
    """The layers that are meant by patterns which name a layer. `module` has the placeholder `{layer}`."""
    match = MATCHES[scheme.method]
    exact, loose = _by_layer(scheme.patterns)
    kept: set[int] = set()
    for before, after, indices in exact:
        first = indices[0]
        if match(f"{before}{first}{after}", module.replace("{layer}", str(first))):
            kept.update(i for i in indices if i in layers)
    for pattern in loose:
        kept.update(i for i in layers if match(pattern, module.replace("{layer}", str(i))))
    return kept


@lru_cache(maxsize=16)
def _by_layer(patterns: tuple[str, ...]) -> tuple[tuple[tuple[str, str, tuple[int, ...]], ...], tuple[str, ...]]:
    """(patterns that differ in the layer alone, as what stands before and after it with the layers; expressions over several layers)."""
    grouped: dict[tuple[str, str], list[int]] = {}
    loose = []
    for pattern in patterns:
        found = LAYER.match(pattern)
        if found is not None:
            grouped.setdefault((found[1], found[3]), []).append(int(found[2]))
        elif _of_layers(pattern):
            loose.append(pattern)
    return tuple((before, after, tuple(indices)) for (before, after), indices in grouped.items()), tuple(loose)


def _of_layers(pattern: str) -> bool:
    """Whether a pattern means some layers only."""
    return LAYER.match(pattern) is not None or (
        "layers" in pattern and re.search(r"[0-9]", pattern.partition("layers")[2].replace("[0-9]", "")) is not None
    )


MATCHES = {
    "fp8": beginning_or_end, "fbgemm_fp8": beginning_or_end, "mxfp4": beginning_or_end, "gptq": beginning_or_end, "awq": beginning_or_end,
    "bitsandbytes": beginning_or_end,
    "hqq": beginning_or_end, "aqlm": beginning_or_end, "compressed-tensors": exact_or_expression, "modelopt": glob, "mlx": beginning_or_end,
}  # fmt: skip
"""How each method reads its patterns."""
