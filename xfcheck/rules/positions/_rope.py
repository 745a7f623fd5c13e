"""Rotary blocks as a file writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...documents.document import escape
from ...families._classes import architecture_owner
from ...readers.rope import PAIR, version5
from ..dimensions._heads import latent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope

BLOCKS = ("rope_scaling", "rope_parameters")
TYPES = ("default", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional", "axial")
"""Types that transformers 5.24 computes."""
ORIGINAL = "original_max_position_embeddings"
COMMON = ("type", "rope_type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved", "xdrope_section", "interleaved")
"""Keys that a block of any type may hold."""
OF_ENGINES = ("attn_factor", "extrapolation_factor", "finetuned")
"""Keys of yarn that vLLM, SGLang and the code of the paper's authors read, transformers not."""
READ: dict[str, tuple[str, ...]] = {
    "default": (),
    "axial": (),
    "linear": ("factor",),
    "dynamic": ("factor", "alpha", ORIGINAL),
    "yarn": ("factor", ORIGINAL, "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate", *OF_ENGINES),
    "longrope": ("short_factor", "long_factor", ORIGINAL, "factor", "attention_factor"),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", ORIGINAL),
    "proportional": ("factor",),
}
"""Keys that a type reads beside `COMMON`."""
SCALES = (
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "short_factor",
    "long_factor",
    "beta_fast",
    "beta_slow",
    "attention_factor",
    ORIGINAL,
)
"""Keys that only a scaling has."""


class Block(NamedTuple):
    """One flat block: its config object, its value and pointer, and the kind of layer it is for (null: all)."""

    scope: Scope
    data: dict[str, Any]
    at: str
    layers: str | None

    @property
    def written(self) -> Any:
        """The type as written, null where there is none."""
        return self.data.get("rope_type", self.data.get("type"))

    @property
    def type_at(self) -> str:
        """The pointer of the type, of the block where it has none."""
        return next((f"{self.at}/{key}" for key in ("rope_type", "type") if key in self.data), self.at)

    @property
    def type(self) -> str:
        """The type that is computed: renamed where the class renames it, `default` where there is none."""
        kind = self.written
        if kind in PAIR and self.scope.model_type in ("phi3", "phi3_v", "phi4_multimodal", "phimoe"):
            return "longrope"
        if kind == "su":
            return "longrope"
        if kind is None or (kind == "mrope" and "mrope_section" in self.data):
            return "default"
        return kind if isinstance(kind, str) else "?"

    def number(self, key: str) -> float | None:
        """A number of the block, null for anything else."""
        value = self.data.get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def blocks(context: Context) -> Iterator[Block]:
    """Every flat block of every config object: `rope_scaling` and `rope_parameters`, and what they hold for single kinds of layers."""
    for scope in context.nested:
        for key in BLOCKS:
            value = scope.data.get(key)
            if not isinstance(value, dict):
                continue
            at = f"{scope.pointer}/{key}"
            inner = {kind: held for kind, held in value.items() if isinstance(held, dict)}
            for kind, held in inner.items():
                yield Block(scope, held, f"{at}/{escape(kind)}", kind)
            if not inner and value:
                yield Block(scope, value, at, None)


def custom(context: Context, scope: Scope) -> bool:
    """Whether code of the model's own reads the file: it brings some, or names a class that transformers does not have."""
    named = context.data.get("architectures")
    first = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
    return scope.table is None or "auto_map" in context.data or (first is not None and architecture_owner(first) is None)


def widths(context: Context, block: Block) -> set[int]:
    """Dimensions of a head that the block turns: the model's, else from the keys; empty where nothing says it."""
    scope = block.scope
    if context.of_model(scope):
        found = [getattr(m, "position", None) for m in context.mixers]
        return {p.width for p in found if p is not None and p.kind == "rotary" and p.width}
    own = version5()["types"].get(scope.model_type, {}).get("block", {})
    share = block.number("partial_rotary_factor") or scope.real("partial_rotary_factor") or own.get("partial_rotary_factor") or 1
    heads, width, head_dim = scope.whole("num_attention_heads"), scope.whole("hidden_size"), scope.whole("head_dim")
    if latent(scope):
        head_dim, share = scope.whole("qk_rope_head_dim"), 1
    elif head_dim is None and heads and width and heads > 0 and width % heads == 0:
        head_dim = width // heads
    return {int(head_dim * share)} if head_dim and isinstance(share, int | float) else set()


def shown(number: float) -> str:
    """A number in a message: whole ones without a point."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:g}"
