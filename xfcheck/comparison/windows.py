"""Windows: the last W keys of a query instead of all before it (arXiv 2004.05150, section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.layers import LayerSet
from ..architecture.masks import Mask
from ..problems import Refused, Usage
from .parts import changed, places

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer
    from .keys import Keys

WINDOWED = ("sliding", "chunked", "local")


def width(text: str) -> int | None:
    """A window in tokens, `none` for no window. Raises Usage for anything else."""
    if text.lower() in ("none", "null", "full"):
        return None
    if not text.isdecimal():
        raise Usage(f"window={text}: a number of tokens, or none")
    if int(text) < 1:
        raise Refused(f"a window of {text} tokens sees nothing: at least 1 is needed", code="XF117")
    return int(text)


def edited(a: Architecture, window: int | None) -> Architecture:
    """The layers that have a window get this one; where none has, every causal layer does; `None` takes the windows away.

    Raises Refused where none fits.
    """
    masked = [p.spec.mask for p in places(a) if getattr(p.spec, "mask", None) is not None]
    had = any(mask.kind in WINDOWED for mask in masked)
    if not had and not any(mask.kind == "causal" for mask in masked):
        raise Refused("no layer has causal attention to put a window on", code="usage")

    def change(spec: Any) -> Mixer:
        mask = getattr(spec, "mask", None)
        mixer: Mixer = spec
        if mask is None or not (mask.kind in WINDOWED or (mask.kind == "causal" and not had)):
            return mixer
        plain = "bidirectional" if mask.kind == "local" else "causal"
        new = Mask(kind=plain) if window is None else mask.model_copy(update={"kind": mask.kind if had else "sliding", "window": window})  # type: ignore[arg-type]
        return mixer.model_copy(update={"mask": new, "kept_tokens": None} if hasattr(spec, "kept_tokens") else {"mask": new})

    return changed(a, change)


def masks(a: Architecture) -> dict[tuple[Any, ...], str]:
    """Which layers have which mask, by stream, kind and window."""
    held: dict[tuple[Any, ...], list[LayerSet]] = {}
    for place in places(a):
        mask = getattr(place.spec, "mask", None)
        if mask is not None:
            held.setdefault((place.stack.stream, place.spec.kind, mask.kind, mask.window), []).append(place.block.layers)
    return {key: str(LayerSet.union(layers)) for key, layers in held.items()}


def reached(a: Architecture, window: int | None) -> bool:
    """Whether the edit would change no mask."""
    return masks(a) == masks(edited(a, window))


def candidates(a: Architecture, window: int | None) -> list[Keys]:
    """The keys under which configs say it."""
    depth = a.main.depth
    if window is None:
        full = ["full_attention"] * depth
        return [
            {"sliding_window": None},
            {"use_sliding_window": False},
            {"layer_types": full},
            {"sliding_window": None, "layer_types": full},
        ]
    slide = {"layer_types": ["sliding_attention"] * depth, "sliding_window": window}
    out: list[Keys] = [{key: window} for key in ("sliding_window", "attention_chunk_size", "window_size", "attention_window")]
    out += [
        {"sliding_window": window, "use_sliding_window": True},
        {"sliding_window": window, "use_sliding_window": True, "max_window_layers": 0},
    ]
    return [*out, slide, {**slide, "use_sliding_window": True}]
